//! `A` where the best are chosen: the ids equal the set that brute force finds, and the requests those that were announced.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lode_core::choose::Choosing;
use lode_core::contact::{Corpus, Side, Source};
use lode_core::exclude::ExclusionKind;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::{Known, Row};
use lode_core::{ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::call::{Call, SearchCall};
use lode_engine::flow::search::walk::WalkEnd;
use lode_engine::flow::session::Event;
use lode_sandbox::service::Service;

use crate::desktop::Desktop;

/// Every row of a search, in the order of the service.
fn all(service: &Service, query: &Query) -> Vec<Row> {
    let mut rows = Vec::new();
    loop {
        let call = SearchCall { query: query.clone(), offset: rows.len() as u64, limit: 100, mark_pulled: false };
        let page = common::sandbox_engine::page(service, &Call::Search(call), 0);
        if page.rows.is_empty() {
            return rows;
        }
        rows.extend(page.rows);
    }
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

/// The points of `card()`, counted in another way.
fn points(row: &Row) -> i32 {
    let title = words(row.known(Known::Title));
    let mut points = 0;
    points += if title.contains(&"director".to_owned()) { 20 } else { 0 };
    points += if title.contains(&"senior".to_owned()) { 7 } else { 0 };
    points -= if row.known(Known::EmailDomainType) == "personal" { 15 } else { 0 };
    points + if row.known(Known::EmailStatus) == "valid" { 3 } else { 0 }
}

fn card() -> ScoreRules {
    let mut card = ScoreRules::default();
    for (field, words, points) in [
        (ScoreField::Title, "director", 20),
        (ScoreField::Title, "Senior", 7),
        (ScoreField::EmailType, "personal", -15),
        (ScoreField::EmailStatus, "valid", 3),
    ] {
        card.add(ScoreRule::new(field, words, points).unwrap());
    }
    card
}

fn firm(row: &Row) -> String {
    match row.email().rsplit_once('@') {
        Some((_, domain)) if row.known(Known::EmailDomainType) != "personal" => domain.to_lowercase(),
        _ => lode_core::firm::normal(row.known(Known::Company)),
    }
}

/// The best `most` of the first `among`: by trying every row.
fn brute(rows: &[Row], most: usize, among: usize, limit: usize, not: &str) -> Vec<i64> {
    let mut left: Vec<(usize, &Row)> = rows.iter().take(among).enumerate().collect();
    left.retain(|(_, row)| !row.unlocked() && !words(row.known(Known::Title)).contains(&not.to_owned()));
    let (mut taken, mut people, mut firms) = (Vec::new(), BTreeSet::new(), BTreeMap::<String, usize>::new());
    while taken.len() < most && !left.is_empty() {
        let best = left.iter().map(|(_, row)| points(row)).max().unwrap();
        let at = left.iter().position(|(_, row)| points(row) == best).unwrap();
        let (_, row) = left.remove(at);
        let person = (row.name().to_lowercase(), row.known(Known::Company).to_lowercase(), row.email().to_lowercase());
        if people.contains(&person) || firms.get(&firm(row)).is_some_and(|count| *count == limit) {
            continue;
        }
        people.insert(person);
        *firms.entry(firm(row)).or_default() += 1;
        taken.push(row.id().unwrap().0);
    }
    taken
}

/// Every row of every leg, in their order, each contact once.
fn all_legs(service: &Service, query: &Query) -> Vec<Row> {
    let mut seen = BTreeSet::new();
    let rows = query.legs().into_iter().flat_map(|leg| all(service, &leg));
    rows.filter(|row| seen.insert(row.id())).collect()
}

#[test]
fn three_states_by_two_titles_less_an_exclusion_are_chosen_as_brute_force_does() {
    for side in Side::ALL {
        let service = common::sandbox_engine::small(|setup| (setup.us_rows, setup.linkedin_rows) = (30_000, 30_000));
        let mut query = Query::new(side);
        for state in ["TX", "OK", "FL"] {
            query.add(Filter::State, state).unwrap();
        }
        for title in ["nurse", "director"] {
            query.add(Filter::Title, title).unwrap();
        }
        query.not.add(ExclusionKind::Title, "practitioner").unwrap();
        assert_eq!(query.leg_count(), 6);
        let rows = all_legs(&service, &query);
        let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
        desktop.act(|session, _, _| {
            session.set_choosing(Choosing { card: Arc::new(card()), per_company: Some(2), among: 5_000 });
        });
        desktop.search(&query);
        desktop.until_quiet();
        let plan = desktop.screen.session.plan(side);
        let before = service.log().len();
        desktop.act(|session, now, fx| {
            let (state, desk) = session.side_mut(side);
            assert_eq!(state.gather(plan.among, Some(80), &mut desk.at(now, fx)), None);
        });
        desktop.until_quiet();
        assert_eq!((service.log().len() - before) as u64, plan.requests, "{side}: as announced");
        let basket = &desktop.screen.session.side(side).basket;
        let staged: Vec<i64> = basket.rows().iter().map(|entry| entry.id().0).collect();
        assert_eq!(staged, brute(&rows, 80, 5_000, 2, "practitioner"), "{side}");
        assert!(staged.len() > 20, "{side}: vacuous");
        assert_eq!(staged.iter().collect::<BTreeSet<_>>().len(), staged.len(), "{side}: none twice");
        let mut firms: BTreeMap<String, usize> = BTreeMap::new();
        basket.rows().iter().for_each(|entry| *firms.entry(firm(&entry.row)).or_default() += 1);
        assert!(firms.values().all(|count| *count <= 2), "{side}: {firms:?}");
        for entry in basket.rows() {
            let leg = Query::from_canonical(entry.search.as_ref().unwrap()).unwrap();
            assert_eq!(
                (leg.leg_count(), leg.value(Filter::State)),
                (1, Some(entry.row.known(Known::State))),
                "its leg"
            );
        }
    }
}

#[test]
fn the_ids_of_all_equal_those_of_brute_force_with_the_requests_announced_on_every_side() {
    for side in Side::ALL {
        let service = common::sandbox_engine::small(|setup| (setup.us_rows, setup.linkedin_rows) = (30_000, 30_000));
        let mut query = Query::new(side);
        let main = if side.source == Source::Data { Filter::Query } else { Filter::Title };
        query.set(main, "nurse").unwrap();
        query.not.add(ExclusionKind::Title, "assistant").unwrap();
        query.not.add(ExclusionKind::Title, "practitioner").unwrap();
        query.not.remove(ExclusionKind::Title, "assistant");
        let rows = all(&service, &query);
        assert!(rows.len() > 300, "{side}: {}", rows.len());
        let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
        desktop.act(|session, _, _| {
            session.set_choosing(Choosing { card: Arc::new(card()), per_company: Some(2), among: 250 });
        });
        desktop.search(&query);
        desktop.until_quiet();
        let plan = desktop.screen.session.plan(side);
        assert_eq!((plan.among, plan.requests), (250, 3), "{side}");
        let before = service.log().len();
        desktop.act(|session, now, fx| {
            let (state, desk) = session.side_mut(side);
            assert_eq!(state.gather(plan.among, Some(60), &mut desk.at(now, fx)), None);
        });
        desktop.until_quiet();
        assert_eq!((service.log().len() - before) as u64, plan.requests, "{side}: as announced");
        let session = &desktop.screen.session;
        let staged: Vec<i64> = session.side(side).basket.rows().iter().map(|entry| entry.id().0).collect();
        assert_eq!(staged, brute(&rows, 60, 250, 2, "practitioner"), "{side}");
        assert_eq!(staged.iter().collect::<BTreeSet<_>>().len(), staged.len(), "{side}: none twice");
        let mut firms: BTreeMap<String, usize> = BTreeMap::new();
        for entry in session.side(side).basket.rows() {
            *firms.entry(firm(&entry.row)).or_default() += 1;
            let score = session.choice_rules.score(&entry.row);
            assert_eq!(score.total(), points(&entry.row));
            assert_eq!(score.total(), score.parts.iter().map(|(_, points)| points).sum::<i32>());
        }
        assert!(firms.values().all(|count| *count <= 2), "{side}: {firms:?}");
        let told = desktop.screen.events.iter().find_map(|event| match event {
            Event::Gathered { end: WalkEnd::Enough | WalkEnd::All, left: Some(left), .. } => Some(*left),
            _ => None,
        });
        let out =
            rows.iter().take(250).filter(|row| words(row.known(Known::Title)).contains(&"practitioner".to_owned()));
        let told = told.unwrap();
        assert_eq!((told.read, told.excluded), (250, out.count() as u64), "{side}");
        assert!(told.excluded > 0, "{side}: vacuous");
    }
}

/// What is in the basket has its place of the company, and a second time nothing comes twice.
#[test]
fn choosing_again_goes_on_where_the_basket_is() {
    let side = Side { source: Source::Workspace, corpus: Corpus::Us };
    let service = common::sandbox_engine::small(|setup| setup.us_rows = 3_000);
    let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
    desktop.act(|session, _, _| {
        session.set_choosing(Choosing { card: Arc::new(card()), per_company: Some(1), among: 400 });
    });
    desktop.search(&Query::new(side));
    desktop.until_quiet();
    for most in [30, 30, 10_000] {
        desktop.act(|session, now, fx| {
            let (state, desk) = session.side_mut(side);
            state.gather(400, Some(most), &mut desk.at(now, fx));
        });
        desktop.until_quiet();
    }
    let basket = &desktop.screen.session.side(side).basket;
    let staged: Vec<i64> = basket.rows().iter().map(|entry| entry.id().0).collect();
    let rows = all(&service, &Query::new(side));
    assert_eq!(staged, brute(&rows, usize::MAX, 400, 1, "nothing"), "three times is as once");
}
