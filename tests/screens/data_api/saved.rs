//! Saved searches from the screen, against every habit that a service may have.

use common::asking::{Askable, Asking};
use lode_core::contact::Source;
use lode_engine::effect::Answer;
use lode_engine::effect::call::{Call, Reply};
use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::service::{DEFAULT_USER, ServiceRequest};
use lode_sandbox::variants::Variant;
use lode_ui::msg::Msg;

use common::sandbox_engine::{self, Said};
use common::screen::sandboxed::TestScreen;

const VARIANTS: [Variant; 4] = [Variant::A, Variant::B, Variant::C, Variant::D];

fn screen(variant: Variant, data: bool) -> TestScreen {
    TestScreen::sized(sandbox_engine::small(|setup| setup.variant = variant), 160, 48, data)
}

/// Saves what is on the screen under a name.
fn save(screen: &mut TestScreen, name: &str) {
    screen.key("s").instead(name).key("Enter").settle();
}

fn search(screen: &mut TestScreen, title: &str) {
    screen.key("g s /").instead(title).key("Enter").settle();
}

fn files(screen: &TestScreen) -> Vec<String> {
    let folder = screen.folder.path().join("config/saved/acme");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The names of what the service keeps.
fn kept_there(screen: &TestScreen) -> Vec<String> {
    let (Said::Reply(Ok(Reply::Saved(list))) | Said::After(_, Ok(Reply::Saved(list)))) =
        sandbox_engine::ask(&screen.service, &Call::SavedList, 0)
    else {
        panic!("no list")
    };
    let mut names: Vec<String> = list.into_iter().map(|entry| entry.name).collect();
    names.sort();
    names
}

#[test]
fn a_search_is_saved_listed_run_renamed_and_removed_with_every_service() {
    for variant in VARIANTS {
        for data in [true, false] {
            let mut screen = screen(variant, data);
            search(&mut screen, "nurse");
            save(&mut screen, "our nurses");
            screen.says("Saved `our nurses`");
            assert_eq!(files(&screen).len(), 1, "{variant:?} {data}");
            screen.key("g v").settle();
            screen.says("our nurses");
            screen.says("title: nurse");
            screen.key("Enter").settle();
            screen.says(" contacts");
            screen.says("`our nurses`:");
            screen.key("g v r").instead("nurses of mine").key("Enter").settle();
            screen.says("nurses of mine");
            assert_eq!(files(&screen).len(), 1, "{variant:?} {data}");
            screen.restart().key("g v").settle();
            screen.says("nurses of mine");
            let home = screen.model.session.saved_searches.entries()[0].home.name();
            screen.key("D");
            screen.says(match home {
                "both" => "Deletes `nurses of mine` here and on the service.",
                _ => "Deletes `nurses of mine` and the record of its last run.",
            });
            screen.key("Down Enter").settle();
            assert!(files(&screen).is_empty(), "{variant:?} {data}");
            screen.key("g s g v").settle();
            assert!(!screen.text().contains("nurses of mine "), "{variant:?} {data}:\n{}", screen.text());
        }
    }
}

#[test]
fn nothing_is_removed_at_the_service_that_was_not_named() {
    for variant in VARIANTS {
        let mut screen = screen(variant, true);
        for name in ["one", "two", "three"] {
            search(&mut screen, name);
            save(&mut screen, name);
        }
        screen.service.save_for(DEFAULT_USER, serde_json::json!({"name": "someone else's", "filters": {"title": "x"}}));
        let mut there = kept_there(&screen);
        screen.key("g s g v").settle();
        let before = screen.model.session.saved_searches.entries().len();
        screen.key("Home D Down Enter").settle();
        let after = screen.model.session.saved_searches.entries();
        there.retain(|name| name != "one");
        assert_eq!(kept_there(&screen), there, "{variant:?}");
        assert_eq!(after.len(), before - 1, "{variant:?}");
        assert!(screen.sent.iter().all(|call| !matches!(call, Call::SavedRemove { id } if id.is_empty())));
        for entry in after.iter().filter(|entry| entry.home.name() == "both") {
            assert!(entry.remote.is_some(), "{variant:?}: {} is still there", entry.name);
        }
    }
}

#[test]
fn what_a_service_removes_besides_is_put_back_and_said() {
    let mut screen = screen(Variant::A, true);
    for name in ["one", "two", "three"] {
        search(&mut screen, name);
        save(&mut screen, name);
    }
    screen
        .service
        .save_for(DEFAULT_USER, serde_json::json!({"label": "someone else's", "how": ["in", "their", "way"]}));
    screen.hold = |call| matches!(call, Call::SavedRemove { .. });
    screen.key("g v D Down Enter").settle();
    let (id, call) = screen.held.pop().expect("a removal on its way");
    // A service that knows another name for the id takes the request for one that names nothing.
    let swept = ServiceRequest::new("DELETE", "/api/saved").header("x-api-key", &screen.service.data_key());
    assert_eq!(screen.service.answer(&swept, 0).status, 200);
    assert_eq!(kept_there(&screen), [""; 0]);
    screen.hold = |_| false;
    screen.handle(Msg::Answered(Answer::Replied(id, Ok(Reply::SavedWritten))));
    screen.settle();
    screen.says("The service also dropped 3 other saved searches; all were put back");
    assert!(matches!(call, Call::SavedRemove { id } if !id.is_empty()));
    assert_eq!(kept_there(&screen), ["someone else's", "three", "two"]);
    assert_eq!(files(&screen).len(), 2);
    let homes: Vec<_> = screen
        .model
        .session
        .saved_searches
        .entries()
        .into_iter()
        .map(|entry| (entry.name, entry.home.name()))
        .collect();
    let expected = [("someone else's", "service"), ("three", "both"), ("two", "both")];
    assert_eq!(homes, expected.map(|(name, home)| (name.to_owned(), home)), "known again under their new ids");
}

#[test]
fn a_name_that_is_taken_is_replaced_only_when_asked_for() {
    let mut screen = screen(Variant::A, true);
    search(&mut screen, "nurse");
    save(&mut screen, "mine");
    search(&mut screen, "director");
    save(&mut screen, "mine");
    screen.says("Replace saved search");
    screen.key("Enter").settle();
    screen.key("g v").settle();
    screen.says("title: nurse");
    // While the service takes the new one, nothing says that the search is gone.
    screen.hold = |call| matches!(call, Call::SavedAdd { .. });
    screen.key("g s s").instead("mine").key("Enter Down Enter").settle();
    assert!(!screen.text().contains("Deleted"), "{}", screen.text());
    screen.hold = |_| false;
    let held = screen.held.drain(..).collect::<Vec<_>>();
    assert_eq!(held.len(), 1, "the new one is on its way");
    for (id, _) in held {
        screen.handle(Msg::Answered(Answer::Replied(id, Ok(Reply::SavedWritten))));
    }
    screen.settle().says("Saved `mine`");
    screen.key("g v").settle();
    screen.says("title: director");
    assert_eq!(files(&screen).len(), 1);
}

#[test]
fn recalling_is_fuzzy_and_knows_saved_searches_first() {
    let mut screen = screen(Variant::A, true);
    search(&mut screen, "nurse");
    save(&mut screen, "hospital people");
    search(&mut screen, "director");
    screen.key("r");
    screen.says("★ hospital people");
    screen.typed("hsptl").key("Enter").settle();
    screen.says("title nurse");
}

#[test]
fn without_a_data_key_the_screen_says_where_searches_live() {
    let mut screen = screen(Variant::A, false);
    search(&mut screen, "nurse");
    save(&mut screen, "mine");
    screen.key("g v").settle();
    screen.says("here");
    screen.says("no Data API key is set");
    assert!(screen.sent.iter().all(|call| call.source() == Source::Workspace));
}

#[test]
fn a_saved_search_is_read_once_and_says_how_much() {
    let mut screen = screen(Variant::A, true);
    search(&mut screen, "nurse");
    save(&mut screen, "mine");
    screen.key("g v Enter").settle();
    screen.says("first run");
    let first = screen.model.session.side(screen.model.search.side).watch.as_ref().unwrap().news().1;
    assert!(first > 0);
    screen.key("g v +").settle();
    screen.says("0 new");
    screen.says("Nothing new, so all rows are shown. `");
    let watch = screen.model.session.side(screen.model.search.side).watch.as_ref().unwrap();
    assert_eq!(watch.news().1, first, "the same rows, each counted once");
}

#[test]
fn rows_that_the_last_run_did_not_have_are_marked_and_can_be_shown_alone() {
    use lode_core::ids;
    use lode_core::time::Wall;
    use lode_engine::effect::store::{Snapshot, StoreCall};

    let mut screen = screen(Variant::A, true);
    search(&mut screen, "nurse");
    save(&mut screen, "mine");
    let side = screen.model.search.side;
    let all: Vec<_> = screen.model.session.side(side).window.loaded().filter_map(|(_, row)| row.id()).collect();
    let total = screen.model.session.side(side).window.total().unwrap();
    assert_eq!(all.len() as u64, total, "the whole result is one page");
    // The last run had all but two of these, in another order, and one that is gone since.
    let new = [all[3], all[10]];
    let mut known: Vec<_> = all.iter().copied().filter(|id| !new.contains(id)).collect();
    known.push(lode_core::contact::RowId(99_999_999));
    let snapshot =
        Snapshot { total: known.len() as u64, at: Wall(7), read: known.len() as u64, ids: ids::pack(known).into() };
    let purse = screen.model.session.purse_of(side.source).unwrap();
    let (profile, name) = ("acme".to_owned(), "mine".to_owned());
    let call = StoreCall::Snapshot { purse, profile, name, query: String::new(), snapshot };
    screen.store.perform(call, screen.now).unwrap();
    screen.key("g v Enter").settle();
    let marked = |screen: &TestScreen| {
        screen.text().lines().filter(|line| line.starts_with("│  + ") || line.starts_with("│▌ + ")).count()
    };
    assert_eq!(marked(&screen), 2, "{}", screen.text());
    screen.says("2 new");
    // What was read is remembered, so the marks are of the run before; again they are fewer.
    let call = StoreCall::SnapshotOf {
        purse: screen.model.session.purse_of(side.source).unwrap(),
        profile: "acme".to_owned(),
        name: "mine".to_owned(),
        query: screen.model.session.saved_searches.named("mine").unwrap().query.unwrap().canonical(),
    };
    let Ok(lode_engine::effect::store::StoreReply::Snapshot(Some(kept))) = screen.store.perform(call, screen.now)
    else {
        panic!("nothing was remembered")
    };
    let kept = ids::unpack(&kept.ids).unwrap();
    assert!(new.iter().all(|id| kept.contains(id)));
    screen.key("g v +").settle();
    screen.says("0 new");
}

#[test]
fn plus_shows_only_the_new_rows_and_escape_brings_the_others_back() {
    use lode_core::ids;
    use lode_core::time::Wall;
    use lode_engine::effect::store::{Snapshot, StoreCall};

    let mut screen = screen(Variant::A, true);
    search(&mut screen, "nurse");
    save(&mut screen, "mine");
    let side = screen.model.search.side;
    let all: Vec<_> = screen.model.session.side(side).window.loaded().filter_map(|(_, row)| row.id()).collect();
    let known = all[5..].to_vec();
    let (total, read) = (known.len() as u64, known.len() as u64);
    let snapshot = Snapshot { total, at: Wall(7), read, ids: ids::pack(known).into() };
    let purse = screen.model.session.purse_of(side.source).unwrap();
    let (profile, name) = ("acme".to_owned(), "mine".to_owned());
    let call = StoreCall::Snapshot { purse, profile, name, query: String::new(), snapshot };
    screen.store.perform(call, screen.now).unwrap();
    screen.key("g v +").settle();
    screen.says("5 new of");
    screen.says("Saved 5 new");
    assert_eq!(screen.model.search.grid().count(&screen.model.session.side(side).window), 5);
    screen.key("Esc");
    assert_eq!(screen.model.search.grid().count(&screen.model.session.side(side).window), all.len() as u64);
}

#[test]
fn only_so_much_is_read_ahead_and_the_sentence_says_it() {
    let mut screen = TestScreen::sized(sandbox_engine::small(|setup| setup.us_rows = 40_000), 160, 48, false);
    search(&mut screen, "manager");
    save(&mut screen, "mine");
    let total = screen.model.session.side(screen.model.search.side).window.total().unwrap();
    assert!(total > 2_000, "{total}");
    screen.key("g v Enter");
    for _ in 0..40 {
        screen.settle();
    }
    let watch = screen.model.session.side(screen.model.search.side).watch.as_ref().unwrap();
    assert_eq!(watch.news().1, 2_000);
    assert!(watch.sentence().starts_with("2,000 of "), "{}", watch.sentence());
}

#[test]
fn the_picture_of_the_readme_is_current() {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, 20, true);
    for (name, title) in [("hospital nurses", "nurse"), ("directors", "director"), ("engineers", "engineer")] {
        search(&mut screen, title);
        save(&mut screen, name);
    }
    let side = screen.model.search.side;
    let loaded = screen.model.session.side(side).window.loaded();
    let late: Vec<u64> = loaded.filter_map(|(_, row)| row.id()).step_by(31).map(|id| id.0.unsigned_abs()).collect();
    screen.service.suppress(CorpusKind::Us, &late);
    for key in ["Home", "Down", "Down"] {
        screen.key("g v").key(key).key("Enter").settle();
    }
    screen.service.release(CorpusKind::Us, &late);
    screen.wait(std::time::Duration::from_secs(3 * 3600));
    screen.key("g v Home Down Enter").settle().key("g v").settle();
    crate::data_api::shot(&mut screen, "saved", "Saved searches: then and now");
}
