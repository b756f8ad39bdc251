//! Goal 6: everything built from nothing, and from nothing tested. It takes a quarter of an hour, so only where it is asked for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::said::Goals;

pub fn measure(folder: &Path, fresh: bool, goals: &mut Goals) {
    if !fresh {
        return goals.tell("only with --fresh; `cargo build --release --timings` says where the time goes");
    }
    for (name, arguments, most) in
        [("lode, from nothing", ["build", "--release"], 150.0), ("all tests, from nothing", ["test", "--quiet"], 360.0)]
    {
        let mut cargo = Command::new("cargo");
        cargo.args(arguments).arg("--locked").current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.env("CARGO_TARGET_DIR", folder.join("target")).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        match cargo.status() {
            Ok(status) if status.success() => goals.most(name, Some(began.elapsed().as_secs_f64()), most, "s"),
            _ => goals.trouble(&format!("{name}: cargo failed")),
        }
    }
}
