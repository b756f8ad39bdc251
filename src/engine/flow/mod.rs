//! The flows, as explicit state machines: (state, event, now) to effects.
//!
//! Every machine is driven the same way: a method takes a [`desk::FlowContext`] (the desk, the moment, the list of effects), and each
//! answer comes back through `handle`. Code here never waits, reads a clock or touches a socket; what is pending is a field.
//! [`session::Session`] owns the machines and routes the answers. The format of a request is in [`wire`](crate::wire).

pub mod balance;
pub mod basket;
pub mod desk;
pub mod export;
pub mod free_check;
pub mod history;
pub mod ledger;
pub mod limiter;
pub mod lists;
pub mod matching;
pub mod recovery;
pub mod retry;
pub mod saved;
pub mod search;
pub mod session;
pub mod totals;
pub mod unlock;
pub mod user_command;

// What every machine works with; each takes it from here.
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use self::desk::{Arrival, Desk, FlowContext, Owner, PAGE, Waits};
use self::limiter::{Meter, Priority, time_for};
use self::retry::{Jitter, RetryPolicy};
use crate::effect::*;
use lode_core::*;
