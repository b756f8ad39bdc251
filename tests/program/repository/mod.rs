//! What must hold for the repository itself.
mod licences;
mod packaging;
mod tidy;
mod words;
