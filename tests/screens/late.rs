//! Late and reordered answers: the pane shows the newest query or none.

use std::time::Duration;

use common::world::planned::{Plan, World};

#[test]
fn an_old_answer_never_paints_over_a_newer_query() {
    let mut world = World::new(120, 36);
    world.open();
    world.plan = Plan::Hold;
    // Each new query drops the one before it; what is still on its way arrives in every order.
    for (round, order) in [[0, 0, 0], [2, 1, 0], [1, 0, 0]].into_iter().enumerate() {
        let mut kept = Vec::new();
        for word in ["nurse", "surgeon", "director"] {
            world.key("/ Ctrl-u").typed(word).key("Enter");
            kept.append(&mut world.held);
        }
        kept.sort_by_key(|(id, _)| id.0);
        for at in order {
            if at < kept.len() {
                let call = kept.remove(at);
                world.held.push(call);
                world.release(0);
            }
            let query = world.model.session.side(world.model.search.side).window.query().clone();
            assert_eq!(query.words(), "title: director", "round {round}");
        }
        for call in kept {
            world.held.push(call);
            world.release(0);
        }
        world.says("title director");
        assert!(!world.screen().contains("title nurse"));
    }
}

#[test]
fn escape_drops_a_running_query_at_once() {
    let mut world = World::new(120, 36);
    world.open();
    world.plan = Plan::Hold;
    world.key("/").typed("nurse").key("Enter");
    world.says("Searching…");
    let kept = std::mem::take(&mut world.held);
    world.key("Esc");
    world.says("Search stopped");
    // The answer that was on its way all the same.
    world.held = kept;
    while !world.held.is_empty() {
        world.release(0);
    }
    world.says("Search stopped");
}

/// One that is fast by the documents. What scans the whole corpus may take longer.
#[test]
fn a_search_that_never_answers_ends_with_a_sentence_after_120_s() {
    let mut world = World::new(120, 36);
    world.open();
    world.plan = Plan::Hold;
    let seconds = |world: &mut World, seconds: u64| {
        (0..seconds).for_each(|_| drop(world.wait(Duration::from_secs(1)).screen()));
    };
    world.key("/").typed("nurse").key("Enter");
    seconds(&mut world, 119);
    world.says("Searching…");
    seconds(&mut world, 2);
    world.says("no answer within 120 s");
    assert!(world.held.is_empty(), "its answer is no longer waited for");
    world.plan = Plan::Answer;
    world.key("R").settle().says("4,870 contacts");

    let mut world = World::new(120, 36);
    world.open().key("f s").typed("tx").key("Enter").settle();
    world.says("state TX");
    world.plan = Plan::Hold;
    world.key("Enter");
    world.says("Searching…");
    seconds(&mut world, 300);
    world.says("Searching…");
    world.key("Esc").says("Search stopped");
}

#[test]
fn a_balance_says_when_it_was_read_after_a_minute_in_which_nothing_happens() {
    let mut world = World::new(160, 48);
    world.plan = Plan::Hold;
    world.open();
    // Not at the moment at which the request leaves the count of the last minute.
    world.wait(Duration::from_secs(5));
    world.plan = Plan::Answer;
    while !world.held.is_empty() {
        world.release(0);
    }
    let read = world.now.mono;
    while !world.screen().contains("as of") {
        let at = world.model.next_deadline().expect("something wakes the window");
        assert!(at.since(read) <= Duration::from_secs(60), "nothing woke it after a minute");
        world.wait(at.since(world.now.mono));
    }
}
