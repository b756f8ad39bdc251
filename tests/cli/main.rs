//! The shell commands as people and scripts use them: the real binary against a sandbox over real HTTP, with folders of its
//! own. What a flow decides is tested where the flow is; here is what comes out of the process: lines, words, exit codes.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.

mod checked;
mod choosing;
mod contradictions;
mod crooked;
mod doctor;
#[path = "../data_api/documents.rs"]
mod documents;
mod echoes;
mod every_exit;
mod exits;
mod exports;
mod faults;
mod filters;
mod fullness;
mod house;
mod interrupts;
mod invented;
mod key_trouble;
mod kills;
mod lazy;
mod ledger;
mod legs;
mod matching;
mod me_server;
mod million;
mod money;
mod newcomer;
mod order;
mod overlapping;
mod pages;
mod pages_refused;
mod place;
mod purses;
mod reading;
mod readme;
mod recover;
mod redirects;
mod refusals;
mod resending;
mod saved;
mod schemas;
mod secrecy;
mod seen;
mod spec;
mod suppress;
mod terminal;
mod totals;
mod unstored;
mod values;
mod variant_d;
mod withdrawn;
