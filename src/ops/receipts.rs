//! `lode receipts`: one line per order, counted by us, with the service's own figures beside (M7).

use super::operation::{Operation, ScriptContext};
use super::output::{Format, OutputLines, ReceiptLine, json, moment, number, text};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::purse_lookup::Books;
use clap::{Args, ValueHint};
use lode_core::{Credits, Source};
use lode_engine::effect::{Effect, Month, Profile, Receipt, StoreCall, StoreReply};
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
pub struct ReceiptsArgs {
    /// Only this month
    #[arg(long, value_name = "YYYY-MM", value_hint = ValueHint::Other, value_parser = month)]
    pub month: Option<Month>,
}

pub struct ReceiptsScript {
    books: Books,
    lines: OutputLines,
}

impl ReceiptsScript {
    pub fn new(profile: &Profile, month: Option<Month>, format: Format) -> ReceiptsScript {
        let mut columns = vec![text("ORDER", 5, 10), text("OPENED", 10, 10), text("CORPUS", 8, 8)];
        columns.extend(["ASKED", "CHARGED", "REFUNDED", "NET"].map(number));
        columns.extend(["OWNED", "MISSING", "LOCKED"].map(|name| number(name).detail()));
        columns.extend(["UNKNOWN", "BALANCE"].map(number));
        ReceiptsScript {
            books: Books::new(profile, move |purse| StoreCall::Receipts { purse, month }),
            lines: OutputLines::new(format, columns),
        }
    }
}

fn line(receipt: &Receipt) -> String {
    let tally = &receipt.tally;
    let credits = |credits: Option<Credits>| credits.map(|credits| credits.0);
    json::line(&ReceiptLine {
        order: receipt.order.0,
        opened_at: moment(receipt.opened_at),
        profile: receipt.profile.clone(),
        corpus: receipt.corpus.name(),
        ceiling: receipt.ceiling.0,
        verify: receipt.verify,
        calls: receipt.calls,
        asked: tally.asked,
        charged: tally.charged,
        refunded: tally.refunded,
        net: i64::try_from(tally.net()).unwrap_or(i64::MAX),
        valid: tally.valid,
        unverified: tally.unverified,
        already: tally.already,
        missing: tally.missing,
        locked: tally.locked,
        unknown: tally.unknown + tally.unreachable,
        stopped_for_credits: receipt.stopped_for_credits,
        service_charged: credits(receipt.said.charged),
        service_refunded: credits(receipt.said.refunded),
        balance: credits(receipt.said.balance),
        assistant: receipt.assistant.clone(),
    })
}

fn cells(receipt: &Receipt) -> Vec<String> {
    let tally = &receipt.tally;
    let day = moment(receipt.opened_at).get(..10).unwrap_or("").to_owned();
    let mut cells = vec![receipt.order.to_string(), day, receipt.corpus.to_string()];
    let numbers = [
        tally.asked,
        tally.charged,
        tally.refunded,
        tally.net(),
        tally.already,
        tally.missing,
        tally.locked,
        tally.unknown + tally.unreachable,
    ];
    cells.extend(numbers.map(|number| number.to_string()));
    cells.push(receipt.said.balance.map_or_else(String::new, |balance| balance.to_string()));
    cells
}

impl Operation for ReceiptsArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(
        &self,
        ScriptContext { profile, format, .. }: ScriptContext<'_>,
    ) -> Result<Box<dyn Script>, CommandProblem> {
        Ok(Box::new(ReceiptsScript::new(profile, self.month, format)))
    }
}

impl Script for ReceiptsScript {
    fn start(&mut self, run: &mut Run<'_>) {
        self.books.start(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(reply) = self.books.handle(event, run) else { return };
        let StoreReply::Receipts(receipts) = reply else { return run.fx.push(Effect::Quit(Exit::Failed.code())) };
        self.lines.print(&receipts, line, cells, run.fx);
        if self.lines.is_table() && receipts.is_empty() {
            run.fx.push(Effect::Warn("nothing was spent; `lode me` shows the balance".to_owned()));
        }
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.books.advance(run);
    }
}

fn month(word: &str) -> Result<Month, String> {
    let read = || {
        let (year, month) = word.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
        let month = Month { year: year.parse().ok()?, month: month.parse().ok()? };
        (1..=12).contains(&month.month).then_some(month)
    };
    read().ok_or_else(|| "write the month as 2026-03".to_owned())
}
