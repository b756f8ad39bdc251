//! What several suites stand on, and the benchmarks and the fuzz targets with them: a house for the real binary, worlds for the real
//! model, the brain of the sandbox, terminals, dice, and the picture of a frame.
#![allow(clippy::disallowed_methods)] // Tests start programs, measure time and read their pictures.
#![allow(clippy::new_without_default)] // A house or a world is founded, never assumed.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lode_core::contact::{Corpus, RowId};
use lode_core::money::{BatchId, OrderId};
use lode_engine::effect::unlock::{UnlockBody, UnlockCall, WrittenIntent};

pub mod asking;
pub mod bench;
pub mod brain;
pub mod built;
pub mod cells;
pub mod dice;
pub mod documents;
pub mod fuzz;
pub mod gate;
pub mod house;
pub mod memory;
pub mod profile;
pub mod svg;
pub mod terminal;
pub mod vast;
pub mod world;

/// An unlock as the store allows it after its intent was written down.
pub fn unlock_call(corpus: Corpus, ids: Vec<RowId>, verify: bool) -> UnlockCall {
    WrittenIntent::new(OrderId(1), BatchId(1), 1, UnlockBody { corpus, ids, verify }).request()
}

/// The folder of the repository.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("tests/common").to_owned());
    &ROOT
}

/// The program under test: Cargo builds it before every suite, one folder above the suite.
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let suite = std::env::current_exe().expect("a suite is a program");
        let name = format!("lode{}", std::env::consts::EXE_SUFFIX);
        let binary = suite.ancestors().nth(2).expect("it is in `deps`").join(name);
        assert!(binary.is_file(), "{} is not built", binary.display());
        binary
    });
    &BINARY
}
