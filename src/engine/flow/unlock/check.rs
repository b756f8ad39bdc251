//! Checks an order again before each batch: settings, key and profile, the suppression lists, the limit per company, the
//! caps, and at Enter the account with its balance (money rule 1, *shown is paid*).
//!
//! A batch is written down only with a [`Checked`], which one batch uses up. At Enter any
//! difference leads to a new review. Later, what only takes away is left out and told; what changes who pays stops the order.

use super::quote::counts;
use super::*;

impl RunningOrder {
    /// Reads again everything the current batch rests on, then continues with it. The only way to a batch that leaves.
    pub(super) fn check(&mut self, cx: &mut FlowContext<'_>) {
        let is_first = self.known.revision.is_none();
        let settings = cx.file(Owner::Unlock, FileCall::ReadProfile { ask_key: is_first });
        // A command names its amount beforehand, and its review has just read the balance.
        let at_enter = is_first && self.order.typed;
        let account = at_enter.then(|| cx.ask(Owner::Unlock, Call::Me, Priority::Unlock));
        self.step = Step::Checking(Box::new(Check { settings: Some(settings), account, ..Check::default() }));
    }

    /// True where it was the answer of a check.
    pub(super) fn handle_check(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        let Step::Checking(check) = &mut self.step else { return false };
        match arrival {
            Arrival::Filed(ticket, read) if check.settings.take_if(|asked| asked == ticket).is_some() => {
                self.settings_read(read, cx);
            }
            Arrival::Stored(ticket, read) if check.reading_lists.take_if(|asked| asked == ticket).is_some() => {
                match read {
                    Ok(reply) => {
                        check.lists = Some(ListsSince::read(reply).clone());
                        self.finish_check(cx);
                    }
                    Err(failure) => self.stop_unsent(OrderEnd::Store(failure.to_string()), cx),
                }
            }
            Arrival::Reply(call, _, read) if check.account.take_if(|asked| asked == call).is_some() => match read {
                Ok(Reply::Me(account)) => {
                    check.paid_from = Some(account.clone());
                    self.finish_check(cx);
                }
                Ok(other) => unreachable!("{other:?} to `/me`"),
                Err(failure) => self.review_again(format!("The balance could not be read: {}.", failure.reason())),
            },
            _ => return false,
        }
        true
    }

    /// Settings, key and profile are read: what the lists of that profile are is asked next.
    fn settings_read(&mut self, read: &Result<FileReply, FileFailure>, cx: &mut FlowContext<'_>) {
        let basis = &self.order.quote().basis;
        let who = &basis.who;
        let mut saved = match read {
            Ok(FileReply::Profile(Some(saved))) => saved.clone(),
            Ok(FileReply::Profile(None)) => {
                let words = format!("profile {} was removed", who.profile);
                return self.stop_unsent(OrderEnd::Changed(words), cx);
            }
            Ok(other) => unreachable!("{other:?} to the settings"),
            Err(failure) => return self.stop_unsent(OrderEnd::Changed(failure.words.clone()), cx),
        };
        if put_back("old-settings") {
            (saved.profile.caps, saved.profile.choosing.per_company) = (basis.caps, basis.limit.saved);
        } else if let Some(words) = other_payer(who, &saved) {
            return self.stop_unsent(OrderEnd::Changed(words), cx);
        }
        let (purses, known) = (saved.profile.purses(Some(&who.purse)), self.known.revision);
        let Step::Checking(check) = &mut self.step else { unreachable!("only a check reads the settings") };
        check.reading_lists = Some(cx.store(Owner::Unlock, StoreCall::ListsSince { purses, known }));
        check.saved = Some(saved);
    }

    /// Holds the order against what was read, once all of it is here.
    fn finish_check(&mut self, cx: &mut FlowContext<'_>) {
        let Step::Checking(check) = &mut self.step else { unreachable!("only a check is finished") };
        if check.settings.is_some() || check.reading_lists.is_some() || check.account.is_some() {
            return;
        }
        let saved = check.saved.take().expect("the settings are read");
        let (revision, lists) = check.lists.take().expect("the lists are read after the settings");
        let account = check.paid_from.take();
        let caps = saved.profile.caps;
        let limit = match put_back("new-limit-ignored") {
            true => self.known.limit,
            false => self.order.quote().basis.limit.under(saved.profile.choosing.per_company),
        };
        let lists = lists.map_or_else(|| self.known.lists.clone(), Arc::new);
        let new_list = lists != self.known.lists && !put_back("new-list-ignored");
        let new_limit = limit != self.known.limit;
        let new_caps = caps != self.known.caps;
        self.known = Known { revision: Some(revision), lists, limit, caps, at: cx.now.mono };
        self.step = Step::Idle;
        self.news.push(OrderNews::Settings(Box::new(saved.profile.clone())));
        // At Enter, where the account was asked for.
        if account.is_some_and(|account| !self.is_as_shown(&saved, &account)) {
            return self.review_again("Something changed since this was shown. Review it again.".to_owned());
        }
        if (new_list || new_limit) && self.leave_out(cx) {
            return;
        }
        if self.batch.request.is_none() {
            self.fit_batch();
            self.intend(Checked { caps, lists: revision, standing: saved.standing }, cx);
        } else if new_caps && !self.was_sent() {
            // Written down under other caps: they are held against it once more.
            self.take_back(cx);
        } else {
            self.send(cx);
        }
    }

    /// Leaves out what the lists or the limit per company do not allow any more. False if the current batch continues.
    fn leave_out(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let (was_sent, left) = (self.was_sent(), self.left_out());
        if was_sent
            && !put_back("resend-listed")
            && let Some(why) = self.batch.lines.iter().find_map(|line| left.get(&line.id))
        {
            // Money rule 3, *same batch, same ids*: it goes out whole or not at all.
            let words = format!("the batch is not sent again: {}", why.words(1));
            self.stop_unsent(OrderEnd::Changed(words), cx);
            return true;
        }
        let taken = self.drop_lines(&left);
        if was_sent || !self.batch.lines.iter().any(|line| taken.contains(&line.id)) {
            return false;
        }
        if self.batch.request.is_some() {
            self.take_back(cx);
            return true;
        }
        self.batch.leave_out(&taken);
        let is_empty = self.batch.lines.is_empty();
        if is_empty {
            self.next_batch(cx);
        }
        is_empty
    }

    /// The batch is written down and has not left: it is withdrawn, and what is still wanted of it is checked once more.
    fn take_back(&mut self, cx: &mut FlowContext<'_>) {
        let words = "something changed before it was sent".to_owned();
        self.store(StoreCall::Withdraw { batch: self.batch.id(), words }, Step::TakingBack, cx);
    }

    /// It is withdrawn: the rest of it is a batch that was never written down.
    pub(super) fn taken_back(&mut self, cx: &mut FlowContext<'_>) {
        let left = self.left_out();
        let lines = std::mem::take(&mut self.batch.lines);
        self.batch = Batch::new(lines.into_iter().filter(|line| !left.contains_key(&line.id)).collect());
        if self.stopping || self.batch.lines.is_empty() { self.next_batch(cx) } else { self.check(cx) }
    }

    /// Ends the order before the batch at work leaves.
    pub(super) fn stop_unsent(&mut self, end: OrderEnd, cx: &mut FlowContext<'_>) {
        if let Step::Checking(check) = &self.step
            && let Some(call) = check.account
        {
            cx.cancel(call);
        }
        if self.batch.request.is_some() { self.give_back(end, cx) } else { self.finish(end) }
    }

    /// The person sees how things stand now, and types again. Nothing was written down.
    fn review_again(&mut self, words: String) {
        self.news.push(OrderNews::ReviewAgain { quote: Box::new(self.order.quote().clone()), words });
        self.step = Step::Over(None);
    }

    /// What the same review rests on, as the lists, the limit and the caps are now.
    fn basis_now(&self) -> Basis {
        let basis = self.order.quote().basis.clone();
        let limit = Limit { window: self.known.limit, ..basis.limit };
        Basis { caps: self.known.caps, suppressions: self.known.lists.clone(), limit, ..basis }
    }

    /// Whether a person would read the same review now, with what was read at Enter.
    fn is_as_shown(&self, saved: &SavedProfile, account: &Account) -> bool {
        let (shown, profile) = (self.order.quote(), &saved.profile);
        let mut basis = self.basis_now();
        basis.who.purse.owner = PurseOwner::Org(account.org_id.clone());
        (basis.who.may_unlock, basis.who.may_search) = (account.may_unlock(), account.may_search());
        basis.balance = account.credits.map(|credits| (credits, self.known.at)).or(basis.balance);
        if shown.again().is_none() {
            basis.sizes = profile.sizes;
            basis.scorer.card = profile.choosing.card.clone();
        }
        Quote::make(basis, shown.choice.clone()).reads_like(shown)
    }

    /// Contacts of the order that the lists or the limit per company do not allow any more, with the reason.
    pub(super) fn left_out(&self) -> BTreeMap<RowId, LeftOut> {
        let quote = self.order.quote();
        if let Some(batch) = quote.again() {
            return held_back(batch, &Lists::of(self.known.lists.clone()));
        }
        let now = Quote::make(self.basis_now(), quote.choice.clone());
        let listed = now.suppressed.iter().map(|(id, by)| (*id, LeftOut::Listed(by.list.clone())));
        let unchecked = now.held_unchecked().into_iter().map(|id| (id, LeftOut::Unchecked));
        let beyond = now.beyond.iter().map(|id| (*id, LeftOut::Beyond));
        listed.chain(unchecked).chain(beyond).collect()
    }

    /// Takes contacts out of what is still to be sent, and tells why. Returns those that were there.
    pub(super) fn drop_lines(&mut self, left: &BTreeMap<RowId, LeftOut>) -> Vec<RowId> {
        let unsent = if self.was_sent() { &[][..] } else { &self.batch.lines[..] };
        let lines = unsent.iter().chain(self.queue.iter().flatten());
        let taken: Vec<RowId> = lines.map(|line| line.id).filter(|id| left.contains_key(id)).collect();
        let reasons = counts(taken.iter().map(|id| &left[id])).into_iter();
        self.notices.extend(reasons.map(|(why, count)| format!("left out: {}", why.words(count))));
        self.taken_out += taken.len();
        for lines in &mut self.queue {
            lines.retain(|line| !left.contains_key(&line.id));
        }
        self.queue.retain(|lines| !lines.is_empty());
        taken
    }
}

// The values of a check: what it reads, what the last one read, and the proof that one was passed.

/// A batch that waits for a slot is checked again this often.
pub(super) const CHECKED_AGAIN: Duration = Duration::from_secs(5);

/// Proof that everything was read again. It is used up by the batch that is written down with it.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) caps: Caps,
    /// The revision of the suppression lists.
    pub(super) lists: u64,
    /// What an assistant may spend without being asked.
    pub(super) standing: Option<StandingGrant>,
}

/// A check that is being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Check {
    settings: Option<Ticket>,
    reading_lists: Option<Ticket>,
    /// At Enter.
    account: Option<CallId>,
    saved: Option<Box<SavedProfile>>,
    /// Their revision; the lists only where they are others than at the last check.
    lists: Option<(u64, Option<Vec<Suppression>>)>,
    paid_from: Option<Account>,
}

/// What a batch was last checked against.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Of the lists. `None` before the first check.
    pub(super) revision: Option<u64>,
    pub(super) lists: Arc<Vec<Suppression>>,
    /// Contacts of one company at most, as the window and the settings have it.
    pub(super) limit: Option<u32>,
    pub(super) caps: Caps,
    /// When a batch was last found in order.
    pub(super) at: Mono,
}

/// Why contacts are left out of a running order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LeftOut {
    Listed(String),
    Unchecked,
    Beyond,
}

impl LeftOut {
    pub(super) fn words(&self, count: usize) -> String {
        let (who, are) = (contacts(count), agree(count, "is", "are"));
        match self {
            LeftOut::Listed(list) => format!("{who} {are} on the suppression list {list} now"),
            LeftOut::Unchecked => format!("{who} cannot be checked against the suppression lists now"),
            LeftOut::Beyond => format!("{who} {are} more than the limit per company now allows"),
        }
    }
}

/// What of the payer is another than the order was accepted for.
pub(super) fn other_payer(who: &Spender, saved: &SavedProfile) -> Option<String> {
    let name = &who.profile;
    if saved.profile.name != *name {
        return Some(format!("profile {name} was removed"));
    }
    let Some(service) = &saved.profile.workspace else {
        return Some(format!("profile {name} no longer has a Workspace key"));
    };
    if saved.profile.purse_origin(service) != who.purse.origin {
        return Some(format!("the address of profile {name} changed"));
    }
    (service.key != who.key && !put_back("old-key")).then(|| format!("the key of profile {name} changed"))
}

/// Contacts of a batch with an unknown result that the lists do not allow to send again, with the reason.
pub(super) fn held_back(batch: &OpenBatch, lists: &Lists) -> BTreeMap<RowId, LeftOut> {
    let side = Side { source: Source::Workspace, corpus: batch.corpus };
    let why = |id: &RowId| {
        let row = batch.open.iter().find(|open| open.id == *id).and_then(|open| open.row.as_ref());
        let verdict = match row {
            Some(row) => lists.check_row(side, row),
            None => lists.check(side, ShownFields::of(&Staged::by_id(*id))),
        };
        match verdict {
            SuppressionCheck::Clear => None,
            SuppressionCheck::Named(at) => Some((*id, LeftOut::Listed(lists.list(at).to_owned()))),
            SuppressionCheck::Unchecked(..) => Some((*id, LeftOut::Unchecked)),
        }
    };
    batch.ids.iter().filter_map(why).collect()
}
