//! The door and the key rack: the welcome of a first run, and the list of profiles with what can be done to each.
//!
//! Both are pages of one list, so that a person meets one way of choosing. Removing asks once more, with the mark on "keep".

use super::*;

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
    /// The lines of the page.
    pub list: Picker,
    pub input: Field,
    trouble: Option<String>,
}

impl Profiles {
    pub fn welcome() -> Profiles {
        Profiles { page: Page::Welcome, ..Profiles::default() }.with_lines(0)
    }

    pub fn list(here: String, about: String) -> Profiles {
        Profiles { here, about, ..Profiles::default() }.with_lines(0)
    }

    /// Lists the lines of its page; the cursor stands on this one.
    fn with_lines(mut self, at: usize) -> Profiles {
        let item = |(left, right, _)| PickerItem::new(left, right, Intent::Nothing);
        self.list = Picker::new("", self.lines().into_iter().map(item).collect()).standing_at(at);
        self
    }

    pub fn is_text(&self) -> bool {
        matches!(self.page, Page::Rename(_))
    }

    /// Whether it is the first run, which has the whole screen.
    pub fn is_welcome(&self) -> bool {
        matches!(self.page, Page::Welcome | Page::Key | Page::Source)
    }

    pub fn text(&mut self, command: TextCommand) -> DialogResult {
        let Page::Rename(listed) = &self.page else { return DialogResult::Stay };
        match command {
            TextCommand::Leave => self.back(),
            TextCommand::Submit => {
                let (from, to) = (listed.name.clone(), self.input.trimmed().to_owned());
                if from == to {
                    return self.back();
                }
                DialogResult::Call(ProfileCall::Rename { from, to })
            }
            other => {
                self.input.edit(other);
                DialogResult::Stay
            }
        }
    }

    /// Takes the line under the cursor.
    pub fn choose(&mut self) -> DialogResult {
        let Some((_, _, act)) = self.lines().into_iter().nth(self.list.place()) else { return DialogResult::Stay };
        self.trouble = None;
        match act {
            Act::Call(call) => DialogResult::Call(call),
            Act::Add(source, profile) => open(SetupDialog::new(source, profile)),
            Act::Caps(listed) => open(SetupDialog::caps(listed.name, listed.caps)),
            Act::Go(page) => self.go(page),
            Act::Back => self.back(),
        }
    }

    /// True where it concerned this list.
    pub fn handle(&mut self, told: &ProfileReply) -> bool {
        match told {
            ProfileReply::Profiles(list) if self.page == Page::List => {
                self.listed = Some(list.clone());
                let at = list.iter().position(|listed| listed.name == self.here).unwrap_or(0);
                *self = std::mem::take(self).with_lines(at);
            }
            ProfileReply::Alone(words, listed) => drop(self.go(Page::Alone(words.clone(), listed.clone()))),
            ProfileReply::Refused(words) => self.trouble = Some(words.clone()),
            _ => return false,
        }
        true
    }

    fn go(&mut self, page: Page) -> DialogResult {
        if let Page::Rename(listed) = &page {
            self.input = Field::new(listed.name.clone());
        }
        self.page = page;
        self.trouble = None;
        *self = std::mem::take(self).with_lines(0);
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
        let services = Vec::from_iter(services);
        (format!("{} {kind}{here}", listed.name), services.join("  "))
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

impl Profiles {
    /// The whole screen of the first run: word mark, headline, sentence, choices. Where it is low, they give way in this order.
    fn first_run(&self, headline: &str, said: &str, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        cx.clear(buf, over);
        cx.target(over, Target::Dialog);
        let width = over.width.saturating_sub(4).min(76);
        let place = Rect { x: over.x + (over.width - width) / 2, width, ..over };
        let trouble = self.trouble.as_deref().map(|words| (words, Role::Danger));
        let sentences = [(headline, Role::Strong)].into_iter().chain([(said, Role::Dim)]).chain(trouble);
        let sentences = sentences.filter(|(words, _)| !words.is_empty());
        let mut above: Vec<_> = sentences.flat_map(|(words, role)| cx.keyed(words, role, width.into())).collect();
        let count = self.list.height() as u16;
        let is_tall = over.height >= above.len() as u16 + count + MARK.len() as u16 + 4;
        if is_tall {
            let mark = MARK.map(|line| vec![(line.to_owned(), Role::Focus)]);
            above = mark.into_iter().chain([Vec::new()]).chain(above).chain([Vec::new()]).collect();
        }
        let room = over.height.saturating_sub(count + 1);
        above.truncate(room.into());
        let needed = above.len() as u16 + 1 + count;
        let top = over.y + over.height.saturating_sub(needed) / 3;
        for (y, line) in (top..).zip(&above) {
            cx.centered(buf, Rect { y, ..place }, line);
        }
        let list = Rect { y: top + above.len() as u16 + 1, height: count, ..place }.intersection(over);
        self.list.draw(list, buf, cx);
    }
}

const KEPT: &str = "Owned contacts and saved searches stay on this computer.";

fn open(setup: SetupDialog) -> DialogResult {
    DialogResult::Open(Box::new(Dialog::Setup(Box::new(setup))))
}

fn bounds(listed: &Listed) -> String {
    let caps = [("request", listed.caps.call), ("session", listed.caps.session), ("24 h", listed.caps.day)];
    let words: Vec<String> = caps.iter().filter_map(|(name, cap)| cap.map(|cap| format!("{cap} per {name}"))).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

impl StatefulWidget for &Profiles {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let (title, said, role) = match &self.page {
            Page::Welcome => return self.first_run("Welcome to lode", WELCOME, over, buf, cx),
            Page::Key => return self.first_run("Which key do you have?", "", over, buf, cx),
            Page::Source => return self.first_run("Where do I get a key?", SOURCE, over, buf, cx),
            Page::List => ("Profiles".to_owned(), &*self.about, Role::Dim),
            Page::Alone(words, _) => ("Profiles".to_owned(), &*format!("{words}\n\n{}", self.about), Role::Text),
            Page::Of(listed) => (format!("Profile {}", listed.name), "", Role::Text),
            Page::Rename(listed) => (format!("Rename {}", listed.name), "Its new name", Role::Text),
            Page::Sure(listed) => (format!("Remove {}?", listed.name), KEPT, Role::Text),
        };
        let body = match &self.page {
            Page::Rename(_) => DialogBody::Field(TextField::new(&self.input)),
            _ => DialogBody::List(&self.list),
        };
        let above = if said.is_empty() { Vec::new() } else { vec![(said, role)] };
        let below = self.trouble.iter().map(|words| (words.as_str(), Role::Danger)).collect();
        DialogBox { above, body, below, spare: 1, ..DialogBox::new(&title, 84) }.render(over, buf, cx);
    }
}
