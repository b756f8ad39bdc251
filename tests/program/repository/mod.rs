//! What must hold for the repository itself.
mod inside;
mod installing;
mod licences;
mod minisign;
mod packaging;
mod releasing;
mod tidy;
mod words;
mod workflow;
