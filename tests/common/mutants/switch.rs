
/// The mutant that is switched on, from `MUTANT`; 0 without one. The file of `MUTANT_SWITCHES` gets a line for each switch that
/// is passed.
pub fn mutant(switch: usize) -> u32 {
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static ON: LazyLock<u32> =
        LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|on| on.parse().ok()).unwrap_or(0));
    static SWITCHES: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {
        let path = std::env::var_os("MUTANT_SWITCHES")?;
        std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
    });
    static PASSED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];
    if let Some(mut file) = SWITCHES.as_ref() {
        if !PASSED[switch].swap(true, Ordering::Relaxed) {
            let _ = file.write_all(format!("{switch}\n").as_bytes());
        }
    }
    *ON
}
