//! The options of `lode sandbox` and `lode demo`: both take the same ones.

use clap::{Args, Command, FromArgMatches, ValueHint};

use lode_sandbox::faults::{self, Endpoint, FaultRule};
use lode_sandbox::rate::RateLimit;
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;

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
    let calls: Vec<&str> = Endpoint::NAMES.into_iter().map(|(_, name)| name).collect();
    let mut text = format!(
        "A fault, as NAME[@CALL][=WHEN[:NUMBER]]; may be repeated. WHEN is a chance from 0 to 1, `next` or `nextN`; CALL is one \
         of {}. Names:",
        calls.join(", ")
    );
    for (name, help) in faults::names() {
        text.push_str(&format!("\n  {name:<14} {help}"));
    }
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

    pub fn is_usual(&self) -> bool {
        self.start() == DemoArgs::default().sandbox.start()
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

    /// `identity` and `threads` come from the shell: chance, and what the machine has.
    pub fn setup(&self, identity: u64, threads: usize) -> ServiceSetup {
        ServiceSetup {
            us_rows: self.us_rows,
            linkedin_rows: self.linkedin_rows,
            credits: self.credits,
            seed: self.seed,
            identity,
            allowance: RateLimit { requests: self.rate, ..RateLimit::default() },
            variant: self.variant,
            max_page: self.max_page,
            faults: self.fault.clone(),
            threads,
        }
    }
}
