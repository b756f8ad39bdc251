//! The program: the event loop of the screen, the shell front end, the server for assistants, doctor and the first start.

#![allow(clippy::disallowed_methods)] // Clocks, threads, files and the environment are this layer's business.

pub mod bootstrap;
pub mod crash;
pub mod doctor;
mod entry;
pub mod headless;
#[cfg(feature = "mcp")]
mod mcp;
mod output_mode;
pub mod run;

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::ops::command::{LedgerAct, Lode, SandboxArgs, ShellCommand, VERSION};
use crate::ops::output::pick::{Pick, Picked};
use crate::ops::output::{FindingLine, Format, Grade, LedgerSummaryShape, SummaryOf, UnlockLine, json};
use crate::ops::problem::{Code, CommandProblem, Exit, SpentShape};
use crate::ops::program::{Operation, Pipe, Program};
use crate::ops::spec;
use lode_core::{Credits, Mono, Now, Outcome, Source, Unreadable, Wall, agree, capital, contacts, counted, scrub};
use lode_engine::effect::*;
use lode_engine::flow::session::ChangedElsewhere;
use lode_host::clock::{self, or_never};
use lode_host::config::environment::{self, Environment, NamedService, key_name, url_name};
use lode_host::config::file::{Config, KeyPlace, ProfileTable};
use lode_host::config::{self, ChosenProfile, ConfigProblem, KeySource, Stamp, score};
use lode_host::exit_signals::ExitSignals;
use lode_host::files::{Folders, list, refuse_own};
use lode_host::http::Http;
use lode_host::log::{self, Log};
use lode_host::perform::{self, IN_HASTE, Network, Performer, PerformerSetup};
use lode_host::saved::SavedFiles;
use lode_host::secrets::{self, Ready, Waiting};
use lode_host::store::check::{LedgerFinding, check, inspect};
use lode_host::store::place::{self, LedgerLocation};
use lode_host::store::{self, LEDGER_FILE, Store, backup, stop};
use lode_host::system::files::{how_to_close, is_open_to_others, make_private_dir, open_private, room};
use lode_host::system::terminal::{USUAL_TERM, size_of_output};
use lode_host::system::{MISSING, SystemEvent, folders, processes};
use lode_host::terminal::capabilities::Capabilities;
use lode_host::terminal::colors::Depth;
use lode_host::terminal::input::{Input, Parser, TerminalReply};
use lode_host::terminal::{line, modes};
use lode_host::{export, failpoint, in_flight, profiles};
use lode_sandbox::server::{self, Sandbox, SandboxSettings};
use lode_ui::keys::keymap::Keymap;
use lode_ui::model::Model;
use lode_ui::theme::{self, Background, Theme, Themes};

use self::bootstrap::StartedRun;
use self::output_mode::{Form, form};

pub use entry::main;
