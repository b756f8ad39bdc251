//! What is saved while others buy: suppression lists, caps, the limit per company, keys.

use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::Credits;
use lode_core::suppress::SuppressEntry;
use lode_engine::effect::files::{FileFailure, FileReply, SavedProfile};
use lode_engine::effect::store::StoreCall;
use std::collections::BTreeSet;

use lode_engine::flow::unlock::RunningOrder;

use crate::counter::kind;
use crate::window::{Window, profile};

use common::rng::{Key, Rng};

use super::{Happening, ROWS, Simulation};

const LIST: &str = "dnc";

impl Simulation {
    /// What the settings say of the profile of a window.
    pub(super) fn read_profile(&self, slot: usize) -> Result<FileReply, FileFailure> {
        let Some(window) = self.windows[slot].as_ref() else { return Ok(FileReply::Profile(None)) };
        let mut place = self.places[window.place.at].clone();
        place.origin.clone_from(&window.place.origin);
        let mut profile = profile(&window.session().profile().window.0, &place, self.caps, self.batch);
        profile.choosing.per_company = self.limit;
        Ok(FileReply::Profile(Some(Box::new(SavedProfile { profile, standing: None }))))
    }

    pub(super) fn change_settings(&mut self) {
        if self.settling {
            return;
        }
        let key = Key::new("settings");
        let mut rng = self.draws.next(key);
        let wait = rng.between(300, if self.large_companies { 1_500 } else { 9_000 });
        match rng.below(100) {
            _ if self.large_companies && rng.per_mille(900) => self.limit_companies(),
            0..45 => self.suppress(&mut rng),
            45..55 => self.forgive(&mut rng),
            55..70 => self.save_caps(&mut rng),
            70..85 => {
                let limit = *rng.pick(&[None, Some(1), Some(2)]);
                self.save_limit(limit);
            }
            _ => {
                let at = rng.place(self.places.len());
                self.replace_key(at);
                self.referee.marks.hit("a key was replaced");
            }
        }
        self.later(wait, key, Happening::Settings);
    }

    fn save_limit(&mut self, limit: Option<u32>) {
        self.limit = limit;
        self.referee.limit_saved(limit, self.now);
        self.referee.marks.hit("a limit per company was saved");
    }

    /// Saves a limit once an order buys several contacts of a company, and removes it before the next order. It stays while the
    /// order runs: the referee counts only what was in force for some seconds.
    fn limit_companies(&mut self) {
        let mut orders =
            self.windows.iter().flatten().filter_map(|window| Some((window, window.session().unlock().job()?)));
        let several = |(window, job): (&Window, &RunningOrder)| {
            let mut firms = BTreeSet::new();
            let firm = |id| self.referee.firm((window.place.purse, job.corpus(), id));
            job.wanted().filter_map(firm).any(|firm| !firms.insert(firm))
        };
        match self.limit {
            None if orders.any(several) => {
                self.referee.marks.hit("a limit was saved while an order bought several contacts of a company");
                self.save_limit(Some(1));
            }
            Some(_) if orders.next().is_none() => self.save_limit(None),
            _ => {}
        }
    }

    /// Some contacts, or all of a domain, mostly of what is about to be bought.
    fn suppress(&mut self, rng: &mut Rng) {
        let place = self.any_place(rng);
        let wanted: Vec<(Corpus, RowId)> = self
            .windows
            .iter()
            .flatten()
            .filter(|window| window.place.purse == place.purse)
            .filter_map(|window| window.session().unlock().job())
            .flat_map(|job| job.wanted().map(|id| (job.corpus(), id)).collect::<Vec<_>>())
            .collect();
        let corpus = *rng.pick(&Corpus::ALL);
        let any = (corpus, RowId(1 + rng.below(ROWS) as i64));
        let (corpus, id) = if wanted.is_empty() || rng.per_mille(200) { any } else { *rng.pick(&wanted) };
        let service = &self.counters[place.counter].service;
        let person = service.person(kind(corpus), id.0 as u64);
        let email = person.map(|person| person.email.to_string()).unwrap_or_default();
        let domain = email.rsplit_once('@').map(|(_, domain)| domain.to_owned()).unwrap_or_default();
        // Where ids have no row, a domain would hold all of them back. Rows of large companies show another domain.
        let by_domain = !domain.is_empty() && rng.per_mille(80) && !self.large_companies;
        let side = Side { source: Source::Workspace, corpus };
        let entry = match by_domain {
            true => SuppressEntry::ExactDomain(domain.clone()),
            false => SuppressEntry::Contact(side, id),
        };
        let mut named = vec![(corpus, id)];
        if by_domain {
            self.referee.marks.hit("a domain was put on a list");
            let of_domain = |corpus: Corpus| {
                let ends = format!("@{domain}");
                (1..=ROWS).filter_map(move |id| {
                    let email = service.person(kind(corpus), id)?.email.to_string();
                    email.ends_with(&ends).then_some((corpus, RowId(id as i64)))
                })
            };
            named = Corpus::ALL.into_iter().flat_map(of_domain).collect();
        }
        let purse = place.named.clone().into();
        let call = StoreCall::Suppress { purse, list: LIST.to_owned(), entries: vec![entry] };
        let now = self.at();
        self.keeper.perform(call, now).expect("the list is kept");
        self.referee.listed(place.purse, named, self.now);
        self.referee.marks.hit("a contact was put on a list");
    }

    /// The list of a purse is removed.
    fn forgive(&mut self, rng: &mut Rng) {
        let place = self.any_place(rng);
        let purses = vec![place.named.clone().into()];
        let now = self.at();
        let call = StoreCall::RemoveSuppression { purses, list: LIST.to_owned(), entries: None };
        self.keeper.perform(call, now).expect("the list is removed");
        self.referee.forgiven(place.purse);
    }

    fn save_caps(&mut self, rng: &mut Rng) {
        // What a clock that jumped left out of its day is not known to a cap that is set only now.
        if self.caps.day.is_some() {
            self.caps.day = Some(Credits(rng.between(5, 90) as i64));
        }
        if self.caps.session.is_some() || rng.per_mille(300) {
            self.caps.session = Some(Credits(rng.between(5, 60) as i64));
        }
        self.caps.call = *rng.pick(&[None, None, Some(Credits(2)), Some(Credits(9))]);
        self.referee.caps_saved(self.caps, self.now);
        self.referee.marks.hit("caps were saved");
    }
}
