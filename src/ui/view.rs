//! The model on a sheet: header, tabs, the screen, messages, hints, and what lies over it. Pure.

use crate::keys::chord::{Chord, sequence_text};
use crate::keys::command::App;
use crate::keys::keymap::{Hint, Keymap};
use crate::keys::situation::Situation;
use crate::layout::{self, Shell};
use crate::model::{Model, facts, tour::Tour};
use crate::scene::prelude::*;
use crate::screens::jobs::pages;
use crate::screens::search::state::State;
use crate::widgets::bars;
use lode_core::{Frame, agree};
use lode_engine::flow::{export, matching, unlock::RunningOrder};

/// A frame that was drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnFrame {
    pub frame: Frame,
    /// Where the parts of the screen are. None on a screen that is too small.
    pub layout: Option<(Shell, layout::SearchLayout)>,
}

/// Draws a frame. `buf` holds the frame that was drawn `before`: what cannot have changed since stays as it is. Without one, all is
/// drawn.
pub fn view(model: &Model, before: Option<&DrawnFrame>, buf: &mut Buffer) -> DrawnFrame {
    let area = model.area();
    let shell = model.shell();
    let layout = shell.map(|shell| (shell, model.search.layout(shell.body)));
    let over_shown = before.filter(|before| model.only_moved && buf.area == area && before.layout == layout);
    let mut cx = ViewContext::new(area, &model.theme, &model.keymap);
    match over_shown {
        Some(before) => cx.over_shown(before.frame.list),
        None => {
            buf.resize(area);
            buf.reset();
            cx.restyle(buf, area, Role::Text);
        }
    }
    model.render(area, buf, &mut cx);
    let rows = cx.changed_rows();
    let ViewContext { cursor, links, list, .. } = cx;
    let list = list.filter(|_| model.nav.dialogs.is_empty());
    DrawnFrame { frame: Frame { title: title(model), cursor, links, list, rows }, layout }
}

/// The title of the window: what runs, for someone who looks at another one.
fn title(model: &Model) -> String {
    let session = &model.session;
    if let Some(job) = session.unlock().job() {
        let (done, of) = job.contacts();
        return format!("lode: unlocking {done}/{of}");
    }
    match session.exports.jobs().find(|job| job.is_running()).map(|job| (job, job.total)) {
        Some((job, Some(total))) if total > 0 => {
            let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
            format!("lode: exporting {} %", rows.min(total) * 100 / total)
        }
        Some(_) => "lode: exporting".to_owned(),
        None => "lode".to_owned(),
    }
}

impl StatefulWidget for &Model {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let model = self;

        let Some(shell) = model.shell() else { return too_small(buf, cx, area) };
        if !cx.is_over_shown() {
            header(model, buf, cx, shell.header);
            if let Some(line) = shell.tabs {
                tabs(model, buf, cx, line);
            }
        }
        model.shown().render(model.scene_ref(), shell.body, buf, cx);
        let keymap = &model.keymap;
        let below = shell.body.bottom();
        cx.redraw(buf, Rect { y: below, height: area.bottom() - below, ..area });
        if let Some(line) = shell.tour {
            tour(model.tour, keymap, buf, cx, line);
        }
        let situation = facts::situation(model);
        if let Some(line) = shell.job {
            job(model, buf, cx, line);
        }
        let is_typing = !model.pending.is_empty() || model.count.is_some();
        let has_notice = is_typing || model.messages.notice.is_some() || model.messages.flash.is_some();
        if let Some(line) = shell.notice.or(has_notice.then_some(shell.footer)) {
            notice(model, buf, cx, line);
        }
        if shell.notice.is_some() || !has_notice {
            footer(keymap, &situation, buf, cx, shell.footer);
        }
        let over = model.over();
        for (at, dialog) in model.nav.dialogs.iter().enumerate() {
            if at + 1 == model.nav.dialogs.len() {
                cx.fade(buf, over);
                cx.fade(buf, shell.tabs.unwrap_or_default());
            }
            // Only the topmost field has the cursor.
            cx.cursor = None;
            self::dialog(model, dialog, buf, cx, over);
        }
        if !model.pending.is_empty() {
            following(model, buf, cx, over);
        }
    }
}

/// Draws one dialog.
pub fn dialog(model: &Model, dialog: &Dialog, buf: &mut Buffer, cx: &mut ViewContext, over: Rect) {
    match dialog {
        Dialog::Reader(reader) => match facts::read(model, reader) {
            Some(reader) => reader.render(over, buf, cx),
            None => {
                let inside = pane::overlay(buf, cx, over, 50, 5, "Contact");
                cx.put(buf, inside.x + 1, inside.y + 1, inside.width.saturating_sub(2), "Loading…", Role::Dim);
            }
        },
        Dialog::Summary(paid) => paid.render(over, buf, cx),
        Dialog::Recovery(panel) => panel.draw(&model.session, model.offset_minutes, over, buf, cx),
        Dialog::Columns { at } => columns(&model.search, *at, buf, cx, over),
        Dialog::Picker(picker) => picker.render(over, buf, cx),
        Dialog::Prompt(prompt) => prompt.render(over, buf, cx),
        Dialog::Ask(ask) => ask.render(over, buf, cx),
        Dialog::Help(sheet) => sheet.render(over, buf, cx),
        Dialog::Setup(setup) => setup.render(over, buf, cx),
        Dialog::Profiles(profiles) => profiles.render(over, buf, cx),
        Dialog::Money(money) => money.render(over, buf, cx),
    }
}

/// One line that names the size that is needed, as much of it as there is room for.
fn too_small(buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let (width, height) = layout::LEAST;
    let words = format!("lode needs {width}×{height}, this is {}×{}", area.width, area.height);
    let fits = text::width(&words) <= usize::from(area.width);
    let words = if fits { words } else { format!("{width}×{height}") };
    cx.put(buf, area.x, area.y, area.width, &words, Role::Text);
}

// The first line: whose money it is, what is left of it, what was spent, how many requests may go.

fn header(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let pieces = fitting(header_pieces(model), 3, line.width);
    let mut x = line.x + 1;
    for piece in pieces.iter().filter(|piece| !piece.right) {
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), &piece.words, piece.role) + 2;
    }
    let mut right = line.right().saturating_sub(1);
    for piece in pieces.iter().rev().filter(|piece| piece.right) {
        let room = right.saturating_sub(x);
        right = cx.put_right(buf, right, line.y, room, &piece.words, piece.role).saturating_sub(3);
    }
}

/// A piece of a line: what must stay has a high rank, what can go a low one.
struct Piece {
    rank: u8,
    words: String,
    role: Role,
    /// It stands at the right end.
    right: bool,
}

fn left(rank: u8, words: impl Into<String>, role: Role) -> Piece {
    Piece { rank, words: words.into(), role, right: false }
}

fn right(rank: u8, words: String, role: Role) -> Piece {
    Piece { right: true, ..left(rank, words, role) }
}

/// The pieces that fit with `gap` columns after each; one at least.
fn fitting(mut pieces: Vec<Piece>, gap: usize, room: u16) -> Vec<Piece> {
    let wide = |pieces: &[Piece]| pieces.iter().map(|piece| text::width(&piece.words) + gap).sum::<usize>();
    layout::fit(&mut pieces, |piece| piece.rank, |pieces| pieces.len() <= 1 || wide(pieces) <= usize::from(room));
    pieces
}

fn header_pieces(model: &Model) -> Vec<Piece> {
    let (session, side) = (&model.session, model.search.side);
    let (profile, balance) = (session.profile(), &session.balance());
    let (kind, kind_role) = if profile.live { ("LIVE", Role::Live) } else { ("SANDBOX", Role::Sandbox) };
    let mut pieces = vec![left(250, &profile.name, Role::Strong)];
    pieces.extend((!model.keyless).then(|| left(255, kind, kind_role)));
    pieces.extend(model.search.masked.then(|| left(165, "MASKED", Role::Warning)));
    pieces.push(left(160, format!("{} · {}", side.source.title(), side.corpus.title()), Role::Text));
    let key = match (balance.account.as_ref(), &profile.workspace) {
        _ if !model.opened => Some("opening…".to_owned()),
        (Some(account), _) => {
            let search_only = balance.may_unlock() == Some(false);
            let scopes = if search_only { "search only".to_owned() } else { account.scopes.join("+") };
            Some(format!("key {} ({scopes})", account.key_prefix))
        }
        (None, service) => service.as_ref().map(|service| format!("key {}…", service.shown)),
    };
    pieces.extend(key.map(|key| left(60, key, Role::Dim)));
    match profile.from_environment.as_slice() {
        [] => {}
        [one] => pieces.push(left(120, format!("from {one}"), Role::Warning)),
        // All names are in the list of profiles; here they would push out what changes.
        several => pieces.push(left(120, format!("{} values from LODE_*", several.len()), Role::Warning)),
    }
    pieces.extend(profile.note.as_ref().map(|note| left(170, note, Role::Warning)));
    if profile.workspace.is_some() {
        pieces.extend([right(240, credits(model), Role::Money), right(230, spent(model), Role::Text)]);
    }
    let gauge = session.desk.gauge(side.source, model.now);
    let (words, role) = match (&gauge.paused, gauge.of) {
        (Some(paused), _) => {
            let seconds = paused.until.0.saturating_sub(model.now.mono.0).div_ceil(1000);
            (format!("waiting {seconds} s"), Role::Warning)
        }
        (None, Some(of)) => {
            let tight = gauge.used * 10 >= of * 9;
            (format!("{}/{}", gauge.used, counted(of.into(), "request")), if tight { Role::Warning } else { Role::Dim })
        }
        (None, None) => (format!("{} request{}", gauge.used, if gauge.used == 1 { "" } else { "s" }), Role::Dim),
    };
    pieces.push(right(220, words, role));
    let took = session.side(side).window.took_ms();
    pieces.extend(took.map(|took| right(40, format!("took {} ms", grouped(took)), Role::Dim)));
    pieces
}

fn credits(model: &Model) -> String {
    let balance = &model.session.balance();
    let old = balance.age(model.now).is_some_and(|age| age >= facts::OLD);
    // The moment, not the age: an age would have to tick.
    let at = balance.reading.map(|reading| reading.at.wall).filter(|_| old).map(|at| facts::hour(model, at.0));
    match (balance.credits, balance.failure.is_some(), at) {
        (Some(credits), false, Some(at)) => format!("{} (as of {at})", credits.words()),
        (Some(credits), false, None) => credits.words(),
        (Some(credits), true, _) => format!("{} (old)", credits.words()),
        (None, true, _) => "credits unknown".to_owned(),
        (None, false, _) => "… credits".to_owned(),
    }
}

fn spent(model: &Model) -> String {
    let spent = model.session.ledger().spent.unwrap_or_default();
    let of = model.session.profile().caps.session.map_or(String::new(), |cap| format!(" of {cap}"));
    let net = if spent.session == spent.session_net { String::new() } else { format!(" (net {})", spent.session_net) };
    let held = if spent.held.0 > 0 { format!(" ({} on hold)", spent.held) } else { String::new() };
    format!("this session {}{of}{net}{held}", spent.session)
}

// What frames every screen besides its header: tabs, message line, footer, tour, and the menu of a half-typed sequence.

fn tabs(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let mut x = line.x + 1;
    let scene = model.scene_ref();
    let has_tab = |screen: Screen| screen == model.nav.screen || !model.slice(screen).number(scene).is_empty();
    let more = Screen::NOW_AND_THEN.into_iter().filter(|(screen, _)| has_tab(*screen));
    let shown: Vec<(Screen, &str)> = Screen::TABS.into_iter().chain(more).collect();
    for (screen, name) in shown.iter().copied() {
        let start = x;
        let role = if screen == model.nav.screen { Role::Tab } else { Role::Text };
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), name, role);
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), &model.slice(screen).number(scene), Role::Dim);
        cx.target(Rect::new(start, line.y, x - start, 1), Target::Command(Command::App(App::Go(screen))));
        x += 2;
        if x >= line.right() {
            return;
        }
    }
    let words = tab_keys(&model.keymap, &shown);
    let right = line.right().saturating_sub(1);
    if usize::from(right.saturating_sub(x)) > text::width(&words) + 1 {
        cx.put_right(buf, right, line.y, line.width, &words, Role::Dim);
    }
}

/// How the tabs are reached: `F2…F7 or g + letter`, as the keys are bound.
fn tab_keys(keymap: &Keymap, shown: &[(Screen, &str)]) -> String {
    let of = |screen| keymap.keys_of(chain::READING, Command::App(App::Go(screen)));
    // The first key of the sequences of that length, one for each tab; none where a tab lacks one.
    let first_keys = |length| -> Option<Vec<Chord>> {
        let key = |screen| of(screen).iter().find(|keys| keys.len() == length).map(|keys| keys[0]);
        shown.iter().map(|(screen, _)| key(*screen)).collect()
    };
    let mut ways = Vec::new();
    if let Some([first, .., last]) = first_keys(1).as_deref() {
        ways.push(format!("{first}…{last}"));
    }
    if let Some([first, others @ ..]) = first_keys(2).as_deref()
        && others.iter().all(|other| other == first)
    {
        ways.push(format!("{first} + letter"));
    }
    ways.join(" or ")
}

fn notice(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let mut words = model.count.map_or(String::new(), |count| count.to_string());
    if !model.pending.is_empty() {
        words.push_str(&sequence_text(&model.pending));
        words.push_str(" …");
    }
    if !words.is_empty() {
        cx.put(buf, line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Key);
        return;
    }
    if let Some(notice) = model.messages.flash.as_ref().or(model.messages.notice.as_ref()) {
        let role = if notice.bad { Role::Danger } else { Role::Text };
        cx.put(buf, line.x + 1, line.y, line.width.saturating_sub(2), &notice.words, role);
    }
}

/// `TOUR 2/6  /  searches: type a title such as nurse, then <text.submit>               : tour  ends it`
fn tour(tour: Tour, keymap: &Keymap, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let Some(step) = tour.step() else { return };
    cx.target(line, Target::Command(step.command));
    let palette = keymap.key_of(chain::RESULTS, Command::App(App::Palette)).unwrap_or_default();
    let leave = format!("{palette} tour  ends it");
    let mut right = line.right().saturating_sub(1);
    let behind = format!("TOUR {}/{} ", tour.behind() + 1, Tour::LENGTH);
    let key = keymap.key_of(chain::RESULTS, step.command).unwrap_or_default();
    let pieces =
        [(behind.as_str(), Role::Sandbox), (key.as_str(), Role::Key), ("  ", Role::Text), (step.words, Role::Text)];
    let wide: usize = pieces.iter().map(|(words, _)| text::width(words)).sum();
    if wide + text::width(&leave) + 4 <= usize::from(line.width) {
        let from = cx.put_right(buf, right, line.y, line.width, &leave, Role::Dim);
        cx.target(Rect { x: from, width: right - from, ..line }, Target::Command(Command::App(App::Tour)));
        right = from;
    }
    cx.line(buf, line.x + 1, line.y, right.saturating_sub(line.x + 1), &pieces);
}

/// Hints of the present chain, most important first, `? help` always at the end.
fn footer(keymap: &Keymap, situation: &Situation, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let mut hints = keymap.hints(situation.chain);
    // A dialog names its own keys and how it is closed, not what belongs to the screen behind it.
    let left_out: &[App] = if situation.dialog_open { &[App::Profiles, App::Back] } else { &[App::Escape] };
    // What does nothing now is not named.
    let usable = |hint: &Hint<'_>| {
        !left_out.iter().any(|app| hint.row.command == Command::App(*app)) && hint.row.is_usable(situation)
    };
    let width = |hint: &Hint<'_>| text::width(hint.key) + 1 + text::width(hint.word) + 2;
    let help = hints.pop_if(|hint| hint.word == "help").filter(usable);
    let mut room = usize::from(line.width.saturating_sub(1)).saturating_sub(help.as_ref().map_or(0, width));
    let shown = hints.into_iter().filter(usable).take_while(|hint| {
        let wide = width(hint);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    });
    let mut x = line.x + 1;
    for hint in shown.chain(help) {
        let start = x;
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), hint.key, Role::Key) + 1;
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), hint.word, Role::Text);
        cx.target(Rect::new(start, line.y, x - start, 1), Target::Command(hint.row.command));
        x += 2;
    }
}

/// The little menu after `g` or `y`: what may follow.
fn following(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, over: Rect) {
    let lines = facts::following(model);
    let widest = lines.iter().map(|(key, words, _)| text::width(key) + text::width(words) + 4).max().unwrap_or(10);
    let width = (widest as u16 + 4).min(over.width);
    let height = (lines.len() as u16 + 2).min(over.height);
    let area = Rect::new(over.right() - width, over.bottom() - height, width, height);
    cx.clear(buf, area);
    cx.target(area, Target::Dialog);
    let inside = TitledPane::new(&sequence_text(&model.pending), true).draw(area, buf, cx);
    for (at, (key, words, enabled)) in lines.iter().enumerate().take(usize::from(inside.height)) {
        let y = inside.y + at as u16;
        let (key_role, role) = if *enabled { (Role::Key, Role::Text) } else { (Role::Disabled, Role::Disabled) };
        let used = cx.put(buf, inside.x + 1, y, inside.width.saturating_sub(1), key, key_role) + 2;
        cx.put(buf, inside.x + 1 + used, y, inside.width.saturating_sub(1 + used), words, role);
    }
}

// The line above the messages: what is being read, unlocked or exported, and what is unknown.

/// What is being read into the basket; jobs have their line here too.
fn job(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let session = &model.session;
    let (words, role) = if let Some(walk) = session.side(model.search.side).gathering() {
        let all = walk.total().map(|total| total.min(walk.wanted()));
        let total = all.map_or("…".to_owned(), grouped);
        let share = all.map_or(String::new(), |all| format!("{}  ", bars::with_trough(20, walk.given(), all)));
        let given = grouped(walk.given());
        (format!("Reading into the basket {given} of {total}  {share}<everywhere.escape> stop"), Role::Warning)
    } else if let Some(job) = session.unlock().job() {
        return unlocking(model, job, buf, cx, line);
    } else if let Some(job) = session.exports.jobs().find(|job| job.is_running()) {
        return exporting(model, job, buf, cx, line);
    } else if let Some(job) = session.matching.job().filter(|_| session.matching.is_running()) {
        return matching_job(model, job, buf, cx, line);
    } else if let Some(other) = model.behind.first() {
        let what = match (other.unlock().job(), other.exports.running()) {
            (Some(job), _) => {
                let (done, of) = job.contacts();
                format!("unlock  {done} of {of}  net {}", job.tally.net())
            }
            (None, 0) => "a response is waiting to be saved".to_owned(),
            (None, running) => format!("{running} running"),
        };
        (format!("JOB of {}: {what}    <everywhere.profiles> open", other.profile().name), Role::Good)
    } else if !session.recovery().is_clear() {
        let open = facts::unknown(model);
        let (has, is) = (agree(open, "has", "have"), agree(open, "is", "are"));
        let what = format!("{} {has} an unknown result and {is} on hold", contacts(open));
        (format!("UNKNOWN  {what}    <everywhere.unknown> check (free)"), Role::Danger)
    } else {
        return;
    };
    cx.put(buf, line.x + 1, line.y, line.width.saturating_sub(1), &words, role);
}

/// `Exporting 12,000 of 48,700  ████▎░░░░ 25%  2.1 MB  1.2 MB/s  17 s left`
fn exporting(model: &Model, job: &export::ExportJob, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let running = model.session.exports.running();
    let progress = job.progress.clone().unwrap_or_default();
    let total = job.total.map_or(String::new(), |total| format!(" of {}", grouped(total)));
    let bar = job.total.map_or(String::new(), |total| format!("{}  ", bars::with_percent(20, progress.rows, total)));
    let head = format!("Exporting {}{total}  ", grouped(progress.rows));
    let mut words = if job.walk().is_some() { pages(job) } else { export::bytes(progress.bytes) };
    match (job.quiet(), job.pace()) {
        // Its pages say how far it is.
        _ if job.walk().is_some() => {}
        (Some(quiet), _) => words.push_str(&format!("  nothing for {} s", quiet.as_secs())),
        (None, Some((rate, left))) => {
            let left = left.map_or(String::new(), |left| format!("  {} s left", left.as_secs().max(1)));
            words.push_str(&format!("  {}/s{left}", export::bytes(rate)));
        }
        (None, None) => {}
    }
    if running > 1 {
        words.push_str(&format!("  and {} more", running - 1));
    }
    let bar = if line.width < 100 { "" } else { &bar };
    draw_progress(&head, bar, &words, buf, cx, line);
}

fn draw_progress(head: &str, bar: &str, words: &str, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let pieces = [(head, Role::Strong), (bar, Role::Bar), (words, Role::Text)];
    cx.line(buf, line.x + 1, line.y, line.width.saturating_sub(1), &pieces);
}

/// `Matching 1,000 accounts  ████▎░░░░ 25%  262 of 1,050 requests  6 min left`
fn matching_job(model: &Model, job: &matching::MatchJob, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let (done, of, left) = job.progress(model.now);
    let head = format!("Matching {}  ", counted(job.wanted.accounts.lines.len() as u64, "account"));
    let bar = format!("{}  ", bars::with_percent(20, done, of));
    let words = format!("{} of {}  {}", grouped(done), counted(of, "request"), matching::time_left(left));
    draw_progress(&head, if line.width < 80 { "" } else { &bar }, &words, buf, cx, line);
}

/// `Unlocking 50 of 75  ████████████▋░░░░░░ 67%  charged 49 · refunded 3 · 4 s left   Ctrl-c stops`: what there is no room for goes from the least important.
fn unlocking(model: &Model, job: &RunningOrder, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    const BAR: u16 = 20;
    let (batch, batches) = job.batches();
    let (done, of) = job.contacts();
    let tally = &job.tally;
    let bar = bars::with_trough(BAR, done as u64, of as u64);
    let share = bars::percent(done as u64, of as u64);
    let eta = job.eta(model.now).map(|left| format!("· {} s left", left.as_millis().div_ceil(1000)));
    let paused = model.session.desk.gauge(Source::Workspace, model.now).paused;
    let seconds = |until: Mono| until.since(model.now.mono).as_millis().div_ceil(1000);
    let (stressed, state) = match (&paused, job.rests()) {
        _ if job.stopping => (true, "stopping after this request".to_owned()),
        (Some(paused), _) => (true, format!("the service asks to wait; continuing in {} s", seconds(paused.until))),
        (None, Some((at, times))) if times > 0 => {
            let trouble = text::capital(job.trouble());
            (true, format!("{trouble}; sending the same batch again in {} s", seconds(at)))
        }
        _ if job.checking().is_some() => (true, format!("{}; checking (free)", job.trouble())),
        _ => (false, "<always.interrupt> stop".to_owned()),
    };
    let mut pieces = vec![
        left(255, format!("Unlocking {done} of {of}"), Role::Strong),
        left(60, format!(" {bar}"), Role::Bar),
        left(50, format!("{share}%"), Role::Dim),
        left(200, format!(" charged {}", tally.charged), Role::Money),
        left(150, format!("· refunded {}", tally.refunded), Role::Text),
    ];
    for (count, word) in [(tally.already, "owned already"), (tally.missing, "missing")] {
        pieces.extend((count > 0).then(|| left(80, format!("· {word} {count}"), Role::Text)));
    }
    pieces.extend((batches > 1).then(|| left(40, format!("· call {batch} of {batches}"), Role::Dim)));
    pieces.extend(eta.map(|eta| left(100, eta, Role::Text)));
    let (rank, role) = if stressed { (240, Role::Warning) } else { (140, Role::Dim) };
    pieces.push(left(rank, format!("   {state}"), role));
    let mut x = line.x + 1;
    for piece in fitting(pieces, 1, line.width.saturating_sub(1)) {
        x += cx.put(buf, x, line.y, line.right().saturating_sub(x), &piece.words, piece.role) + 1;
    }
}

// The list of columns over the grid.

fn columns(state: &State, at: usize, buf: &mut Buffer, cx: &mut ViewContext, over: Rect) {
    let columns = &state.seat().columns;
    let height = (columns.len() as u16 + 3).clamp(6, over.height.saturating_sub(2).max(6));
    let inside = pane::overlay(buf, cx, over, 51, height, &format!("Columns of {}", state.side));
    let list = Rect { height: inside.height.saturating_sub(1), ..inside };
    let marked = ListCursor { at };
    LineList::new(columns.len(), &marked, |at| {
        let column = &columns[at];
        let sign = if column.shown { "[x]" } else { "[ ]" };
        let width = column.width.map_or(String::new(), |width| format!("{width} wide"));
        ListLine::new(format!("{sign} {}", column.head().to_lowercase()), width)
    })
    .render(list, buf, cx);
    if inside.height > 0 {
        let words = "<columns.toggle> show  <columns.later> <columns.earlier> move  <columns.reset> reset  <columns.done> close";
        cx.put(buf, inside.x + 1, inside.bottom() - 1, inside.width.saturating_sub(2), words, Role::Dim);
    }
}
