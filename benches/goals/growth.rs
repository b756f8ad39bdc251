//! Goal 5: what ten, a hundred, a thousand times as many rows cost, in this process. Ten times the rows take ten times as long, and
//! more where they no longer fit into the caches or the oldest are forgotten; what grew by the square would take a hundred times.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use lode_core::Page;
use lode_core::SeenOwned;
use lode_core::Traits;
use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::needle::Needle;
use lode_core::row::{CellKind, ColumnNames, Row, Rows};
use lode_core::time::Mono;
use lode_core::{ScoreField, ScoreRule, ScoreRules, Scorer};
use lode_engine::flow::matching::accounts::Accounts;
use lode_engine::flow::matching::judge::Index;
use lode_engine::flow::search::pages::{MOST_ROWS, Pages};
use lode_ui::keys::chord::Chord;
use lode_ui::msg::Msg;
use lode_ui::screens::search::order::Sorting;
use lode_ui::update::update;
use lode_ui::view::view;
use ratatui::buffer::Buffer;

use super::said::{Goals, ms, timed};
use common::screen::planned::TestScreen;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const PAGE: usize = 100;
/// Ten times as many rows in at most as many times the time: twice in proportion, and what a busy machine adds.
const GROWTH: f64 = 25.0;
/// Below this, in milliseconds, a clock tells nothing.
const NOTHING: f64 = 0.05;
/// No frame takes longer, in milliseconds.
const FRAME: f64 = 8.0;

/// What is measured at each size: all of it, and the longest part that is done in one go.
type Measured = (Duration, Option<Duration>);

type Part = fn(&[Row]) -> Measured;

pub fn measure(goals: &mut Goals) {
    let parts: [(&str, Part); 7] = [
        ("window: pages in, looked up, out", window),
        ("basket: pages in, each looked up", basket),
        ("owned: a key on their screen", owned),
        ("find: what is in none", find),
        ("sort: by title", sort),
        ("score: a card of ten rules", score),
        ("match: rows against 10,000 accounts", matching),
    ];
    let all = people(SIZES[3]);
    goals.tell(&format!("{:<38}{:>12}{:>12}{:>12}{:>12}  rows, ms", "", "1,000", "10,000", "100,000", "1,000,000"));
    let mut judged = Vec::new();
    for (name, part) in parts {
        eprintln!("{name}");
        let found: Vec<Measured> = SIZES.iter().map(|size| part(&all[..*size])).collect();
        let line = |of: &dyn Fn(&Measured) -> Option<Duration>| -> String {
            found
                .iter()
                .map(|one| of(one).map_or(format!("{:>12}", "–"), |time| format!("{:>12.3}", ms(time))))
                .collect()
        };
        goals.tell(&format!("{name:<38}{}", line(&|one| Some(one.0))));
        let growth = found.windows(2).map(|pair| ms(pair[1].0) / ms(pair[0].0).max(NOTHING));
        judged.push((format!("{name}, ten times the rows"), growth.fold(0.0, f64::max), GROWTH, "times the time"));
        if let Some(longest) = found[2].1 {
            goals.tell(&format!("{:<38}{}", "  the longest step", line(&|one| one.1)));
            judged.push((format!("{name}, the longest step of 100,000"), ms(longest), FRAME, "ms"));
        }
    }
    for (name, found, most, unit) in judged {
        goals.most(&name, Some(found), most, unit);
    }
}

/// Rows as a page of the Workspace brings them.
fn people(count: usize) -> Vec<Row> {
    let columns = Arc::new(ColumnNames::new([
        "id", "first_name", "last_name", "title", "company_name", "state", "email_address", "phone",
    ]));
    let first = ["Ruth", "Samir", "Lucía", "Wei", "Dana", "Priya", "Elena", "Tom"];
    let titles = ["Director of Nursing", "Nurse Manager", "Chief Nursing Officer", "Charge Nurse", "Buyer"];
    let mut rows = Vec::with_capacity(count);
    for start in (0..count).step_by(PAGE) {
        let mut page = Rows::new(Arc::clone(&columns));
        for n in start..start + PAGE {
            // Far apart, as ids of a search are.
            let id = (n as u64).wrapping_mul(2_654_435_761) % 80_000_000_000;
            let firm = n * 7_919 % 100_003;
            let values = [
                id.to_string(),
                first[n % 8].to_owned(),
                format!("Whitfield{}", n % 9_973),
                format!("{} {}", titles[n % 5], n * 31 % 1_009),
                format!("Quail{firm} Run"),
                "TX".to_owned(),
                format!("t•••@firm{firm}.example"),
                "512•••42".to_owned(),
            ];
            page.push(
                Some(RowId(id as i64)),
                false,
                &columns,
                values.iter().map(|value| (CellKind::Text, value.as_str())),
            );
        }
        rows.extend(page.finish());
    }
    rows
}

/// All pages of the result in order, and with each the page that is on the screen. It holds 100,000 rows at most.
fn window(rows: &[Row]) -> Measured {
    let pages: Vec<Page> = rows
        .chunks(PAGE)
        .enumerate()
        .map(|(number, rows)| Page {
            total: 10_000_000,
            limit: PAGE as u64,
            offset: (number * PAGE) as u64,
            rows: rows.to_vec(),
            ..Page::default()
        })
        .collect();
    let mut held = Pages::default();
    held.set_stride(PAGE as u64);
    let mut longest = Duration::ZERO;
    let ((), all) = timed(|| {
        for (number, page) in pages.into_iter().enumerate() {
            let number = number as u64;
            let ((), took) = timed(|| {
                held.put(number, page, 0, Mono(number));
                held.bound(number, 0, MOST_ROWS);
                black_box(held.rows(number * PAGE as u64..(number + 1) * PAGE as u64).count());
            });
            longest = longest.max(took);
        }
    });
    (all, Some(longest))
}

fn basket(rows: &[Row]) -> Measured {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let (side, now) = (screen.model.search.side, screen.now);
    let (state, desk) = screen.model.session.side_mut(side);
    let query = state.window.query().clone();
    let mut longest = Duration::ZERO;
    let ((), all) = timed(|| {
        for page in rows.chunks(PAGE) {
            let mut fx = Vec::new();
            let ((), took) = timed(|| {
                state.basket.stage(1, page, &query, &mut desk.at(now, &mut fx));
                black_box(page.iter().filter(|row| row.id().is_some_and(|id| state.basket.contains(id))).count());
            });
            longest = longest.max(took);
        }
    });
    (all, Some(longest))
}

/// Down on the screen of what is owned, and its frame.
fn owned(rows: &[Row]) -> Measured {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let now = screen.now;
    let seen = |row: &Row| SeenOwned {
        id: row.id().unwrap_or(RowId(0)),
        contact: Contact { contact_name: row.name().to_string(), ..Contact::default() },
        search: None,
        row: String::new(),
    };
    let seen: Vec<SeenOwned> = rows.iter().map(seen).collect();
    let session = &mut screen.model.session;
    session.ledger.see(Corpus::Us, seen, &mut session.desk.at(now, &mut Vec::new()));
    screen.key("g o");
    let mut frame = Buffer::default();
    let mut longest = Duration::ZERO;
    let keys = 5;
    let ((), all) = timed(|| {
        for _ in 0..keys {
            let ((), took) = timed(|| {
                black_box(update(&mut screen.model, Msg::Key(Chord::char('j')), now));
                view(&screen.model, None, &mut frame);
            });
            longest = longest.max(took);
        }
    });
    (all / keys, Some(longest))
}

fn find(rows: &[Row]) -> Measured {
    let needle = Needle::new("nobodyhere");
    let (found, all) = timed(|| rows.iter().filter(|row| needle.is_in(row)).count());
    assert_eq!(found, 0, "no row contains this");
    (all, None)
}

fn sort(rows: &[Row]) -> Measured {
    let mut longest = Duration::ZERO;
    let (order, all) = timed(|| {
        let mut sorting = Sorting::new(0, false, 0);
        loop {
            let next = sorting.next.unwrap_or(u64::MAX).min(rows.len() as u64);
            let (done, took) = timed(|| {
                let rest = (next..).zip(&rows[next as usize..]);
                sorting.step(rest, |row, text| text.push_str(row.named("title").unwrap_or("")))
            });
            longest = longest.max(took);
            if done {
                return sorting.order();
            }
        }
    });
    assert_eq!(order.len(), rows.len(), "each row once");
    (all, Some(longest))
}

fn score(rows: &[Row]) -> Measured {
    let rules = [
        (ScoreField::Title, "director", 20),
        (ScoreField::Title, "chief nursing officer", 30),
        (ScoreField::Title, "buyer", -10),
        (ScoreField::Company, "quail", 5),
        (ScoreField::Company, "hospital", 5),
        (ScoreField::Industry, "health care", 15),
        (ScoreField::State, "TX", 15),
        (ScoreField::State, "CA", 5),
        (ScoreField::EmailType, "personal", -20),
        (ScoreField::EmailStatus, "valid", 10),
    ];
    let mut card = ScoreRules::default();
    rules
        .into_iter()
        .filter_map(|(field, words, points)| ScoreRule::new(field, words, points))
        .for_each(|rule| card.add(rule));
    let scorer = Scorer { card: Arc::new(card), ..Scorer::default() };
    let (total, all) = timed(|| rows.iter().map(|row| i64::from(scorer.total(&Traits::of(row)))).sum::<i64>());
    assert!(total > 0, "some of it fits");
    (all, None)
}

fn matching(rows: &[Row]) -> Measured {
    let list: String = (0..10_000).map(|n| format!("Quail{n} Run,firm{n}.example\n")).collect();
    let accounts = Accounts::read(&format!("company,domain\n{list}")).expect("a list of accounts");
    let index = Index::of(&accounts.lines);
    let (found, all) = timed(|| rows.iter().map(|row| index.accounts(row).len()).sum::<usize>());
    assert!(found > 0, "some are of these");
    (all, None)
}
