//! Sentences, and below them a field or a list of answers: a question, a prompt, the setup of a key, the list of profiles.

use super::*;

/// What is typed or chosen.
#[derive(Clone, Debug, Default)]
pub enum FormBody {
    #[default]
    Nothing,
    Field(Field),
    List(Picker),
}

/// A dialog of a few sentences. In a low window the body stays and the sentences give way.
#[derive(Clone, Debug, Default)]
pub struct FormDialog {
    pub title: String,
    pub above: Vec<(String, Role)>,
    pub body: FormBody,
    /// What the text of a field that asks something is for.
    pub intent: Intent,
    /// Why it does not go on.
    pub trouble: Option<String>,
    /// One of several, each as wide as the others.
    pub(crate) is_step: bool,
}

impl FormDialog {
    fn new(title: impl Into<String>, words: impl Into<String>, body: FormBody) -> FormDialog {
        FormDialog { title: title.into(), above: vec![(words.into(), Role::Text)], body, ..FormDialog::default() }
    }

    /// A question that is answered with a text.
    pub fn prompt(title: impl Into<String>, question: impl Into<String>, intent: Intent, field: Field) -> FormDialog {
        FormDialog { intent, ..FormDialog::new(title, question, FormBody::Field(field)) }
    }

    /// One of several that follow each other.
    pub(crate) fn step(title: String, above: Vec<(String, Role)>, body: FormBody) -> FormDialog {
        FormDialog { title, above, body, is_step: true, ..FormDialog::default() }
    }

    /// A question. `stay` is the answer that leaves everything as it is; it is marked at the start.
    pub fn ask(title: &str, words: impl Into<String>, stay: &str, deeds: Vec<(impl Into<String>, Intent)>) -> Self {
        let deeds = deeds.into_iter().map(|(words, intent)| PickerItem::new(words, "", intent));
        let answers = std::iter::once(PickerItem::new(stay, "", Intent::Nothing)).chain(deeds);
        FormDialog::new(title, words, FormBody::List(Picker::new("", answers.collect())))
    }

    /// A question about something that costs nothing but time, so Enter does it.
    pub fn going_on(title: &str, words: String, (deed, intent): (&str, Intent)) -> FormDialog {
        let answers = vec![PickerItem::new("Cancel", "", Intent::Nothing), PickerItem::new(deed, "", intent)];
        FormDialog::new(title, words, FormBody::List(Picker::new("", answers).standing_at(1)))
    }

    /// Asks before many searches run as one: it costs nothing but time, so Enter runs them.
    pub fn many_searches(query: &Query, deed: Intent) -> FormDialog {
        let words = format!("{}\n{}", query.words(), legs_take(query));
        FormDialog::going_on("Many searches", words, ("Run them (<everywhere.escape> stops)", deed))
    }

    pub fn chain(&self) -> Chain {
        match &self.body {
            FormBody::Nothing => chain::ASK,
            FormBody::Field(_) => chain::TEXT,
            FormBody::List(list) => list.chain(),
        }
    }

    pub fn list(&self) -> Option<&Picker> {
        if let FormBody::List(list) = &self.body { Some(list) } else { None }
    }

    pub fn list_mut(&mut self) -> Option<&mut Picker> {
        if let FormBody::List(list) = &mut self.body { Some(list) } else { None }
    }

    /// The text of its field.
    pub fn value(&self) -> &str {
        if let FormBody::Field(field) = &self.body { field.value() } else { "" }
    }

    pub fn typed(&mut self, words: &str) {
        match &mut self.body {
            FormBody::Nothing => {}
            FormBody::List(list) => list.typed(words),
            FormBody::Field(field) => {
                self.trouble = None;
                field.typed(words);
            }
        }
    }

    /// Says why it does not go on.
    pub(crate) fn refuse(&mut self, why: impl Into<String>) -> DialogResult {
        self.trouble = Some(why.into());
        DialogResult::Stay
    }
}

impl StatefulWidget for &FormDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, if self.is_step { 84 } else { 76 });
        let columns = usize::from(width.saturating_sub(4));
        let mut above = cx.wrapped(&self.above, columns);
        // Of a hidden text, what may be known of it.
        let hidden =
            if let FormBody::Field(field) = &self.body { Some(field).filter(|field| field.hidden) } else { None };
        let outline = hidden.map(|field| outline(field.value()));
        let trouble = self.trouble.iter().map(|words| (words.clone(), Role::Danger));
        let below: Vec<_> = outline.iter().map(|words| (words.clone(), Role::Dim)).chain(trouble).collect();
        let below = cx.wrapped(&below, columns);
        // A low window keeps the empty line above the answers, unless the question needs it.
        let (body, kept) = match &self.body {
            FormBody::Nothing => (0, 0),
            FormBody::Field(_) => (1, 0),
            FormBody::List(list) => (list.height(), usize::from(!self.is_step)),
        };
        let height = above.len() + 1 + body + below.len() + usize::from(self.is_step) + 2;
        let height = u16::try_from(height).unwrap_or(u16::MAX);
        let inside = TitledPane::new(&self.title, true).over(over, width, height, buf, cx);
        if inside.height == 0 {
            return;
        }
        let area = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let needed = (body + below.len()) as u16;
        let room = usize::from(area.height.saturating_sub(needed));
        if room < above.len() {
            above.truncate(room.saturating_sub(kept));
            if let Some((last, _)) = above.last_mut() {
                *last = text::cut(&format!("{last} …"), columns);
            }
        }
        let mut y = cx.lines(buf, area, area.y, &above);
        y += u16::from(!above.is_empty() && y + needed < area.bottom());
        let left = area.bottom().saturating_sub(y);
        let place =
            Rect { y, height: (body as u16).min(left.saturating_sub(below.len() as u16).max(1)).min(left), ..area };
        match &self.body {
            FormBody::List(list) => list.draw(place, buf, cx),
            FormBody::Field(field) if place.height > 0 => field.render(place, buf, cx),
            FormBody::Nothing | FormBody::Field(_) => {}
        }
        cx.lines(buf, area, place.bottom(), &below);
    }
}

/// Length and beginning of a hidden key: never more than five characters, and never more than a quarter of it.
fn outline(key: &str) -> String {
    let key = key.trim();
    let count = key.chars().count();
    let shown: String = key.chars().take(5.min(count / 4)).collect();
    match (count, shown.as_str()) {
        (0, _) => "nothing typed yet".to_owned(),
        (_, "") => counted(count as u64, "character"),
        _ => format!("{}, begins with {shown}", counted(count as u64, "character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_key_only_length_and_beginning_are_shown() {
        assert_eq!(outline(""), "nothing typed yet");
        assert_eq!(outline("ak_"), "3 characters");
        assert_eq!(outline("ak_7f0123456789abcdef"), "21 characters, begins with ak_7f");
    }
}
