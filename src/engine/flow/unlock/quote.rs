//! The review before spending, as a value: everything the money dialog shows and everything an order may rest on.
//!
//! A [`Quote`] is made by [`Quote::make`] from a [`Basis`] and a [`ReviewChoice`] and can only be read afterwards (*shown is
//! paid*). Nothing is asked and nothing is sent here; turning a quote into an order is `unlock::order`.

use std::ops::Deref;

use super::*;
use lode_core::money::person;

/// A cap as the review shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapRoom {
    pub cap: Credits,
    pub used: Credits,
    pub left: Credits,
}

/// What bounds an order before all of it is unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The typed amount or `--max-credits`.
    Ceiling,
    Call,
    Session,
    Day,
    Balance,
}

/// What will probably be paid after refunds, from our own history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelyCost {
    pub low: Credits,
    pub high: Credits,
    /// How many of `over` charged contacts came back.
    pub refunded: u64,
    pub over: u64,
}

/// A row that the lists cannot be held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedRow {
    pub id: RowId,
    pub why: Unchecked,
    /// The entries that may name it.
    pub by: Arc<[HeldBy]>,
    /// Whether it may be bought all the same.
    pub accepted: bool,
}

/// What the review says. Public to read, created only by [`Quote::make`].
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub basis: Basis,
    pub choice: ReviewChoice,
    /// Different contacts that were asked for: an id that was asked for more than once is sent once (M10).
    pub staged: usize,
    pub owned: Vec<RowId>,
    pub unknown: Vec<RowId>,
    /// Each with the entry that names it.
    pub suppressed: Vec<(RowId, HeldBy)>,
    /// What the lists cannot be held against. Those that were accepted are among `to_unlock`.
    pub unchecked: Vec<UncheckedRow>,
    /// By email status, as the search said (M9). They are among `to_unlock` unless dropped.
    pub risky: Vec<(String, Vec<RowId>)>,
    /// Rows that show the same person, company and email as a better or an earlier one: each would cost a credit. They are
    /// among `to_unlock` unless dropped.
    pub duplicates: Vec<RowId>,
    /// How many of them show a person who is owned under another id.
    pub owned_people: usize,
    /// Left out because their company has as many better ones as wanted.
    pub beyond: Vec<RowId>,
    /// The best first, where there is a score.
    pub to_unlock: Vec<Staged>,
    /// Left out because fewer were wanted.
    pub kept_back: Vec<RowId>,
    /// Ids in each call.
    pub calls: Vec<usize>,
    /// The number to type.
    pub most: Credits,
    pub session: Option<CapRoom>,
    pub day: Option<CapRoom>,
}

/// A review that was made honestly: it can be read, and accepted, and not altered.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote(Facts);

impl Deref for Quote {
    type Target = Facts;
    fn deref(&self) -> &Facts {
        &self.0
    }
}

impl Quote {
    pub fn make(basis: Basis, choice: ReviewChoice) -> Quote {
        let side = Side { source: Source::Workspace, corpus: basis.corpus };
        let again = matches!(basis.origin, IdSource::Again(_));
        let choice = match &basis.origin {
            // Money rule 3, *same batch, same ids*: and checked, or unchecked, as the first time.
            IdSource::Again(batch) => ReviewChoice { verify: batch.verify, ..ReviewChoice::default() },
            IdSource::Basket(_) | IdSource::Ids => choice,
        };
        let lists = Lists::of(basis.suppressions.clone());
        let mut seen = BTreeSet::new();
        let (mut owned, mut unknown, mut suppressed, mut unchecked) = (vec![], vec![], vec![], vec![]);
        let (mut to_unlock, mut duplicates, mut people, mut owned_people) = (vec![], vec![], HashSet::new(), 0);
        let mut risky: BTreeMap<&str, Vec<RowId>> = BTreeMap::new();
        let (mut beyond, mut firms): (Vec<RowId>, HashMap<String, u32>) = (vec![], HashMap::new());
        for row in best_first(&basis, again) {
            if !seen.insert(row.id) && !put_back("staged-twice") {
                continue;
            }
            if again {
                to_unlock.push(row.to_buy());
                continue;
            }
            if basis.unknown.contains(&row.id) {
                unknown.push(row.id);
            } else if row.owned || basis.owned.contains(&row.id) {
                owned.push(row.id);
            } else {
                match lists.check(side, ShownFields::of(row)) {
                    SuppressionCheck::Clear => {}
                    // Never bought, whatever was accepted.
                    SuppressionCheck::Named(at) => {
                        suppressed.push((row.id, lists.held_by(at)));
                        continue;
                    }
                    SuppressionCheck::Unchecked(why, may) => {
                        let by = lists.may_be_held_by(&may);
                        let accepted = choice.allow_unchecked || choice.accepted.covers(row.id, &by);
                        unchecked.push(UncheckedRow { id: row.id, why, by, accepted });
                        if !accepted {
                            continue;
                        }
                    }
                }
                let is_risky = RISKY_STATUSES.contains(&row.email_status.as_str());
                if is_risky {
                    risky.entry(&row.email_status).or_default().push(row.id);
                }
                if is_risky && choice.drop_risky {
                    continue;
                }
                let one = person(&row.name, &row.company, &row.email);
                let is_owned_person = one.as_ref().is_some_and(|one| basis.owned_people.holds(one));
                let is_duplicate = one.is_some_and(|one| !people.insert(one)) || is_owned_person;
                if is_duplicate {
                    duplicates.push(row.id);
                    owned_people += usize::from(is_owned_person);
                }
                if is_duplicate && choice.drop_duplicates {
                    continue;
                }
                if let Some(limit) = choice.per_company.or(basis.limit.window)
                    && let Some(firm) = Traits::staged(row).firm()
                {
                    let count = firms.entry(firm).or_default();
                    *count += 1;
                    if *count > limit && !put_back("company-limit-ignored") {
                        beyond.push(row.id);
                        continue;
                    }
                }
                to_unlock.push(row.to_buy());
            }
        }
        // An unanswered batch is never cut: the same ids or none.
        let first = choice.first.filter(|_| !again).unwrap_or(to_unlock.len()).min(to_unlock.len());
        let kept_back: Vec<RowId> = to_unlock[first..].iter().map(|row| row.id).collect();
        to_unlock.truncate(first);
        to_unlock.shrink_to_fit();
        let staged = seen.len();
        let size = call_size(&basis, staged);
        let calls: Vec<usize> = to_unlock.chunks(size.max(1)).map(<[Staged]>::len).collect();
        // What is settled of a batch that is sent again is owned: only the rest can cost (M3).
        let costs = match &basis.origin {
            IdSource::Again(batch) => batch.open.len(),
            IdSource::Basket(_) | IdSource::Ids => to_unlock.len(),
        };
        let most = Credits::for_contacts(costs);
        let held = basis.spent.held;
        let room = |cap: Option<Credits>, used: Credits| {
            cap.map(|cap| CapRoom { cap, used, left: (cap - used - held).max(Credits::ZERO) })
        };
        let risky = risky.into_iter().map(|(status, ids)| (status.to_owned(), ids)).collect();
        Quote(Facts {
            staged,
            owned,
            unknown,
            suppressed,
            unchecked,
            risky,
            duplicates,
            owned_people,
            beyond,
            kept_back,
            calls,
            most,
            session: room(basis.caps.session, basis.spent.session),
            day: room(basis.caps.day, basis.spent.day),
            to_unlock,
            choice,
            basis,
        })
    }

    /// Drops the rows once an order is over: there may be a million, and the summary does not need them.
    pub(super) fn drop_rows(&mut self) {
        self.0.to_unlock = Vec::new();
        self.0.basis.staged = Arc::default();
    }

    /// The same review under another choice.
    pub fn choosing(&self, choice: ReviewChoice) -> Quote {
        Quote::make(self.basis.clone(), choice)
    }

    /// Whether a person who read this one would read the same in the other: who pays, what is bought and left out, the balance and
    /// the caps.
    pub fn reads_like(&self, other: &Quote) -> bool {
        let credits = |quote: &Quote| quote.basis.balance.map(|(credits, _)| credits);
        self.basis.who == other.basis.who
            && self.basis.corpus == other.basis.corpus
            && self.basis.origin == other.basis.origin
            && self.to_unlock == other.to_unlock
            && self.suppressed == other.suppressed
            && self.unchecked == other.unchecked
            && self.calls == other.calls
            && self.duplicates == other.duplicates
            && self.basis.caps == other.basis.caps
            && (self.session, self.day) == (other.session, other.day)
            && credits(self) == credits(other)
    }

    /// Why its rows are duplicates, if all have the same reason.
    pub fn twice(&self) -> &'static str {
        let all_owned = self.owned_people == self.duplicates.len();
        if all_owned { "you own this person" } else { "" }
    }

    /// The balance that is left at least, where the balance is known.
    pub fn balance_after(&self) -> Option<Credits> {
        self.basis.balance.map(|(balance, _)| balance - self.bound(self.most).0)
    }

    /// The most that an order under this ceiling may send: the caps and everything on hold bound it too.
    pub fn within(&self, ceiling: Credits) -> Credits {
        self.ceilings(ceiling).map(|(most, _)| most).fold(self.most, Credits::min).max(Credits::ZERO)
    }

    /// The most that such an order can cost, and what keeps it from costing all of it. At the end of the balance the service
    /// stops by itself.
    pub fn bound(&self, ceiling: Credits) -> (Credits, Option<Bound>) {
        let balance = self.basis.balance.map(|(balance, _)| (balance, Bound::Balance));
        let bounds = self.ceilings(ceiling).chain(balance).map(|(most, by)| (most.max(Credits::ZERO), Some(by)));
        bounds.fold((self.most, None), |least, next| if next.0 < least.0 { next } else { least })
    }

    /// What will probably be paid of a number of credits: the share that came back so far, give or take one and a third standard
    /// deviations. Four times out of five it fits.
    pub fn likely_of(&self, cost: Credits) -> Option<LikelyCost> {
        const ENOUGH: u64 = 20;
        let (refunded, over) = (self.basis.spent.refunded_ever, self.basis.spent.charged_ever);
        if !self.choice.verify || cost <= Credits::ZERO || over < ENOUGH {
            return None;
        }
        let count = cost.0 as f64;
        let share = (refunded as f64 / over as f64).clamp(0.0, 1.0);
        let (middle, spread) = (count * (1.0 - share), 1.3 * (count * share * (1.0 - share)).sqrt());
        let low = Credits((middle - spread).floor().max(0.0) as i64);
        let high = Credits((middle + spread).ceil().min(count) as i64);
        Some(LikelyCost { low, high, refunded, over })
    }

    fn ceilings(&self, ceiling: Credits) -> impl Iterator<Item = (Credits, Bound)> {
        let call = self.basis.caps.call.filter(|cap| *cap <= Credits::ZERO).map(|cap| (cap, Bound::Call));
        let session = self.session.map(|room| (room.left, Bound::Session));
        let day = self.day.map(|room| (room.left, Bound::Day));
        [Some((ceiling, Bound::Ceiling)), call, session, day].into_iter().flatten()
    }

    /// Ids of the lists that suppress something, each with how many.
    pub fn suppressed_by(&self) -> Vec<(&str, usize)> {
        counts(self.suppressed.iter().map(|(_, by)| by.list.as_str()))
    }

    /// Why contacts cannot be checked, each with how many.
    pub fn unchecked_because(&self) -> Vec<(Unchecked, usize)> {
        counts(self.unchecked.iter().map(|row| row.why))
    }

    /// How many may be unlocked with another choice: beyond the amount or the limit per company, or not checked.
    pub fn held_back(&self) -> usize {
        self.kept_back.len() + self.beyond.len() + self.unchecked.iter().filter(|row| !row.accepted).count()
    }

    /// What is left aside because it cannot be checked.
    pub fn held_unchecked(&self) -> Vec<RowId> {
        self.unchecked.iter().filter(|row| !row.accepted).map(|row| row.id).collect()
    }

    /// Contacts of one company at most.
    pub fn per_company(&self) -> Option<u32> {
        self.choice.per_company.or(self.basis.limit.window)
    }

    pub fn risky_count(&self) -> usize {
        self.risky.iter().map(|(_, ids)| ids.len()).sum()
    }

    /// The batch that would be sent again, if it is that.
    pub fn again(&self) -> Option<&OpenBatch> {
        if let IdSource::Again(batch) = &self.basis.origin { Some(batch) } else { None }
    }

    /// Ids in one call.
    pub fn call_size(&self) -> usize {
        call_size(&self.basis, self.staged)
    }
}

/// Each different item with how often it comes.
pub(super) fn counts<T: Ord>(items: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts.into_iter().collect()
}

/// The staged rows, the best first where there is a score; else, and among equals, as they were staged.
fn best_first(basis: &Basis, again: bool) -> Vec<&Staged> {
    let mut rows: Vec<&Staged> = basis.staged.iter().collect();
    if !(again || basis.scorer.card.is_empty() || put_back("best-not-first")) {
        rows.sort_by_cached_key(|row| std::cmp::Reverse(basis.scorer.total(&Traits::staged(row))));
    }
    rows
}

fn call_size(basis: &Basis, staged: usize) -> usize {
    if matches!(basis.origin, IdSource::Again(_)) {
        return staged.max(1);
    }
    let sizes = basis.sizes;
    let wanted = if staged > sizes.large_from as usize { sizes.large_batch } else { sizes.batch };
    let cap = basis.caps.call.map_or(100, |cap| usize::try_from(cap.0).unwrap_or(0));
    (wanted as usize).min(cap).clamp(1, 100)
}

// What a quote is made from: everything known at one moment, and what the person chose.

/// Whose money it would be, and who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spender {
    pub profile: String,
    pub live: bool,
    pub window: WindowId,
    pub key: KeyHash,
    pub purse: Purse,
    pub org_name: String,
    pub key_prefix: String,
    pub may_unlock: bool,
    /// Without it no look can ever clear up an unknown result.
    pub may_search: bool,
}

impl Spender {
    /// None where the profile has no Workspace key.
    pub fn of(profile: &Profile, account: &Account, purse: Purse) -> Option<Spender> {
        Some(Spender {
            profile: profile.name.clone(),
            live: profile.live,
            window: profile.window.clone(),
            key: profile.workspace.as_ref()?.key.clone(),
            purse,
            org_name: account.org_name.clone(),
            key_prefix: account.key_prefix.clone(),
            may_unlock: account.may_unlock(),
            may_search: account.may_search(),
        })
    }
}

/// Contacts of one company at most, where the review itself names no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// As the window has it: from the settings, or set by hand since.
    pub window: Option<u32>,
    /// As the settings had it at the same moment.
    pub saved: Option<u32>,
}

impl Limit {
    /// The limit under settings that were read later: a change of them replaces what was set by hand.
    pub fn under(self, saved: Option<u32>) -> Option<u32> {
        if saved == self.saved { self.window } else { saved }
    }
}

/// Where the ids come from, which decides what is checked again when they are sent.
#[derive(Clone, Debug, PartialEq)]
pub enum IdSource {
    /// The basket in this version.
    Basket(u64),
    /// Named on the command line or by a row under the cursor.
    Ids,
    /// A batch without an answer, to be sent again with the very same ids.
    Again(Arc<OpenBatch>),
}

/// Everything known at one moment that a quote depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    pub who: Spender,
    pub corpus: Corpus,
    /// In the order in which they are to be unlocked. Rows known by their id alone have everything else empty.
    pub staged: Arc<Vec<Staged>>,
    pub origin: IdSource,
    /// Owned by the ledger.
    pub owned: Arc<BTreeSet<RowId>>,
    pub owned_people: Arc<OwnedPeople>,
    /// In batches without an answer: locked until that is cleared up.
    pub unknown: Arc<BTreeSet<RowId>>,
    pub suppressions: Arc<Vec<Suppression>>,
    /// The service's own balance and when it was read.
    pub balance: Option<(Credits, Mono)>,
    pub spent: Spent,
    pub caps: Caps,
    pub limit: Limit,
    pub sizes: Sizes,
    /// By what the best come first.
    pub scorer: Scorer,
}

impl Basis {
    /// The basis for sending an unanswered batch again: the very same ids in one call, whatever has become of them since.
    pub fn again(batch: &OpenBatch, who: Spender, balance: Option<(Credits, Mono)>, spent: Spent, caps: Caps) -> Basis {
        let clues: BTreeMap<RowId, &Clue> = batch.open.iter().map(|open| (open.id, &open.clue)).collect();
        let staged = batch.ids.iter().map(|&id| {
            let clue = clues.get(&id).map(|clue| (*clue).clone()).unwrap_or_default();
            Staged::new(id, false, StagedFields { clue, ..StagedFields::default() })
        });
        Basis {
            who,
            corpus: batch.corpus,
            staged: Arc::new(staged.collect()),
            origin: IdSource::Again(Arc::new(batch.clone())),
            owned: Arc::default(),
            owned_people: Arc::default(),
            unknown: Arc::default(),
            suppressions: Arc::default(),
            balance,
            spent,
            caps,
            limit: Limit::default(),
            sizes: Sizes { batch: 100, large_batch: 100, large_from: u32::MAX },
            scorer: Scorer::default(),
        }
    }
}

/// Rows that the person accepted although they cannot be checked, each with the entries that it was accepted against. Another
/// entry holds the row back again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedRows {
    rows: Arc<BTreeMap<RowId, Arc<[HeldBy]>>>,
}

impl AcceptedRows {
    pub fn covers(&self, id: RowId, by: &[HeldBy]) -> bool {
        self.rows.get(&id).is_some_and(|known| by.iter().all(|entry| known.contains(entry)))
    }

    /// Accepts a row, or takes that back.
    pub fn toggle(&mut self, id: RowId, by: Arc<[HeldBy]>) {
        let rows = Arc::make_mut(&mut self.rows);
        if rows.get(&id) == Some(&by) { drop(rows.remove(&id)) } else { drop(rows.insert(id, by)) }
    }
}

/// What the person chose in the review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewChoice {
    pub drop_risky: bool,
    pub drop_duplicates: bool,
    pub verify: bool,
    /// Buy what the suppression lists cannot be held against as well.
    pub allow_unchecked: bool,
    /// The same for single rows.
    pub accepted: AcceptedRows,
    /// Only the first ones, up to this number.
    pub first: Option<usize>,
    /// Maximum contacts per company, best first. `None` means the limit of the window.
    pub per_company: Option<u32>,
}

impl Default for ReviewChoice {
    fn default() -> ReviewChoice {
        ReviewChoice {
            drop_risky: false,
            drop_duplicates: false,
            verify: true,
            allow_unchecked: false,
            accepted: AcceptedRows::default(),
            first: None,
            per_company: None,
        }
    }
}
