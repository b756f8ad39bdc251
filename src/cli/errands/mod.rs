//! One machine for each command that works on services, store or files.

pub mod basket;
pub mod counts;
pub mod me;
pub mod owned;
pub mod receipts;
pub mod recover;
pub mod search;
pub mod unlock;
pub mod whose;
