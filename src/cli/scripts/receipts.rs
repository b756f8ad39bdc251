//! `lode receipts`: one line per order, counted by us, with the service's own figures beside (M7).

use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::output::table::{number, text};
use crate::cli::output::{Format, Lines, json, moment};
use crate::cli::program::{Run, Script};
use crate::domain::credits::Credits;
use crate::effect::Effect;
use crate::effect::profile::Profile;
use crate::effect::store::{Month, Receipt, StoreCall, StoreReply};
use crate::flow::session::Event;

use super::purse_lookup::Books;

pub struct Receipts {
    books: Books,
    lines: Lines,
}

impl Receipts {
    pub fn new(profile: &Profile, month: Option<Month>, format: Format) -> Receipts {
        let mut columns = vec![text("ORDER", 5, 10), text("OPENED", 10, 10), text("CORPUS", 8, 8)];
        columns.extend(["ASKED", "CHARGED", "REFUNDED", "NET"].map(number));
        columns.extend(["OWNED", "MISSING", "LOCKED"].map(|name| number(name).detail()));
        columns.extend(["UNKNOWN", "BALANCE"].map(number));
        Receipts {
            books: Books::new(profile, move |purse| StoreCall::Receipts { purse, month }),
            lines: Lines::new(format, columns),
        }
    }
}

/// What is told of an order.
const NAMES: [&str; 22] = [
    "order",
    "opened_at",
    "profile",
    "corpus",
    "ceiling",
    "verify",
    "calls",
    "asked",
    "charged",
    "refunded",
    "net",
    "valid",
    "unverified",
    "already",
    "missing",
    "locked",
    "unknown",
    "stopped_for_credits",
    "service_charged",
    "service_refunded",
    "balance",
    "assistant",
];

/// The values of [`NAMES`].
fn values(receipt: &Receipt) -> [Value; 22] {
    let tally = &receipt.tally;
    let credits = |credits: Option<Credits>| credits.map_or(Value::Null, |credits| json!(credits.0));
    [
        json!(receipt.order.0),
        json!(moment(receipt.opened_at)),
        json!(receipt.profile),
        json!(receipt.corpus.name()),
        json!(receipt.ceiling.0),
        json!(receipt.verify),
        json!(receipt.calls),
        json!(tally.asked),
        json!(tally.charged),
        json!(tally.refunded),
        json!(tally.net()),
        json!(tally.valid),
        json!(tally.unverified),
        json!(tally.already),
        json!(tally.missing),
        json!(tally.locked),
        json!(tally.unknown + tally.unreachable),
        json!(receipt.stopped_for_credits),
        credits(receipt.said.charged),
        credits(receipt.said.refunded),
        credits(receipt.said.balance),
        json!(receipt.assistant),
    ]
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

impl Script for Receipts {
    fn start(&mut self, run: &mut Run<'_>) {
        self.books.start(run);
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(reply) = self.books.hear(event, run) else { return };
        let StoreReply::Receipts(receipts) = reply else { return run.fx.push(Effect::Quit(Exit::Failed.code())) };
        let line = |receipt: &Receipt| json::object(NAMES.into_iter().zip(values(receipt)));
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
