//! The lines of `lode match`: one for each contact of a matched account, one for every other account. The columns of the list are
//! carried along.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::ops::output::json;
use crate::ops::output::matched::{CandidateShape, MatchLine, MatchSummaryLine, MatchSummaryShape};
use crate::ops::output::summaries::{MatchPlanLine, MatchPlanShape};
use crate::ops::output::table::{number, text};
use crate::ops::output::{Format, Lines};
use lode_core::credits::{counted, grouped};
use lode_core::row::Row;
use lode_engine::effect::Effect;
use lode_engine::flow::matching::accounts::{Account, Accounts};
use lode_engine::flow::matching::judge::{By, Candidate, Verdict};
use lode_engine::flow::matching::{Job, Plan, time_left};

type Judged<'j> = (&'j Account, &'j Verdict);

/// Prints everything; answers the contacts of matched accounts, each once.
pub(super) fn print(job: &Job, format: Format, (summed, basket): (bool, bool), fx: &mut Vec<Effect>) -> Vec<Row> {
    let accounts = &job.wanted().accounts;
    let judged: Vec<Judged<'_>> = accounts.lines.iter().zip(job.verdicts()).collect();
    let rows: Vec<Row> = job.contacts().into_iter().cloned().collect();
    match format {
        Format::Json => {
            let heads = unique(&accounts.heads);
            for (account, verdict) in &judged {
                fx.extend(json_lines(&heads, account, verdict).into_iter().map(Effect::Print));
            }
        }
        Format::Table { .. } => table(format, &judged, fx),
    }
    let count = |name: &str| judged.iter().filter(|(_, verdict)| verdict.name() == name).count() as u64;
    let summary = MatchSummaryShape {
        accounts: judged.len() as u64,
        matched: count("matched"),
        ambiguous: count("ambiguous"),
        none: count("none"),
        contacts: rows.len() as u64,
        requests: job.requests().0,
        reused: job.requests().1,
        staged: basket.then(|| rows.iter().filter(|row| row.id().is_some()).count() as u64),
    };
    if let Format::Table { .. } = format {
        fx.push(Effect::Warn(format!(
            "{} matched, {} ambiguous, {} none; {}. Nothing spent.",
            grouped(summary.matched),
            grouped(summary.ambiguous),
            grouped(summary.none),
            counted(summary.contacts, "contact")
        )));
    }
    if summed || format == Format::Json {
        fx.push(Effect::Print(json::line(&MatchSummaryLine { summary })));
    }
    rows
}

/// What a match would take, as the last line of `--dry-run`.
pub(super) fn plan(accounts: &Accounts, plan: &Plan) -> String {
    let summary = MatchPlanShape {
        accounts: accounts.lines.len() as u64,
        by: accounts.by.iter().map(ToString::to_string).collect(),
        requests_least: plan.requests.0,
        requests_most: plan.requests.1,
        reused: plan.reused,
        seconds: plan.time.as_secs(),
    };
    json::line(&MatchPlanLine { summary })
}

/// A second column of a name gets a number: an object has one field of a name.
fn unique(heads: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let free = |head: &String| {
        let names = std::iter::once(head.clone()).chain((2..).map(|number| format!("{head}_{number}")));
        let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(name.clone());
        name
    };
    heads.iter().map(free).collect()
}

fn json_lines(heads: &[String], account: &Account, verdict: &Verdict) -> Vec<String> {
    let input: Map<String, Value> =
        heads.iter().zip(&account.cells).map(|(head, cell)| (head.clone(), Value::from(cell.as_str()))).collect();
    let mut line = MatchLine {
        line: account.line as u64,
        result: verdict.name(),
        by: None,
        company: None,
        domain: None,
        why: None,
        input,
        contact: None,
        candidates: Vec::new(),
    };
    match verdict {
        Verdict::None => {}
        Verdict::Ambiguous { candidates, why } => {
            line.why = Some((*why).to_owned());
            line.candidates = candidates.iter().map(shape).collect();
        }
        Verdict::Matched { company, domain, rows, .. } => {
            (line.company, line.domain) = (Some(company.clone()), domain.clone());
            return rows
                .iter()
                .map(|row| {
                    let contact = serde_json::from_str(&json::row(row)).unwrap_or_default();
                    line.contact = Some(contact);
                    line.by = Some(By::of(account, row).name());
                    json::line(&line)
                })
                .collect();
        }
    }
    vec![json::line(&line)]
}

fn shape(candidate: &Candidate) -> CandidateShape {
    CandidateShape {
        company: candidate.company.clone(),
        domain: candidate.domain.clone(),
        contacts: candidate.contacts,
        why: candidate.why,
    }
}

/// `Lakeside Regional (lakeside.example), Lakeside`
fn named(candidates: &[Candidate]) -> String {
    let one = |candidate: &Candidate| match &candidate.domain {
        Some(domain) => format!("{} ({domain})", candidate.company),
        None => candidate.company.clone(),
    };
    candidates.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn table(format: Format, judged: &[Judged<'_>], fx: &mut Vec<Effect>) {
    let columns = vec![
        number("LINE"),
        text("ACCOUNT", 12, 36),
        text("RESULT", 9, 9),
        text("COMPANY", 12, 60),
        number("CONTACTS"),
    ];
    let cells = |(account, verdict): &Judged<'_>| {
        let asked = [account.company.as_str(), account.domain.as_deref().unwrap_or_default()];
        let asked = asked.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        let company = match verdict {
            Verdict::Matched { company, .. } => company.clone(),
            Verdict::Ambiguous { candidates, .. } => named(candidates),
            Verdict::None => String::new(),
        };
        let contacts = verdict.rows().len().to_string();
        vec![account.line.to_string(), asked.to_owned(), verdict.name().to_owned(), company, contacts]
    };
    Lines::new(format, columns).print(judged, |_| String::new(), cells, fx);
}

/// `████████░░░░░░░░ 412 of 1,050 requests, 6 min left`
pub(super) fn progress(done: u64, of: u64, left: Duration) -> String {
    const WIDTH: u64 = 20;
    let full = (done * WIDTH).checked_div(of).unwrap_or(WIDTH).min(WIDTH);
    let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
    format!("{bar} {} of {}, {}", grouped(done), counted(of, "request"), time_left(left))
}
