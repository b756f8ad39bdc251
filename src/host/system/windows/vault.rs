//! The Credential Manager, which stores secrets for the user who is logged in.

use super::*;

/// The program that keeps secrets: none, the system is asked directly.
pub const PROGRAM: Option<&str> = None;

/// The secret that is kept under a name.
pub fn read(name: &str) -> io::Result<Option<SecretSlice<u8>>> {
    let name = wide(name);
    let mut found: *mut CREDENTIALW = null_mut();
    // SAFETY: The name ends with a zero, and the result is freed below, once.
    match succeeded(unsafe { CredReadW(name.as_ptr(), CRED_TYPE_GENERIC, 0, &raw mut found) }) {
        Err(error) if error.raw_os_error() == Some(ERROR_NOT_FOUND.cast_signed()) => return Ok(None),
        done => done?,
    }
    // SAFETY: The call succeeded, so there is a structure with a blob as long as it says, or with none of length 0.
    let secret = unsafe {
        let length = (*found).CredentialBlobSize as usize;
        let blob = (*found).CredentialBlob;
        let secret = if length == 0 { Vec::new() } else { std::slice::from_raw_parts(blob, length).to_vec() };
        CredFree(found.cast());
        secret
    };
    Ok(Some(SecretSlice::from(secret)))
}

/// Keeps a secret under a name, on this machine only.
pub fn write(name: &str, secret: &SecretSlice<u8>) -> io::Result<()> {
    let mut name = wide(name);
    let mut user = wide("lode");
    let bytes = secret.expose_secret();
    // SAFETY: A structure of numbers and pointers, for which zero is nothing; those that are set live until the call returns,
    // which writes to none of them.
    let written = unsafe {
        let mut kept: CREDENTIALW = zeroed();
        kept.Type = CRED_TYPE_GENERIC;
        kept.TargetName = name.as_mut_ptr();
        kept.UserName = user.as_mut_ptr();
        kept.CredentialBlobSize = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        kept.CredentialBlob = bytes.as_ptr().cast_mut();
        kept.Persist = CRED_PERSIST_LOCAL_MACHINE;
        CredWriteW(&raw const kept, 0)
    };
    succeeded(written)
}

/// Forgets what is kept under a name. Nothing to forget is not a failure.
pub fn remove(name: &str) -> io::Result<()> {
    let name = wide(name);
    // SAFETY: The name ends with a zero.
    match succeeded(unsafe { CredDeleteW(name.as_ptr(), CRED_TYPE_GENERIC, 0) }) {
        Err(error) if error.raw_os_error() != Some(ERROR_NOT_FOUND.cast_signed()) => Err(error),
        _ => Ok(()),
    }
}

/// Whether it can be used at all.
pub fn works() -> io::Result<()> {
    let mut count = 0;
    let mut found = null_mut();
    // SAFETY: Without a filter everything is listed; the list is freed where there is one.
    let listed = unsafe {
        let listed = CredEnumerateW(null(), 0, &raw mut count, &raw mut found);
        if listed != 0 {
            CredFree(found.cast());
        }
        succeeded(listed)
    };
    match listed {
        Err(error) if error.raw_os_error() != Some(ERROR_NOT_FOUND.cast_signed()) => Err(error),
        _ => Ok(()),
    }
}
