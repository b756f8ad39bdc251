//! The model on a sheet: header, the screen, the lines of the status, hints, and what lies over it. Pure.

use crate::keys::chord::{Chord, sequence_text};
use crate::keys::keymap::{Binding, Keymap};
use crate::layout::{self, Shell};
use crate::model::{Model, facts, tour::Tour};
use crate::scene::prelude::*;
use crate::unlock::recovery::RecoveryView;
use crate::widgets::{bars, context::DrawnParts, share};
use crate::{keys::situation::Situation, screens::jobs::pages};
use lode_engine::flow::{export, matching, unlock::RunningOrder};
use strum::VariantArray;

/// A frame that was drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnFrame {
    pub frame: Frame,
    /// Where the parts of the screen are. None on a screen that is too small.
    pub layout: Option<(Shell, layout::SearchLayout)>,
    pub parts: DrawnParts,
}

/// Draws a frame. `buf` holds the frame that was drawn `before`: what cannot have changed since stays as it is. Without one, all is
/// drawn.
pub fn view(model: &Model, before: Option<DrawnFrame>, buf: &mut Buffer) -> DrawnFrame {
    let area = model.area();
    let shell = model.shell();
    let layout = shell.map(|shell| (shell, model.search.layout(shell.body)));
    let over_shown = before.filter(|before| model.only_moved && buf.area == area && before.layout == layout);
    let mut cx = ViewContext::new(area, &model.theme, &model.keymap);
    cx.motion.clone_from(&model.motion.frame);
    match over_shown {
        Some(before) => cx.over_shown(before.frame, before.parts),
        None => {
            buf.resize(area);
            cx.clear(buf, area);
        }
    }
    model.render(area, buf, &mut cx);
    let ViewContext { cursor, links, stops, parts, changes, .. } = cx;
    let list = parts.list.filter(|_| model.nav.dialogs.is_empty());
    DrawnFrame { frame: Frame { title: title(model), cursor, links, list, stops, changes }, layout, parts }
}

/// The title of the window: what runs, for someone who looks at another one.
fn title(model: &Model) -> String {
    let session = &model.session;
    if let Some(job) = session.unlock().job() {
        let (done, of) = job.contacts();
        return format!("lode: unlocking {done}/{of}");
    }
    match (session.exports.running(), model.share()) {
        (0, _) => "lode".to_owned(),
        (_, Some(share)) => format!("lode: exporting {share} %"),
        (_, None) => "lode: exporting".to_owned(),
    }
}

impl StatefulWidget for &Model {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let model = self;
        let Some(shell) = model.shell() else { return too_small(buf, cx, area) };
        if !model.is_welcome() {
            if !cx.is_over_shown() {
                header(model, buf, cx, shell.header);
            }
            model.draw_shown(shell.body, buf, cx);
        }
        below(model, shell, buf, cx, area);
        let over = model.over();
        for (at, dialog) in model.nav.dialogs.iter().enumerate() {
            // A theme that is tried shows what the screen looks like in it.
            let tries = matches!(dialog, Dialog::Picker(picker) if picker.theme().is_some());
            if at + 1 == model.nav.dialogs.len() && !tries {
                cx.fade(buf, over);
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

/// The lines below the screen: the tour, what runs, a message, the keys.
fn below(model: &Model, shell: Shell, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let situation = facts::situation(model);
    let notice = model.messages.shown();
    let step = model.tour.step().map_or(0, |(number, ..)| number);
    let is_alone = notice.is_none() && shell.job.is_none() && model.pending.is_empty();
    if cx.keeps_footer(is_alone.then(|| (situation.clone(), model.count, step))) {
        return;
    }
    let top = shell.body.bottom();
    cx.redraw(buf, Rect { y: top, height: area.bottom() - top, ..area });
    if let Some(line) = shell.tour {
        tour(model.tour, &model.keymap, buf, cx, line);
    }
    if let Some(line) = shell.job {
        job(model, buf, cx, line);
    }
    if let Some(notice) = notice {
        let (line, role) = (shell.notice.unwrap_or(shell.footer), if notice.bad { Role::Danger } else { Role::Text });
        let words = shortened(&cx.keys.spelled(&notice.words), usize::from(line.width.saturating_sub(2)));
        cx.put(buf, line.x + 1, line.y, line.width.saturating_sub(2), &words, role);
    }
    if notice.is_none() || shell.notice.is_some() {
        footer(model, &situation, buf, cx, shell.footer);
    }
}

/// A message in at most `columns`. The keys at its end are kept; the text before them is cut.
fn shortened(words: &str, columns: usize) -> String {
    let at = words.rfind("  ").filter(|at| text::width(words) > columns && text::width(&words[*at..]) < columns / 2);
    let Some((said, keys)) = at.map(|at| words.split_at(at)) else { return words.to_owned() };
    text::cut(said, columns - text::width(keys)) + keys
}

/// Draws one dialog.
pub fn dialog(model: &Model, dialog: &Dialog, buf: &mut Buffer, cx: &mut ViewContext, over: Rect) {
    match dialog {
        Dialog::Reader(reader) => match facts::read(model, reader) {
            Some(reader) => reader.render(over, buf, cx),
            None => {
                let inside = TitledPane::new("Contact", true).over(over, 50, 5, buf, cx);
                let words = cx.motion.waiting(Wait::Rows, "Loading…");
                cx.put(buf, inside.x + 1, inside.y + 1, inside.width.saturating_sub(2), &words, Role::Dim);
            }
        },
        Dialog::Summary(paid) => paid.render(over, buf, cx),
        Dialog::Recovery(last) => RecoveryView(last, &model.session, model.offset_minutes).render(over, buf, cx),
        Dialog::Picker(picker) | Dialog::Columns(picker) => picker.render(over, buf, cx),
        Dialog::Help(sheet) => sheet.render(over, buf, cx),
        Dialog::Money(money) => money.render(over, buf, cx),
        Dialog::Profiles(profiles) if profiles.is_welcome() => profiles.render(over, buf, cx),
        dialog => dialog.form().into_iter().for_each(|form| form.render(over, buf, cx)),
    }
}

/// One line that names the size that is needed, as much of it as there is room for.
fn too_small(buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let (width, height) = layout::LEAST;
    let words = format!("lode needs {width}×{height}, this is {}×{}", area.width, area.height);
    let words = if text::width(&words) <= area.width.into() { words } else { format!("{width}×{height}") };
    cx.put(buf, area.x, area.y, area.width, &words, Role::Text);
}

// The first line: the screens with their numbers; whose money it is, what is left of it, what was spent.

/// Draws the pieces that fit, one at least, with a `gap` between those at the right end; those at the left bring their own blanks.
fn draw_pieces(mut pieces: Vec<Piece>, gap: u16, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let (mut x, mut right) = (line.x, line.right());
    let mut draw = |x: u16, piece: &Piece| {
        let width = cx.line(buf, x, line.y, line.right().saturating_sub(x), &piece.words);
        let target = piece.target.map(Target::Command);
        if let Some(target) = target {
            cx.target(Rect { x, width, ..line }, target);
        }
        width
    };
    let wide = |piece: &Piece| width_of(&piece.words) + if piece.right { gap.into() } else { 0 };
    let all = |pieces: &[Piece]| pieces.iter().map(wide).sum::<usize>();
    share::fit(&mut pieces, |piece| piece.rank, |pieces| pieces.len() <= 1 || all(pieces) <= line.width.into());
    for piece in pieces.iter().filter(|piece| !piece.right) {
        x += draw(x, piece);
    }
    for piece in pieces.iter().rev().filter(|piece| piece.right) {
        right = right.saturating_sub(width_of(&piece.words) as u16).max(x);
        draw(right, piece);
        right = right.saturating_sub(gap);
    }
}

/// A piece of a line: what must stay has a high rank, what can go a low one.
struct Piece {
    rank: u8,
    words: Vec<(String, Role)>,
    /// It stands at the right end.
    right: bool,
    target: Option<Command>,
}

fn left(rank: u8, words: impl Into<String>, role: Role) -> Piece {
    Piece { rank, words: vec![(words.into(), role)], right: false, target: None }
}

fn right(rank: u8, words: impl Into<String>, role: Role) -> Piece {
    Piece { right: true, ..left(rank, words, role) }
}

/// The ranks are fixed: what is said of the same things at the same width stands at the same place.
fn header(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let line = Rect { x: line.x + 1, width: line.width - 2, ..line };
    let (session, scene) = (&model.session, model.scene_ref());
    let profile = session.profile();
    let to = |command| Some(Command::App(command));
    let mut pieces = vec![left(70, "lode  ", Role::Key)];
    for (place, screen) in tabs(model).enumerate() {
        let is_shown = screen == model.nav.screen;
        let (role, number_role) = match (is_shown, screen) {
            (true, _) => (Role::Tab, Role::Tab),
            (false, Screen::Basket) => (Role::Text, Role::Staged),
            (false, Screen::Owned) => (Role::Text, Role::Owned),
            (false, _) => (Role::Text, Role::Key),
        };
        let number = model.component(screen).number(scene);
        // `Jobs ⠹1`
        let spinner = if screen == Screen::Jobs { model.motion.frame.spinner(Wait::Jobs) } else { "" };
        let number = number.replacen(' ', &[" ", spinner].concat(), 1);
        // On a narrow screen, the tab of a running job outlasts the others.
        let runs = screen == Screen::Jobs && !number.is_empty();
        let rank = if is_shown { 245 } else { 220 - if runs { 0 } else { place as u8 } };
        let words = vec![(format!(" {screen}"), role), (number, number_role), (" ".to_owned(), role)];
        pieces.push(Piece { words, target: to(App::Go(screen)), ..left(rank, "", role) });
    }
    let name = (text::cut(&profile.name, usize::from(line.width / 5)), Role::Strong);
    let (kind, kind_role) = if profile.live { (" ● live", Role::Live) } else { (" ● sandbox", Role::Sandbox) };
    let words = std::iter::once(name).chain((!model.keyless).then(|| (kind.to_owned(), kind_role))).collect();
    pieces.push(Piece { words, target: to(App::Profiles), ..right(255, "", kind_role) });
    pieces.extend(badge(model).map(|(words, role, command)| Piece { target: command, ..right(240, words, role) }));
    if profile.workspace.is_some() {
        let (spent, more) = spent(model);
        pieces.push(right(60, spent, Role::Dim));
        pieces.extend((!more.is_empty()).then(|| right(55, more, Role::Warning)));
        pieces.push(right(250, format!("◆ {}", credits(model, line.width >= WORDS_FROM)), Role::Money));
    }
    draw_pieces(pieces, 3, buf, cx, line);
}

/// What stands out about this window: one thing at a time, the most important.
fn badge(model: &Model) -> Option<(&'static str, Role, Option<Command>)> {
    let (session, profile) = (&model.session, model.session.profile());
    let to = |app| Some(Command::App(app));
    Some(match () {
        () if !model.opened && model.motion.frame.shows(Wait::Screen) => ("opening…", Role::Dim, None),
        () if !session.recovery.is_clear() => (" UNKNOWN ", Role::Danger, to(App::Unknown)),
        () if model.search.masked => (" MASKED ", Role::Badge, to(App::MaskMode)),
        () if session.balance.may_unlock() == Some(false) && session.balance.may_search() == Some(false) => {
            (" NO PERMISSION ", Role::Badge, to(App::Profiles))
        }
        () if session.balance.may_unlock() == Some(false) => (" SEARCH ONLY ", Role::Badge, to(App::Profiles)),
        () if profile.note.is_some() => (" PRIVATE FILE ", Role::Badge, to(App::Profiles)),
        () if !profile.from_environment.is_empty() => (" ENV ", Role::Badge, to(App::Profiles)),
        () => return None,
    })
}

/// From this width on the header says what the balance is of, and the footer the keys that always work.
const WORDS_FROM: u16 = 98;

fn credits(model: &Model, with_word: bool) -> String {
    let balance = &model.session.balance;
    let old = balance.age(model.now).is_some_and(|age| age >= facts::OLD);
    // The moment, not the age: an age would have to tick.
    let at = balance.reading.filter(|_| old && with_word).map(|at| model.scene_ref().hour(at.wall.0));
    let shown = balance.credits.map(|credits| model.motion.frame.credits.unwrap_or(credits));
    let said = shown.map(|credits| if with_word { credits.words() } else { credits.to_string() });
    match (said, balance.failure.is_some(), at) {
        (Some(credits), false, Some(at)) => format!("{credits} as of {at}"),
        (Some(credits), false, None) => credits,
        (Some(credits), true, _) => format!("{credits} (old)"),
        (None, true, _) => if with_word { "credits unknown" } else { "unknown" }.to_owned(),
        (None, false, _) => if with_word { "… credits" } else { "…" }.to_owned(),
    }
}

/// What this session spent, and what is not plain about it.
fn spent(model: &Model) -> (String, String) {
    let spent = model.session.ledger.spent.unwrap_or_default();
    let of = model.session.profile().caps.session.map_or(String::new(), |cap| format!(" of {cap}"));
    let net = (spent.session != spent.session_net).then(|| format!("net {}", spent.session_net));
    let held = (spent.held.0 > 0).then(|| format!("{} on hold", spent.held));
    let more: Vec<String> = net.into_iter().chain(held).collect();
    (format!("spent {}{of}", spent.session), more.join(" · "))
}

/// The screens that have a tab now: Match only while it is shown, or has something.
fn tabs(model: &Model) -> impl Iterator<Item = Screen> {
    let has_number = |screen| !model.component(screen).number(model.scene_ref()).is_empty();
    let is_there =
        move |screen: &Screen| *screen != Screen::Match || *screen == model.nav.screen || has_number(*screen);
    Screen::VARIANTS.iter().copied().filter(is_there)
}

/// The key that begins the sequences of all tabs, where they have the same.
fn go_key(model: &Model, contexts: Chain) -> Option<Chord> {
    let first = |screen| {
        let binding = model.keymap.binding(contexts, Command::App(App::Go(screen)))?;
        binding.keys.iter().find(|keys| keys.len() == 2).map(|keys| keys[0])
    };
    let firsts: Vec<Option<Chord>> = tabs(model).map(first).collect();
    firsts[0].filter(|go| firsts.iter().all(|first| *first == Some(*go)))
}

// What frames every screen besides its header: message, footer, tour, and the menu of a half-typed sequence.

/// `Tour 1/5  Press / and type nurse, then Enter.                                         : tour to end`
fn tour(tour: Tour, keymap: &Keymap, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let Some((number, command, words)) = tour.step() else { return };
    cx.target(line, Target::Command(command));
    let palette = keymap.key_of(chain::RESULTS, Command::App(App::Palette)).unwrap_or_default();
    let leave = format!("{palette} tour to end");
    let mut right = line.right().saturating_sub(1);
    let number = format!("Tour {number}/{}  ", Tour::LENGTH);
    let pieces = [(number.as_str(), Role::Sandbox), (words, Role::Text)];
    let wide: usize = pieces.iter().map(|(words, _)| text::width(&cx.keys.spelled(words))).sum();
    if wide + text::width(&leave) + 4 <= usize::from(line.width) {
        let from = cx.put_right(buf, right, line.y, line.width, &leave, Role::Dim);
        cx.target(Rect { x: from, width: right - from, ..line }, Target::Command(Command::App(App::Tour)));
        right = from;
    }
    cx.line(buf, line.x + 1, line.y, right.saturating_sub(line.x + 1), &pieces);
}

/// Hints of the present chain, most important first; what always works stands at the right end, and what is being typed.
fn footer(model: &Model, situation: &Situation, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let keymap = &model.keymap;
    // A dialog names its own keys and how it is closed, not what belongs to the screen behind it.
    let left_out: &[App] = if situation.dialog_open { &[App::Profiles, App::Back] } else { &[App::Escape] };
    let is_submit = |row: &KeyRow| row.context == Context::Text && row.command == Command::Text(TextCommand::Submit);
    // What does nothing now is not named.
    let is_left_out = |row: &KeyRow| left_out.iter().any(|app| row.command == Command::App(*app));
    let usable = |hint: &&Binding| !is_left_out(hint.row) && hint.row.is_usable(situation);
    let in_front = |place: usize| 250_u8.saturating_sub(place as u8);
    let mut pieces = Vec::new();
    for (place, found) in keymap.hints(situation.chain).into_iter().filter(usable).enumerate() {
        let wide = line.width >= WORDS_FROM;
        let (rank, key_role, role, right, gap) = match found.row.command {
            Command::App(App::Help) => (254, Role::Dim, Role::Dim, true, ""),
            Command::App(App::Palette) if wide => (253, Role::Dim, Role::Dim, true, ""),
            // The smallest screen still says how to spend.
            Command::Results(Results::Unlock) => (251, Role::Key, Role::Text, false, "  "),
            _ => (in_front(place), Role::Key, Role::Text, false, "  "),
        };
        let word = if is_submit(found.row) { situation.enter } else { found.row.footer.map_or("", |(_, word)| word) };
        let words = vec![(found.hint(), key_role), (format!(" {word}{gap}"), role)];
        let target = Some(found.row.command);
        pieces.push(Piece { rank, words, right, target });
    }
    // Those at the right end: `g go  : commands  ? help`.
    if let Some(go) = go_key(model, situation.chain).filter(|_| !situation.dialog_open && line.width >= WORDS_FROM) {
        let at = pieces.iter().position(|piece| piece.right).unwrap_or(pieces.len());
        pieces.insert(at, right(252, format!("{go} go"), Role::Dim));
    }
    let typed = model.count.map_or(String::new(), |count| count.to_string());
    let keys = if model.pending.is_empty() { String::new() } else { sequence_text(&model.pending) + " …" };
    pieces.extend((!typed.is_empty() || !keys.is_empty()).then(|| right(255, typed + &keys, Role::Key)));
    draw_pieces(pieces, 2, buf, cx, Rect { x: line.x + 1, width: line.width - 2, ..line });
}

/// The little menu after `g` or `y`: what may follow.
fn following(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, over: Rect) {
    let situation = facts::situation(model);
    let following = model.keymap.following(situation.chain, &model.pending);
    let line = |(chord, row): (Chord, &KeyRow)| (chord.to_string(), row.title, row.enabled(&situation).is_ok());
    let mut lines: Vec<_> = following.map(line).collect();
    lines.dedup();
    let widest = lines.iter().map(|(key, words, _)| text::width(key) + text::width(words) + 4).max().unwrap_or(10);
    let width = (widest as u16 + 4).min(over.width);
    let height = (lines.len() as u16 + 2).min(over.height);
    let area = Rect::new(over.right() - width, over.bottom() - height, width, height);
    cx.clear(buf, area);
    cx.target(area, Target::Dialog);
    let inside = TitledPane::new(&sequence_text(&model.pending), true).draw(area, buf, cx);
    for (y, (key, words, enabled)) in (inside.top()..inside.bottom()).zip(&lines) {
        let (key_role, role) = if *enabled { (Role::Key, Role::Text) } else { (Role::Disabled, Role::Disabled) };
        let pieces = [(key.as_str(), key_role), ("  ", Role::Text), (words, role)];
        cx.line(buf, inside.x + 1, y, inside.width.saturating_sub(1), &pieces);
    }
}

// The line above the messages: what is being read, unlocked or exported, and what is unknown.

/// What is being read into the basket; jobs have their line here too.
fn job(model: &Model, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let session = &model.session;
    let inside = Rect { x: line.x + 1, width: line.width - 2, ..line };
    let reading = |head: String, part: Option<(u64, u64)>, key: &str| {
        progress(head, part, "").into_iter().chain([right(240, stop(key, cx), Role::Dim)]).collect()
    };
    let pieces = if let Some(walk) = session.side(model.search.side).gathering() {
        let all = Some(walk.total().map_or(walk.wanted, |total| total.min(walk.wanted))).filter(|_| walk.legs().0 > 0);
        let total = all.map_or("…".to_owned(), grouped);
        let head = format!("Reading into the basket {} of {total}", grouped(walk.given()));
        Some(reading(head, all.map(|all| (walk.given(), all)), "<everywhere.escape>"))
    } else if let Some(job) = session.unlock().job() {
        Some(unlocking(model, job, cx))
    } else if let Some((read, wanted)) = session.side(model.search.side).reading() {
        let head = format!("Reading {} of {}", grouped(read), grouped(wanted));
        Some(reading(head, Some((read, wanted)), "<always.interrupt>"))
    } else if let Some(job) = session.exports.jobs().find(|job| job.is_running()) {
        Some(exporting(model, job))
    } else {
        session.matching.job().filter(|_| session.matching.is_running()).map(|job| matching_job(model, job))
    };
    if let Some(pieces) = pieces {
        return draw_pieces(pieces, 3, buf, cx, inside);
    }
    let (words, role) = if let Some(other) = model.behind.first() {
        let what = match (other.unlock().job(), other.exports.running()) {
            (Some(job), _) => {
                let (done, of) = job.contacts();
                format!("unlock  {done} of {of}  net {}", job.tally.net())
            }
            (None, 0) => "a response is waiting to be saved".to_owned(),
            (None, running) => format!("{running} running"),
        };
        (format!("JOB of {}: {what}    <everywhere.profiles> open", other.profile().name), Role::Good)
    } else if !session.recovery.is_clear() {
        let held = contacts(facts::unknown(model));
        (format!("RESULT UNKNOWN  {held} on hold    <everywhere.unknown> check (free)"), Role::Danger)
    } else if let Some(words) = facts::waiting(model) {
        (capital(&words), Role::Warning)
    } else {
        return;
    };
    cx.put(buf, line.x + 1, line.y, line.width.saturating_sub(1), &words, role);
}

/// `Unlocking 50 of 75  ━━━━━━━━━━━━━╸────── 66 %  3 refunded`: what is done of how much, and words to it.
fn progress(head: String, part: Option<(u64, u64)>, words: &str) -> Vec<Piece> {
    let mut pieces = vec![left(255, format!("{head}  "), Role::Strong)];
    if let Some((done, of)) = part {
        let (bar, trough) = bars::thin(BAR, done, of);
        pieces.push(Piece { words: vec![(bar, Role::Bar), (trough, Role::Faint)], ..left(60, "", Role::Bar) });
        pieces.push(left(50, format!(" {} %  ", bars::percent(done, of)), Role::Text));
    }
    pieces.push(left(200, words, Role::Text));
    pieces
}

const BAR: u16 = 32;

/// `Ctrl-C stop`
fn stop(key: &str, cx: &ViewContext) -> String {
    cx.keys.spelled(&format!("{key} stop")).into_owned()
}

/// `Exporting 12,000 of 48,700  ━━━━━━━╸────── 25 %  2.1 MB  1.2 MB/s  17 s left`
fn exporting(model: &Model, job: &export::ExportJob) -> Vec<Piece> {
    let running = model.session.exports.running();
    let done = job.progress.clone().unwrap_or_default();
    let total = job.total.map_or(String::new(), |total| format!(" of {}", grouped(total)));
    let mut words = if job.walk().is_some() { pages(job) } else { export::bytes(done.bytes) };
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
    progress(format!("Exporting {}{total}", grouped(done.rows)), job.total.map(|total| (done.rows, total)), &words)
}

/// `Matching 1,000 accounts  ━━━━━━━╸────── 25 %  262 of 1,050 requests  6 min left`
fn matching_job(model: &Model, job: &matching::MatchJob) -> Vec<Piece> {
    let (done, of, left) = job.progress(model.now);
    let head = format!("Matching {}", counted(job.wanted.accounts.lines.len() as u64, "account"));
    let words = format!("{} of {}  {}", grouped(done), counted(of, "request"), matching::time_left(left));
    progress(head, Some((done, of)), &words)
}

/// `Unlocking 50 of 75  ━━━━━━━━━━━━━╸────── 66 %  49 charged · 3 refunded · 4 s left   Ctrl-C stop`: what there is no room for goes from
/// the least important.
fn unlocking(model: &Model, job: &RunningOrder, cx: &ViewContext) -> Vec<Piece> {
    let (batch, batches) = job.batches();
    let (done, of) = job.contacts();
    let tally = &job.tally;
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
        _ => (false, stop("<always.interrupt>", cx)),
    };
    let mut pieces = progress(format!("Unlocking {done} of {of}"), Some((done as u64, of as u64)), "");
    pieces.push(left(230, format!("{} charged", tally.charged), Role::Money));
    pieces.push(left(150, format!(" · {} refunded", tally.refunded), Role::Text));
    for (count, word) in [(tally.already, "owned already"), (tally.missing, "missing")] {
        pieces.extend((count > 0).then(|| left(80, format!(" · {word} {count}"), Role::Text)));
    }
    pieces.extend((batches > 1).then(|| left(40, format!(" · request {batch} of {batches}"), Role::Dim)));
    let eta = job.eta(model.now).map(|left| left.as_millis().div_ceil(1000));
    pieces.extend(eta.map(|seconds| left(100, format!(" · {seconds} s left"), Role::Text)));
    pieces.push(if stressed { left(240, format!("   {state}"), Role::Warning) } else { right(140, state, Role::Dim) });
    pieces
}
