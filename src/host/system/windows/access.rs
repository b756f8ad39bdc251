//! Who may look into a file or folder: the list of access (ACL) that Windows keeps where Unix has three digits.

use super::*;

/// The system itself and the administrators, who can read everything anyway, and the user who made it.
const ALWAYS: [&str; 4] = ["SY", "BA", "CO", "OW"];

/// Leaves the file to the user and the system; with `inherits`, a folder with everything that is made in it.
pub(super) fn close(path: &Path, inherits: bool) -> io::Result<()> {
    let flags = if inherits { "OICI" } else { "" };
    let user = user()?;
    let access = descriptor(&format!("D:P(A;{flags};FA;;;{user})(A;{flags};FA;;;SY)"))?;
    let path = wide(path);
    let parts = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    // SAFETY: The path ends with a zero and the descriptor is the system's own; both live until the call returns.
    succeeded(unsafe { SetFileSecurityW(path.as_ptr(), parts, access.0.cast()) })
}

/// Whether access is open to others than the user, the system and its administrators.
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    let path = wide(path);
    let mut access = null_mut();
    // SAFETY: The path ends with a zero; of the places to write to, those that are not asked for may be null.
    let error = unsafe {
        GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut access,
        )
    };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error.cast_signed()));
    }
    let access = Local(access.cast());
    let written = text_of(access.0.cast())?;
    let mine = descriptor(&format!("D:(A;;FA;;;{})", user()?))?;
    // The user may have a short name of its own.
    let mine = text_of(mine.0.cast())?;
    let mine: Vec<&str> = allowed(&mine).collect();
    let mut entries = written.split_once("D:").into_iter().flat_map(|(_, list)| allowed(list)).peekable();
    // Without any list every user has access.
    let no_list = written.contains("NO_ACCESS_CONTROL") || !written.contains("D:");
    Ok(no_list || entries.any(|who| !ALWAYS.contains(&who) && !mine.contains(&who)))
}

/// Whom the entries of a list let in: `(A;;FA;;;SY)` lets in `SY`.
fn allowed(list: &str) -> impl Iterator<Item = &str> {
    list.split('(').filter_map(|entry| {
        let mut fields = entry.split([';', ')']);
        let allows = fields.next()?.contains('A');
        let who = fields.nth(4)?;
        allows.then_some(who)
    })
}

/// The user whose process this is, as the system writes it.
fn user() -> io::Result<&'static str> {
    static USER: OnceLock<String> = OnceLock::new();
    if let Some(user) = USER.get() {
        return Ok(user);
    }
    let mut token: HANDLE = null_mut();
    // SAFETY: The process's own handle needs no closing, and the token is written to where it is told.
    succeeded(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // Aligned for the structure at its beginning; a name of an account is at most 68 bytes.
    let mut room = [0_u64; 32];
    let (size, mut length) = (u32::try_from(size_of_val(&room)).unwrap_or(0), 0);
    // SAFETY: The room is as large as said; the token was just opened and is closed once.
    let read = unsafe {
        let read = GetTokenInformation(token, TokenUser, room.as_mut_ptr().cast(), size, &raw mut length);
        CloseHandle(token);
        read
    };
    succeeded(read)?;
    let mut text = null_mut();
    // SAFETY: The call before filled the room with this structure, whose account lies in the same room.
    succeeded(unsafe { ConvertSidToStringSidW((*room.as_ptr().cast::<TOKEN_USER>()).User.Sid, &raw mut text) })?;
    let text = Local(text.cast());
    let user = text.text();
    Ok(USER.get_or_init(|| user))
}

fn descriptor(text: &str) -> io::Result<Local> {
    let text = wide(text);
    let mut made = null_mut();
    // SAFETY: The text ends with a zero; the result is freed by its owner.
    let done = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(text.as_ptr(), SDDL_REVISION_1, &raw mut made, null_mut())
    };
    succeeded(done)?;
    Ok(Local(made.cast()))
}

fn text_of(descriptor: PSECURITY_DESCRIPTOR) -> io::Result<String> {
    let mut text = null_mut();
    // SAFETY: The descriptor is one the system made; the result is freed by its owner.
    let done = unsafe {
        ConvertSecurityDescriptorToStringSecurityDescriptorW(
            descriptor,
            SDDL_REVISION_1,
            DACL_SECURITY_INFORMATION,
            &raw mut text,
            null_mut(),
        )
    };
    succeeded(done)?;
    Ok(Local(text.cast()).text())
}

/// Memory that the system took for us, given back at the end.
struct Local(*mut core::ffi::c_void);

impl Local {
    /// What it holds, if that is a text.
    fn text(&self) -> String {
        let start = self.0.cast::<u16>().cast_const();
        if start == null() {
            return String::new();
        }
        // SAFETY: A text of the system ends with a zero, and nothing is read behind it.
        let letters = unsafe {
            let length = (0..).take_while(|at| *start.add(*at) != 0).count();
            std::slice::from_raw_parts(start, length)
        };
        String::from_utf16_lossy(letters)
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: The system took it with LocalAlloc, as each of the calls here says, and it is freed once.
        unsafe { LocalFree(self.0) };
    }
}

pub(super) fn succeeded(done: i32) -> io::Result<()> {
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
