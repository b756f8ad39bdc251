#![no_main]

#[path = "../../tests/program/hostile/piped.rs"]
mod piped;

libfuzzer_sys::fuzz_target!(|data: &[u8]| piped::search(data));
