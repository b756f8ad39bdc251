//! The seeds of the fuzz targets, the inputs that once failed, and crooked copies of both: every run of the tests goes
//! through the doors that the fuzzer tries for hours.

use common::asking::{Askable, Asking, Readable, Small};
use std::path::{Path, PathBuf};

use lode_sandbox::service::{Service, ServiceRequest, ServiceSetup};
use lode_sandbox::variants::Variant;

use common::fuzz::keys::play;
use common::fuzz::{TARGETS, Target};
use common::rng::Rng;

use crate::hostile::piped;

/// The targets, with the program's pipe behind the pages of a search.
fn targets() -> impl Iterator<Item = (&'static str, Target)> {
    TARGETS.into_iter().map(|(name, target)| (name, if name == "wire_search" { piped::search } else { target }))
}

fn inputs(kind: &str, target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(kind).join(target);
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Runs one input. What fails is told at the end, all of it: one broken door hides no other.
fn run(target: Target, path: &Path, input: &[u8], broken: &mut Vec<String>) {
    if std::panic::catch_unwind(|| target(input)).is_err() {
        broken.push(format!("{}: {:?}", path.display(), String::from_utf8_lossy(input)));
    }
}

fn hold(broken: &[String]) {
    assert!(broken.is_empty(), "{} inputs fail:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn every_target_has_seeds_and_a_program_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(!inputs("seeds", name).is_empty(), "{name} has no seeds");
        assert!(root.join(format!("fuzz_targets/{name}.rs")).exists(), "{name} has no program");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in the manifest");
    }
    for kind in ["seeds", "regressions"] {
        for entry in std::fs::read_dir(root.join(kind)).unwrap() {
            let folder = entry.unwrap().file_name().into_string().unwrap();
            assert!(TARGETS.iter().any(|(name, _)| *name == folder), "{kind}/{folder} belongs to no target");
        }
    }
}

fn all_hold(kind: &str) {
    let mut broken = Vec::new();
    for (name, target) in targets() {
        for path in inputs(kind, name) {
            run(target, &path, &std::fs::read(&path).unwrap(), &mut broken);
        }
    }
    hold(&broken);
}

#[test]
fn what_once_failed_fails_no_more() {
    all_hold("regressions");
}

#[test]
fn seeds_hold() {
    all_hold("seeds");
}

/// A target that never comes to the point would hold for ever.
#[test]
fn scripts_of_keys_come_to_spending_where_it_was_typed_and_nowhere_else() {
    let spent = |seed: &str| {
        let path = inputs("seeds", "keys").into_iter().find(|path| path.ends_with(seed)).unwrap();
        play(&std::fs::read(path).unwrap())
    };
    for (seed, calls) in [
        ("pay", 2),
        ("linear-pay", 2),
        ("lost", 2),
        ("pay-absurd", 1),
        ("browse", 0),
        ("paste-and-burst", 0),
        ("keyless", 0),
        ("data", 0),
    ] {
        assert!(if calls == 0 { spent(seed) == 0 } else { spent(seed) >= calls }, "{seed}: {}", spent(seed));
    }
}

/// A copy with some bytes changed, left out, doubled or cut off.
fn crooked(input: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut copy = input.to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.place(copy.len());
        match rng.below(5) {
            0 if !copy.is_empty() => copy[at] = rng.below(256) as u8,
            1 if !copy.is_empty() => drop(copy.remove(at)),
            2 => copy.truncate(at.max(1)),
            3 => {
                let end = (at + rng.place(20)).min(copy.len());
                let piece = copy[at.min(end)..end].to_vec();
                copy.splice(at..at, piece);
            }
            _ => {
                let inserts: [&[u8]; 8] =
                    [b"\"", b"{", b"\\u001b", b"\\ud800", b"1e999", b"\xe2\x80\xae", b"\n", b"null"];
                copy.splice(at..at, rng.pick(&inserts).iter().copied());
            }
        }
    }
    copy
}

#[test]
fn crooked_copies_of_the_seeds_hold() {
    let mut broken = Vec::new();
    for (at, (name, target)) in targets().enumerate() {
        let mut rng = Rng::new(at as u64);
        let copies = if name == "keys" { 3 } else { 150 };
        for path in inputs("seeds", name).into_iter().chain(inputs("regressions", name)) {
            let input = std::fs::read(&path).unwrap();
            for _ in 0..copies {
                run(target, &path, &crooked(&input, &mut rng), &mut broken);
            }
        }
    }
    hold(&broken);
}

/// What the sandbox answers in each reading of the documents, as inputs: prefix, target, body.
fn answers(variant: Variant) -> Vec<(&'static str, Vec<u8>)> {
    let service = Service::new(ServiceSetup { variant, credits: 60, ..ServiceSetup::small() });
    let me = |request: ServiceRequest| request.bearer(&service.workspace_key());
    let user = |request: ServiceRequest| request.header("x-api-key", &service.data_key());
    let ids: Vec<u64> = (1..=100).collect();
    let saved = serde_json::json!({"name": "nurses", "corpus": "us", "filters": {"title": "nurse"}});
    let asked = [
        ("wire_search", "000", me(ServiceRequest::get("/api/v1/search?corpus=us&limit=20"))),
        ("wire_search", "000", me(ServiceRequest::get("/api/v1/search?corpus=us&limit=2000"))),
        ("wire_search", "100", me(ServiceRequest::get("/api/v1/search?corpus=linkedin&limit=20&offset=100"))),
        ("wire_search", "200", user(ServiceRequest::get("/api/search?state=TX"))),
        ("wire_me", "", me(ServiceRequest::get("/api/v1/me"))),
        (
            "wire_unlock",
            "01",
            me(ServiceRequest::post("/api/v1/unlock", &serde_json::json!({"corpus": "us", "ids": ids}))),
        ),
        (
            "wire_unlock",
            "01",
            me(ServiceRequest::post("/api/v1/unlock", &serde_json::json!({"corpus": "us", "ids": ids}))),
        ),
        ("wire_counts", "", user(ServiceRequest::get("/api/counts?corpus=us"))),
        ("wire_saved", "", user(ServiceRequest::post("/api/saved", &saved))),
        ("wire_saved", "", user(ServiceRequest::get("/api/saved"))),
        ("wire_refusal", "00", ServiceRequest::get("/api/v1/me")),
        ("wire_refusal", "20", ServiceRequest::get("/api/search?state=TX")),
    ];
    let answered = asked.into_iter().map(|(target, prefix, request)| {
        let answer = service.answer(&request, 1_000);
        let body = answer.bytes().unwrap_or_default();
        assert!(!body.is_empty(), "{variant:?} {target}");
        (target, [prefix.as_bytes(), &body].concat())
    });
    answered.collect()
}

#[test]
fn answers_of_every_variant_hold_whole_and_crooked() {
    let mut broken = Vec::new();
    for variant in Variant::ALL {
        let mut rng = Rng::new(variant as u64);
        for (name, input) in answers(variant) {
            let (_, target) = targets().find(|(known, _)| *known == name).unwrap();
            let path = Path::new(variant.name()).join(name);
            run(target, &path, &input, &mut broken);
            for _ in 0..40 {
                run(target, &path, &crooked(&input, &mut rng), &mut broken);
            }
        }
    }
    hold(&broken);
}
