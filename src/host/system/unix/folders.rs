//! Where this system keeps files of programs: where the XDG variables say, else in the usual places below the home folder.

use super::*;

/// None without a home folder.
#[cfg(not(target_os = "macos"))]
pub fn usual() -> Option<Usual> {
    let folders = directories::ProjectDirs::from("", "", "lode")?;
    let state = folders.state_dir().unwrap_or(folders.data_local_dir());
    let [config, data, state] = [folders.config_dir(), folders.data_dir(), state].map(Path::to_owned);
    Some(Usual { config, data, state })
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

/// The folder for what concerns this machine and this user while they are up, in whatever folder of state lode works, made where
/// it is missing. `named` comes first; else one place for every process of the user, which no
/// variable moves: two that were started with different environments still meet there.
pub fn runtime(named: Option<&Path>) -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    if let Some(named) = named {
        make_private_dir(named)?;
        return Ok(named.to_owned());
    }
    usual_runtime(Path::new("/run/user"), Path::new("/tmp"), user)
}

/// Below the session's own folder where that is the user's alone, else in the shared folder for temporary files.
fn usual_runtime(sessions: &Path, temporary: &Path, user: u32) -> io::Result<PathBuf> {
    let session = sessions.join(user.to_string());
    if is_private(&session, user)
        && let Ok(folder) = taken(session.join("lode"), user)
    {
        return Ok(folder);
    }
    taken(temporary.join(format!("lode-{user}")), user)
}

/// Makes the folder, or takes the one that is there if it is the user's alone.
fn taken(folder: PathBuf, user: u32) -> io::Result<PathBuf> {
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if is_private(&folder, user) {
        return Ok(folder);
    }
    let words = format!("{} is not a folder of this user alone", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, words))
}

/// Whether this is a real folder, owned by the user and closed to others. A link does not count, wherever it leads.
fn is_private(folder: &Path, user: u32) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|dir| dir.is_dir() && dir.uid() == user && dir.mode() & 0o777 == 0o700)
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, create_dir, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

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

    struct Machine {
        root: tempfile::TempDir,
        user: u32,
    }

    impl Machine {
        fn new() -> Machine {
            let root = tempfile::tempdir().unwrap();
            create_dir(root.path().join("run")).unwrap();
            create_dir(root.path().join("tmp")).unwrap();
            Machine { root, user: rustix::process::geteuid().as_raw() }
        }

        fn make(&self, folder: &str, mode: u32) -> PathBuf {
            let path = self.root.path().join(folder.replace("UID", &self.user.to_string()));
            create_dir(&path).unwrap();
            set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        }

        fn usual(&self) -> io::Result<String> {
            self.usual_of(self.user)
        }

        fn usual_of(&self, user: u32) -> io::Result<String> {
            let folder = usual_runtime(&self.root.path().join("run"), &self.root.path().join("tmp"), user)?;
            assert_eq!(fs::symlink_metadata(&folder)?.mode() & 0o777, 0o700);
            let below = folder.strip_prefix(self.root.path()).unwrap().display().to_string();
            Ok(below.replace(&user.to_string(), "UID"))
        }
    }

    #[test]
    fn the_sessions_folder_comes_first_where_it_is_the_users_alone() {
        let machine = Machine::new();
        assert_eq!(machine.usual().unwrap(), "tmp/lode-UID", "there is no session");
        let session = machine.make("run/UID", 0o700);
        assert_eq!(machine.usual().unwrap(), "run/UID/lode");
        set_permissions(&session, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(machine.usual().unwrap(), "tmp/lode-UID", "others can look into it");
    }

    #[test]
    fn a_link_is_not_followed() {
        let machine = Machine::new();
        let elsewhere = machine.make("elsewhere", 0o700);
        symlink(&elsewhere, machine.root.path().join(format!("run/{}", machine.user))).unwrap();
        assert_eq!(machine.usual().unwrap(), "tmp/lode-UID");
        let machine = Machine::new();
        let elsewhere = machine.make("elsewhere", 0o700);
        symlink(&elsewhere, machine.root.path().join(format!("tmp/lode-{}", machine.user))).unwrap();
        assert_eq!(machine.usual().unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(elsewhere.read_dir().unwrap().next().is_none());
    }

    #[test]
    fn a_folder_of_another_user_or_open_to_others_is_refused() {
        let machine = Machine::new();
        machine.make("tmp/lode-UID", 0o770);
        assert!(machine.usual().unwrap_err().to_string().ends_with("is not a folder of this user alone"));
        let machine = Machine::new();
        // The folder belongs to the user that runs the tests, not to this one.
        assert!(machine.usual_of(machine.user + 1).is_err());
    }
}
