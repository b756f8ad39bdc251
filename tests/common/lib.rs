//! Support for several suites, the benchmarks and the fuzz targets: the real binary with folders of its own, the real model with a
//! screen, the sandbox without its server, terminals, a random generator, and pictures of frames.
#![allow(clippy::disallowed_methods)] // Tests start programs, measure time and read their pictures.
#![allow(clippy::new_without_default)] // Starting a test app is never implicit.

pub use folder::folder;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use lode_core::contact::{Corpus, RowId};
use lode_core::money::{BatchId, OrderId};
use lode_engine::effect::unlock::{UnlockBody, UnlockCall, WrittenIntent};

pub mod asking;
pub mod bench;
pub mod built;
pub mod cells;
pub mod documents;
pub mod flow_simulation;
mod folder;
pub mod fuzz;
pub mod gate;
pub mod memory;
pub mod profile;
pub mod rng;
pub mod sandbox_engine;
pub mod screen;
pub mod svg;
pub mod tabbed;
pub mod terminal;
pub mod test_app;
pub mod vast;

/// An unlock as the store allows it after its intent was written down.
pub fn unlock_call(corpus: Corpus, ids: Vec<RowId>, verify: bool) -> UnlockCall {
    WrittenIntent::new(OrderId(1), BatchId(1), 1, UnlockBody { corpus, ids, verify }).request()
}

/// An address that no server has: the system gives its port to no other test.
pub const CLOSED: &str = "127.0.0.1:1";

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

/// Calls `work` for 0 up to `count`, some at once, with the number of the one that works.
pub fn each(count: usize, jobs: usize, work: impl Fn(usize, usize) + Sync) {
    let next = AtomicUsize::new(0);
    let (next, work) = (&next, &work);
    std::thread::scope(|scope| {
        for job in 0..jobs {
            scope.spawn(move || {
                let all = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                all.take_while(|at| *at < count).for_each(|at| work(at, job));
            });
        }
    });
}
