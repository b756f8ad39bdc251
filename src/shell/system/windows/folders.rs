//! Where this system keeps files of programs: settings in the profile that travels with the user, everything else on this
//! machine.

use std::path::PathBuf;

/// The folders of lode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usual {
    pub config: PathBuf,
    /// What must not be lost.
    pub data: PathBuf,
    /// What can be found out again.
    pub state: PathBuf,
}

/// None without a profile of the user.
pub fn usual() -> Option<Usual> {
    let folders = directories::ProjectDirs::from("", "", "lode")?;
    // A profile that is copied between machines is no place for a database.
    let local = folders.data_local_dir().to_owned();
    Some(Usual { config: folders.config_dir().to_owned(), data: local.clone(), state: local })
}
