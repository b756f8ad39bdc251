//! The shell commands: arguments to the same flows to lines.
