//! The keeper of secrets: a program here, which `host::secrets` knows how to talk to. The functions that ask the system
//! directly are for systems without one.

use super::*;

/// The program that keeps secrets.
pub const PROGRAM: Option<&str> = Some(if cfg!(target_os = "macos") { "security" } else { "secret-tool" });

pub fn read(_: &str) -> io::Result<Option<SecretSlice<u8>>> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn write(_: &str, _: &SecretSlice<u8>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn remove(_: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn works() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
