//! Command-line arguments of `lode`. Arguments of an operation are in its file, with their help; the tests run the example of each
//! command.

use clap::{Command, FromArgMatches, Parser};
use serde::Serialize;
use strum::{Display, VariantNames};

use lode_sandbox::faults::{self, Endpoint, FaultRule};
use lode_sandbox::variants::Variant;

use super::*;

/// The version with its build: the commit where it was known, the target, and how it was compiled.
pub const VERSION: &str = env!("LODE_VERSION");

#[derive(Debug, Parser)]
#[command(
    name = "lode",
    version = VERSION,
    about = "Search business contacts, unlock the ones you want, export them",
    after_help = after_help(),
    subcommand_help_heading = "Commands"
)]
pub struct Lode {
    #[command(subcommand)]
    pub command: Option<ShellCommand>,
    /// Print JSON lines instead of a table (the default when the output is not a terminal)
    #[arg(long, global = true)]
    pub json: bool,
    /// Only these fields, in this order
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other, value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Print CSV. Rows wait until all are read, so that every field has a column (50,000 wait at most); with --fields they don't wait
    #[arg(long, global = true, conflicts_with = "json")]
    pub csv: bool,
    /// Show errors only
    #[arg(long, global = true)]
    pub quiet: bool,
    /// No color
    #[arg(long, global = true)]
    pub no_color: bool,
    /// Color theme: dark, light, sixteen, plain, nord, … or one of your own; `:theme` on the screen lists them
    #[arg(long, global = true, value_name = "NAME", value_hint = ValueHint::Other)]
    pub theme: Option<String>,
    /// Lines instead of a screen, for screen readers, dumb terminals and logs (also LODE_LINEAR=1)
    #[arg(long, global = true)]
    pub linear: bool,
}

/// Examples, environment and exits, from the tables that `lode spec` is made from.
fn after_help() -> String {
    let variables: Vec<&str> = environment().map(|(name, _)| name).collect();
    let exits: Vec<String> = Exit::ALL.iter().map(|exit| format!("{} {}", exit.code(), exit.words())).collect();
    format!(
        "Examples:
  lode demo                                  try it; no key needed
  lode search --title nurse --state TX --limit 25 | lode unlock --corpus us --max-credits 25

Settings: config.toml, then {}. `lode info` shows what is in use.

Exit: {}.",
        variables.join(", "),
        exits.join("; ")
    )
}

#[derive(Debug, Subcommand)]
pub enum ShellCommand {
    /// Try everything in an offline sandbox; no key needed
    #[command(after_help = "Examples:\n  lode demo\n  lode demo --fresh --credits 200\n  lode demo --shell")]
    Demo(DemoArgs),
    /// Serve both APIs on 127.0.0.1 until interrupted; prints one JSON line with URLs and keys
    #[command(after_help = "Example:\n  lode sandbox --us-rows 100000 --linkedin-rows 100000 --credits 500")]
    Sandbox(SandboxArgs),
    /// Search a corpus (free)
    #[command(after_help = "Example:\n  lode search --corpus us --title engineer --state TX --limit 50")]
    Search(search::SearchArgs),
    /// Unlock contacts: one credit each, never more than --max-credits
    #[command(after_help = "Examples:
  lode unlock --corpus us --max-credits 2 101 102
  lode search --title nurse --limit 50 --json | lode unlock --corpus us --max-credits 50 --dry-run")]
    Unlock(unlock::UnlockArgs),
    /// Resolve interrupted unlocks (free)
    #[command(after_help = "Examples:\n  lode recover\n  lode recover --finish --max-credits 25")]
    Recover(recover::RecoverArgs),
    /// List owned contacts
    #[command(after_help = "Example:\n  lode owned --corpus us --json")]
    Owned(listing::OwnedArgs),
    /// List what was spent, one line per order
    #[command(after_help = "Example:\n  lode receipts --month 2026-03 --csv")]
    Receipts(listing::ReceiptsArgs),
    /// Check, back up or restore the ledger: lode's own record of what was sent, charged and bought
    #[command(after_help = "Examples:\n  lode ledger check\n  lode ledger backup monday.backup")]
    Ledger {
        #[command(subcommand)]
        act: LedgerAct,
    },
    /// Manage the basket: contacts set aside before you spend credits
    #[command(after_help = "Examples:
  lode search --title nurse --limit 20 --json | lode basket add
  lode basket list --corpus us")]
    Basket(basket::BasketArgs),
    /// Export from the Data API, or from local data, to a file
    #[command(after_help = "Examples:
  lode export --corpus us --industry hospital --state TX --format contacts -o nurses.csv
  lode export --from owned --format hubspot -o owned.csv")]
    Export(export::ExportArgs),
    /// Manage suppression lists: contacts on them are never unlocked
    #[command(after_help = format!("{}\n\nExamples:\n  lode suppress add crm nurses.csv\n  lode suppress check", suppress::RULES))]
    Suppress {
        #[command(subcommand)]
        act: suppress::SuppressAct,
    },
    /// Find contacts at the companies in a CSV (free)
    #[command(after_help = format!("{}\n\nExamples:\n  lode match nurses.csv --title director --dry-run\n  lode match nurses.csv --per-company 3 --basket", matching::RULES))]
    Match(matching::MatchArgs),
    /// Count the contacts of each state and SIC code (one cached request)
    #[command(after_help = "Example:\n  lode counts --corpus us")]
    Counts(listing::CountsArgs),
    /// Saved searches: add, list, show, run, rename, remove
    #[command(after_help = "Examples:
  lode saved add nurses --title nurse --state TX
  lode saved run nurses --new --json")]
    Saved {
        #[command(subcommand)]
        act: saved::SavedAct,
    },
    /// Show the workspace, key and credits
    #[command(after_help = "Example:\n  lode me --json")]
    Me,
    /// Check configuration, keys, services, state and terminal, and suggest fixes
    #[command(after_help = "Example:\n  lode doctor")]
    Doctor {
        /// Also ask the project's page for the newest release
        #[arg(long)]
        online: bool,
    },
    /// Show the paths, versions and settings in use
    #[command(after_help = "Example:\n  lode info --json")]
    Info,
    /// Commands, flags, exit codes, costs and schemas, for programs
    #[command(after_help = "Example:\n  lode spec --json")]
    Spec,
    /// A server for assistants on standard input and output (Model Context Protocol); nothing is spent that you did not accept
    #[cfg(feature = "mcp")]
    #[command(after_help = "Example:\n  lode mcp --export-to .")]
    Mcp {
        /// Folder that exports may go to; without one nothing is exported
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        export_to: Option<PathBuf>,
    },
    /// A short guide for assistants that drive lode
    #[command(after_help = "Example:\n  lode skill > SKILL.md")]
    Skill,
    /// Print a completion script for bash, zsh or fish
    #[command(after_help = "Example:\n  lode completions bash > lode.bash")]
    Completions {
        /// Shell to complete for
        #[arg(value_parser = ["bash", "zsh", "fish", "nushell", "powershell"])]
        shell: String,
    },
    /// Print a manual page (roff) for lode or one of its commands
    #[command(after_help = "Example:\n  lode man search > lode-search.1")]
    Man {
        /// Command to describe; without it, lode itself
        command: Option<String>,
    },
}

impl ShellCommand {
    /// What it does over a session. The others serve, draw or print, and are started one by one.
    pub fn operation(&self) -> &dyn Operation {
        match self {
            ShellCommand::Search(args) => args,
            ShellCommand::Unlock(args) => args,
            ShellCommand::Recover(args) => args,
            ShellCommand::Owned(args) => args,
            ShellCommand::Receipts(args) => args,
            ShellCommand::Basket(args) => args,
            ShellCommand::Export(args) => args,
            ShellCommand::Suppress { act } => act,
            ShellCommand::Match(args) => args,
            ShellCommand::Counts(args) => args,
            ShellCommand::Saved { act } => act,
            ShellCommand::Me => &listing::MeArgs,
            other => unreachable!("{other:?} works on no session"),
        }
    }
}

/// What a command can cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Cost {
    Free,
    /// It can spend credits.
    Spends,
    /// It removes or replaces something that cannot be brought back.
    Destroys,
}

/// What is said of a command before its arguments are known.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The commands: what is typed after `lode`, empty for the screen.
    pub names: &'static [&'static str],
    pub cost: Cost,
    /// It asks a service.
    pub asks: bool,
    /// The schemas of its lines on standard output.
    pub output: &'static [&'static str],
}

impl Fact {
    pub fn exits(&self) -> Vec<Exit> {
        use Exit::*;
        let mut exits = vec![Done, Failed, Usage];
        if self.cost == Cost::Spends {
            exits.extend([Capped, Key, Scope, Credits, Rate, Network, Unknown]);
        } else if self.asks {
            exits.extend([Key, Scope, Rate, Network]);
        }
        exits.push(Interrupted);
        exits
    }
}

/// What is said of every command, whatever its arguments are.
const FACTS: &[Fact] = &[
    Fact { names: &["search"], cost: Cost::Free, asks: true, output: &["row", "search_summary"] },
    Fact { names: &["match"], cost: Cost::Free, asks: true, output: &["match", "match_summary", "match_plan"] },
    Fact { names: &["unlock"], cost: Cost::Spends, asks: true, output: &["unlock", "summary", "quote"] },
    Fact { names: &["recover"], cost: Cost::Spends, asks: true, output: &["unlock", "summary"] },
    Fact { names: &["owned"], cost: Cost::Free, asks: true, output: &["owned"] },
    Fact { names: &["receipts"], cost: Cost::Free, asks: true, output: &["receipt"] },
    Fact { names: &["basket", "basket list", "basket earlier"], cost: Cost::Free, asks: true, output: &["basket"] },
    Fact { names: &["basket add", "basket rm", "basket clear"], cost: Cost::Free, asks: true, output: &[] },
    Fact { names: &["export"], cost: Cost::Free, asks: true, output: &["export"] },
    Fact { names: &["counts"], cost: Cost::Free, asks: true, output: &["count"] },
    Fact { names: &["me"], cost: Cost::Free, asks: true, output: &["me"] },
    Fact { names: &["saved run"], cost: Cost::Free, asks: true, output: &["row", "saved_summary"] },
    Fact { names: &["saved list", "saved show"], cost: Cost::Free, asks: true, output: &["saved"] },
    Fact { names: &["saved add", "saved rename"], cost: Cost::Free, asks: true, output: &[] },
    Fact { names: &["saved rm"], cost: Cost::Destroys, asks: true, output: &[] },
    Fact { names: &["suppress list"], cost: Cost::Free, asks: false, output: &["suppress_list"] },
    Fact { names: &["suppress show"], cost: Cost::Free, asks: false, output: &["suppress_entry"] },
    Fact { names: &["suppress check"], cost: Cost::Free, asks: false, output: &["suppress_check"] },
    Fact { names: &["suppress add"], cost: Cost::Free, asks: false, output: &["suppress_summary"] },
    Fact { names: &["suppress rm"], cost: Cost::Destroys, asks: false, output: &["suppress_summary"] },
    Fact { names: &["ledger check"], cost: Cost::Free, asks: false, output: &["finding"] },
    Fact { names: &["ledger backup"], cost: Cost::Free, asks: false, output: &["ledger_summary"] },
    Fact { names: &["ledger restore"], cost: Cost::Destroys, asks: false, output: &["ledger_summary"] },
    Fact { names: &["", "demo", "mcp"], cost: Cost::Spends, asks: true, output: &[] },
    Fact { names: &["doctor"], cost: Cost::Free, asks: true, output: &["finding"] },
    Fact { names: &["info"], cost: Cost::Free, asks: false, output: &["info"] },
    Fact { names: &["sandbox"], cost: Cost::Free, asks: false, output: &["sandbox"] },
    Fact { names: &["spec"], cost: Cost::Free, asks: false, output: &["spec"] },
    Fact { names: &["skill", "completions", "man"], cost: Cost::Free, asks: false, output: &[] },
];

/// The fact of a command by what is typed after `lode`. Panics for one that is not listed: `lode spec` asks for all of them, so that
/// its test fails until a new command states its cost.
pub fn fact(name: &str) -> &'static Fact {
    let found = FACTS.iter().find(|fact| fact.names.contains(&name));
    found.unwrap_or_else(|| panic!("the cost and the services of `lode {name}` are not listed"))
}

/// Both `lode sandbox` and `lode demo` take these.
#[derive(Clone, Debug, Args)]
pub struct SandboxArgs {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 0, value_name = "N", value_hint = ValueHint::Other)]
    pub port: u16,
    /// Rows of the US corpus
    #[arg(long, default_value_t = 80_000_000, value_name = "N", value_hint = ValueHint::Other)]
    pub us_rows: u64,
    /// Rows of the LinkedIn corpus
    #[arg(long, default_value_t = 46_800_000, value_name = "N", value_hint = ValueHint::Other)]
    pub linkedin_rows: u64,
    /// Starting credits of the workspace
    #[arg(long, default_value_t = 1_204, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(i64).range(0..))]
    pub credits: i64,
    /// Random seed
    #[arg(long, default_value_t = 1, value_name = "N", value_hint = ValueHint::Other)]
    pub seed: u64,
    /// Requests per minute and key; 0 means no limit
    #[arg(long, default_value_t = 120, value_name = "N", value_hint = ValueHint::Other)]
    pub rate: u32,
    /// Service variant, for what the documents leave open: a, b, c or d
    #[arg(long, default_value = "a")]
    pub variant: Variant,
    /// Largest page of the workspace search, instead of the variant's
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    pub max_page: Option<u64>,
    /// A fault, as NAME[@CALL][=WHEN[:NUMBER]], such as `unlock-lost=0.2` or `429@search=next:23`; may be repeated
    #[arg(long, value_name = "FAULT", long_help = faults())]
    pub fault: Vec<FaultRule>,
    /// Print the control URL
    #[arg(long)]
    pub control: bool,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Start over: remove what earlier demos kept
    #[arg(long)]
    pub fresh: bool,
    /// Open your shell, set up so that every lode command works on the sandbox
    #[arg(long)]
    pub shell: bool,
}

/// The long help of `--fault`: made of the table that reads them.
fn faults() -> String {
    let mut text = format!(
        "A fault, as NAME[@CALL][=WHEN[:NUMBER]]; may be repeated. WHEN is a chance from 0 to 1, `next` or `nextN`; CALL is one \
         of {}. Names:",
        Endpoint::VARIANTS.join(", ")
    );
    text.extend(faults::names().map(|(name, help)| format!("\n  {name:<14} {help}")));
    text
}

/// As they are where nothing is given.
impl Default for DemoArgs {
    fn default() -> DemoArgs {
        let matches = DemoArgs::augment_args(Command::new("demo")).get_matches_from(["demo"]);
        DemoArgs::from_arg_matches(&matches).expect("every argument has a default")
    }
}

impl SandboxArgs {
    /// What cannot change once the sandbox has records, as flags.
    pub fn start(&self) -> String {
        let SandboxArgs { seed, us_rows, linkedin_rows, credits, .. } = self;
        format!("--seed {seed} --us-rows {us_rows} --linkedin-rows {linkedin_rows} --credits {credits}\n")
    }

    /// Takes these from what [`start`](SandboxArgs::start) wrote; `None` where it cannot be read.
    pub fn start_as(&mut self, written: &str) -> Option<()> {
        let mut numbers = written.split_whitespace().skip(1).step_by(2);
        self.seed = numbers.next()?.parse().ok()?;
        self.us_rows = numbers.next()?.parse().ok()?;
        self.linkedin_rows = numbers.next()?.parse().ok()?;
        self.credits = numbers.next()?.parse().ok()?;
        Some(())
    }
}

/// `lode ledger`: the record of what was sent, charged and bought.
#[derive(Clone, Debug, Subcommand)]
pub enum LedgerAct {
    /// Check that everything adds up (exit 0 or 1)
    #[command(after_help = "Example:\n  lode ledger check")]
    Check,
    /// Write a full copy to one file, even while lode runs
    #[command(after_help = "Example:\n  lode ledger backup ledger.backup")]
    Backup {
        /// The new file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// Replace the ledger with a backup; the previous ledger is kept
    #[command(after_help = "Example:\n  lode ledger restore ledger.backup")]
    Restore {
        /// A file that `lode ledger backup` wrote
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Restore even if the backup is older or belongs to another ledger
        #[arg(long)]
        force: bool,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
}

/// The environment variables that lode reads.
pub fn environment() -> impl Iterator<Item = (&'static str, &'static str)> {
    lode_core::codes::read(lode_assets::help::ENVIRONMENT)
}
