//! Money on the screen: no spending without consent, the unlock session from the keys alone, what is unknown.

use std::time::Duration;

use lode_core::contact::{Contact, RowId};
use lode_core::credits::Credits;
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
use common::world::planned::{Plan, World};

const MOMENT: Duration = Duration::from_millis(10);

fn staged(width: u16, height: u16, rows: usize) -> World {
    let mut world = World::new(width, height);
    world.open();
    stage(&mut world, rows);
    world.may_spend = true;
    world
}

/// The first rows that are neither owned nor risky.
pub fn stage(world: &mut World, rows: usize) {
    let keys: Vec<&str> =
        (0..).map(|at: usize| if at % 16 == 3 || at % 4 == 2 { "j" } else { "Space" }).take(rows * 2).collect();
    let mut left = rows;
    for key in keys {
        if left == 0 {
            break;
        }
        left -= usize::from(key == "Space");
        world.key(key);
    }
    world.settle();
}

#[test]
fn the_review() {
    scene("money", |world| {
        world.open().key("Space Space Space Space Space").settle();
        world.key("U").wait(MOMENT).painted();
    });
}

#[test]
fn the_review_without_verification() {
    scene("money-off", |world| {
        world.open().key("Space Space Space Space Space").settle();
        world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).key("V r").painted();
        world.wait(Duration::from_millis(300)).typed("9").wait(Duration::from_millis(200)).key("Enter");
    });
}

#[test]
fn a_summary() {
    scene("summary", |world| {
        world.open();
        stage(world, 10);
        world.may_spend = true;
        world.key("U").wait(MOMENT).pay("10").settle();
    });
}

/// What was paid for is what the unlock ends on, and what comes after it.
#[test]
fn a_summary_leads_to_the_contacts_in_owned() {
    let mut world = staged(120, 36, 3);
    world.key("U").wait(MOMENT).pay("3").settle();
    world.says("person1@clinic.example  (512) 555-0142  ● valid");
    world.key("y e").settle();
    let copied = world.done.iter().rev().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.lines().count()),
        _ => None,
    });
    assert_eq!(copied, Some(3));
    world.key("Enter").settle();
    assert_eq!((world.model.nav.screen, world.model.nav.dialogs.len()), (Screen::Owned, 0));
    world.says("▌ ✓  Person 1");
}

#[test]
fn credits_that_run_out_with_every_other_outcome() {
    for (variant, answer) in common::world::planned::EVERY_OUTCOME {
        scene(&format!("credits-out-{}", variant.name()), |world| {
            world.open();
            stage(world, 8);
            world.may_spend = true;
            world.unlock = answer;
            world.key("U").wait(MOMENT).pay("8").settle();
        });
    }
}

#[test]
fn a_state_folder_that_cannot_be_written_to_is_browsed_and_nothing_is_spent() {
    scene("read-only", |world| {
        world.read_only = true;
        world.open();
        world.key("j U").wait(MOMENT);
        world.may_spend = true;
        world.pay("1").settle();
        assert!(world.spent.is_empty());
        let end = &world.model.session.unlock().last().expect("it ended").end;
        assert_eq!(*end, OrderEnd::Store("the state folder cannot be written to".to_owned()));
    });
}

#[test]
fn nothing_is_called_known_before_the_books_of_the_purse_were_read() {
    let mut world = World::new(160, 48);
    world.plan = Plan::Hold;
    world.open();
    world.key(":").typed("unknown").key("Enter").says("The ledger could not be read yet");
    world.plan = Plan::Answer;
    while !world.held.is_empty() {
        world.release(0);
    }
    world.settle().key(":").typed("unknown").key("Enter").says("No unknown results.");
}

/// Unlocks the 30 rows of the basket: the first request is answered, the second one is under way.
fn half_unlocked(world: &mut World) {
    world.may_spend = true;
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    world.wait(Duration::from_millis(200));
    world.plan = Plan::Hold;
    world.key("Enter").wait(Duration::from_secs(2));
    world.release(0);
    world.wait(Duration::from_secs(1));
}

#[test]
fn an_order_under_way() {
    scene("unlocking", |world| {
        world.open();
        stage(world, 30);
        half_unlocked(world);
    });
}

/// The tab counted what was bought, and the pane what the service had said before.
#[test]
fn the_tab_and_the_pane_count_the_same_during_an_unlock() {
    let counts = |world: &World| {
        let session = &world.model.session;
        let share = session.side(world.model.search.side).coverage.share().expect("the service was asked");
        (session.ledger.owned_count() as u64, share.owned, share.left)
    };
    let mut world = World::new(160, 48);
    world.open();
    stage(&mut world, 30);
    let (tab, owned, left) = counts(&world);
    half_unlocked(&mut world);
    assert_eq!(counts(&world), (tab + 25, owned + 25, left - 25));
}

#[test]
fn a_batch_with_an_unknown_result() {
    scene("recovery", lost);
}

/// An unlock whose line is lost again and again.
pub fn lost(world: &mut World) {
    world.open();
    stage(world, 3);
    world.may_spend = true;
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("3").wait(Duration::from_millis(200));
    world.plan = Plan::Fail(Failure::Unclear { why: Unclear::Line, words: "the line broke".into() });
    world.key("Enter");
    for _ in 0..40 {
        world.wait(Duration::from_secs(2));
    }
    world.plan = Plan::Answer;
    world.wait(MOMENT);
}

#[test]
fn the_number_itself_unlocks_and_rows_fill_in() {
    let mut world = staged(160, 48, 10);
    world.key("U").wait(MOMENT);
    world.says("Maximum cost");
    world.says("Maximum cost   10 credits");
    world.pay("10").settle();
    assert_eq!(world.spent.len(), 1);
    assert_eq!(world.spent[0].ids.len(), 10);
    world.says("10 unlocked · 8 credits (10 charged, 2 refunded)");
    world.key("Esc").says("spent 10 of 200   net 8");
    world.says("person1@clinic.");
    assert!(world.model.session.side(world.model.search.side).basket.is_empty());
}

#[test]
fn a_smaller_number_shows_its_own_review_and_a_larger_one_goes_nowhere() {
    let mut world = staged(160, 48, 10);
    world.key("U").wait(MOMENT).pay("11");
    world.says("11 is more than the maximum of 10: type 10.  Nothing sent.");
    world.pay("4");
    world.says("Unlock the first 4? Type 4 again.  Nothing sent yet.");
    assert_eq!(world.spent, []);
    world.pay("4").settle();
    assert_eq!(world.spent[0].ids.len(), 4);
    assert_eq!(world.model.session.side(world.model.search.side).basket.len(), 6);
}

#[test]
fn keys_from_before_the_review_stood_there_are_dropped() {
    let mut world = staged(160, 48, 3);
    // Typed ahead in one burst, before anything was painted.
    world.key("U").typed("3").key("Enter").wait(MOMENT).typed("3").key("Enter");
    // Painted, and too soon.
    world.painted().wait(Duration::from_millis(240)).typed("3").wait(Duration::from_millis(9)).key("Enter");
    world.says("▏       ▏");
    // In time, but Enter comes with the digit.
    world.wait(MOMENT).typed("3").wait(Duration::from_millis(149)).key("Enter");
    assert_eq!(world.spent, []);
    world.wait(Duration::from_millis(2)).key("Enter").settle();
    assert_eq!(world.spent.len(), 1);
}

/// Money rule 11, *typed*.
#[test]
fn a_held_enter_a_paste_and_the_mouse_spend_nothing() {
    let mut world = staged(160, 48, 3);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_secs(1));
    for _ in 0..200 {
        world.key("Enter").wait(Duration::from_millis(30));
    }
    for text in ["3", "3\n", "3\r\r\r"] {
        world.tell(Msg::Paste(text.to_owned()));
        world.wait(Duration::from_secs(1));
        world.key("Enter");
    }
    world.says("Type 3 to confirm.");
    world.typed("3").wait(Duration::from_secs(1));
    for y in 0..48 {
        for x in (0..160).step_by(6) {
            for what in [MouseWhat::Press, MouseWhat::Double, MouseWhat::Release] {
                world.tell(Msg::Mouse(Mouse { x, y, what }));
            }
        }
    }
    world.says("Maximum cost");
    assert_eq!(world.spent, []);
}

#[test]
fn nothing_is_typed_blindly_on_a_screen_too_small_to_read() {
    let mut world = staged(160, 48, 3);
    world.tell(Msg::Resized(30, 8));
    world.key("U").wait(MOMENT).pay("3");
    assert_eq!(world.spent, []);
}

#[test]
fn a_key_that_may_only_search_is_told_why() {
    let mut world = World::new(160, 48);
    world.scopes = vec!["search".to_owned()];
    world.open().key("Space").settle().key("U");
    world.says("This key may only search. P switch the key.");
    world.says("SEARCH ONLY");
    assert!(world.model.nav.dialogs.is_empty());
}

#[test]
fn escape_keeps_the_basket() {
    let mut world = staged(160, 48, 3);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_secs(1)).key("Esc");
    world.says("Nothing sent, nothing spent. The basket is unchanged.");
    assert_eq!(world.model.session.side(world.model.search.side).basket.len(), 3);
}

/// The review that opens by itself takes the keys from nothing else.
#[test]
fn a_review_that_is_shown_again_waits_until_nothing_else_has_the_keys() {
    for keys in ["/", "?"] {
        let mut world = staged(160, 48, 3);
        world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("3");
        world.wait(Duration::from_millis(200));
        (world.plan, world.at_enter) = (Plan::Hold, true);
        world.key("Enter").wait(MOMENT).key(keys).typed("nur");
        world.credits = 1;
        world.plan = Plan::Answer;
        let balance = world.held.iter().position(|(_, call)| *call == Call::Me).expect("the balance is read at Enter");
        world.release(balance);
        world.wait(MOMENT);
        let is_review = |world: &World| matches!(world.model.nav.top(), Some(Dialog::Money(_)));
        assert!(!is_review(&world), "{keys}: {}", world.screen());
        world.says("The unlock did not start: Something changed since this was shown.");
        world.typed("3").key("Esc").wait(MOMENT);
        while !is_review(&world) && (world.model.search.edit.is_some() || !world.model.nav.dialogs.is_empty()) {
            world.key("Esc").wait(MOMENT);
        }
        world.says("Maximum cost");
        world.says("Review it again.  Nothing sent.");
        assert_eq!(world.spent, []);
        world.key("Esc").wait(MOMENT);
        assert!(!is_review(&world), "it opens once");
    }
}

#[test]
fn ctrl_c_stops_after_the_call_that_is_out() {
    let mut world = staged(160, 48, 30);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    world.wait(Duration::from_millis(200));
    world.plan = Plan::Hold;
    world.key("Enter").wait(MOMENT);
    world.says("Unlocking ");
    world.key("Ctrl-c").says("stopping after this request");
    world.plan = Plan::Answer;
    world.release(0);
    world.settle();
    assert_eq!(world.spent.len(), 1);
    world.says("Stopped: 5 not sent, not charged, still in the basket.");
    assert_eq!(world.model.session.side(world.model.search.side).basket.len(), 5);
}

#[test]
fn a_lost_answer_opens_the_panel_and_a_free_look_clears_it_up() {
    let mut world = World::new(160, 48);
    lost(&mut world);
    world.says("Result unknown");
    world.says("RESULT UNKNOWN");
    let calls = world.spent.len();
    assert!(world.spent.windows(2).all(|pair| pair[0] == pair[1]), "the identical batch, every time");
    // The service did apply it: what a search returns is owned.
    world.row = |index, search| {
        let row = common::world::planned::person(index, search);
        common::world::planned::owned(row)
    };
    world.key("Enter").settle();
    world.says("All resolved.");
    assert_eq!(world.spent.len(), calls, "looking is free");
    assert!(world.model.session.recovery.is_clear());
    // The job says so too, and the receipt has the result.
    world.key("F7").says("resolved: ");
    assert!(!world.screen().contains("unknown 3"), "{}", world.screen());
    world.key("Enter").settle().says("Receipts");
    world.says("3 requested, 3 charged");
}

/// A result that does not fit loses its end.
#[test]
fn on_a_small_screen_the_result_of_a_check_keeps_its_beginning() {
    let mut world = World::new(40, 10);
    lost(&mut world);
    world.key("Enter").settle();
    let Some(Dialog::Recovery(panel)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    let words: Vec<&str> = panel.words.as_deref().unwrap().split(' ').take(3).collect();
    world.says(&words.join(" "));
}

#[test]
fn finishing_goes_through_the_money_dialog() {
    let mut world = World::new(160, 48);
    lost(&mut world);
    let calls = world.spent.len();
    world.key("F").wait(MOMENT);
    world.says("╭ Finish batch 1 ─");
    world.key("Enter Enter Enter");
    assert_eq!(world.spent.len(), calls);
    world.pay("2").says("A batch with an unknown result is sent again whole or not");
    world.pay("3").settle();
    assert_eq!(world.spent.len(), calls + 1);
    assert_eq!(world.spent[calls], world.spent[0], "the same ids");
    assert!(world.model.session.recovery.is_clear());
}

#[test]
fn a_batch_that_another_window_cleared_up_meanwhile_is_not_unknown() {
    let mut world = World::new(160, 48);
    lost(&mut world);
    let calls = world.spent.len();
    world.key("F").wait(MOMENT).says("╭ Finish batch 1 ─");
    let batch = world.model.session.recovery.batches().next().unwrap().clone();
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
    let mut other = world.store.beside(WindowId("two".to_owned()));
    other.perform(StoreCall::Settle(Box::new(settlement)), world.now).unwrap();
    world.pay("3").settle();
    assert_eq!(world.spent.len(), calls, "nothing had to be sent");
    let last = world.model.session.unlock().last().unwrap();
    let outcomes: Vec<Outcome> = last.contacts.iter().map(|settled| settled.outcome).collect();
    assert_eq!(outcomes, became);
    assert_eq!(last.tally.unknown, 0);
    assert_eq!(last.exit(), 0);
    assert!(world.model.session.recovery.is_clear());
    assert!(!world.screen().contains("UNKNOWN"), "{}", world.screen());
}

#[test]
fn what_another_window_has_under_way_is_left_to_it_and_the_rest_goes_on() {
    let mut world = staged(160, 48, 30);
    world.key("U").wait(MOMENT).says("Maximum cost");
    let session = &world.model.session;
    let corpus = world.model.search.side.corpus;
    let staged: Vec<RowId> = session.side(world.model.search.side).basket.rows().iter().map(|row| row.id()).collect();
    let theirs = BatchIntent {
        order: None,
        purse: session.ledger.purse.as_ref().unwrap().clone(),
        key: session.profile().workspace.as_ref().unwrap().key.clone(),
        profile: session.profile().name.clone(),
        window: WindowId("two".to_owned()),
        corpus,
        ids: vec![staged[0], staged[7]],
        verify: true,
        ceiling: Credits(2),
        caps: Caps::default(),
        basket: None,
        asked: 2,
        balance_before: None,
        clues: Vec::new(),
        rows: Vec::new(),
        again: None,
        sent: 0,
        grant: None,
        lists: 0,
    };
    let mut other = world.store.beside(WindowId("two".to_owned()));
    let written = other.perform(StoreCall::Intend(Box::new(theirs)), world.now).unwrap();
    assert!(matches!(written, StoreReply::Intended(_)), "{written:?}");
    world.pay("30").settle();
    let asked: Vec<RowId> = world.spent.iter().flat_map(|call| call.ids.clone()).collect();
    assert_eq!(asked.len(), 28);
    assert!(!asked.contains(&staged[0]) && !asked.contains(&staged[7]), "{asked:?}");
    assert_eq!(
        world.model.session.unlock().job().and_then(lode_engine::flow::unlock::RunningOrder::awaits_others),
        Some(2)
    );
    // The other window dies: what became of its contacts is not known.
    drop(other);
    world.settle();
    let last = world.model.session.unlock().last().unwrap();
    assert_eq!((last.tally.charged, last.elsewhere.as_slice()), (28, &[staged[0], staged[7]][..]));
    assert_eq!(last.exit(), 9);
    world.says("2 contacts skipped: another window is unlocking these.");
}

/// "Insufficient credits", from a service that had spent the last three of them on this very call.
fn refused_in_the_middle(bought: bool, fell: i64) -> World {
    let mut world = staged(160, 48, 8);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("8").wait(Duration::from_millis(200));
    world.plan = Plan::Hold;
    world.key("Enter").wait(MOMENT);
    let at = world.held.iter().position(|(_, call)| matches!(call, Call::Unlock(_))).unwrap();
    let (id, _) = world.held.remove(at);
    world.plan = Plan::Answer;
    world.credits -= fell;
    if bought {
        world.row = |index, search| {
            let row = common::world::planned::person(index, search);
            if index < 3 { common::world::planned::owned(row) } else { row }
        };
    }
    let words = "Insufficient credits".to_owned();
    let refused = Failure::Refused { status: 402, why: Refusal::Credits, words };
    world.tell(Msg::Answered(Answer::Replied(id, Err(refused))));
    world.settle();
    assert_eq!(world.spent.len(), 1);
    world
}

/// The free check and the identical batch follow once the minute is over.
#[test]
fn a_429_in_the_middle_of_an_order_is_counted_down() {
    let mut world = staged(160, 48, 2);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("2").wait(Duration::from_millis(200));
    world.plan = Plan::Hold;
    world.key("Enter").wait(MOMENT);
    let at = world.held.iter().position(|(_, call)| matches!(call, Call::Unlock(_))).unwrap();
    let (id, _) = world.held.remove(at);
    world.plan = Plan::Answer;
    let later = Failure::Later { wait: Some(Duration::from_secs(60)), words: "slow down".to_owned() };
    world.tell(Msg::Answered(Answer::Replied(id, Err(later))));
    world.says("the service asks to wait; continuing in 60 s");
    world.wait(Duration::from_millis(30_500)).says("the service asks to wait; continuing in 30 s");
    world.wait(Duration::from_secs(40)).settle();
    let last = world.model.session.unlock().last().unwrap();
    assert_eq!((last.tally.charged, world.spent.len()), (2, 2), "{last:?}");
}

#[test]
fn a_refusal_beside_a_fallen_balance_is_looked_into_before_it_is_believed() {
    let world = refused_in_the_middle(true, 3);
    let last = world.model.session.unlock().last().unwrap();
    let (tally, exit) = (last.tally, last.exit());
    assert!(tally.charged > 0, "what the search shows as owned was bought: {tally:?}");
    // What the look did not find owned may be bought all the same: the balance speaks against the refusal.
    assert_eq!((tally.charged + tally.unknown, tally.locked, exit), (8, 0, 9));
    assert!(!world.model.session.recovery.is_clear());
    let bought = world.model.session.ledger.owned().filter(|owned| owned.order.is_some()).count();
    assert_eq!(bought as u64, tally.charged);
}

#[test]
fn a_refusal_is_believed_only_where_the_balance_stands_and_a_look_agrees() {
    for (fell, locked, unknown, exit) in [(0, 8, 0, 6), (3, 0, 8, 9)] {
        let world = refused_in_the_middle(false, fell);
        let last = world.model.session.unlock().last().unwrap();
        assert_eq!((last.tally.locked, last.tally.unknown, last.exit()), (locked, unknown, exit), "{fell}");
        assert_eq!(world.model.session.side(world.model.search.side).basket.len(), 8);
        assert!(world.sent.iter().any(|call| matches!(call, Call::Search(_))), "{fell}");
    }
}

#[test]
fn what_credits_did_not_reach_stays_in_the_basket() {
    let mut world = staged(160, 48, 8);
    world.unlock = common::world::planned::every_outcome;
    world.key("U").wait(MOMENT).pay("8").settle();
    world.says("Credits ran out: 2 unlocked, balance 0. 5 not charged, still in the basket.");
    // What is called missing when the credits ran out may be what they did not reach.
    assert_eq!(world.model.session.side(world.model.search.side).basket.len(), 5);
    assert_eq!(world.spent.len(), 1);
}

#[test]
fn a_cap_that_does_not_reach_says_how_far_it_does() {
    let mut world = staged(160, 48, 8);
    let caps = Caps { session: Some(lode_core::credits::Credits(5)), ..world.model.session.profile().caps };
    world.model.session.set_caps(caps);
    world.key("U").wait(MOMENT).pay("8");
    world.says("The session limit leaves 5 of 5: type 5 or less.  Nothing sent.");
    world.pay("5").pay("5").settle();
    assert_eq!(world.spent[0].ids.len(), 5);
}

#[test]
fn a_balance_that_does_not_reach_says_so_before_anything_is_sent() {
    let mut world = World::new(160, 48);
    world.credits = 3;
    world.open();
    stage(&mut world, 8);
    world.key("U").wait(MOMENT).says("3 does not cover 8");
    world.pay("8").says("The balance is 3: type 3 or less.  Nothing sent.");
}

#[test]
fn leaving_in_the_middle_asks_and_waits_for_the_answer() {
    let mut world = staged(160, 48, 30);
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("30");
    world.wait(Duration::from_millis(200));
    world.plan = Plan::Hold;
    world.key("Enter").wait(MOMENT).key("q").says("Stop after this request, then quit");
    world.key("Enter").says("Unlocking ");
    world.key("q j Enter");
    let left = |world: &World| world.done.iter().any(|effect| matches!(effect, lode_engine::effect::Effect::Quit(_)));
    assert!(!left(&world), "the answer is waited for");
    world.plan = Plan::Answer;
    world.release(0);
    world.settle();
    assert!(left(&world));
    assert_eq!(world.spent.len(), 1);
}
