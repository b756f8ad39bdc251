//! Where this system keeps files of programs: settings in the profile that travels with the user, everything else on this
//! machine.

use crate::system::Usual;

/// None without a profile of the user.
pub fn usual() -> Option<Usual> {
    let folders = directories::ProjectDirs::from("", "", "lode")?;
    // A database does not belong into a profile that is copied between machines.
    let local = folders.data_local_dir().to_owned();
    Some(Usual { config: folders.config_dir().to_owned(), data: local.clone(), state: local })
}
