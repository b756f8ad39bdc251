//! The Data API on the screen: real keys into the real model, its effects into the real store, real files in a temporary
//! folder, and every request through the real mapping to the brain of the sandbox.

// Shared with the tests of the flows, which use more of it.
#[allow(dead_code)]
#[path = "../flow/brain.rs"]
mod brain;
mod saved;
mod world;
