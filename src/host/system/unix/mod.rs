//! Linux, macOS and their relatives.

pub mod clock;
pub mod files;
pub mod folders;
pub mod processes;
pub mod signals;
pub mod terminal;
pub mod vault;
#[cfg(target_os = "linux")]
pub mod watch;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use rustix::io::Errno;
use secrecy::SecretSlice;

use super::{Came, ExitCause, SystemEvent, Usual};

use self::files::make_private_dir;

/// What lode does elsewhere and not here, one sentence each.
#[cfg(target_os = "linux")]
pub const MISSING: &[&str] = &[];
#[cfg(not(target_os = "linux"))]
pub const MISSING: &[&str] =
    &["settings that another program changes are read when the window gets the focus, not at once"];
