//! The background of the terminal: asked for once a frame is shown, never waited for, and remembered for the next first frame.

use std::path::Path;

use lode_host::system::files::make_private_dir;
use lode_ui::theme::Background;

/// Its color (OSC 11), and word of every later change (mode 2031). A terminal that knows neither says nothing.
pub(super) const QUESTION: &[u8] = b"\x1b[?2031h\x1b]11;?\x1b\\";

const FILE: &str = "background";

/// As it was when lode was last told.
pub(super) fn remembered(state: &Path) -> Option<Background> {
    std::fs::read_to_string(state.join(FILE)).ok()?.trim().parse().ok()
}

/// For the first frame of the next time. Where it cannot be written, that frame has the terminal's own colors.
pub(super) fn remember(state: &Path, background: Background) {
    // The terminal may answer before anything else was written there.
    if remembered(state) != Some(background) && make_private_dir(state).is_ok() {
        let _ = std::fs::write(state.join(FILE), background.name());
    }
}
