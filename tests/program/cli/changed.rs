//! What changes while an order runs counts from the next batch on: lists, limits, caps, settings, the key and the profile.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use lode_core::contact::{RowId, Side};
use lode_core::purse::PurseRef;
use lode_core::suppress::SuppressEntry;
use lode_core::time::Now;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::StoreCall;
use lode_host::store::Store;
use serde_json::json;

use crate::cli::crooked::{Asked, Crooked, KEY, State, refused};
use common::test_app::{Ran, words};

/// One id in each batch.
const SINGLE: &str = "[profiles.work.unlock]\nbatch = 1\n";

/// Where the test of a service works.
struct Folders {
    config: PathBuf,
    state: PathBuf,
    url: String,
}

impl Folders {
    fn save(&self, settings: &str) {
        std::fs::create_dir_all(&self.config).unwrap();
        std::fs::write(self.config.join("config.toml"), settings).unwrap();
    }

    fn save_key(&self, key: &str) {
        use std::os::unix::fs::OpenOptionsExt;
        std::fs::create_dir_all(&self.config).unwrap();
        let path = self.config.join("work.key");
        drop(std::fs::remove_file(&path));
        let file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path).unwrap();
        std::io::Write::write_all(&mut &file, key.as_bytes()).unwrap();
    }

    /// A profile with its address and a key in a file.
    fn own_key(&self) -> String {
        format!("{SINGLE}[profiles.work.workspace]\nurl = \"{}\"\nkey = {{ file = \"work.key\" }}\n", self.url)
    }

    /// Puts a contact on a list, as another program does it.
    fn suppress(&self, id: i64) {
        let mut store = Store::open(&self.state, WindowId("test".to_owned()));
        let call = StoreCall::Suppress {
            purse: PurseRef::Earlier { profile: "work".to_owned() },
            list: "dnc".to_owned(),
            entries: vec![SuppressEntry::Contact(Side::default(), RowId(id))],
        };
        store.perform(call, Now::default()).unwrap();
    }
}

/// A service during whose second unlock something is changed.
fn changing(settings: &str, change: impl Fn(&Folders) + Send + 'static) -> (Crooked, Arc<OnceLock<Folders>>) {
    let known: Arc<OnceLock<Folders>> = Arc::default();
    let folders = Arc::clone(&known);
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        if asked.is("/unlock") && state.unlocks().len() == 2 {
            change(folders.get().unwrap());
        }
        None
    });
    let url = format!("{}/api/v1", crooked.origin);
    let folders = Folders { config: crooked.path("config"), state: crooked.path("state"), url };
    folders.save(settings);
    assert!(known.set(folders).is_ok());
    (crooked, known)
}

fn sent(crooked: &Crooked) -> usize {
    crooked.state().unlocks().len()
}

fn charged(crooked: &Crooked) -> Vec<i64> {
    crooked.state().charges.clone()
}

/// Money rule 1, *shown is paid*.
#[test]
fn a_list_added_during_an_order_counts_from_the_next_batch_on() {
    let (crooked, _) = changing(SINGLE, |folders| folders.suppress(6));
    let ran = crooked.unlock(6).failed(3);
    assert_eq!(charged(&crooked), [1, 2, 3, 4, 5], "{ran:?}");
    assert!(ran.err.contains("suppression list dnc"), "{ran:?}");
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&5.into(), &1.into()), "{ran:?}");
}

#[test]
fn a_cap_saved_during_an_order_holds() {
    let (crooked, _) = changing(SINGLE, |folders| folders.save(&format!("{SINGLE}[profiles.work.caps]\nday = 3\n")));
    let ran = crooked.unlock(6).failed(3);
    assert_eq!(charged(&crooked), [1, 2, 3], "{ran:?}");
}

#[test]
fn a_cap_per_call_saved_during_an_order_makes_the_next_batches_smaller() {
    let batches = "[profiles.work.unlock]\nbatch = 2\n";
    let (crooked, _) = changing(batches, move |folders| {
        folders.save(&format!("{batches}[profiles.work.caps]\ncall = 1\n"));
    });
    let ran = crooked.unlock(6).ended(0);
    assert_eq!(crooked.state().unlocks(), [vec![1, 2], vec![3, 4], vec![5], vec![6]], "{ran:?}");
}

#[test]
fn a_limit_per_company_saved_during_an_order_counts_from_the_next_batch_on() {
    let (crooked, _) = changing(SINGLE, |folders| folders.save(&format!("{SINGLE}[choose]\nper_company = 3\n")));
    let rows = crooked.run(&["search", "--limit", "6"]).ended(0).out;
    let ran = crooked.fed(&["unlock", "--max-credits", "6"], &rows).failed(3);
    assert_eq!(charged(&crooked), [1, 2, 3], "all are of one company: {ran:?}");
    assert!(ran.err.contains("per company"), "{ran:?}");
}

#[test]
fn a_setting_of_the_command_line_stays_whatever_is_saved() {
    let (crooked, _) = changing(SINGLE, |folders| folders.save(&format!("{SINGLE}[choose]\nper_company = 1\n")));
    let rows = crooked.run(&["search", "--limit", "4"]).ended(0).out;
    crooked.fed(&["unlock", "--max-credits", "4", "--per-company", "4"], &rows).ended(0);
    assert_eq!(charged(&crooked), [1, 2, 3, 4]);
}

/// The command with nothing of the Workspace in its environment.
fn by_settings(crooked: &Crooked, arguments: &[&str]) -> Command {
    let mut command = crooked.command(arguments);
    command.env_remove("LODE_WORKSPACE_URL").env_remove("LODE_WORKSPACE_KEY");
    command
}

fn unlock_six(crooked: &Crooked) -> Ran {
    let ids = words(&(1..=6).collect::<Vec<u64>>());
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", "6"];
    arguments.extend(ids.iter().map(String::as_str));
    Ran::of(by_settings(crooked, &arguments).spawn().unwrap())
}

/// What makes an order with its own key stop after its second batch, and what is said then.
#[track_caller]
fn stops(change: impl Fn(&Folders) + Send + 'static, said: &str) {
    let (crooked, folders) = changing("", change);
    let folders = folders.get().unwrap();
    folders.save(&folders.own_key());
    folders.save_key(KEY);
    let ran = unlock_six(&crooked);
    assert_eq!(charged(&crooked), [1, 2], "{ran:?}");
    assert!(ran.err.contains(said), "{ran:?}");
    let ran = ran.failed(1);
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&2.into(), &4.into()), "{ran:?}");
}

/// Money rule 1, *shown is paid*.
#[test]
fn another_key_stops_an_order() {
    stops(|folders| folders.save_key("lk_live_another_0123456789"), "the key of profile work changed");
}

#[test]
fn a_key_that_was_taken_away_stops_an_order() {
    stops(|folders| std::fs::remove_file(folders.config.join("work.key")).unwrap(), "does not exist");
}

#[test]
fn a_profile_that_was_removed_stops_an_order() {
    stops(|folders| folders.save("theme = \"night\"\n"), "profile work was removed");
}

#[test]
fn another_address_stops_an_order() {
    stops(|folders| folders.save(&folders.own_key().replace("http://", "https://")), "profile work changed");
}

#[test]
fn settings_that_cannot_be_read_stop_an_order() {
    stops(|folders| folders.save("[profiles.work\n"), "the settings cannot be read");
}

/// The first unlock breaks, applied or not, and one of its contacts is put on a list meanwhile.
fn lost_and_listed(searchable: bool) -> (Crooked, Arc<OnceLock<Folders>>) {
    let known: Arc<OnceLock<Folders>> = Arc::default();
    let folders = Arc::clone(&known);
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        if asked.is("/unlock") && state.unlocks().len() == 1 {
            folders.get().unwrap().suppress(2);
            return Some(Vec::new());
        }
        (asked.is("/search") && !searchable && state.unlocks().len() == 1).then(|| refused(403, "not now"))
    });
    let folders = Folders { config: crooked.path("config"), state: crooked.path("state"), url: String::new() };
    folders.save("[profiles.work.caps]\n");
    assert!(known.set(folders).is_ok());
    (crooked, known)
}

/// Money rule 3, *same batch, same ids*.
#[test]
fn a_batch_with_a_contact_that_was_listed_since_is_not_sent_again() {
    let (crooked, _) = lost_and_listed(true);
    let ran = crooked.unlock(3).failed(9);
    assert_eq!((sent(&crooked), charged(&crooked)), (1, vec![]), "{ran:?}");
    assert!(ran.err.contains("suppression list dnc"), "{ran:?}");
}

#[test]
fn recover_does_not_finish_a_batch_with_a_contact_that_was_listed_since() {
    let (crooked, _) = lost_and_listed(false);
    crooked.unlock(3).failed(9);
    crooked.state().log.clear();
    let ran = crooked.run(&["recover", "--finish", "--max-credits", "3"]).ended(9);
    assert_eq!((sent(&crooked), charged(&crooked)), (0, vec![]), "{ran:?}");
    assert!(ran.err.contains("suppression list dnc"), "{ran:?}");
    assert_eq!(ran.summary()["unknown"], json!(3), "{ran:?}");
}

/// Money rule 8, *bounded*: what may have been charged counts, although a change kept the batch from being sent once more.
#[test]
fn recover_sends_no_other_batch_after_one_that_left_and_was_then_listed() {
    let known: Arc<OnceLock<Folders>> = Arc::default();
    let recovers: Arc<AtomicBool> = Arc::default();
    let (folders, is_recovering) = (Arc::clone(&known), Arc::clone(&recovers));
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        let unlocks = state.unlocks().len();
        let is_recovering = is_recovering.load(Ordering::SeqCst);
        match asked.is("/unlock") {
            // Two batches stay unknown, because no search is allowed after them.
            true if unlocks <= 2 => Some(Vec::new()),
            // The first of them leaves again and is lost again.
            true if unlocks == 3 => {
                folders.get().unwrap().suppress(2);
                Some(Vec::new())
            }
            false if asked.is("/search") && unlocks > 0 && !is_recovering => Some(refused(403, "not now")),
            _ => None,
        }
    });
    let folders = Folders { config: crooked.path("config"), state: crooked.path("state"), url: String::new() };
    folders.save("[profiles.work.caps]\n");
    assert!(known.set(folders).is_ok());
    crooked.unlock(3).failed(9);
    crooked.run(&["unlock", "--corpus", "us", "--max-credits", "3", "4", "5", "6"]).failed(9);
    assert_eq!(sent(&crooked), 2);
    recovers.store(true, Ordering::SeqCst);
    let ran = crooked.run(&["recover", "--finish", "--max-credits", "3"]).ended(9);
    assert_eq!(sent(&crooked), 3, "only the first batch was sent: {ran:?}");
    assert!(ran.err.contains("suppression list dnc"), "{ran:?}");
}
