use lode_core::credits::*;

#[test]
fn thousands_are_separated() {
    assert_eq!(Credits(0).to_string(), "0");
    assert_eq!(Credits(1_204).to_string(), "1,204");
    assert_eq!(Credits(-80_000_000).to_string(), "-80,000,000");
    assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
}

#[test]
fn sums_never_wrap() {
    assert_eq!(Credits(i64::MAX) + Credits(1), Credits(i64::MAX));
    assert_eq!(Credits(i64::MIN) - Credits(1), Credits(i64::MIN));
}
