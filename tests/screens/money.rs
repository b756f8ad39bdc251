//! Money on the screen: no spending without consent, the unlock session from the keys alone, what is unknown.

use std::time::Duration;

use lode_core::contact::{Contact, RowId};
use lode_core::money::{Caps, Outcome};
use lode_engine::effect::call::Call;
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{BatchIntent, Settled, SettledBy, Settlement, StatedSums, StoreCall, StoreReply};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::unlock::OrderEnd;
use lode_ui::dialogs::Dialog;
use lode_ui::keys::command::Screen;
use lode_ui::msg::{Mouse, MouseWhat, Msg};

use crate::pictures::scene;
use common::screen::planned::{Plan, TestScreen};

const MOMENT: Duration = Duration::from_millis(10);

fn staged(width: u16, height: u16, rows: usize) -> TestScreen {
    let mut screen = TestScreen::new(width, height);
    screen.open();
    stage(&mut screen, rows);
    screen.may_spend = true;
    screen
}

/// The first rows that are neither owned nor risky.
pub fn stage(screen: &mut TestScreen, rows: usize) {
    let keys: Vec<&str> =
        (0..).map(|at: usize| if at % 16 == 3 || at % 4 == 2 { "j" } else { "Space" }).take(rows * 2).collect();
    let mut left = rows;
    for key in keys {
        if left == 0 {
            break;
        }
        left -= usize::from(key == "Space");
        screen.key(key);
    }
    screen.settle();
}

#[test]
fn the_review() {
    scene("money", |screen| {
        screen.open().key("Space Space Space Space Space").settle();
        screen.key("U").wait(MOMENT).painted();
    });
}

#[test]
fn the_review_without_verification() {
    scene("money-off", |screen| {
        screen.open().key("Space Space Space Space Space").settle();
        screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).key("V r").painted();
        screen.wait(Duration::from_millis(300)).typed("9").wait(Duration::from_millis(200)).key("Enter");
    });
}

#[test]
fn a_summary() {
    scene("summary", |screen| {
        screen.open();
        stage(screen, 10);
        screen.may_spend = true;
        screen.key("U").wait(MOMENT).pay("10").settle();
    });
}

/// What was paid for is what the unlock ends on, and what comes after it.
#[test]
fn a_summary_leads_to_the_contacts_in_owned() {
    let mut screen = staged(120, 36, 3);
    screen.key("U").wait(MOMENT).pay("3").settle();
    screen.says("person1@clinic.example  (512) 555-0142  ● valid");
    screen.key("y e").settle();
    let copied = screen.done.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.lines().count()),
        _ => None,
    });
    assert_eq!(copied, Some(3));
    screen.key("Enter").settle();
    assert_eq!((screen.model.nav.screen, screen.model.nav.dialogs.len()), (Screen::Owned, 0));
    screen.says("▌ ✓  Person 1");
}

#[test]
fn credits_that_run_out_with_every_other_outcome() {
    for (variant, answer) in common::screen::planned::EVERY_OUTCOME {
        scene(&format!("credits-out-{}", variant.name()), |screen| {
            screen.open();
            stage(screen, 8);
            screen.may_spend = true;
            screen.unlock = answer;
            screen.key("U").wait(MOMENT).pay("8").settle();
        });
    }
}

#[test]
fn a_state_folder_that_cannot_be_written_to_is_browsed_and_nothing_is_spent() {
    scene("read-only", |screen| {
        screen.read_only = true;
        screen.open();
        screen.key("j U").wait(MOMENT);
        screen.may_spend = true;
        screen.pay("1").settle();
        assert!(screen.spent.is_empty());
        let end = &screen.model.session.unlock().last().expect("it ended").end;
        assert_eq!(*end, OrderEnd::Store("the state folder cannot be written to".to_owned()));
    });
}

#[test]
fn nothing_is_called_known_before_the_books_of_the_purse_were_read() {
    let mut screen = TestScreen::new(160, 48);
    screen.plan = Plan::Hold;
    screen.open();
    screen.key(":").typed("unknown").key("Enter").says("The ledger could not be read yet");
    screen.plan = Plan::Answer;
    while !screen.held.is_empty() {
        screen.release(0);
    }
    screen.settle().key(":").typed("unknown").key("Enter").says("No unknown results.");
}

/// Unlocks the 30 rows of the basket: the first request is answered, the second one is under way.
fn half_unlocked(screen: &mut TestScreen) {
    screen.may_spend = true;
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    screen.wait(Duration::from_millis(200));
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(Duration::from_secs(2));
    screen.release(0);
    screen.wait(Duration::from_secs(1));
}

#[test]
fn an_order_under_way() {
    scene("unlocking", |screen| {
        screen.open();
        stage(screen, 30);
        half_unlocked(screen);
    });
}

/// The tab counted what was bought, and the pane what the service had said before.
#[test]
fn the_tab_and_the_pane_count_the_same_during_an_unlock() {
    let counts = |screen: &TestScreen| {
        let session = &screen.model.session;
        let share = session.side(screen.model.search.side).coverage.share().expect("the service was asked");
        (session.ledger.owned_count() as u64, share.owned, share.left)
    };
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    stage(&mut screen, 30);
    let (tab, owned, left) = counts(&screen);
    half_unlocked(&mut screen);
    assert_eq!(counts(&screen), (tab + 25, owned + 25, left - 25));
}

#[test]
fn a_batch_with_an_unknown_result() {
    scene("recovery", lost);
}

/// An unlock whose line is lost again and again.
pub fn lost(screen: &mut TestScreen) {
    screen.open();
    stage(screen, 3);
    screen.may_spend = true;
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("3").wait(Duration::from_millis(200));
    screen.plan = Plan::Fail(Failure::Unclear { why: Unclear::Line, words: "the line broke".into() });
    screen.key("Enter");
    for _ in 0..40 {
        screen.wait(Duration::from_secs(2));
    }
    screen.plan = Plan::Answer;
    screen.wait(MOMENT);
}

/// The result of an order with an unknown result is never free, and there is nothing to export of it.
#[test]
fn the_summary_of_an_unknown_result_names_what_it_may_cost() {
    let mut screen = TestScreen::new(120, 36);
    lost(&mut screen);
    screen.key("Esc g j").says("RESULT UNKNOWN  3 contacts on hold    :unknown check (free)");
    screen.key("Enter").says("Result unknown: up to 3 credits");
    let summary = screen.text();
    assert!(!summary.contains("Nothing unlocked") && !summary.contains("e export"), "{summary}");
    screen.key("e").says("Nothing was unlocked.");
}

#[test]
fn a_message_clears_when_the_screen_changes_or_a_dialog_opens() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space").says("Added 1 row");
    screen.key("F4");
    assert!(!screen.text().contains("Added 1 row"), "{}", screen.text());
    screen.key("F2 Space").says("Added 1 row");
    screen.key(":");
    assert!(!screen.text().contains("Added 1 row"), "{}", screen.text());
}

/// Where a message has no room, its keys stay.
#[test]
fn a_long_message_keeps_its_keys() {
    let mut screen = TestScreen::new(40, 10);
    screen.open().key("Space").says("…  u undo");
}

#[test]
fn a_key_without_permissions_is_not_called_one_that_searches() {
    let mut screen = TestScreen::new(120, 36);
    screen.scopes = Vec::new();
    screen.open().says(" NO PERMISSION ");
}

#[test]
fn the_number_itself_unlocks_and_rows_fill_in() {
    let mut screen = staged(160, 48, 10);
    screen.key("U").wait(MOMENT);
    screen.says("Maximum cost");
    screen.says("Maximum cost             10 credits");
    // One of the ten has the name, company and email of a contact that is owned.
    screen.says("1 duplicate  ━╸               you own this person  d exclude");
    screen.pay("10").settle();
    assert_eq!(screen.spent.len(), 1);
    assert_eq!(screen.spent[0].ids.len(), 10);
    screen.says("10 unlocked · 8 credits (10 charged, 2 refunded)");
    screen.key("Esc").says("spent 10 of 200   net 8");
    screen.says("person1@clinic.");
    assert!(screen.model.session.side(screen.model.search.side).basket.is_empty());
}

#[test]
fn a_smaller_number_shows_its_own_review_and_a_larger_one_goes_nowhere() {
    let mut screen = staged(160, 48, 10);
    screen.key("U").wait(MOMENT).pay("11");
    screen.says("11 is more than the maximum of 10: type 10.  Nothing sent.");
    screen.pay("4");
    screen.says("Unlock the first 4? Type 4 again.  Nothing sent yet.");
    assert_eq!(screen.spent, []);
    screen.pay("4").settle();
    assert_eq!(screen.spent[0].ids.len(), 4);
    assert_eq!(screen.model.session.side(screen.model.search.side).basket.len(), 6);
}

#[test]
fn keys_from_before_the_review_stood_there_are_dropped() {
    let mut screen = staged(160, 48, 3);
    // Typed ahead in one burst, before anything was painted.
    screen.key("U").typed("3").key("Enter").wait(MOMENT).typed("3").key("Enter");
    // Painted, and too soon.
    screen.painted().wait(Duration::from_millis(240)).typed("3").wait(Duration::from_millis(9)).key("Enter");
    screen.says("▏       ▏");
    // In time, but Enter comes with the digit.
    screen.wait(MOMENT).typed("3").wait(Duration::from_millis(149)).key("Enter");
    assert_eq!(screen.spent, []);
    screen.wait(Duration::from_millis(2)).key("Enter").settle();
    assert_eq!(screen.spent.len(), 1);
}

/// Money rule 11, *typed*.
#[test]
fn a_held_enter_a_paste_and_the_mouse_spend_nothing() {
    let mut screen = staged(160, 48, 3);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_secs(1));
    for _ in 0..60 {
        screen.key("Enter").wait(Duration::from_millis(30));
    }
    for text in ["3", "3\n", "3\r\r\r"] {
        screen.handle(Msg::Paste(text.to_owned()));
        screen.wait(Duration::from_secs(1));
        screen.key("Enter");
    }
    screen.says("Type 3 to confirm.");
    screen.typed("3").wait(Duration::from_secs(1));
    for y in 0..48 {
        for x in (y..160).step_by(12) {
            for what in [MouseWhat::Press, MouseWhat::Double, MouseWhat::Release] {
                screen.handle(Msg::Mouse(Mouse { x, y, what }));
            }
        }
    }
    screen.says("Maximum cost");
    assert_eq!(screen.spent, []);
}

#[test]
fn nothing_is_typed_blindly_on_a_screen_too_small_to_read() {
    let mut screen = staged(160, 48, 3);
    screen.handle(Msg::Resized(30, 8));
    screen.key("U").wait(MOMENT).pay("3");
    assert_eq!(screen.spent, []);
}

#[test]
fn a_key_that_may_only_search_is_told_why() {
    let mut screen = TestScreen::new(160, 48);
    screen.scopes = vec!["search".to_owned()];
    screen.open().key("Space").settle().key("U");
    screen.says("This key may only search. P switch the key.");
    screen.says("SEARCH ONLY");
    assert!(screen.model.nav.dialogs.is_empty());
}

#[test]
fn escape_keeps_the_basket() {
    let mut screen = staged(160, 48, 3);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_secs(1)).key("Esc");
    screen.says("Nothing sent, nothing spent. The basket is unchanged.");
    assert_eq!(screen.model.session.side(screen.model.search.side).basket.len(), 3);
}

/// The review that opens by itself takes the keys from nothing else.
#[test]
fn a_review_that_is_shown_again_waits_until_nothing_else_has_the_keys() {
    for keys in ["/", "?"] {
        let mut screen = staged(160, 48, 3);
        screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("3");
        screen.wait(Duration::from_millis(200));
        (screen.plan, screen.at_enter) = (Plan::Hold, true);
        screen.key("Enter").wait(MOMENT).key(keys).typed("nur");
        screen.credits = 1;
        screen.plan = Plan::Answer;
        let balance = screen.held.iter().position(|(_, call)| *call == Call::Me).expect("the balance is read at Enter");
        screen.release(balance);
        screen.wait(MOMENT);
        let is_review = |screen: &TestScreen| matches!(screen.model.nav.top(), Some(Dialog::Money(_)));
        assert!(!is_review(&screen), "{keys}: {}", screen.text());
        screen.says("The unlock did not start: Something changed since this was shown.");
        screen.typed("3").key("Esc").wait(MOMENT);
        while !is_review(&screen) && (screen.model.search.edit.is_some() || !screen.model.nav.dialogs.is_empty()) {
            screen.key("Esc").wait(MOMENT);
        }
        screen.says("Maximum cost");
        screen.says("Review it again.  Nothing sent.");
        assert_eq!(screen.spent, []);
        screen.key("Esc").wait(MOMENT);
        assert!(!is_review(&screen), "it opens once");
    }
}

#[test]
fn ctrl_c_stops_after_the_call_that_is_out() {
    let mut screen = staged(160, 48, 30);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    screen.wait(Duration::from_millis(200));
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(MOMENT);
    screen.says("Unlocking ");
    screen.key("Ctrl-c").says("stopping after this request");
    screen.plan = Plan::Answer;
    screen.release(0);
    screen.settle();
    assert_eq!(screen.spent.len(), 1);
    screen.says("Stopped: 5 not sent, not charged, still in the basket.");
    assert_eq!(screen.model.session.side(screen.model.search.side).basket.len(), 5);
}

#[test]
fn a_lost_answer_opens_the_panel_and_a_free_look_clears_it_up() {
    let mut screen = TestScreen::new(160, 48);
    lost(&mut screen);
    screen.says("Result unknown");
    screen.says("RESULT UNKNOWN");
    let calls = screen.spent.len();
    assert!(screen.spent.windows(2).all(|pair| pair[0] == pair[1]), "the identical batch, every time");
    // The service did apply it: what a search returns is owned.
    screen.row = |index, search| {
        let row = common::screen::planned::person(index, search);
        common::screen::planned::owned(row)
    };
    screen.key("Enter").settle();
    screen.says("All resolved.");
    assert_eq!(screen.spent.len(), calls, "looking is free");
    assert!(screen.model.session.recovery.is_clear());
    // The job says so too, and the receipt has the result.
    screen.key("F7").says("resolved: ");
    assert!(!screen.text().contains("unknown 3"), "{}", screen.text());
    screen.key("Enter").settle().says("Receipts");
    screen.says("3 requested, 3 charged");
}

/// A result that does not fit loses its end.
#[test]
fn on_a_small_screen_the_result_of_a_check_keeps_its_beginning() {
    let mut screen = TestScreen::new(40, 10);
    lost(&mut screen);
    screen.key("Enter").settle();
    let Some(Dialog::Recovery(panel)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    let words: Vec<&str> = panel.as_deref().unwrap().split(' ').take(3).collect();
    screen.says(&words.join(" "));
}

#[test]
fn finishing_goes_through_the_money_dialog() {
    let mut screen = TestScreen::new(160, 48);
    lost(&mut screen);
    let calls = screen.spent.len();
    screen.key("F").wait(MOMENT);
    screen.says("╭ Finish batch 1 ─");
    screen.key("Enter Enter Enter");
    assert_eq!(screen.spent.len(), calls);
    screen.pay("2").says("A batch with an unknown result is sent again whole or not");
    screen.pay("3").settle();
    assert_eq!(screen.spent.len(), calls + 1);
    assert_eq!(screen.spent[calls], screen.spent[0], "the same ids");
    assert!(screen.model.session.recovery.is_clear());
}

#[test]
fn a_batch_that_another_window_cleared_up_meanwhile_is_not_unknown() {
    let mut screen = TestScreen::new(160, 48);
    lost(&mut screen);
    let calls = screen.spent.len();
    screen.key("F").wait(MOMENT).says("╭ Finish batch 1 ─");
    let batch = screen.model.session.recovery.batches().next().unwrap().clone();
    let became = [Outcome::Unlocked, Outcome::Refunded, Outcome::Locked];
    let contacts = batch.ids.iter().zip(became).map(|(id, outcome)| Settled {
        id: *id,
        outcome,
        contact: outcome
            .is_owned()
            .then(|| Box::new(Contact { email: format!("p{id}@elm.example"), ..Contact::default() })),
        evidence: None,
    });
    let settlement = Settlement {
        batch: batch.batch,
        sent: batch.sent,
        how: SettledBy::Look,
        contacts: contacts.collect(),
        said: StatedSums::default(),
        stopped_for_credits: false,
    };
    let mut other = screen.store.beside(WindowId("two".to_owned()));
    other.perform(StoreCall::Settle(Box::new(settlement)), screen.now).unwrap();
    screen.pay("3").settle();
    assert_eq!(screen.spent.len(), calls, "nothing had to be sent");
    let last = screen.model.session.unlock().last().unwrap();
    let outcomes: Vec<Outcome> = last.contacts.iter().map(|settled| settled.outcome).collect();
    assert_eq!(outcomes, became);
    assert_eq!(last.tally.unknown, 0);
    assert_eq!(last.exit(), 0);
    assert!(screen.model.session.recovery.is_clear());
    assert!(!screen.text().contains("UNKNOWN"), "{}", screen.text());
}

#[test]
fn what_another_window_has_under_way_is_left_to_it_and_the_rest_goes_on() {
    let mut screen = staged(160, 48, 30);
    screen.key("U").wait(MOMENT).says("Maximum cost");
    let session = &screen.model.session;
    let corpus = screen.model.search.side.corpus;
    let staged: Vec<RowId> = session.side(screen.model.search.side).basket.rows().iter().map(|row| row.id()).collect();
    let purse = session.ledger.purse.as_ref().unwrap().clone();
    let key = session.profile().workspace.as_ref().unwrap().key.clone();
    let theirs = BatchIntent {
        profile: session.profile().name.clone(),
        corpus,
        ..common::flow_simulation::intent(purse, key, WindowId("two".to_owned()), &[staged[0].0, staged[7].0])
    };
    let mut other = screen.store.beside(WindowId("two".to_owned()));
    let written = other.perform(StoreCall::Intend(Box::new(theirs)), screen.now).unwrap();
    assert!(matches!(written, StoreReply::Intended(_)), "{written:?}");
    screen.pay("30").settle();
    let asked: Vec<RowId> = screen.spent.iter().flat_map(|call| call.ids.clone()).collect();
    assert_eq!(asked.len(), 28);
    assert!(!asked.contains(&staged[0]) && !asked.contains(&staged[7]), "{asked:?}");
    assert_eq!(
        screen.model.session.unlock().job().and_then(lode_engine::flow::unlock::RunningOrder::awaits_others),
        Some(2)
    );
    // The other window dies: what became of its contacts is not known.
    drop(other);
    screen.settle();
    let last = screen.model.session.unlock().last().unwrap();
    assert_eq!((last.tally.charged, last.elsewhere.as_slice()), (28, &[staged[0], staged[7]][..]));
    assert_eq!(last.exit(), 9);
    screen.says("2 contacts skipped: another window is unlocking these.");
}

/// "Insufficient credits", from a service that had spent the last three of them on this very call.
fn refused_in_the_middle(bought: bool, fell: i64) -> TestScreen {
    let mut screen = staged(160, 48, 8);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("8").wait(Duration::from_millis(200));
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(MOMENT);
    let at = screen.held.iter().position(|(_, call)| matches!(call, Call::Unlock(_))).unwrap();
    let (id, _) = screen.held.remove(at);
    screen.plan = Plan::Answer;
    screen.credits -= fell;
    if bought {
        screen.row = |index, search| {
            let row = common::screen::planned::person(index, search);
            if index < 3 { common::screen::planned::owned(row) } else { row }
        };
    }
    let words = "Insufficient credits".to_owned();
    let refused = Failure::Refused { status: 402, why: Refusal::Credits, words };
    screen.handle(Msg::Answered(Answer::Replied(id, Err(refused))));
    screen.settle();
    assert_eq!(screen.spent.len(), 1);
    screen
}

/// The free check and the identical batch follow once the minute is over.
#[test]
fn a_429_in_the_middle_of_an_order_is_counted_down() {
    let mut screen = staged(160, 48, 2);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("2").wait(Duration::from_millis(200));
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(MOMENT);
    let at = screen.held.iter().position(|(_, call)| matches!(call, Call::Unlock(_))).unwrap();
    let (id, _) = screen.held.remove(at);
    screen.plan = Plan::Answer;
    let later = Failure::Later { wait: Some(Duration::from_secs(60)), words: "slow down".to_owned() };
    screen.handle(Msg::Answered(Answer::Replied(id, Err(later))));
    screen.says("the service asks to wait; continuing in 60 s");
    screen.wait(Duration::from_millis(30_500)).says("the service asks to wait; continuing in 30 s");
    screen.wait(Duration::from_secs(40)).settle();
    let last = screen.model.session.unlock().last().unwrap();
    assert_eq!((last.tally.charged, screen.spent.len()), (2, 2), "{last:?}");
}

#[test]
fn a_refusal_beside_a_fallen_balance_is_looked_into_before_it_is_believed() {
    let screen = refused_in_the_middle(true, 3);
    let last = screen.model.session.unlock().last().unwrap();
    let (tally, exit) = (last.tally, last.exit());
    assert!(tally.charged > 0, "what the search shows as owned was bought: {tally:?}");
    // What the look did not find owned may be bought all the same: the balance speaks against the refusal.
    assert_eq!((tally.charged + tally.unknown, tally.locked, exit), (8, 0, 9));
    assert!(!screen.model.session.recovery.is_clear());
    let bought = screen.model.session.ledger.owned().filter(|owned| owned.order.is_some()).count();
    assert_eq!(bought as u64, tally.charged);
}

#[test]
fn a_refusal_is_believed_only_where_the_balance_stands_and_a_look_agrees() {
    for (fell, locked, unknown, exit) in [(0, 8, 0, 6), (3, 0, 8, 9)] {
        let screen = refused_in_the_middle(false, fell);
        let last = screen.model.session.unlock().last().unwrap();
        assert_eq!((last.tally.locked, last.tally.unknown, last.exit()), (locked, unknown, exit), "{fell}");
        assert_eq!(screen.model.session.side(screen.model.search.side).basket.len(), 8);
        assert!(screen.sent.iter().any(|call| matches!(call, Call::Search(_))), "{fell}");
    }
}

#[test]
fn what_credits_did_not_reach_stays_in_the_basket() {
    let mut screen = staged(160, 48, 8);
    screen.unlock = common::screen::planned::every_outcome;
    screen.key("U").wait(MOMENT).pay("8").settle();
    screen.says("Credits ran out: 2 unlocked, balance 0. 5 not charged, still in the basket.");
    // What is called missing when the credits ran out may be what they did not reach.
    assert_eq!(screen.model.session.side(screen.model.search.side).basket.len(), 5);
    assert_eq!(screen.spent.len(), 1);
}

#[test]
fn a_cap_that_does_not_reach_says_how_far_it_does() {
    let mut screen = staged(160, 48, 8);
    let caps = Caps { session: Some(lode_core::credits::Credits(5)), ..screen.model.session.profile().caps };
    screen.model.session.set_caps(caps);
    screen.key("U").wait(MOMENT).pay("8");
    screen.says("The session limit leaves 5 of 5: type 5 or less.  Nothing sent.");
    screen.pay("5").pay("5").settle();
    assert_eq!(screen.spent[0].ids.len(), 5);
}

#[test]
fn a_balance_that_does_not_reach_says_so_before_anything_is_sent() {
    let mut screen = TestScreen::new(160, 48);
    screen.credits = 3;
    screen.open();
    stage(&mut screen, 8);
    screen.key("U").wait(MOMENT).says("3 does not cover 8");
    screen.pay("8").says("The balance is 3: type 3 or less.  Nothing sent.");
}

#[test]
fn leaving_in_the_middle_asks_and_waits_for_the_answer() {
    let mut screen = staged(160, 48, 30);
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    screen.wait(Duration::from_millis(200));
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(MOMENT).key("q").says("Stop after this request, then quit");
    screen.key("Enter").says("Unlocking ");
    screen.key("q j Enter");
    let left =
        |screen: &TestScreen| screen.done.iter().any(|effect| matches!(effect, lode_engine::effect::Effect::Quit(_)));
    assert!(!left(&screen), "the answer is waited for");
    screen.plan = Plan::Answer;
    screen.release(0);
    screen.settle();
    assert!(left(&screen));
    assert_eq!(screen.spent.len(), 1);
}
