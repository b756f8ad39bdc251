//! Layer 3: every operation of the shell and of `lode mcp`. The file of an operation holds its arguments and the script that does it
//! over the same session as the screen, with output as lines; [`listing`] holds those that only print what there is.
//!
//! Each declares its services and its script, an async function that a [`program`] runs. [`command`] says what may be typed and what it
//! costs. `input` reads ids and rows from a pipe, `output` makes lines of values, `problem` is how a command ends and what it says
//! then, `spec` describes all of it to programs. Nothing here touches a file, a clock or a socket: the
//! loop that does is `app::headless`, and `app::entry` starts each command.

pub mod assist;
pub mod basket;
pub mod command;
pub mod export;
pub mod filters;
pub mod input;
pub mod listing;
pub mod matching;
pub mod output;
pub mod problem;
pub mod program;
pub mod recover;
pub mod saved;
pub mod search;
pub mod spec;
pub mod suppress;
pub mod unlock;

// What operations work with: each takes it by `use super::*`.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use filters::{FilterArgs, SideArgs, corpus, credits};
use input::{Csv, Given};
use output::*;
use problem::*;
use program::{Console, Ending, Operation, Pipe, Run, Script, Turn, script};
use search::{Sifting, may_run, slow};

use lode_core::shell_line::flag;
use lode_core::{
    Contact, Corpus, Count, Credits, ExclusionKind, HeldBy, Known, Mono, Now, Outcome, Query, Row, RowId, Side, Source,
    Staged, Verification, agree, contacts, counted, grouped,
};
use lode_engine::effect::{Effect, FileCall, FileReply, Settled, StoreAnswer, StoreCall};
use lode_engine::flow::desk::{Arrival, Owner};
use lode_engine::flow::search::walk::{Walk, WalkEnd};
use lode_engine::flow::session::{Event, Session};
use lode_engine::flow::unlock::{OrderEnd, OrderSummary};
