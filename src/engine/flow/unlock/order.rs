//! From a quote to an order: the typed amount, and everything checked again at that moment.
//!
//! An [`Order`] cannot be made in any other way, and `unlock` sends nothing without one. The store checks once more, over
//! all windows, when each batch is written down.

use super::check::held_back;
use super::*;

/// What a person confirmed to spend.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub(super) quote: Arc<Quote>,
    ceiling: Credits,
    pub(super) grant: Option<Grant>,
    /// A person saw the quote and typed its number: what is another at Enter is shown again.
    pub(super) typed: bool,
}

impl Order {
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// The same, where it is the order of an assistant with its grant: the store makes it only of a proposal that holds.
    pub fn granted(self, grant: Option<Grant>) -> Order {
        Order { grant, ..self }
    }

    /// The amount that was typed, or `--max-credits`: never exceeded.
    pub fn ceiling(&self) -> Credits {
        self.ceiling
    }
}

/// Why nothing is ordered. Each is one sentence; nothing was spent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Declined {
    #[error("this key cannot unlock: it does not have the scope `unlock`")]
    ReadOnly,
    #[error("nothing to unlock here")]
    Nothing,
    #[error("an amount of at least 1 is needed")]
    NoAmount,
    #[error("{typed} is more than the maximum of {most}: type {most}")]
    TooMuch { typed: Credits, most: Credits },
    #[error("the balance is {balance}: type {balance} or less")]
    Balance { balance: Credits },
    #[error("the {} leaves {left} of {cap}: type {left} or less", .which.words())]
    Cap { which: CapKind, cap: Credits, left: Credits },
    #[error("some contacts of this batch are owned now: check the rest for free")]
    PartOwned,
    #[error("a batch with an unknown result is sent again whole or not at all: type {most}")]
    Whole { most: Credits },
    #[error("the balance is out of date")]
    Stale,
    #[error("something changed since this was shown: review it again")]
    Changed(Box<Quote>),
    /// A smaller amount keeps only the first contacts: the review is shown again, to be confirmed by its own number.
    #[error("the first {} are to be confirmed by their own number", .0.most)]
    Fewer(Box<Quote>),
    #[error("another unlock is still running in this window")]
    Running,
    #[error("an assistant spends only what a person accepted")]
    Assistant,
}

/// A balance older than this is read again before anything is paid from it.
pub const FRESH: Duration = Duration::from_secs(600);

/// Confirms what is on the screen with the number a person typed. `current` is what the same review would rest on now. Money rules 1,
/// *shown is paid*, and 11, *typed*.
pub fn accept(shown: &Quote, typed: Credits, current: &Basis, now: Now) -> Result<Order, Declined> {
    let quote = recheck(shown, current)?;
    if !quote.reads_like(shown) && !put_back("changed-unseen") {
        return Err(Declined::Changed(Box::new(quote)));
    }
    if typed <= Credits::ZERO {
        return Err(Declined::NoAmount);
    }
    if typed > quote.most {
        return Err(Declined::TooMuch { typed, most: quote.most });
    }
    if let Some((balance, read_at)) = current.balance {
        if now.mono.since(read_at) > FRESH {
            return Err(Declined::Stale);
        }
        if typed > balance {
            return Err(Declined::Balance { balance: balance.max(Credits::ZERO) });
        }
    }
    for (which, room) in [(CapKind::Session, quote.session), (CapKind::Day, quote.day)] {
        // What an unanswered batch may still cost is held already: sending it again asks for no further room.
        if let Some(room) = room.filter(|room| typed > room.left && quote.again().is_none()) {
            return Err(Declined::Cap { which, cap: room.cap, left: room.left });
        }
    }
    if typed < quote.most {
        if quote.again().is_some() {
            return Err(Declined::Whole { most: quote.most });
        }
        let first = usize::try_from(typed.0).ok();
        return Err(Declined::Fewer(Box::new(quote.choosing(ReviewChoice { first, ..quote.choice.clone() }))));
    }
    Ok(Order { ceiling: typed, quote: Arc::new(quote), grant: None, typed: true })
}

/// The shell's way: `--max-credits` is the typed amount. What the ceiling or a cap does not reach is kept back by the
/// order's quote, be it all; whether the balance suffices is left to the service, which stops by itself.
pub fn accept_within(shown: &Quote, ceiling: Credits, current: &Basis) -> Result<Order, Declined> {
    let (quote, ceiling) = match recheck(shown, current) {
        Err(Declined::Nothing) if shown.again().is_none() => (shown.clone(), Credits::ZERO),
        quote => (quote?, ceiling),
    };
    if quote.again().is_some() {
        return if ceiling < quote.most {
            Err(Declined::Whole { most: quote.most })
        } else {
            Ok(Order { ceiling: quote.most, quote: Arc::new(quote), grant: None, typed: false })
        };
    }
    let most = quote.within(if put_back("amount-ignored") { quote.most } else { ceiling });
    let choice = ReviewChoice { first: usize::try_from(most.0).ok(), ..quote.choice.clone() };
    // Rebuilt from its parts. The old one goes first: there can be a million rows in it.
    let basis = quote.basis.clone();
    drop(quote);
    Ok(Order { ceiling: most, quote: Arc::new(Quote::make(basis, choice)), grant: None, typed: false })
}

/// Returns in words why a batch with an unknown result would be refused if it were sent again under its own number.
pub fn check_again(basis: &Basis, lists: &Lists) -> Result<(), String> {
    let quote = Quote::make(basis.clone(), ReviewChoice::default());
    recheck(&quote, basis).map_err(|declined| declined.to_string())?;
    if let Some(why) = quote.again().and_then(|batch| held_back(batch, lists).into_values().next()) {
        return Err(why.words(1));
    }
    let most = quote.most;
    if let Some((balance, _)) = basis.balance.filter(|(balance, _)| most > *balance) {
        return Err(format!("the balance of {balance} does not cover it"));
    }
    let session = basis.caps.session.map(|cap| (CapKind::Session, cap, basis.spent.session));
    let call = basis.caps.call.map(|cap| (CapKind::Call, cap, Credits::ZERO));
    let passed = session.into_iter().chain(call).find(|(_, cap, used)| *used + most > *cap);
    passed.map_or(Ok(()), |(which, cap, _)| Err(format!("the {} of {cap} does not cover it", which.words())))
}

fn recheck(shown: &Quote, current: &Basis) -> Result<Quote, Declined> {
    if !current.who.may_unlock {
        return Err(Declined::ReadOnly);
    }
    let quote = Quote::make(current.clone(), shown.choice.clone());
    let same = quote.basis.who == shown.basis.who
        && quote.basis.corpus == shown.basis.corpus
        && quote.basis.origin == shown.basis.origin
        && quote.to_unlock == shown.to_unlock;
    if !same && !put_back("changed-unseen") {
        return Err(Declined::Changed(Box::new(quote)));
    }
    // Of a batch with open contacts only what is owned has its outcome, and that is never sent again.
    if quote.again().is_some_and(|batch| batch.open.len() < batch.ids.len()) {
        return Err(Declined::PartOwned);
    }
    if quote.to_unlock.is_empty() || current.caps.call.is_some_and(|cap| cap <= Credits::ZERO) {
        return Err(Declined::Nothing);
    }
    Ok(quote)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::effect::profile::{KeyHash, Sizes, WindowId};
    use crate::effect::store::{OpenBatch, OpenContact, Spent};
    use crate::flow::unlock::quote::{IdSource, Limit, Spender};
    use lode_core::Scorer;
    use lode_core::contact::{Corpus, RowId, Side, Source};
    use lode_core::money::{Caps, Staged, StagedFields};
    use lode_core::purse::{self, Purse, PurseOwner};
    use lode_core::suppress::{SuppressEntry, Suppression};
    use lode_core::time::{Mono, Wall};

    const NOW: Now = Now { wall: Wall(0), mono: Mono(1_000_000) };

    fn row(id: i64, status: &str) -> Staged {
        let email = format!("p•••@house{id}.example");
        Staged::new(
            RowId(id),
            false,
            StagedFields { email, email_status: status.to_owned(), ..StagedFields::default() },
        )
    }

    /// The review that is shown in place of an order.
    fn shown_again(accepted: Result<Order, Declined>) -> Quote {
        match accepted {
            Err(Declined::Changed(quote) | Declined::Fewer(quote)) => *quote,
            other => panic!("{other:?}"),
        }
    }

    fn basis(staged: Vec<Staged>) -> Basis {
        Basis {
            who: Spender {
                profile: "acme".to_owned(),
                live: true,
                window: WindowId("w".to_owned()),
                key: KeyHash("k".to_owned()),
                purse: Purse::of_org(purse::Origin::of("https://service.example"), "org_1"),
                org_name: "Acme Inc".to_owned(),
                key_prefix: "ak_7f".to_owned(),
                may_unlock: true,
                may_search: true,
            },
            corpus: Corpus::Us,
            staged: Arc::new(staged),
            origin: IdSource::Basket(7),
            owned: Arc::default(),
            owned_people: Arc::default(),
            unknown: Arc::default(),
            suppressions: Arc::default(),
            balance: Some((Credits(1_204), NOW.mono)),
            spent: Spent::default(),
            caps: Caps::default(),
            limit: Limit::default(),
            sizes: Sizes { batch: 25, large_batch: 100, large_from: 250 },
            scorer: Scorer::default(),
        }
    }

    fn rows(count: i64) -> Vec<Staged> {
        (1..=count).map(|id| row(id, "valid")).collect()
    }

    fn quote(basis: &Basis) -> Quote {
        Quote::make(basis.clone(), ReviewChoice::default())
    }

    fn ids(quote: &Quote) -> Vec<i64> {
        quote.to_unlock.iter().map(|line| line.id.0).collect()
    }

    #[test]
    fn the_review_sets_aside_what_costs_nothing_or_must_not_be_bought() {
        let mut basis = basis(rows(10));
        let staged = Arc::make_mut(&mut basis.staged);
        staged[0].owned = true;
        staged[5] = row(6, "bounced");
        staged.push(row(3, "valid"));
        basis.owned = Arc::new(BTreeSet::from([RowId(2)]));
        basis.unknown = Arc::new(BTreeSet::from([RowId(3)]));
        let entries = vec![SuppressEntry::Domain("house4.example".to_owned())];
        basis.suppressions = Arc::new(vec![Suppression { list: "dnc.csv".to_owned(), entries }]);
        let quote = quote(&basis);
        assert_eq!((quote.staged, quote.basis.staged.len()), (10, 11));
        assert_eq!(quote.owned, [RowId(1), RowId(2)]);
        assert_eq!(quote.unknown, [RowId(3)]);
        assert_eq!(quote.suppressed_by(), [("dnc.csv", 1)]);
        assert_eq!(quote.risky, [("bounced".to_owned(), vec![RowId(6)])]);
        assert_eq!(ids(&quote), [5, 6, 7, 8, 9, 10]);
        assert_eq!((quote.most, quote.balance_after()), (Credits(6), Some(Credits(1_198))));
        let dropped = quote.choosing(ReviewChoice { drop_risky: true, ..quote.choice.clone() });
        assert_eq!(ids(&dropped), [5, 7, 8, 9, 10]);
    }

    /// Money rule 1, *shown is paid*.
    #[test]
    fn each_change_alone_means_a_new_quote() {
        let shown = basis(rows(3));
        let quote = quote(&shown);
        let changes: [fn(&mut Basis); 4] = [
            |basis| basis.who.key = KeyHash("replaced".to_owned()),
            |basis| basis.corpus = Corpus::Linkedin,
            |basis| basis.origin = IdSource::Basket(8),
            |basis| drop(Arc::make_mut(&mut basis.staged).pop()),
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut current = shown.clone();
            change(&mut current);
            assert!(matches!(accept(&quote, Credits(3), &current, NOW), Err(Declined::Changed(_))), "change {at}");
            let within = accept_within(&quote, Credits(3), &current);
            assert!(matches!(within, Err(Declined::Changed(_))), "change {at} under `--max-credits`");
        }
        assert!(accept(&quote, Credits(3), &shown, NOW).is_ok());
    }

    /// A row of a person whose company is known.
    fn of_company(id: i64, name: &str, company: &str) -> Staged {
        let [email, name, company] = [format!("{name}@{company}.example"), name.to_owned(), company.to_owned()];
        Staged::new(RowId(id), false, StagedFields { email, name, company, ..StagedFields::default() })
    }

    fn listed(list: &str, email: &str) -> Suppression {
        Suppression { list: list.to_owned(), entries: vec![SuppressEntry::email(email)] }
    }

    /// Money rule 1, *shown is paid*: whatever a person could read there, and each alone.
    #[test]
    fn a_review_reads_like_another_only_if_all_that_it_shows_is_the_same() {
        let mut shown = basis(rows(3));
        let staged = Arc::make_mut(&mut shown.staged);
        staged.extend([of_company(4, "ann", "elm"), of_company(5, "bob", "oak"), row(6, "valid")]);
        shown.suppressions = Arc::new(vec![listed("dnc", "bob@oak.example"), listed("maybe", "p61041@house6.example")]);
        shown.caps.session = Some(Credits(500));
        let choice = ReviewChoice { allow_unchecked: true, ..ReviewChoice::default() };
        let review = |basis: &Basis| Quote::make(basis.clone(), choice.clone());
        let before = review(&shown);
        assert_eq!((before.suppressed.len(), before.unchecked.len(), before.duplicates.len()), (1, 1, 0));
        let after = |change: &dyn Fn(&mut Basis)| {
            let mut now = shown.clone();
            change(&mut now);
            review(&now).reads_like(&before)
        };
        assert!(after(&|_| {}));
        assert!(after(&|now| now.balance = Some((Credits(1_204), Mono(7)))), "the same balance, read again");
        let changes: [&dyn Fn(&mut Basis); 11] = [
            &|now| now.who.org_name = "Acme Ltd".to_owned(),
            &|now| now.corpus = Corpus::Linkedin,
            &|now| now.origin = IdSource::Basket(8),
            &|now| Arc::make_mut(&mut now.staged)[0] = row(1, "unknown"),
            &|now| Arc::make_mut(&mut now.suppressions)[0].list = "gdpr".to_owned(),
            &|now| Arc::make_mut(&mut now.suppressions)[1].list = "gdpr".to_owned(),
            &|now| now.sizes.batch = 2,
            &|now| {
                let [email, contact_name, company_name] = ["ann@elm.example", "ann", "elm"].map(str::to_owned);
                let contact = Contact { email, contact_name, company_name, ..Contact::default() };
                now.owned_people = Arc::new(OwnedPeople::of([Owned { contact, ..Owned::default() }].iter()));
            },
            &|now| now.caps.call = Some(Credits(100)),
            &|now| now.spent.session = Credits(1),
            &|now| now.balance = Some((Credits(1_203), NOW.mono)),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(!after(change), "change {at}");
        }
    }

    #[test]
    fn what_an_order_can_cost_is_bounded_by_the_least_of_all_bounds_and_that_one_is_named() {
        let mut basis = basis(rows(9));
        let bound = |basis: &Basis, ceiling: i64| quote(basis).bound(Credits(ceiling));
        let within = |basis: &Basis, ceiling: i64| quote(basis).within(Credits(ceiling)).0;
        assert_eq!((bound(&basis, 9), within(&basis, 9)), ((Credits(9), None), 9), "all of it");
        assert_eq!((bound(&basis, 4), within(&basis, 4)), ((Credits(4), Some(Bound::Ceiling)), 4));
        basis.balance = Some((Credits(3), NOW.mono));
        assert_eq!((bound(&basis, 9), within(&basis, 9)), ((Credits(3), Some(Bound::Balance)), 9));
        assert_eq!(quote(&basis).balance_after(), Some(Credits(0)));
        (basis.caps.day, basis.spent.day, basis.spent.held) = (Some(Credits(10)), Credits(7), Credits(1));
        assert_eq!((bound(&basis, 9), within(&basis, 9)), ((Credits(2), Some(Bound::Day)), 2));
        (basis.caps.session, basis.spent.session) = (Some(Credits(8)), Credits(6));
        assert_eq!((bound(&basis, 9), within(&basis, 9)), ((Credits(1), Some(Bound::Session)), 1));
        basis.caps.call = Some(Credits(1));
        assert_eq!(
            bound(&basis, 9),
            (Credits(1), Some(Bound::Session)),
            "a cap per call makes more calls, not fewer contacts"
        );
        basis.caps.call = Some(Credits(0));
        assert_eq!((bound(&basis, 9), within(&basis, 9)), ((Credits(0), Some(Bound::Call)), 0));
        basis.balance = None;
        assert_eq!(quote(&basis).balance_after(), None);
    }

    #[test]
    fn the_forecast_fits_four_times_out_of_five() {
        let likely = |refunded: u64, over: u64, cost: i64| {
            let mut basis = basis(rows(1));
            basis.spent = Spent { charged_ever: over, refunded_ever: refunded, ..Spent::default() };
            quote(&basis).likely_of(Credits(cost)).map(|likely| (likely.low.0, likely.high.0))
        };
        assert_eq!(likely(0, 19, 50), None, "too few to tell");
        assert_eq!(likely(0, 20, 50), Some((50, 50)));
        assert_eq!(likely(25, 412, 0), None);
        // A quarter comes back: 75 of 100, with a standard deviation of 4.3.
        assert_eq!(likely(100, 400, 100), Some((69, 81)));
        assert_eq!(likely(100, 400, 1), Some((0, 1)), "never more than it costs, nor less than nothing");
        assert_eq!(likely(30, 20, 50), Some((0, 0)));
    }

    #[test]
    fn what_another_choice_would_still_buy_is_counted() {
        let mut basis =
            basis(vec![of_company(1, "ann", "elm"), of_company(2, "bob", "elm"), of_company(3, "cid", "oak")]);
        let staged = Arc::make_mut(&mut basis.staged);
        staged.extend([row(4, "bounced"), row(5, "valid"), row(6, "invalid"), row(7, "bounced")]);
        basis.suppressions = Arc::new(vec![listed("dnc", "p1@house5.example"), listed("dnc", "p1@house6.example")]);
        let all = quote(&basis);
        assert_eq!((all.held_back(), all.held_unchecked(), all.per_company()), (2, vec![RowId(5), RowId(6)], None));
        assert_eq!(all.unchecked_because().iter().map(|(_, count)| count).sum::<usize>(), 2);
        assert_eq!((ids(&all), all.risky_count()), (vec![1, 2, 3, 4, 7], 2));
        let choice = ReviewChoice { per_company: Some(1), first: Some(2), ..all.choice.clone() };
        let fewer = all.choosing(choice.clone());
        assert_eq!((ids(&fewer), &fewer.beyond[..], fewer.per_company()), (vec![1, 3], &[RowId(2)][..], Some(1)));
        assert_eq!(fewer.held_back(), 5, "one of the company, two of the amount, two unchecked");
        let unchecked = all.choosing(ReviewChoice { allow_unchecked: true, ..choice });
        assert_eq!((unchecked.held_back(), unchecked.held_unchecked()), (5, vec![]));
        basis.limit.window = Some(1);
        assert_eq!((ids(&quote(&basis)), quote(&basis).per_company()), (vec![1, 3, 4, 7], Some(1)));
    }

    /// A limit set by hand holds until the settings change it.
    #[test]
    fn a_limit_set_by_hand_holds_until_another_one_is_saved() {
        let limit = Limit { window: Some(2), saved: Some(3) };
        assert_eq!((limit.under(Some(3)), limit.under(Some(5)), limit.under(None)), (Some(2), Some(5), None));
    }

    #[test]
    fn one_person_is_a_duplicate_whatever_the_legal_form_of_the_company() {
        let at = |id: i64, company: &str| {
            let [email, name] = ["d•••@elm.example", "Dana Holt"].map(str::to_owned);
            Staged::new(
                RowId(id),
                false,
                StagedFields { email, name, company: company.to_owned(), ..StagedFields::default() },
            )
        };
        let mut basis = basis(vec![at(1, "Elm"), at(2, "ELM, Inc."), at(3, "Oak")]);
        let shown = quote(&basis);
        assert_eq!((&shown.duplicates[..], shown.twice()), (&[RowId(2)][..], ""));
        // Bought under another id before: then the first one is as well.
        let owned = |email: &str| {
            let [email, contact_name, company_name] = [email, "Dana Holt", "Elm LLC"].map(str::to_owned);
            Owned { contact: Contact { email, contact_name, company_name, ..Contact::default() }, ..Owned::default() }
        };
        basis.owned_people = Arc::new(OwnedPeople::of([owned("p@elm.example")].iter()));
        assert_eq!(quote(&basis).duplicates, [RowId(2)], "another person of the same name");
        basis.owned_people = Arc::new(OwnedPeople::of([owned("dana@elm.example")].iter()));
        let now = quote(&basis);
        assert_eq!((&now.duplicates[..], now.twice()), (&[RowId(1), RowId(2)][..], "you own this person"));
        assert!(!now.reads_like(&shown));
        let dropped = now.choosing(ReviewChoice { drop_duplicates: true, ..now.choice.clone() });
        assert_eq!(ids(&dropped), [3]);
    }

    #[test]
    fn an_accepted_row_is_bought_until_another_entry_may_name_it() {
        let mut shown = basis(rows(2));
        let list = |emails: &[&str]| {
            let entries = emails.iter().map(|email| SuppressEntry::email(*email)).collect();
            Arc::new(vec![Suppression { list: "dnc".to_owned(), entries }])
        };
        shown.suppressions = list(&["p61041@house1.example"]);
        let held = quote(&shown);
        assert_eq!(
            (ids(&held), held.unchecked[0].by[0].to_string()),
            (vec![2], "dnc: p61041@house1.example".to_owned())
        );
        let mut choice = held.choice.clone();
        choice.accepted.toggle(RowId(1), held.unchecked[0].by.clone());
        let accepted = held.choosing(choice.clone());
        assert_eq!((ids(&accepted), accepted.most), (vec![1, 2], Credits(2)));
        assert!(accept(&accepted, Credits(2), &shown, NOW).is_ok());
        let after = |emails: &[&str]| {
            let current = Basis { suppressions: list(emails), ..shown.clone() };
            accept(&accepted, Credits(2), &current, NOW)
        };
        for more in ["p7@house1.example", "pat.moore@house1.example"] {
            let entries = ["p61041@house1.example", more];
            assert_eq!(ids(&shown_again(after(&entries))), [2], "{more}");
        }
        // The same entry named without a mask: never accepted.
        shown.suppressions = Arc::new(vec![Suppression {
            list: "dnc".to_owned(),
            entries: vec![SuppressEntry::ExactDomain("house1.example".to_owned())],
        }]);
        let named = Quote::make(shown.clone(), ReviewChoice { allow_unchecked: true, ..choice.clone() });
        assert_eq!(ids(&named), [2]);
        choice.accepted.toggle(RowId(1), held.unchecked[0].by.clone());
        assert_eq!(choice, held.choice, "taken back");
    }

    #[test]
    fn calls_hold_25_ids_and_100_when_many_are_staged_and_never_more_than_the_cap_per_call() {
        let calls = |count: i64, call: Option<i64>| {
            let mut basis = basis(rows(count));
            basis.caps.call = call.map(Credits);
            quote(&basis).calls.clone()
        };
        assert_eq!(calls(71, None), [25, 25, 21]);
        assert_eq!(calls(250, None), [25; 10]);
        assert_eq!(calls(251, None), [100, 100, 51]);
        assert_eq!(calls(30, Some(12)), [12, 12, 6]);
    }

    #[test]
    fn the_forecast_comes_from_our_own_history_and_needs_verification() {
        let mut basis = basis(rows(71));
        assert_eq!(quote(&basis).likely_of(Credits(100)), None, "no history, no forecast");
        basis.spent = Spent { charged_ever: 412, refunded_ever: 25, ..Spent::default() };
        let quote = quote(&basis);
        let likely = quote.likely_of(quote.most).unwrap();
        assert!((likely.low.0 + 1..=likely.high.0).contains(&67), "{likely:?}");
        assert!(likely.high <= quote.most, "{likely:?}");
        assert_eq!(
            quote.choosing(ReviewChoice { verify: false, ..quote.choice.clone() }).likely_of(quote.most),
            None,
            "nothing comes back unchecked"
        );
    }

    #[test]
    fn only_the_number_itself_makes_an_order() {
        let basis = basis(rows(5));
        let quote = quote(&basis);
        let accepted = |typed: i64| accept(&quote, Credits(typed), &basis, NOW);
        assert_eq!(accepted(0), Err(Declined::NoAmount));
        assert_eq!(accepted(6), Err(Declined::TooMuch { typed: Credits(6), most: Credits(5) }));
        let fewer = shown_again(accepted(3));
        assert_eq!((ids(&fewer), fewer.kept_back.len()), (vec![1, 2, 3], 2));
        let order = accept(&fewer, Credits(3), &basis, NOW).unwrap();
        assert_eq!((order.ceiling(), ids(order.quote())), (Credits(3), vec![1, 2, 3]));
    }

    #[test]
    fn everything_is_checked_again_when_the_number_is_typed() {
        let shown = basis(rows(5));
        let accepted = |change: &dyn Fn(&mut Basis)| {
            let mut current = shown.clone();
            change(&mut current);
            accept(&quote(&shown), Credits(5), &current, NOW)
        };
        assert!(accepted(&|_| {}).is_ok());
        assert_eq!(accepted(&|now| now.who.may_unlock = false), Err(Declined::ReadOnly));
        assert!(matches!(
            accepted(&|now| now.who.purse.owner = PurseOwner::Org("org_2".to_owned())),
            Err(Declined::Changed(_))
        ));
        assert!(matches!(accepted(&|now| now.origin = IdSource::Basket(8)), Err(Declined::Changed(_))));
        let owned = |now: &mut Basis| now.owned = Arc::new(BTreeSet::from([RowId(2)]));
        assert_eq!(shown_again(accepted(&owned)).most, Credits(4));
        let less = |now: &mut Basis| now.balance = Some((Credits(4), NOW.mono));
        assert!(matches!(accepted(&less), Err(Declined::Changed(_))), "it was not shown like this");
        // Shown as it is, it may still not suffice.
        let seen = |change: &dyn Fn(&mut Basis)| {
            let mut now = shown.clone();
            change(&mut now);
            accept(&quote(&now), Credits(5), &now, NOW)
        };
        assert_eq!(seen(&less), Err(Declined::Balance { balance: Credits(4) }));
        assert_eq!(seen(&|now| now.balance = Some((Credits(99), Mono(0)))), Err(Declined::Stale));
        let capped = |held| {
            seen(&|now| {
                now.caps.session = Some(Credits(10));
                now.spent = Spent { session: Credits(4), held: Credits(held), ..Spent::default() };
            })
        };
        let cap = Declined::Cap { which: CapKind::Session, cap: Credits(10), left: Credits(4) };
        assert_eq!(capped(2), Err(cap), "what is held counts as spent");
        let enough = |now: &mut Basis| now.balance = Some((Credits(5), Mono(NOW.mono.0 - FRESH.as_millis() as u64)));
        assert!(capped(1).is_ok(), "just enough");
        assert!(seen(&enough).is_ok(), "read just in time");
    }

    #[test]
    fn a_ceiling_takes_the_first_contacts_and_keeps_the_rest_back() {
        let mut basis = basis(rows(9));
        let order = accept_within(&quote(&basis), Credits(4), &basis).unwrap();
        assert_eq!((ids(order.quote()), order.quote().kept_back.len()), (vec![1, 2, 3, 4], 5));
        basis.caps.day = Some(Credits(2));
        let order = accept_within(&quote(&basis), Credits(4), &basis).unwrap();
        assert_eq!((order.ceiling(), ids(order.quote())), (Credits(2), vec![1, 2]));
    }

    #[test]
    fn a_batch_goes_out_again_whole_and_as_it_was_or_not_at_all() {
        let clue = Clue { title: "Nurse".to_owned(), ..Clue::default() };
        let open = |id: i64| OpenContact { id: RowId(id), clue: clue.clone(), row: None, sightings: Vec::new() };
        let batch = OpenBatch {
            batch: lode_core::money::BatchId(3),
            order: lode_core::money::OrderId(1),
            number: 1,
            profile: "acme".to_owned(),
            corpus: Corpus::Us,
            ids: [1, 2, 3].map(RowId).to_vec(),
            open: vec![open(1), open(2), open(3)],
            verify: false,
            sent_at: Wall(0),
            sent: 1,
            broke_at: Some(Wall(0)),
            quiet: Duration::ZERO,
            words: String::new(),
            heard: Vec::new(),
            balance_before: None,
            in_flight: false,
        };
        let who = basis(Vec::new()).who;
        let again = |batch: OpenBatch| Basis::again(&batch, who.clone(), None, Spent::default(), Caps::default());
        let current = again(batch.clone());
        let review = quote(&current);
        assert_eq!((ids(&review), review.most, review.choice.verify), (vec![1, 2, 3], Credits(3), false));
        assert_eq!(
            (&review.to_unlock[1].clue, &review.calls[..]),
            (&clue, &[3][..]),
            "it can be looked for, and goes in one call"
        );
        let fewer = review.choosing(ReviewChoice { first: Some(1), verify: true, ..review.choice.clone() });
        assert_eq!(ids(&fewer), [1, 2, 3], "never cut");
        assert_eq!(accept(&review, Credits(1), &current, NOW), Err(Declined::Whole { most: Credits(3) }));
        assert!(accept(&review, Credits(3), &current, NOW).is_ok());
        assert_eq!(accept_within(&review, Credits(1), &current), Err(Declined::Whole { most: Credits(3) }));
        // What a command would say before it sends anything.
        let refused = |change: &dyn Fn(&mut Basis), entries: Vec<SuppressEntry>| {
            let mut basis = current.clone();
            change(&mut basis);
            let lists = Lists::of(Arc::new(vec![Suppression { list: "dnc".to_owned(), entries }]));
            check_again(&basis, &lists).err()
        };
        let said = |words: &str| Some(words.to_owned());
        let listed = |id| SuppressEntry::Contact(Side { source: Source::Workspace, corpus: Corpus::Us }, RowId(id));
        assert_eq!(refused(&|_| {}, vec![listed(4)]), None);
        assert_eq!(refused(&|_| {}, vec![listed(2)]), said("1 contact is on the suppression list dnc now"));
        assert_eq!(refused(&|basis| basis.balance = Some((Credits(3), NOW.mono)), vec![]), None);
        let short = refused(&|basis| basis.balance = Some((Credits(2), NOW.mono)), vec![]);
        assert_eq!(short, said("the balance of 2 does not cover it"));
        assert_eq!(refused(&|basis| basis.caps.call = Some(Credits(3)), vec![]), None);
        let capped = refused(&|basis| basis.caps.call = Some(Credits(2)), vec![]);
        assert!(capped.is_some_and(|words| words.ends_with("of 2 does not cover it")));
        let used = |session| Spent { session: Credits(session), ..Spent::default() };
        let session =
            |spent| move |basis: &mut Basis| (basis.caps.session, basis.spent) = (Some(Credits(5)), used(spent));
        assert_eq!(refused(&session(2), vec![]), None);
        assert!(refused(&session(3), vec![]).is_some_and(|words| words.ends_with("of 5 does not cover it")));
        assert!(refused(&|basis| basis.who.may_unlock = false, vec![]).is_some());
        // Of this one a contact turned out to be owned: it is not sent again.
        let current = again(OpenBatch { open: vec![open(1), open(3)], ..batch });
        let review = quote(&current);
        assert_eq!(accept(&review, Credits(2), &current, NOW), Err(Declined::PartOwned));
        assert_eq!(accept_within(&review, Credits(9), &current), Err(Declined::PartOwned));
    }
}
