//! The largest page of each service: what was learned is remembered for the next run.

use crate::effect::Effect;
use crate::effect::failure::StoreFailure;
use crate::effect::store::{StoreCall, StoreReply};
use lode_core::contact::Source;

use super::{Asked, Desk, Owner};

impl Desk {
    /// Reads what earlier runs learned. Until it is here, services are asked for the usual page.
    pub fn ask_pages(&mut self, fx: &mut Vec<Effect>) {
        if !self.services.is_empty() && !self.asking_pages {
            self.asking_pages = true;
            self.store_as(Asked::Pages, StoreCall::PageSizes { services: self.services.clone() }, fx);
        }
    }

    pub fn is_asking_pages(&self) -> bool {
        self.asking_pages
    }

    pub(super) fn learned(&mut self, result: Result<StoreReply, StoreFailure>) {
        self.asking_pages = false;
        if let Ok(StoreReply::PageSizes(sizes)) = result {
            for (source, rows) in sizes {
                self.pages[source as usize] = rows.max(1);
            }
        }
    }

    /// This service refuses larger pages than that.
    pub(super) fn learn_page(&mut self, source: Source, rows: u64, fx: &mut Vec<Effect>) {
        self.pages[source as usize] = rows.max(1);
        let of_source = self.services.iter().find(|(known, _)| *known == source);
        if let Some((_, origin)) = of_source.cloned() {
            self.store(Owner::Memory, StoreCall::LearnPage { source, origin, rows }, fx);
        }
    }
}
