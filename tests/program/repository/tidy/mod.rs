//! Rules of the app that a reader should be able to rely on, kept by a test because convention does not hold.
//!
//! The layers are crates, so that cargo keeps their arrows pointing down. Inside them: neighbors form no cycle, `ui` keeps its own
//! stairs, screens never import each other. The root of `core` re-exports its types for the other crates; inside the crate
//! a type is named by its module, so that each arrow is seen. `cargo test --test program tidy -- --nocapture` lists modules with their imports.
#![allow(clippy::disallowed_methods)] // The rules are read off the sources.

mod names;
mod paths;
mod screens;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use lode_engine::effect::{UnlockCall, WrittenIntent};
use sources::{Source, root, sources};

/// The stairs inside `ui`, lowest first.
const UI_STAIRS: &[&[&str]] = &[
    &["theme", "keys"],
    &["signs", "messages", "motion"],
    &["widgets"],
    &["layout"],
    &["screens", "card", "dialogs", "scene"],
    &["model", "msg"],
    &["update", "view", "linear"],
];

fn stair(part: &str) -> Option<usize> {
    UI_STAIRS.iter().position(|parts| parts.contains(&part))
}

/// At every level of the tree, what stands side by side forms no cycle: each room can be read without its neighbors above it.
/// (A module and its own parts belong together and may name each other.)
#[test]
fn modules_form_no_cycle() {
    let sources = sources();
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| source.module.as_slice()).collect();
    let mut levels: BTreeMap<&[String], Arrows> = BTreeMap::new();
    for source in &sources {
        let listed = imports(source, &modules);
        println!("{}", source.module.join("::"));
        for module in &listed {
            println!("    {}", module.join("::"));
        }
        for there in listed {
            let shared = source.module.iter().zip(there).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (source.module.get(shared), there.get(shared)) {
                let arrows = levels.entry(&there[..shared]).or_default();
                arrows.entry(from).or_default().entry(to).or_default().push(format!(
                    "{} names {}",
                    source.module.join("::"),
                    there.join("::")
                ));
            }
        }
    }
    let arrows: usize = levels.values().flat_map(Arrows::values).map(BTreeMap::len).sum();
    println!("{} modules, {arrows} arrows between neighbors on {} levels", sources.len(), levels.len());
    for (level, arrows) in &levels {
        for start in arrows.keys() {
            if let Some(way) = way_back(arrows, start) {
                panic!("a cycle in {:?}:\n{}", level.join("::"), way.join("\n"));
            }
        }
    }
}

/// From neighbor to neighbor, with the imports that make the arrow.
type Arrows<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<String>>>;

/// The modules a file imports: of each name the longest beginning that is a module.
fn imports<'a>(source: &'a Source, modules: &BTreeSet<&'a [String]>) -> BTreeSet<&'a [String]> {
    let module_of = |name: &'a Vec<String>| {
        (1..=name.len()).rev().map(|length| &name[..length]).find(|module| modules.contains(module))
    };
    source.names.iter().filter_map(module_of).filter(|module| *module != source.module.as_slice()).collect()
}

/// The imports that lead from `start` back to itself, if any do.
fn way_back(arrows: &Arrows<'_>, start: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![(start, Vec::new())];
    while let Some((at, way)) = open.pop() {
        for (to, because) in arrows.get(at).into_iter().flatten() {
            let mut way = way.clone();
            way.push(because[0].clone());
            if *to == start {
                return Some(way);
            }
            if seen.insert(*to) {
                open.push((to, way));
            }
        }
    }
    None
}

#[test]
fn a_cycle_is_found() {
    let arrow = |to: &'static str| BTreeMap::from([(to, vec![format!("names {to}")])]);
    let mut arrows = Arrows::from([("a", arrow("b")), ("b", arrow("c")), ("d", arrow("a"))]);
    assert_eq!(way_back(&arrows, "a"), None);
    arrows.insert("c", arrow("a"));
    assert_eq!(way_back(&arrows, "a").unwrap(), ["names b", "names c", "names a"]);
}

#[test]
fn ui_keeps_its_stairs_and_screens_keep_apart() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.module[0] == "ui" && source.module.len() > 1) {
        let part = &source.module[1];
        let here = stair(part).unwrap_or_else(|| panic!("ui::{part} stands on no stair: add it to UI_STAIRS"));
        for name in source.names.iter().filter(|name| name[0] == "ui" && name.len() > 1) {
            let Some(there) = stair(&name[1]) else { continue };
            if there > here {
                wrong.push(format!("{}: {} is higher up", source.path.display(), name.join("::")));
            }
            let other_screen = part == "screens"
                && name[1] == "screens"
                && source.module.len() > 2
                && name.len() > 2
                && name[2] != source.module[2];
            if other_screen {
                wrong.push(format!("{}: a screen imports {}", source.path.display(), name.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_crate_names_its_own_types_where_they_live() {
    let sources = sources();
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| source.module.as_slice()).collect();
    let through_the_root = |source: &&Source| {
        let at_the_root =
            |name: &Vec<String>| name.len() == 2 && name[0] == "core" && !modules.contains(name.as_slice());
        source.module[0] == "core" && source.module.len() > 1 && source.names.iter().any(at_the_root)
    };
    let wrong: Vec<_> = sources.iter().filter(through_the_root).map(|source| source.path.display()).collect();
    assert!(wrong.is_empty(), "these name a type by the root of their crate, which hides the arrow: {wrong:?}");
}

/// The session alone assembles the money machines: screens and scripts drive it, so that the simulation plays what ships.
#[test]
fn only_flow_assembles_the_money_machines() {
    let machines = [
        ["engine", "flow", "unlock", "Unlock"],
        ["engine", "flow", "recovery", "Recovery"],
        ["engine", "flow", "ledger", "Ledger"],
        ["engine", "flow", "balance", "Balance"],
    ];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.module[0] != "engine") {
        for name in source
            .names
            .iter()
            .filter(|name| machines.iter().any(|machine| name.starts_with(&machine.map(str::to_owned))))
        {
            wrong.push(format!("{}: {}", source.path.display(), name.join("::")));
        }
    }
    assert!(wrong.is_empty(), "these hold a money machine of their own: go through the session\n{}", wrong.join("\n"));
}

/// Money rule 13, *one way out*: the proof of the store and the request are moved, never copied. This does not compile (E0283) once one of
/// them can be cloned: then two traits would fit.
const _: fn() = || {
    struct Cloned;
    trait Fits<Why> {
        fn type_fits() {}
    }
    impl<T> Fits<()> for T {}
    impl<T: Clone> Fits<Cloned> for T {}
    let _ = (<WrittenIntent as Fits<_>>::type_fits, <UnlockCall as Fits<_>>::type_fits);
};

/// Money rule 13, *one way out*: the type of the request lets only a proof of the store build it. Here is what the type cannot say: the
/// store alone makes that proof, and an order comes from an accepted quote only.
#[test]
fn only_the_store_makes_the_proof_of_an_intent() {
    let mut proofs = Vec::new();
    let mut orders = Vec::new();
    for source in sources() {
        let lines: Vec<&str> = source.code.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
        for (at, line) in lines.iter().enumerate() {
            let is_put_back = lines[at.saturating_sub(3)..at].iter().any(|line| line.starts_with("if put_back("));
            if (line.contains("WrittenIntent::new(") || line.contains("WrittenIntent as ")) && !is_put_back {
                proofs.push(source.module.join("::"));
            }
            // An order is made where a quote is accepted, and nowhere else: its fields are private to that file.
            if line.contains("Order { ")
                && source.module.starts_with(&["engine".to_owned(), "flow".to_owned(), "unlock".to_owned()])
            {
                orders.push(source.module.join("::"));
            }
        }
    }
    assert_eq!(proofs, ["host::store::intend"]);
    assert!(orders.iter().all(|module| module == "engine::flow::unlock::order"), "{orders:?}");
}

/// An unnamed member would be compiled without optimization, and every key passes through it.
#[test]
fn each_profile_that_optimizes_names_every_member() {
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap().iter().map(|member| member.as_str().unwrap());
    let layers: Vec<String> =
        members.filter_map(|member| member.strip_prefix("src/")).map(|name| format!("lode-prospect-{name}")).collect();
    assert_eq!(layers.len(), 5);
    let level = |profile: &str, name: &str| {
        let level = manifest["profile"].get(profile)?.get("package")?.get(name)?.get("opt-level")?;
        level.as_integer()
    };
    for layer in &layers {
        assert_eq!(level("dist", layer), Some(3), "{layer} in what is handed out");
        // `bench` takes what `release` sets, unless it says otherwise.
        assert_eq!(level("bench", layer).or(level("release", layer)), Some(3), "{layer} in benches");
        assert!(
            level("release", layer) >= Some(2),
            "{layer} in the trial build: below 2 a crate calls generic code at level 0"
        );
    }
    for name in ["ratatui-core", "unicode-width", "serde_json", "memchr", "ring", "zlib-rs"] {
        assert_eq!((level("dist", name), level("release", name)), (Some(3), Some(3)), "{name}");
    }
}

/// Money rule 12, *impossible stops*: code that keeps a money rule stops spending when it panics.
#[test]
fn a_panic_where_a_money_rule_is_kept_stops_spending() {
    let layers = ["core", "engine", "host", "ops"];
    let kept = sources()
        .into_iter()
        .filter(|source| layers.contains(&source.module[0].as_str()) && source.code.contains("oney rule"));
    let files: Vec<String> = kept.map(|source| format!("src/{}/", source.module.join("/"))).collect();
    assert!(files.len() > 15, "{files:?}");
    let missing: Vec<&String> = files.iter().filter(|file| !lode_host::store::stop::is_money_code(file)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!lode_host::store::stop::is_money_code("src/ui/view.rs"));
}

/// Unsafe code is denied, and no other room may allow it. Linux compiles everything but the Windows half of the system room.
#[test]
fn only_the_system_room_asks_for_windows_or_is_unsafe() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"deny\""));
    let mut wrong = Vec::new();
    for source in sources() {
        let module = source.module.join("::");
        let asks = ["cfg(windows)", "not(unix)", "target_os = \"windows\"", "cfg!(windows)"]
            .iter()
            .any(|asked| source.code.contains(asked));
        let promises = source.code.contains("unsafe {") || source.code.contains("allow(unsafe_code)");
        if asks && module != "host::system" || promises && !module.starts_with("host::system") {
            wrong.push(module);
        }
    }
    assert!(wrong.is_empty(), "these belong in host::system: {wrong:?}");
}
