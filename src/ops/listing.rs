//! Commands that print what there is: `lode me`, `counts`, `owned` and `receipts`. And the questions of `lode doctor` to the services.

use std::cell::RefCell;

use super::*;
use lode_core::{Account, Owned};
use lode_engine::effect::{Call, CallId, Failure, Month, Receipt, Reply};

/// The account as `lode me` prints it.
pub fn me_line(account: &Account) -> MeLine {
    let Account { org_id, org_name, plan, key_name, key_prefix, scopes, credits } = account.clone();
    let org = OrgShape { id: org_id, name: org_name, plan };
    let key = KeyShape { name: key_name, prefix: key_prefix, scopes };
    MeLine { org, key, credits: credits.map(|credits| credits.0) }
}

/// `lode me` takes no arguments.
pub struct MeArgs;

impl Operation for MeArgs {
    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        Ok(script(me))
    }
}

async fn me(console: Console) -> Ending {
    let account = console.account().await?;
    if console.is_table() {
        let scopes = if account.scopes.is_empty() { "none".to_owned() } else { account.scopes.join(", ") };
        let credits = account.credits.map_or_else(|| "not said".to_owned(), |credits| credits.to_string());
        for line in [
            format!("workspace  {} ({}, plan {})", account.org_name, account.org_id, account.plan),
            format!("key        {} ({}…)", account.key_name, account.key_prefix),
            format!("scopes     {scopes}"),
            format!("credits    {credits}"),
        ] {
            console.say(Effect::Print(line));
        }
    } else {
        console.print(&me_line(&account));
    }
    Ok(Exit::Done)
}

#[derive(Clone, Debug, Args)]
pub struct CountsArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

const COUNTS: &[OutputColumn<Count>] = &[
    text("KIND", 5, 5, |count| count.kind.name().to_owned()),
    text("CODE", 4, 10, |count| count.code.clone()),
    text("NAME", 10, 60, |count| count.name.clone()),
    number("COUNT", |count| grouped(count.count)),
];

pub(super) async fn counts(console: Console, corpus: Corpus) -> Ending {
    console.needs(Source::Data)?;
    console.with(move |run| run.session.totals[corpus as usize].ask(false, &mut run.session.desk.at(run.now, run.fx)));
    while !matches!(console.event().await, Event::Counts(_)) {}
    let totals = console.with(move |run| run.session.totals[corpus as usize].clone());
    if let Some(failure) = &totals.failure {
        return Err(CommandProblem::of_call(Source::Data, failure));
    }
    let counts = totals.counts.as_ref().map_or(&[][..], |counts| &counts.counts);
    console.rows(COUNTS, counts, Count::clone);
    Ok(Exit::Done)
}

impl Operation for CountsArgs {
    fn services(&self) -> &[Source] {
        &[Source::Data]
    }

    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let corpus = self.corpus;
        Ok(script(move |console| counts(console, corpus)))
    }
}

#[derive(Clone, Debug, Args)]
pub struct OwnedArgs {
    /// Only this corpus
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Only contacts that mention this: name, company, title, email, tag or note
    #[arg(long, value_name = "WORDS", value_hint = ValueHint::Other)]
    pub find: Option<String>,
}

const OWNED: &[OutputColumn<Owned>] = &[
    text("ID", 4, 20, |owned| owned.id.to_string()),
    detail(text("CORPUS", 8, 8, |owned| owned.corpus.to_string())),
    text("NAME", 18, 28, |owned| owned.contact.contact_name.clone()),
    text("EMAIL", 16, 40, |owned| owned.contact.email.clone()),
    text("PHONE", 12, 18, |owned| owned.contact.phone.clone()),
    detail(text("COMPANY", 8, 32, |owned| owned.contact.company_name.clone())),
    text("STATUS", 6, 12, |owned| match (owned.contact.refunded, &owned.contact.verification) {
        (Some(true), _) => "refunded".to_owned(),
        (_, verification) => verification.as_ref().map_or("", Verification::word).to_owned(),
    }),
    detail(text("SINCE", 10, 10, |owned| day(owned.unlocked_at))),
    detail(text("TAGS", 4, 24, |owned| owned.tags.join(", "))),
];

impl Operation for OwnedArgs {
    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let args = self.clone();
        Ok(script(move |console| owned(console, args)))
    }
}

pub(super) async fn owned(console: Console, args: OwnedArgs) -> Ending {
    let all = console.owned(args.corpus).await?;
    let find = args.find.unwrap_or_default();
    let owned: Vec<Owned> = all.iter().filter(|owned| owned.mentions(&find)).cloned().collect();
    console.rows(OWNED, &owned, json::owned);
    console.remark_if(all.is_empty(), "no contacts owned yet; see `lode unlock --help`");
    console.remark_if(owned.is_empty() && !all.is_empty(), format!("no owned contact mentions `{find}`"));
    Ok(Exit::Done)
}

#[derive(Clone, Debug, Args)]
pub struct ReceiptsArgs {
    /// Only this month
    #[arg(long, value_name = "YYYY-MM", value_hint = ValueHint::Other, value_parser = month)]
    pub month: Option<Month>,
}

const RECEIPTS: &[OutputColumn<Receipt>] = &[
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

fn receipt_line(receipt: &Receipt) -> ReceiptLine {
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
    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let month = self.month;
        Ok(script(move |console| receipts(console, month)))
    }
}

pub(super) async fn receipts(console: Console, month: Option<Month>) -> Ending {
    let purse = console.settled_purse().await?;
    let receipts: Vec<Receipt> = console.store(StoreCall::Receipts { purse, month }).await?;
    console.rows(RECEIPTS, &receipts, receipt_line);
    console.remark_if(receipts.is_empty(), "nothing was spent; `lode me` shows the balance");
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

/// What each service said: a few words, or why there are none.
pub type Answers = Rc<RefCell<Vec<(Source, Result<String, Failure>)>>>;

/// Asks every service that is set up, all at once.
pub fn probe(answers: Answers) -> Script {
    script(async move |console| {
        let mut asked: Vec<(CallId, Source)> = console.with(|run| {
            let questions = [(Source::Workspace, Call::Me), (Source::Data, Call::Counts(Corpus::Us))];
            let ask = |(source, call)| run.session.has(source).then(|| (run.ask(call), source));
            questions.into_iter().filter_map(ask).collect()
        });
        console.status("asking the services");
        while !asked.is_empty() {
            let Event::Answered(Arrival::Reply(id, _, result)) = console.event().await else { continue };
            let Some(at) = asked.iter().position(|(asked, _)| *asked == id) else { continue };
            answers.borrow_mut().push((asked.remove(at).1, result.map(words)));
        }
        console.status("");
        Ok(Exit::Done)
    })
}

fn words(reply: Reply) -> String {
    match reply {
        Reply::Me(account) => {
            let scopes = account.scopes.join(" and ");
            let may = if scopes.is_empty() { "without scopes".to_owned() } else { format!("may {scopes}") };
            let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
            format!("{}, key {}…, {may}, {credits}", account.org_name, account.key_prefix)
        }
        Reply::Counts(counts) => counted(counts.counts.len() as u64, "count"),
        _ => "it responds".to_owned(),
    }
}
