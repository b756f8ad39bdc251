//! `lode receipts`: one line per order, counted by us, with the service's own figures beside (M7).

use super::console::{Console, Ending, script};
use super::operation::{Operation, ScriptContext};
use super::output::{Format, OutputColumn, ReceiptLine, day, detail, moment, number, text};
use super::problem::{CommandProblem, Exit};
use super::program::Script;
use clap::{Args, ValueHint};
use lode_core::{Credits, Source};
use lode_engine::effect::{Month, Receipt, StoreCall, StoreReply};

#[derive(Clone, Debug, Args)]
pub struct ReceiptsArgs {
    /// Only this month
    #[arg(long, value_name = "YYYY-MM", value_hint = ValueHint::Other, value_parser = month)]
    pub month: Option<Month>,
}

const COLUMNS: &[OutputColumn<Receipt>] = &[
    text("ORDER", 5, 10, |receipt| receipt.order.to_string()),
    text("OPENED", 10, 10, |receipt| day(receipt.opened_at)),
    text("CORPUS", 8, 8, |receipt| receipt.corpus.to_string()),
    number("ASKED", |receipt| receipt.tally.asked.to_string()),
    number("CHARGED", |receipt| receipt.tally.charged.to_string()),
    number("REFUNDED", |receipt| receipt.tally.refunded.to_string()),
    number("NET", |receipt| receipt.tally.net().to_string()),
    detail(number("OWNED", |receipt| receipt.tally.already.to_string())),
    detail(number("MISSING", |receipt| receipt.tally.missing.to_string())),
    detail(number("LOCKED", |receipt| receipt.tally.locked.to_string())),
    number("UNKNOWN", |receipt| (receipt.tally.unknown + receipt.tally.unreachable).to_string()),
    number("BALANCE", |receipt| receipt.said.balance.map_or_else(String::new, |balance| balance.to_string())),
];

fn line(receipt: &Receipt) -> ReceiptLine {
    let tally = &receipt.tally;
    let credits = |credits: Option<Credits>| credits.map(|credits| credits.0);
    ReceiptLine {
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
    }
}

impl Operation for ReceiptsArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Script, CommandProblem> {
        let month = self.month;
        Ok(script(move |console| receipts(console, month, format)))
    }
}

pub(super) async fn receipts(console: Console, month: Option<Month>, format: Format) -> Ending {
    let purse = console.settled_purse().await?;
    let StoreReply::Receipts(receipts) = console.store(StoreCall::Receipts { purse, month }).await? else {
        unreachable!("the store answers with receipts");
    };
    console.rows(format, COLUMNS, &receipts, line);
    if format.is_table() && receipts.is_empty() {
        console.warn("nothing was spent; `lode me` shows the balance");
    }
    Ok(Exit::Done)
}

fn month(word: &str) -> Result<Month, String> {
    let read = || {
        let (year, month) = word.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
        let month = Month { year: year.parse().ok()?, month: month.parse().ok()? };
        (1..=12).contains(&month.month).then_some(month)
    };
    read().ok_or_else(|| "write the month as 2026-03".to_owned())
}
