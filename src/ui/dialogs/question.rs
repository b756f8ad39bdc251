//! A question with a few answers. The first answer changes nothing and is marked at the start.

use super::*;

#[derive(Clone, Debug)]
pub struct QuestionDialog {
    pub title: String,
    pub words: String,
    pub list: Picker,
}

impl QuestionDialog {
    /// `stay` is the answer that leaves everything as it is.
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        stay: &str,
        deeds: impl IntoIterator<Item = (impl Into<String>, Intent)>,
    ) -> QuestionDialog {
        let deeds = deeds.into_iter().map(|(words, intent)| PickerItem::new(words, "", intent));
        let answers = std::iter::once(PickerItem::new(stay, "", Intent::Nothing)).chain(deeds);
        QuestionDialog { title: title.into(), words: words.into(), list: Picker::new("", answers.collect()) }
    }

    /// Of something that costs nothing but time, so Enter does it.
    pub fn going_on(title: &str, words: String, deed: (&str, Intent)) -> QuestionDialog {
        let mut ask = QuestionDialog::new(title, words, "Cancel", [deed]);
        ask.list.at = 1;
        ask
    }
}

impl StatefulWidget for &QuestionDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let body = DialogBody::List(&self.list);
        DialogBox { above: vec![(&self.words, Role::Text)], body, keeps_gap: true, ..DialogBox::new(&self.title, 76) }
            .render(over, buf, cx);
    }
}

/// Asks before many searches run as one: it costs nothing but time, so Enter runs them.
pub fn many_searches(query: &Query, deed: Intent) -> QuestionDialog {
    let words = format!("{}\n{}", query.words(), legs_take(query));
    QuestionDialog::going_on("Many searches", words, ("Run them (<everywhere.escape> stops)", deed))
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub title: String,
    pub question: String,
    pub input: Field,
    pub intent: Intent,
}

impl Prompt {
    pub fn new(title: impl Into<String>, question: impl Into<String>, intent: Intent) -> Prompt {
        Prompt { title: title.into(), question: question.into(), input: Field::default(), intent }
    }

    pub fn with(self, value: impl Into<String>) -> Prompt {
        Prompt { input: Field::new(value), ..self }
    }

    pub fn offering(self, value: impl Into<String>) -> Prompt {
        Prompt { input: Field::offering(value), ..self }
    }

    pub fn update(&mut self, command: TextCommand) -> DialogResult {
        match command {
            TextCommand::Leave => DialogResult::Close,
            TextCommand::Submit => DialogResult::DoWith(self.intent.clone(), self.input.trimmed().to_owned()),
            other => {
                self.input.edit(other);
                DialogResult::Stay
            }
        }
    }
}

impl StatefulWidget for &Prompt {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let body = DialogBody::Field(TextField::new(&self.input));
        DialogBox { above: vec![(&self.question, Role::Text)], body, ..DialogBox::new(&self.title, 76) }
            .render(over, buf, cx);
    }
}

// The box of a question, a prompt, the setup and the list of profiles: sentences, and below them a field or a list of answers.

/// What is typed or chosen.
pub(super) enum DialogBody<'a> {
    Nothing,
    Field(TextField<'a>),
    List(&'a Picker),
}

/// The box of a dialog of a few sentences. In a low window the body stays and the sentences give way.
pub(super) struct DialogBox<'a> {
    pub(super) title: &'a str,
    pub(super) widest: u16,
    pub(super) above: Vec<(&'a str, Role)>,
    pub(super) body: DialogBody<'a>,
    pub(super) below: Vec<(&'a str, Role)>,
    /// The empty line above the body stays in a low window too.
    pub(super) keeps_gap: bool,
    /// Empty lines at the end.
    pub(super) spare: usize,
}

impl<'a> DialogBox<'a> {
    pub(super) fn new(title: &'a str, widest: u16) -> DialogBox<'a> {
        let (above, below) = (Vec::new(), Vec::new());
        DialogBox { title, widest, above, body: DialogBody::Nothing, below, keeps_gap: false, spare: 0 }
    }
}

impl StatefulWidget for DialogBox<'_> {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, self.widest);
        let columns = usize::from(width.saturating_sub(4));
        let wrapped = |sentences: Vec<(&str, Role)>| -> Vec<(String, Role)> {
            let lines = |(words, role)| cx.wrapped(words, columns).into_iter().map(move |line| (line, role));
            sentences.into_iter().flat_map(lines).collect()
        };
        let (above, below) = (wrapped(self.above), wrapped(self.below));
        let body = match &self.body {
            DialogBody::Nothing => 0,
            DialogBody::Field(_) => 1,
            DialogBody::List(list) => list.height(),
        };
        let height = above.len() + 1 + body + below.len() + self.spare + 2;
        let inside = pane::overlay(buf, cx, over, width, u16::try_from(height).unwrap_or(u16::MAX), self.title);
        if inside.height == 0 {
            return;
        }
        let area = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let needed = (body + below.len()) as u16;
        let room = usize::from(area.height.saturating_sub(needed + u16::from(self.keeps_gap)));
        let gap = !above.is_empty();
        let mut y = cx.lines(buf, area, area.y, above.into_iter().take(room));
        y += u16::from(gap && y + needed < area.bottom());
        let left = area.bottom().saturating_sub(y);
        let place =
            Rect { y, height: (body as u16).min(left.saturating_sub(below.len() as u16).max(1)).min(left), ..area };
        match self.body {
            DialogBody::Field(field) if place.height > 0 => field.render(place, buf, cx),
            DialogBody::List(list) => list.draw(place, buf, cx),
            DialogBody::Field(_) | DialogBody::Nothing => {}
        }
        cx.lines(buf, area, place.bottom(), below);
    }
}
