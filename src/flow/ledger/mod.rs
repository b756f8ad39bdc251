//! What the workspace owns and what it cost, as the books of this machine keep it.
pub mod reading;
