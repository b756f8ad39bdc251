//! A question with a few answers. The first answer changes nothing and is marked at the start.

use crate::dialogs::form::{Form, FormBody};
use crate::dialogs::picker::{Picker, PickerItem};
use crate::dialogs::{DialogResult, Intent};
use crate::keys::command::TextCommand;
use crate::widgets::prelude::*;
use lode_core::Query;
use lode_engine::flow::search::legs::legs_take;

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
}

impl StatefulWidget for &QuestionDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let body = FormBody::List(&self.list);
        Form { above: vec![(&self.words, Role::Text)], body, keeps_gap: true, ..Form::new(&self.title, 76) }
            .render(over, buf, cx);
    }
}

/// Asks before many searches run as one: it costs nothing but time, so Enter runs them.
pub fn many_searches(query: &Query, deed: Intent) -> QuestionDialog {
    let words = format!("{}\n{}", query.words(), legs_take(query));
    let deeds = [("Run them (<everywhere.escape> stops)", deed)];
    let mut ask = QuestionDialog::new("Many searches", words, "Cancel", deeds);
    ask.list.cursor.at = 1;
    ask
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
        let body = FormBody::Field(TextField::new(&self.input));
        Form { above: vec![(&self.question, Role::Text)], body, ..Form::new(&self.title, 76) }.render(over, buf, cx);
    }
}
