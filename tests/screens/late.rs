//! Late and reordered answers: the pane shows the newest query or none.

use std::time::Duration;

use common::screen::planned::{Plan, TestScreen};

#[test]
fn an_old_answer_never_paints_over_a_newer_query() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.plan = Plan::Hold;
    // Each new query drops the one before it; what is still on its way arrives in every order.
    for (round, order) in [[0, 0, 0], [2, 1, 0], [1, 0, 0]].into_iter().enumerate() {
        let mut kept = Vec::new();
        for word in ["nurse", "surgeon", "director"] {
            screen.key("/ Ctrl-u").typed(word).key("Enter");
            kept.append(&mut screen.held);
        }
        kept.sort_by_key(|(id, _)| id.0);
        for at in order {
            if at < kept.len() {
                let call = kept.remove(at);
                screen.held.push(call);
                screen.release(0);
            }
            let query = screen.model.session.side(screen.model.search.side).window.query().clone();
            assert_eq!(query.words(), "title: director", "round {round}");
        }
        for call in kept {
            screen.held.push(call);
            screen.release(0);
        }
        screen.says("title director");
        assert!(!screen.text().contains("title nurse"));
    }
}

#[test]
fn escape_drops_a_running_query_at_once() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.plan = Plan::Hold;
    screen.key("/").typed("nurse").key("Enter");
    screen.says("Searching…");
    let kept = std::mem::take(&mut screen.held);
    screen.key("Esc");
    screen.says("Search stopped");
    // The answer that was on its way all the same.
    screen.held = kept;
    while !screen.held.is_empty() {
        screen.release(0);
    }
    screen.says("Search stopped");
}

/// One that is fast by the documents. What scans the whole corpus may take longer.
#[test]
fn a_search_that_never_answers_ends_with_a_sentence_after_120_s() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.plan = Plan::Hold;
    let seconds = |screen: &mut TestScreen, seconds: u64| {
        (0..seconds).for_each(|_| drop(screen.wait(Duration::from_secs(1)).text()));
    };
    screen.key("/").typed("nurse").key("Enter");
    seconds(&mut screen, 119);
    screen.says("Searching…");
    seconds(&mut screen, 2);
    screen.says("no answer within 120 s");
    assert!(screen.held.is_empty(), "its answer is no longer waited for");
    screen.plan = Plan::Answer;
    screen.key("R").settle().says("4,870 contacts");

    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f s").typed("tx").key("Enter").settle();
    screen.says("state TX");
    screen.plan = Plan::Hold;
    screen.key("Enter");
    screen.says("Searching…");
    seconds(&mut screen, 300);
    screen.says("Searching…");
    screen.key("Esc").says("Search stopped");
}

#[test]
fn a_balance_says_when_it_was_read_after_a_minute_in_which_nothing_happens() {
    let mut screen = TestScreen::new(160, 48);
    screen.plan = Plan::Hold;
    screen.open();
    // Not at the moment at which the request leaves the count of the last minute.
    screen.wait(Duration::from_secs(5));
    screen.plan = Plan::Answer;
    while !screen.held.is_empty() {
        screen.release(0);
    }
    let read = screen.now.mono;
    while !screen.text().contains("as of") {
        let at = screen.model.next_deadline().expect("something wakes the window");
        assert!(at.since(read) <= Duration::from_secs(60), "nothing woke it after a minute");
        screen.wait(at.since(screen.now.mono));
    }
}
