//! Help, version, completions, manual pages.

use crate::house::House;

#[test]
fn version_help_completions_and_pages_need_nothing() {
    let house = House::new();
    let version = house.run(&["--version"]).ended(0);
    assert!(version.out.starts_with(&format!("lode {}", env!("CARGO_PKG_VERSION"))), "{}", version.out);
    for command in ["search", "unlock", "recover", "owned", "receipts", "basket", "export", "counts", "saved", "me"] {
        assert!(house.run(&[command, "--help"]).ended(0).out.contains("Example"), "{command}");
        assert!(house.run(&["man", command]).ended(0).out.contains(&format!("lode\\-{command}")), "{command}");
    }
    assert!(house.run(&["man"]).ended(0).out.contains(".SH NAME"));
    house.run(&["man", "nonsense"]).failed(2);
    for (shell, sign) in [("bash", "complete -F"), ("zsh", "#compdef lode"), ("fish", "complete -c lode")] {
        assert!(house.run(&["completions", shell]).ended(0).out.contains(sign), "{shell}");
    }
    house.run(&["completions", "tcsh"]).ended(2);
    assert!(!house.path("state").exists() && !house.path("config").exists(), "nothing was written for that");
}
