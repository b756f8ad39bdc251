//! Signatures as minisign makes and checks them, for the tests of what is handed out. A machine with only a Rust
//! toolchain has no `minisign`, so this test program stands in for it: the same files, the same arguments, real Ed25519
//! signatures. Checking is left to the crate of minisign's author.
#![allow(clippy::disallowed_methods)] // Reads and writes the files of signatures.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minisign_verify::{PublicKey, Signature};
use ring::signature::{Ed25519KeyPair, KeyPair};

/// The arguments of the call, when this program stands in for minisign.
const CALLED: &str = "LODE_CALLED_AS_MINISIGN";

/// A key pair by its seed, which is all that a secret key file of the stand-in holds.
pub(super) struct Key {
    seed: u8,
}

impl Key {
    pub(super) fn of(seed: u8) -> Key {
        Key { seed }
    }

    fn pair(&self) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[self.seed; 32]).unwrap()
    }

    fn line(&self, bytes: &[u8]) -> String {
        STANDARD.encode([b"Ed", &[self.seed; 8][..], bytes].concat())
    }

    /// The line that `minisign -P` takes.
    pub(super) fn public(&self) -> String {
        self.line(self.pair().public_key().as_ref())
    }

    /// Writes FILE.minisig beside a file.
    pub(super) fn sign(&self, file: &Path, comment: &str) {
        let pair = self.pair();
        let signature = pair.sign(&std::fs::read(file).unwrap());
        let whole = STANDARD.encode(pair.sign(&[signature.as_ref(), comment.as_bytes()].concat()));
        let text = format!(
            "untrusted comment: of a test\n{}\ntrusted comment: {comment}\n{whole}\n",
            self.line(signature.as_ref())
        );
        std::fs::write(format!("{}.minisig", file.display()), text).unwrap();
    }
}

/// The script that calls this program as minisign; `LODE_MINISIGN` names a real one to try instead.
pub(super) fn script() -> String {
    let here = std::env::current_exe().unwrap();
    let stand_in = format!("{CALLED}=\"$*\" exec '{}' --exact {}::answers", here.display(), module_path!());
    std::env::var("LODE_MINISIGN").map_or(stand_in.replace("program::", ""), |real| format!("exec {real} \"$@\""))
}

/// Checks or signs as it was called: `-V -P KEY -x SIGNATURE -m FILE`, or `-S -s KEY -t COMMENT -m FILE`. Does nothing
/// as a test.
#[test]
fn answers() {
    let Ok(called) = std::env::var(CALLED) else { return };
    let value = |flag: &str| {
        let after = called.split_once(&format!("{flag} ")).unwrap_or_else(|| panic!("no {flag}: {called}")).1;
        after.split(" -").next().unwrap().to_string()
    };
    let file = value("-m");
    if called.starts_with("-S") {
        let seed = std::fs::read_to_string(value("-s")).unwrap().trim().parse().unwrap();
        return Key::of(seed).sign(Path::new(&file), &value("-t"));
    }
    let key = PublicKey::from_base64(&value("-P")).unwrap();
    let signature = Signature::decode(&std::fs::read_to_string(value("-x")).unwrap()).unwrap();
    key.verify(&std::fs::read(file).unwrap(), &signature, true).unwrap();
}
