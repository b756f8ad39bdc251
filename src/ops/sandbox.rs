//! The options of `lode sandbox` and `lode demo`: both take the same ones.

use clap::{Args, ValueHint};

use lode_sandbox::faults::{Endpoint, FaultRule, rule};
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

/// The long help of `--fault`: made of the table that reads them.
fn faults() -> String {
    let calls: Vec<&str> = Endpoint::NAMES.into_iter().map(|(_, name)| name).collect();
    let mut text = format!(
        "A fault, as NAME[@CALL][=WHEN[:NUMBER]]; may be repeated. WHEN is a chance from 0 to 1, `next` or `nextN`; CALL is one \
         of {}. Names:",
        calls.join(", ")
    );
    for (name, help) in rule::names() {
        text.push_str(&format!("\n  {name:<14} {help}"));
    }
    text
}

impl SandboxArgs {
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
