//! What is said of saved searches: as lines of a picker, of the service's list, of a refusal.

use crate::dialogs::picker::{Item, Pick};
use lode_core::credits::grouped;
use lode_core::text::capital;
use lode_engine::flow::saved::merge::Entry;
use lode_engine::flow::saved::{Refused, Remote, Shelf};
use lode_engine::flow::session::Session;

pub(super) fn line(entry: &Entry, pick: Pick) -> Item {
    let total = entry.total.map_or(String::new(), |total| format!("{} then", grouped(total)));
    let mut item = Item::new(entry.name.clone(), total, pick);
    item.hidden =
        entry.query.as_ref().map_or_else(|_| String::new(), |query| format!("{} {}", query.side, query.words()));
    item
}

/// The saved searches as lines of the recall, before those that were only run.
pub fn recallable(session: &Session) -> Vec<Item> {
    let entries = session.shelf().entries();
    let runnable = entries.iter().filter(|entry| entry.query.is_ok());
    runnable
        .map(|entry| {
            let mut item = line(entry, Pick::Saved(entry.name.clone()));
            item.left = format!("★ {}", item.left);
            item
        })
        .collect()
}

/// What is known of the service's list.
pub(super) fn service(shelf: &Shelf) -> String {
    match shelf.remote() {
        Remote::None => "Saved on this computer only: there is no Data API key.".to_owned(),
        Remote::NotAsked => "The service's list is not loaded yet.".to_owned(),
        Remote::Asked(_) => "Loading the service's list…".to_owned(),
        Remote::Read(list) => {
            let count = list.len() as u64;
            format!("{} saved on the service", if count == 0 { "None".to_owned() } else { grouped(count) })
        }
        Remote::Failed(failure) => {
            format!("The service's list cannot be loaded: {}.", failure.words().trim_end_matches('.'))
        }
    }
}

pub(super) fn sentence(refused: &Refused) -> String {
    format!("{}.", capital(&refused.to_string()))
}
