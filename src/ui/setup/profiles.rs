//! The welcome of a first run, and the list of profiles with what can be done to each.
//!
//! Both are pages of one list, so that a person meets one way of choosing. Removing asks once more, with the mark on "keep".

use super::dialog::SetupDialog;
use crate::dialogs::prelude::*;

#[derive(Clone, Debug, Default, PartialEq)]
enum Page {
    Welcome,
    /// A key of which service.
    Key,
    /// Where a key comes from.
    Source,
    #[default]
    List,
    /// There is this one, and why no other.
    Alone(String, Listed),
    /// What can be done to one.
    Of(Listed),
    Rename(Listed),
    /// Whether it is really to be removed.
    Sure(Listed),
}

/// What a line leads to.
enum Act {
    Call(ProfileCall),
    Add(Source, Option<String>),
    Caps(Listed),
    Go(Page),
    Back,
}

#[derive(Clone, Debug, Default)]
pub struct Profiles {
    page: Page,
    listed: Option<Vec<Listed>>,
    /// The profile of this window.
    here: String,
    /// What is known about it.
    about: String,
    /// The page: its lines, or the field of a name.
    pub form: FormDialog,
}

impl Profiles {
    pub fn welcome() -> Profiles {
        let mut profiles = Profiles { page: Page::Welcome, ..Profiles::default() };
        profiles.show(0);
        profiles
    }

    pub fn list(here: String, about: String) -> Profiles {
        let mut profiles = Profiles { here, about, ..Profiles::default() };
        profiles.show(0);
        profiles
    }

    /// Shows the page; of its lines the cursor stands on this one.
    fn show(&mut self, at: usize) {
        let item = |(left, right, _)| PickerItem::new(left, right, Intent::Nothing);
        let list = Picker::new("", self.lines().into_iter().map(item).collect()).standing_at(at);
        let (title, said, role) = match &self.page {
            Page::Welcome => ("Welcome to lode".to_owned(), WELCOME, Role::Dim),
            Page::Key => ("Which key do you have?".to_owned(), "", Role::Dim),
            Page::Source => ("Where do I get a key?".to_owned(), SOURCE, Role::Dim),
            Page::List => ("Profiles".to_owned(), &*self.about, Role::Dim),
            Page::Alone(words, _) => ("Profiles".to_owned(), &*format!("{words}\n\n{}", self.about), Role::Text),
            Page::Of(listed) => (format!("Profile {}", listed.name), "", Role::Text),
            Page::Rename(listed) => (format!("Rename {}", listed.name), "Its new name", Role::Text),
            Page::Sure(listed) => (format!("Remove {}?", listed.name), KEPT, Role::Text),
        };
        let body = match &self.page {
            Page::Rename(listed) => FormBody::Field(Field::new(&*listed.name)),
            _ => FormBody::List(list),
        };
        let above = if said.is_empty() { Vec::new() } else { vec![(said.to_owned(), role)] };
        self.form = FormDialog { trouble: self.form.trouble.take(), ..FormDialog::step(title, above, body) };
    }

    /// Whether it is the first run, which has the whole screen.
    pub fn is_welcome(&self) -> bool {
        matches!(self.page, Page::Welcome | Page::Key | Page::Source)
    }

    /// Takes the new name.
    pub fn submit(&mut self) -> DialogResult {
        let Page::Rename(listed) = &self.page else { return DialogResult::Stay };
        let (from, to) = (listed.name.clone(), self.form.value().trim().to_owned());
        if from == to { self.back() } else { DialogResult::Call(ProfileCall::Rename { from, to }) }
    }

    /// Takes the line under the cursor.
    pub fn choose(&mut self) -> DialogResult {
        let Some((_, _, act)) = self.lines().into_iter().nth(self.form.list().and_then(Picker::place).unwrap_or(0))
        else {
            return DialogResult::Stay;
        };
        self.form.trouble = None;
        match act {
            Act::Call(call) => DialogResult::Call(call),
            Act::Add(source, profile) => DialogResult::Setup(SetupDialog::new(source, profile).into()),
            Act::Caps(listed) => DialogResult::Setup(SetupDialog::caps(listed.name, listed.caps).into()),
            Act::Go(page) => self.go(page),
            Act::Back => self.back(),
        }
    }

    /// True where it concerned this list.
    pub fn handle(&mut self, told: &ProfileReply) -> bool {
        match told {
            ProfileReply::Profiles(list) if self.page == Page::List => {
                self.listed = Some(list.clone());
                self.show(list.iter().position(|listed| listed.name == self.here).unwrap_or(0));
            }
            ProfileReply::Alone(words, listed) => drop(self.go(Page::Alone(words.clone(), listed.clone()))),
            ProfileReply::Refused(words) => drop(self.form.refuse(words)),
            _ => return false,
        }
        true
    }

    fn go(&mut self, page: Page) -> DialogResult {
        self.page = page;
        self.form.trouble = None;
        self.show(0);
        DialogResult::Stay
    }

    pub fn back(&mut self) -> DialogResult {
        match self.page.clone() {
            Page::Welcome | Page::List | Page::Alone(..) => DialogResult::Close,
            Page::Key | Page::Source => self.go(Page::Welcome),
            Page::Of(_) => self.go(Page::List),
            Page::Rename(listed) | Page::Sure(listed) => self.go(Page::Of(listed)),
        }
    }

    /// A profile as the list names it, and where its keys are.
    fn named(&self, listed: &Listed) -> (String, String) {
        let kind = if listed.live { "[LIVE]" } else { "[SANDBOX]" };
        let here = if listed.name == self.here { "  this window" } else { "" };
        let services = listed.services.iter().map(|(source, place)| format!("{source}: {place}"));
        (format!("{} {kind}{here}", listed.name), Vec::from_iter(services).join("  "))
    }

    fn lines(&self) -> Vec<(String, String, Act)> {
        let line = |left: &str, right: &str, act: Act| (left.to_owned(), right.to_owned(), act);
        match &self.page {
            Page::Welcome => vec![
                line("Try the demo", "no key needed", Act::Call(ProfileCall::Demo)),
                line("Add a key", "", Act::Go(Page::Key)),
                line("Where do I get a key?", "", Act::Go(Page::Source)),
            ],
            Page::Key => vec![
                line("Workspace key", "search, unlock", Act::Add(Source::Workspace, None)),
                line("Data API key", "search, export", Act::Add(Source::Data, None)),
            ],
            Page::Source => vec![line("Add a key", "", Act::Go(Page::Key)), line("Back", "", Act::Back)],
            Page::List => {
                let listed = self.listed.iter().flatten().map(|listed| {
                    let (left, right) = self.named(listed);
                    (left, right, Act::Go(Page::Of(listed.clone())))
                });
                let more = [
                    line("add a profile with a Workspace key", "", Act::Add(Source::Workspace, None)),
                    line("add a profile with a Data API key", "", Act::Add(Source::Data, None)),
                    line("the sandbox", "no key, no network", Act::Call(ProfileCall::Demo)),
                ];
                listed.chain(more).collect()
            }
            Page::Of(listed) => {
                let name = &listed.name;
                let has = |source| listed.services.iter().any(|(its, _)| *its == source);
                let verb = |source| if has(source) { "another" } else { "add a" };
                let add = |source| Act::Add(source, Some(name.clone()));
                let first = if listed.first { "it does" } else { "" };
                let here = if *name == self.here { "it is" } else { "" };
                vec![
                    line("Use it in this window", here, Act::Call(ProfileCall::Use(name.clone()))),
                    line("start with it", first, Act::Call(ProfileCall::StartWith(name.clone()))),
                    line("rename it", "basket, history and keys move with it", Act::Go(Page::Rename(listed.clone()))),
                    line(&format!("{} Workspace key", verb(Source::Workspace)), "", add(Source::Workspace)),
                    line(&format!("{} Data API key", verb(Source::Data)), "", add(Source::Data)),
                    line("limits", &bounds(listed), Act::Caps(listed.clone())),
                    line("remove it", "asks", Act::Go(Page::Sure(listed.clone()))),
                ]
            }
            Page::Sure(listed) => {
                let remove = Act::Call(ProfileCall::Remove(listed.name.clone()));
                let line_of_it = line("remove it", "and the keys that lode stored for it", remove);
                vec![line("cancel", "", Act::Back), line_of_it]
            }
            Page::Alone(_, listed) => {
                let (left, right) = self.named(listed);
                vec![(left, right, Act::Back), line("close", "", Act::Back)]
            }
            Page::Rename(_) => Vec::new(),
        }
    }
}

/// The word mark.
const MARK: [&str; 3] = ["█    █▀█  █▀▄  █▀▀", "█    █ █  █ █  █▀ ", "█▄▄  █▄█  █▄▀  █▄▄"];

const WELCOME: &str = "Search business contacts, unlock the ones you want, keep what you bought.";
const SOURCE: &str = "Create one in the web application of your workspace, under API keys. It is shown in full only once: copy \
                      it there, paste it here. No access? Ask an admin.";

/// The whole screen of the first run: word mark, headline, sentence, choices. Where it is low, they give way in this order.
impl StatefulWidget for &Profiles {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let FormDialog { title, above, body: FormBody::List(list), trouble, .. } = &self.form else { return };
        cx.clear(buf, over);
        cx.target(over, Target::Dialog);
        let width = over.width.saturating_sub(4).min(76);
        let place = Rect { x: over.x + (over.width - width) / 2, width, ..over };
        let said = above.iter().map(|(words, role)| (words, *role));
        let sentences =
            [(title, Role::Strong)].into_iter().chain(said).chain(trouble.as_ref().map(|words| (words, Role::Danger)));
        let mut above: Vec<_> = sentences.flat_map(|(words, role)| cx.keyed(words, role, width.into())).collect();
        let count = list.height() as u16;
        let is_tall = over.height >= above.len() as u16 + count + MARK.len() as u16 + 4;
        if is_tall {
            let mark = MARK.map(|line| vec![(line.to_owned(), Role::Focus)]);
            above = mark.into_iter().chain([Vec::new()]).chain(above).chain([Vec::new()]).collect();
        }
        above.truncate(over.height.saturating_sub(count + 1).into());
        let top = over.y + over.height.saturating_sub(above.len() as u16 + 1 + count) / 3;
        cx.centered(buf, Rect { y: top, ..place }, &above);
        let place = Rect { y: top + above.len() as u16 + 1, height: count, ..place }.intersection(over);
        list.draw(place, buf, cx);
    }
}

const KEPT: &str = "Owned contacts and saved searches stay on this computer.";

fn bounds(listed: &Listed) -> String {
    let caps = [("request", listed.caps.call), ("session", listed.caps.session), ("24 h", listed.caps.day)];
    let words: Vec<String> = caps.iter().filter_map(|(name, cap)| cap.map(|cap| format!("{cap} per {name}"))).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
