//! Pages and comments name files that exist.

use crate::repository::tidy::sources::{root, rust_files};

const FOLDERS: &[&str] = &["src/", "tests/", "assets/", "docs/", "packaging/", "fuzz/", "benches/", ".ci/"];

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((inner, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    inner.split(',').flat_map(|one| expanded(&format!("{before}{}{after}", one.trim()))).collect()
}

#[test]
fn named_files_exist() {
    let mut pages: Vec<_> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(|page| root().join(page)).into();
    pages.extend(["src", "tests", "benches"].iter().flat_map(|folder| rust_files(folder)));
    let (mut named, mut missing) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for path in text.split('`').skip(1).step_by(2) {
            let is_path =
                FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.contains([' ', '*', '<', '…', '$', '(']);
            if !is_path {
                continue;
            }
            for path in expanded(path) {
                named += 1;
                let path = path.trim_end_matches(['.', ',', ')']);
                let exists = root().join(path).exists() || root().join(format!("{path}.rs")).exists();
                if !exists && !path.contains('{') {
                    missing.push(format!("{}: {path}", page.strip_prefix(root()).unwrap().display()));
                }
            }
        }
    }
    assert!(named > 100, "{named} paths were found");
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "{} files that are named do not exist:\n{}", missing.len(), missing.join("\n"));
}
