//! Windows 10 and later. The only room of lode with unsafe code: each call into the system is a few lines with the reason
//! why it is sound.
#![allow(unsafe_code)]

mod access;
pub mod clock;
pub mod files;
pub mod folders;
pub mod processes;
pub mod signals;
pub mod terminal;
pub mod vault;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, IsTerminal, StderrLock, Write};
use std::mem::zeroed;
use std::os::windows::{ffi::OsStrExt, fs::FileExt, io::AsRawHandle, process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use secrecy::{ExposeSecret, SecretSlice};
use tokio::sync::Notify;
use windows_sys::Win32::Security::{Authorization::*, Credentials::*, *};
use windows_sys::Win32::System::{Performance::*, Threading::*};
use windows_sys::Win32::{Foundation::*, Storage::FileSystem::*};

use super::{Came, ExitCause, SystemEvent, Usual};

use self::access::{is_open_to_others, succeeded};
use self::files::make_private_dir;
use self::signals::RESIZED;

/// What lode does elsewhere and not here, one sentence each.
pub const MISSING: &[&str] = &[
    "settings that another program changes are read when the window gets the focus, not at once",
    "a console cannot suspend a program: Ctrl-z does nothing",
    "a console does not tell pasted letters from typed ones: fewer than eight at once count as typed",
];

/// Text as the system takes it: two bytes a letter, with a zero at its end.
fn wide(text: impl AsRef<std::ffi::OsStr>) -> Vec<u16> {
    text.as_ref().encode_wide().chain([0]).collect()
}
