//! The loop of the screen: events in, one frame out.
//!
//! The loop reads the terminal itself and takes everything that waits before it draws a frame, so that held keys coalesce instead
//! of queueing. Between events it sleeps until the model's own deadline and never polls. The first frame is drawn before the
//! store, the keys, TLS or the network are touched.

pub mod demo;
pub mod input;
pub mod manage;
pub mod opening;
mod sources;

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::task::Poll;

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};
use futures_util::FutureExt;
use ratatui::buffer::Buffer;

use super::*;
use crate::ops::command::DemoArgs;
use lode_host::address;
use lode_host::config::edit::{self, ConfigChange};
use lode_host::files::{atomic, if_there};
use lode_host::system::signals::{self, Signal};
use lode_host::system::terminal::{echo, typed_lines};
use lode_host::system::watch::Watch;
use lode_host::terminal::keys::Keys;
use lode_host::terminal::line::{Aside, TerminalLine};
use lode_host::terminal::notices::{self, Notices};
use lode_host::terminal::painter::Painter;
use lode_sandbox::faults::{Fault, FaultRule};
use lode_ui::keys::chord::Chord;
use lode_ui::linear::{self, LineAction, LinearChoice, Wants, key_of, means, page};
use lode_ui::model::place;
use lode_ui::motion::Motion;
use lode_ui::msg::{Mouse, MouseWhat, Msg};
use lode_ui::setup::{WindowSettings, settle};
use lode_ui::unlock::summary;
use lode_ui::update::{HostActions, update};
use lode_ui::view::{DrawnFrame, view};

use self::input::{Linear, Translator, print};
use self::manage::Managed;
use self::opening::{Opener, is_linear, needs_a_terminal, prepare};
use self::sources::{
    BY_ITSELF, Calm, FolderWatch, RunningProfile, SettingsFile, Settling, Signals, broken_place, next_behind,
};

/// Runs the screen until the user leaves. `open` is what may take its time: keys, sandbox, store.
///
/// `linear` prints lines instead of drawing, and reads lines instead of keys.
pub fn run(
    (model, painter, capabilities): (Model, Painter, Capabilities),
    told: Vec<String>,
    open: Opener,
    settings: SettingsFile,
    linear: bool,
) -> ExitCode {
    processes::take_short_turns();
    // A panic anywhere gives the terminal back first and ends the program: half of it must not go on.
    crash::install(&Environment::read().state_dir);
    let taken = if linear {
        Linear::listen().map(|linear| (TerminalLine::default(), None, Some(linear)))
    } else {
        TerminalLine::open().and_then(|mut line| modes::Guard::take(&mut line).map(|guard| (line, Some(guard), None)))
    };
    let (line, guard, linear) = match taken {
        Ok(taken) => taken,
        Err(error) => {
            eprintln!("lode: the terminal cannot be used: {error}");
            return ExitCode::from(Exit::Failed.code());
        }
    };
    let (tell, done) = unbounded_channel();
    let mut window = Window {
        model,
        painter,
        capabilities,
        line,
        next: Buffer::default(),
        drawn: None,
        profile: None,
        settling: Settling::default(),
        calm: Calm::default(),
        behind: Vec::new(),
        watch: None,
        left: None,
        ended: false,
        linear,
        notices: Notices::of(|name| std::env::var(name).ok().filter(|value| !value.is_empty())),
        progress: None,
        settings,
        tell,
    };
    // What a terminal prints in answer to a question is gone with the first frame.
    let code = window.ask_terminal().and_then(|()| window.draw()).and_then(|()| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let code = runtime.block_on(async {
            let mut signals = Signals::listen(window.linear.is_some())?;
            let code = window.live(&mut signals, told, open, done).await;
            if code.is_err() {
                signals.end.terminal_is_gone();
            }
            // Also where the terminal went away: what was paid for is waited for, and what the store was given is written.
            window.see_out(&mut signals).await;
            window.finish();
            let code = code?;
            window.give_back(&mut signals).await.map(|()| code)
        });
        runtime.shutdown_background();
        code
    });
    drop(guard);
    crash::wait_while_falling();
    // A terminal that went away took its errors with it.
    ExitCode::from(code.unwrap_or(Exit::Failed.code()))
}

/// After this many rounds a signal comes before the next key.
const FAIR: u8 = 16;

struct Window {
    model: Model,
    painter: Painter,
    capabilities: Capabilities,
    line: TerminalLine,
    /// The frame that is shown, drawn over by the next one.
    next: Buffer,
    drawn: Option<DrawnFrame>,
    /// The profile on the screen.
    profile: Option<RunningProfile>,
    /// When memory is given back that is needed no more.
    settling: Settling,
    calm: Calm,
    /// Those that were left while a job of theirs runs.
    behind: Vec<RunningProfile>,
    /// What others write into the folders of the profile that is looked at.
    watch: Option<FolderWatch>,
    /// The exit code; `None` until the user leaves.
    left: Option<u8>,
    /// By a signal.
    ended: bool,
    /// Lines in the place of the screen.
    linear: Option<Linear>,
    notices: Notices,
    /// The share of the work that the terminal was told last, in percent.
    progress: Option<u8>,
    settings: SettingsFile,
    tell: UnboundedSender<Managed>,
}

impl Window {
    async fn live(
        &mut self,
        signals: &mut Signals,
        told: Vec<String>,
        open: Opener,
        mut done: UnboundedReceiver<Managed>,
    ) -> io::Result<u8> {
        let mut translator = Translator::default();
        let mut keys = if self.linear.is_some() { Keys::deaf() } else { Keys::listen()? };
        // It may have been resized before the program listened.
        self.resized()?;
        let tell = self.tell.clone();
        std::thread::Builder::new().name("open".into()).spawn(move || {
            // The loop may have ended meanwhile: then the result is dropped.
            let _ = tell.send(Managed::Opened(open(&manage::waiting(&tell)).map(Box::new)));
        })?;
        told.into_iter().try_for_each(|words| self.tell_user(words, true))?;
        self.draw()?;
        let mut round = 0_u8;
        loop {
            round = round.wrapping_add(1);
            let mut can_wait = false;
            // Keys come first, so that their answer waits for nothing, but not without an end.
            if round.is_multiple_of(FAIR) && signals.end.recv().now_or_never().is_some() {
                self.end();
            } else {
                tokio::select! {
                    biased;
                    here = keys.wait() => if !here {
                        // The signal that says so may go to the shell alone.
                        signals.end.terminal_is_gone();
                        self.end();
                    },
                    _ = or_never(signals.interrupted.as_mut(), Signal::recv) => self.happened(Msg::Key(Chord::ctrl('c')))?,
                    line = or_never(self.linear.as_mut(), Linear::next) => self.typed(line).await?,
                    () = signals.end.recv() => self.end(),
                    flowed = self.line.flow() => flowed?,
                    Some(done) = done.recv() => self.done(done)?,
                    Some(answer) = or_never(self.profile.as_mut(), RunningProfile::next) => {
                        can_wait = self.answered(answer)?;
                    }
                    (window, answer) = next_behind(&mut self.behind) => {
                        can_wait = true;
                        self.happened(Msg::AnsweredBehind(window, answer))?;
                    }
                    _ = signals.stopped.recv() => self.suspend()?,
                    _ = signals.resumed.recv() => self.resumed()?,
                    _ = signals.resized.recv() => self.resized()?,
                    () = self.settings.touched() => self.read_settings()?,
                    touched = or_never(self.watch.as_mut(), FolderWatch::heard) => {
                        can_wait = true;
                        self.happened(Msg::Elsewhere(touched))?;
                    }
                    place = broken_place(&mut signals.broken) => {
                        self.tell_user(format!("Breaks on purpose: {place}."), true)?;
                    }
                    () = clock::sleep_until(self.model.next_deadline()) => {
                        // The card of a cursor that rests is what its key asked for.
                        can_wait = self.model.motion.card_deadline().is_none_or(|due| due > clock::now().mono);
                        self.happened(Msg::Deadline)?;
                    }
                    () = self.calm.returns() => {}
                    () = self.settling.quiet() => {
                        self.settling.settle();
                        continue;
                    }
                }
            }
            // Everything that is here already belongs to the same frame.
            let heard = keys.heard();
            for (window, answer) in self.calm.release(!heard.is_empty() || self.left.is_some()) {
                let is_shown = self.profile.as_ref().is_some_and(|profile| profile.window == window);
                let msg = if is_shown { Msg::Answered(answer) } else { Msg::AnsweredBehind(window, answer) };
                self.happened(msg)?;
            }
            for input in heard {
                self.take_answer(&input);
                self.calm.typed();
                can_wait = false;
                if let Some(msg) = translator.message(input, Instant::now()) {
                    self.happened(msg)?;
                }
            }
            while let Some(answer) = self.profile.as_mut().and_then(|profile| profile.answers.try_recv().ok()) {
                can_wait &= self.answered(answer)?;
            }
            if let Some(code) = self.left {
                self.take_answers(&mut keys).await;
                return Ok(code);
            }
            if self.calm.delays(can_wait) {
                continue;
            }
            self.line.go()?;
            self.draw()?;
            self.report_progress()?;
            // What is still on its way was not seen.
            if self.line.is_clear() {
                self.happened(Msg::Painted)?;
            }
        }
    }

    /// Whether the frame of the answer can wait.
    fn answered(&mut self, answer: Answer) -> io::Result<bool> {
        let is_quiet = answer.is_quiet();
        let now = match &self.profile {
            Some(profile) => self.calm.hold(&profile.window, answer),
            None => Some(answer),
        };
        let Some(answer) = now else { return Ok(true) };
        self.happened(Msg::Answered(answer))?;
        Ok(is_quiet)
    }

    /// Waits a moment for answers that are on their way: they would be typed into the shell.
    async fn take_answers(&mut self, keys: &mut Keys) {
        while let Some(end) = self.capabilities.answers_end().filter(|_| !self.ended && self.linear.is_none())
            && tokio::time::timeout_at(end.into(), keys.wait()).await == Ok(true)
        {
            keys.heard().iter().for_each(|input| self.take_answer(input));
        }
    }

    fn take_answer(&mut self, input: &Input) {
        if let Input::Reply(reply) = input {
            self.capabilities.take(reply);
            self.painter.use_features(self.capabilities.features());
            if let TerminalReply::Cursor { row, column } = reply {
                self.painter.cursor_was_at(*row, *column);
            }
        }
    }

    /// A line was typed in linear mode; `None` at the end of the input.
    async fn typed(&mut self, line: Option<(String, Now)>) -> io::Result<()> {
        let Some((line, at)) = line else {
            self.left = Some(Exit::Done.code());
            return Ok(());
        };
        let steps = self.linear.as_ref().map_or_else(Vec::new, |linear| linear.means(&self.model, &line, at));
        for step in steps {
            match step {
                LineAction::Do(msg) => self.happened(*msg)?,
                LineAction::Rest(time) => tokio::time::sleep(time).await,
                LineAction::Say(words) => print(&words)?,
                LineAction::Offer => self.linear.as_ref().map_or(Ok(()), Linear::offer)?,
            }
        }
        Ok(())
    }

    /// The window is being closed, which does not wait for a terminal.
    fn end(&mut self) {
        self.left = Some(Exit::Interrupted.code());
        self.ended = true;
        self.line.abandon();
    }

    /// Lets the jobs come to their end, and the store write what it was given.
    fn finish(&mut self) {
        let gone = if self.progress.is_some() { self.notices.progress(None) } else { Vec::new() };
        if !gone.is_empty() {
            line::last_words(&gone);
        }
        let in_haste = |performer: Performer| performer.finish_within(IN_HASTE);
        let finish = if self.ended { in_haste } else { Performer::finish };
        self.behind.drain(..).chain(self.profile.take()).for_each(|profile| finish(profile.performer));
    }

    /// Waits for the answer of an unlock that was sent, for a bounded time and no longer than until the next signal. The terminal
    /// is given back before, so that the one who waits reads why and can end it.
    async fn see_out(&mut self, signals: &mut Signals) {
        // The terminal may be gone: lode does not stop because something cannot be shown.
        let _ = self.happened(Msg::Ending);
        if !self.model.is_unlocking() && !self.model.has_unsaved() {
            return;
        }
        self.line.abandon();
        modes::leave();
        crash::tell(&crash::waiting_words());
        let mut patience = std::pin::pin!(tokio::time::sleep(in_flight::PATIENCE));
        while self.model.is_unlocking() || self.model.has_unsaved() {
            let msg = tokio::select! {
                biased;
                () = signals.end.recv() => break,
                () = &mut patience => break,
                Some(answer) = or_never(self.profile.as_mut(), RunningProfile::next) => Msg::Answered(answer),
                (window, answer) = next_behind(&mut self.behind) => Msg::AnsweredBehind(window, answer),
                () = clock::sleep_until(self.model.next_deadline()) => Msg::Deadline,
            };
            let _ = self.happened(msg);
        }
        crash::tell(&self.last_words());
    }

    /// What came of the unlock, and the contacts that are nowhere but here.
    fn last_words(&self) -> String {
        let (held, unread) = self.model.held();
        let mut words: String = held
            .iter()
            .map(|held| json::settled(held.corpus, held.id, Outcome::Unknown, &held.contact) + "\n")
            .collect();
        words.extend(unread.iter().map(|response| json::unstored(response) + "\n"));
        if !(held.is_empty() && unread.is_empty()) {
            words += "lode: these contacts were paid for and could not be stored: keep these lines\n";
        }
        if !held.is_empty() || self.model.is_unlocking() {
            let unresolved = contacts(held.len().max(self.model.unresolved() as usize));
            words +=
                &format!("lode: the result of {unresolved} is unknown\nhint: run `lode recover` to check it (free)\n");
        } else if let Some(summary) = self.model.session.unlock().last() {
            words += &format!("lode: {}\n", summary::line(summary));
        }
        words
    }

    /// Gives the terminal back. Last of all: what is typed from here on belongs to the shell.
    async fn give_back(&mut self, signals: &mut Signals) -> io::Result<()> {
        tokio::select! {
            biased;
            () = signals.end.recv() => self.line.abandon(),
            drained = self.line.drain() => drained?,
        }
        modes::leave();
        Ok(())
    }

    fn happened(&mut self, msg: Msg) -> io::Result<()> {
        if msg == Msg::Focused(true) {
            self.read_settings()?;
        }
        // Where nothing tells what others do, this window looks by itself. It looks after the key: nothing can be confirmed while
        // it is looking, so a key that confirms relies on the look of the key before.
        let looks =
            matches!(msg, Msg::Key(_) | Msg::Placed(..)) && self.watch.as_ref().is_some_and(|watch| !watch.is_told());
        if let Msg::Background(rgb) = &msg {
            opening::remember_background(&self.settings.environment.state_dir, Background::of(*rgb));
        }
        self.settling.handle(&msg);
        failpoint::passing("update");
        let (effects, shelled) = update(&mut self.model, msg, clock::now());
        // Nothing that is wanted is left out because the terminal went away.
        let performed = self.perform(effects);
        performed.and(self.terminal(shelled))?;
        if looks { self.happened(Msg::Elsewhere(ChangedElsewhere::ALL)) } else { Ok(()) }
    }

    /// Says it on the message line.
    fn tell_user(&mut self, words: impl Into<String>, bad: bool) -> io::Result<()> {
        self.happened(Msg::Message(words.into(), bad))
    }

    fn done(&mut self, done: Managed) -> io::Result<()> {
        match done {
            Managed::Opened(opened) => self.opened(opened),
            Managed::Waiting(words) => self.tell_user(words, false),
            Managed::Reply(told) => {
                if let ProfileReply::Done(_) = &*told {
                    // This window wrote them itself.
                    self.settings.is_read();
                }
                self.happened(Msg::Managed(*told))
            }
        }
    }

    /// Applies settings that were changed in an editor or another window.
    fn read_settings(&mut self) -> io::Result<()> {
        if !self.settings.has_changed() {
            return Ok(());
        }
        let (words, bad) = match self.apply_settings() {
            Ok(None) => ("Settings reloaded.".to_owned(), false),
            Ok(Some(words)) => (words, true),
            Err(problem) => (format!("{problem}. The previous settings stay in effect."), true),
        };
        self.tell_user(words, bad)
    }

    /// Returns what is wrong about them, where lode goes on without it.
    fn apply_settings(&mut self) -> Result<Option<String>, ConfigProblem> {
        let (profile, SettingsFile { environment, is_of_demo, .. }) = (self.model.session.profile(), &self.settings);
        let (settings, told) = opening::settings(environment, &profile.name, *is_of_demo || profile.demo)?;
        settle(&mut self.model, settings);
        Ok(told.into_iter().next())
    }

    /// The profile is known: from here on requests can be carried out.
    fn opened(&mut self, done: Result<Box<StartedRun>, String>) -> io::Result<()> {
        let StartedRun { profile, setup, problems, told, held } = match done {
            Ok(opened) => *opened,
            Err(words) => return self.happened(Msg::Opened(Err(words))),
        };
        // The usual one took the place of one that was removed, and a job of it runs here: there is one of each.
        if self.come_back(&profile.name)? {
            return Ok(());
        }
        let watch = FolderWatch::over(setup.store.folders(), &setup.saved.folders());
        let is_told = watch.is_told() || profile.workspace.is_none() && profile.data.is_none();
        self.watch = Some(watch);
        self.look_at(RunningProfile::new(&profile, setup, held))?;
        let is_other = self.model.session.profile().demo != profile.demo;
        self.happened(Msg::Opened(Ok(Box::new(profile))))?;
        if is_other && !self.settings.is_of_demo {
            // Commands of the user's own are not for the rows of the sandbox. What is wrong was told at the start.
            let _ = self.apply_settings();
        }
        told.into_iter().try_for_each(|words| self.tell_user(words, true))?;
        if !is_told {
            self.tell_user(BY_ITSELF, false)?;
        }
        if problems.is_empty() {
            return Ok(());
        }
        let sentence = |(_, ConfigProblem { words, hint, .. }): &(Source, ConfigProblem)| {
            format!("{}. {}.", capital(words), capital(hint.trim_end_matches('.')))
        };
        let sentences: Vec<String> = problems.iter().map(sentence).collect();
        self.happened(Msg::Managed(ProfileReply::Unusable(sentences.join(" "))))
    }

    /// Another profile is about to be shown. Jobs of the current one continue.
    fn look_at(&mut self, profile: RunningProfile) -> io::Result<()> {
        let mut kept = Vec::new();
        place::keep(&mut self.model, true, &mut kept);
        self.perform(kept)?;
        match self.profile.replace(profile) {
            Some(before) if self.model.session.is_working() => self.behind.push(before),
            Some(before) => before.performer.finish(),
            None => {}
        }
        Ok(())
    }

    /// Looks again at a profile that was left while a job of it ran. False where none of this name is there.
    fn come_back(&mut self, name: &str) -> io::Result<bool> {
        let Some(at) = self.behind.iter().position(|profile| profile.name == name) else { return Ok(false) };
        let profile = self.behind.remove(at);
        let window = profile.window.clone();
        self.look_at(profile)?;
        self.happened(Msg::Returned(window))?;
        Ok(true)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        let mut shown = Ok(());
        for effect in effects {
            let rest = match &mut self.profile {
                Some(profile) => profile.performer.perform(effect),
                None => Some(effect),
            };
            match rest {
                Some(Effect::Quit(code)) => self.left = Some(code),
                Some(Effect::Copy(words)) if self.linear.is_some() => print(&format!("Copy: {words}\n"))?,
                Some(Effect::Copy(words)) => match notices::copy(&words) {
                    Some(bytes) => shown = shown.and(self.line.say(Aside::Clipboard, bytes)),
                    None => {
                        let words = "Too much for the terminal's clipboard. Export it instead.";
                        shown = shown.and(self.tell_user(words, true));
                    }
                },
                Some(Effect::Notify(words)) if !self.model.focused => {
                    shown = shown.and(self.line.say(Aside::Notice, self.notices.notice(&words)));
                }
                // What shell commands print, and what cannot be done before the profile is open.
                Some(_) | None => {}
            }
        }
        shown
    }

    fn terminal(&mut self, shelled: HostActions) -> io::Result<()> {
        for (window, wanted) in shelled.behind {
            if let Some(profile) = self.behind.iter_mut().find(|profile| profile.window == window) {
                // What only the owner of the terminal can do is asked for by the model itself.
                wanted.into_iter().for_each(|effect| drop(profile.performer.perform(effect)));
            }
        }
        for window in shelled.let_go {
            if let Some(at) = self.behind.iter().position(|profile| profile.window == window) {
                self.behind.remove(at).performer.finish();
            }
        }
        shelled.mouse.map(|on| modes::capture_mouse(on, &mut self.line)).transpose()?;
        shelled.profile_calls.into_iter().try_for_each(|call| self.perform_call(call))?;
        if shelled.repaint {
            self.painter.forget();
        }
        if shelled.suspend {
            self.suspend()?;
        }
        Ok(())
    }

    /// Gives the terminal to the shell until it brings lode back.
    fn suspend(&mut self) -> io::Result<()> {
        if !processes::can_be_suspended() {
            return self.tell_user("No shell here could bring lode back. Open another window instead.", true);
        }
        self.draw()?;
        self.line.abandon();
        modes::leave();
        processes::suspend();
        self.resumed()
    }

    /// Tells the terminal how far the work is, where that changed.
    fn report_progress(&mut self) -> io::Result<()> {
        let share = self.model.share();
        if std::mem::replace(&mut self.progress, share) == share {
            return Ok(());
        }
        let bytes = self.notices.progress(share);
        if bytes.is_empty() { Ok(()) } else { self.line.say(Aside::Progress, bytes) }
    }

    fn perform_call(&mut self, call: ProfileCall) -> io::Result<()> {
        let is_there = match &call {
            ProfileCall::Use(name) => self.come_back(name)?,
            ProfileCall::Demo => self.come_back(config::DEMO)?,
            _ => false,
        };
        if is_there {
            return Ok(());
        }
        if self.settings.is_of_demo {
            return self.happened(Msg::Managed(demo::reply(&call)));
        }
        let here = self.model.session.profile();
        if here.demo && matches!(call, ProfileCall::Demo) {
            return self.tell_user("This window shows the sandbox already.", false);
        }
        manage::perform(call, &self.settings.environment, here.name.clone(), self.tell.clone());
        Ok(())
    }

    /// Back from a suspension: the screen may be another's by now, and of another size.
    fn resumed(&mut self) -> io::Result<()> {
        if self.linear.is_some() {
            return self.happened(Msg::Resumed);
        }
        modes::enter(&mut self.line)?;
        self.ask_terminal()?;
        self.resized()?;
        self.happened(Msg::Resumed)
    }

    /// Asks for the background where the answer decides on the theme, for the keys, and for what the terminal can do.
    fn ask_terminal(&mut self) -> io::Result<()> {
        if self.linear.is_some() {
            return Ok(());
        }
        let is_asked = matches!(self.painter.depth(), Depth::Palette | Depth::True);
        let background = if is_asked { opening::BACKGROUND_QUESTION } else { b"" };
        let capabilities = self.capabilities.ask(Instant::now());
        self.painter.use_features(self.capabilities.features());
        self.line.say(Aside::Question, [modes::KEYS_QUESTION, background, &capabilities].concat())
    }

    fn resized(&mut self) -> io::Result<()> {
        let size = modes::size().filter(|_| self.linear.is_none());
        size.map_or(Ok(()), |(width, height)| self.happened(Msg::Resized(width, height)))
    }

    /// One frame, one write; nothing where nothing changed, or where the terminal has not taken the frame before yet: what
    /// is shown next is how things stand by then.
    fn draw(&mut self) -> io::Result<()> {
        if let Some(linear) = &mut self.linear {
            return linear.show(&self.model);
        }
        if !self.line.is_clear() {
            return Ok(());
        }
        failpoint::passing("view");
        let before = self.drawn.take();
        let drawn = self.drawn.insert(view(&self.model, before, &mut self.next));
        self.line.frame(self.painter.paint(&self.next, &drawn.frame))?;
        if self.painter.asks_of_tabs() {
            modes::may_set_tab_stops();
            self.capabilities.ask_of_tabs(Instant::now());
        }
        Ok(())
    }
}
