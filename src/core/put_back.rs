//! The switch of the defects that the simulation must catch. `tests/sim/put_back.rs` lists them and builds with `--cfg put_back`; any
//! other build compiles to the code without them.

/// True while the defect of this id is put back: the environment variable `PUT_BACK` names it.
#[cfg(put_back)]
#[allow(clippy::disallowed_methods)] // Only a build for tests reads it.
pub fn put_back(id: &str) -> bool {
    static WHICH: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    WHICH.get_or_init(|| std::env::var("PUT_BACK").ok()).as_deref() == Some(id)
}

/// Always false: without `--cfg put_back` no defect is compiled in.
#[cfg(not(put_back))]
#[inline(always)]
pub const fn put_back(_id: &str) -> bool {
    false
}
