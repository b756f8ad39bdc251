//! Where this system keeps files of programs: settings in the profile that travels with the user, everything else on this
//! machine.

use super::*;

/// None without a profile of the user.
pub fn usual() -> Option<Usual> {
    let folders = directories::ProjectDirs::from("", "", "lode")?;
    // A database does not belong into a profile that is copied between machines.
    let local = folders.data_local_dir().to_owned();
    Some(Usual { config: folders.config_dir().to_owned(), data: local.clone(), state: local })
}

/// The folder for what concerns this machine and this user while they are up, in whatever folder of state lode works, made where
/// it is missing. `named` comes first; else one place for every process of the user, which no
/// variable moves: the system is asked for it by its number.
pub fn runtime(named: Option<&Path>) -> io::Result<PathBuf> {
    if let Some(named) = named {
        make_private_dir(named)?;
        return Ok(named.to_owned());
    }
    let folders = directories::BaseDirs::new()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the system names no folder for local data"))?;
    let folder = folders.data_local_dir().join("lode").join("run");
    make_private_dir(&folder)?;
    if is_open_to_others(&folder)? {
        let words = format!("{} is not a folder of this user alone", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    Ok(folder)
}
