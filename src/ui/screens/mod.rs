//! One module per screen, each with its state, its update and its view. Screens never import each other.

pub mod basket;
pub mod counts;
pub mod jobs;
pub mod matching;
pub mod owned;
pub mod saved;
pub mod search;
