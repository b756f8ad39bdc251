//! Where this system keeps files of programs: where the XDG variables say, else in the usual places below the home folder.

#[cfg(any(target_os = "macos", test))]
use std::path::{Path, PathBuf};

use crate::system::Usual;

/// None without a home folder.
#[cfg(not(target_os = "macos"))]
pub fn usual() -> Option<Usual> {
    let folders = directories::ProjectDirs::from("", "", "lode")?;
    Some(Usual {
        config: folders.config_dir().to_owned(),
        data: folders.data_dir().to_owned(),
        state: folders.state_dir().unwrap_or(folders.data_local_dir()).to_owned(),
    })
}

/// None without a home folder.
#[cfg(target_os = "macos")]
pub fn usual() -> Option<Usual> {
    let home = directories::BaseDirs::new()?.home_dir().to_owned();
    Some(on_macos(&home, &|name| std::env::var_os(name).map(PathBuf::from)))
}

/// Programs of the terminal keep to XDG on macOS too. What an earlier lode left in Apple's folder is still used there, unless
/// a variable names another one.
#[cfg(any(target_os = "macos", test))]
fn on_macos(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Usual {
    let apple = home.join("Library/Application Support/lode");
    let folder = |name: &str, below: &str, sign: &str| match variable(name).filter(|folder| folder.is_absolute()) {
        Some(folder) => folder.join("lode"),
        None => {
            let folder = home.join(below).join("lode");
            if !folder.join(sign).exists() && apple.join(sign).exists() { apple.clone() } else { folder }
        }
    };
    Usual {
        config: folder("XDG_CONFIG_HOME", ".config", "config.toml"),
        data: folder("XDG_DATA_HOME", ".local/share", "lode.sqlite3"),
        state: folder("XDG_STATE_HOME", ".local/state", "lode.sqlite3"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_macos_variables_come_first_then_the_places_of_xdg_then_what_is_in_apples_folder() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let usual = || on_macos(home, &|_| None);
        assert_eq!((usual().config, usual().data), (home.join(".config/lode"), home.join(".local/share/lode")));
        let apple = home.join("Library/Application Support/lode");
        std::fs::create_dir_all(&apple).unwrap();
        std::fs::write(apple.join("config.toml"), "").unwrap();
        std::fs::write(apple.join("lode.sqlite3"), "").unwrap();
        assert_eq!(usual(), Usual { config: apple.clone(), data: apple.clone(), state: apple.clone() });
        let named = on_macos(home, &|name| Some(PathBuf::from(format!("/named/{name}"))));
        assert_eq!(named.config, Path::new("/named/XDG_CONFIG_HOME/lode"));
        std::fs::create_dir_all(home.join(".config/lode")).unwrap();
        std::fs::write(home.join(".config/lode/config.toml"), "").unwrap();
        assert_eq!((usual().config, usual().data), (home.join(".config/lode"), apple), "the newer place wins");
    }
}
