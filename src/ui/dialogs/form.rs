//! The shared form of a question, a prompt, the setup and the list of profiles: sentences, and below them a field or a list
//! of answers.

use crate::widgets::prelude::*;

use super::picker::Picker;

/// What is typed or chosen.
pub(super) enum FormBody<'a> {
    Nothing,
    Field(TextField<'a>),
    List(&'a Picker),
}

/// The box of a dialog of a few sentences. In a low window the body stays and the sentences give way.
pub(super) struct Form<'a> {
    pub(super) title: &'a str,
    pub(super) widest: u16,
    pub(super) above: Vec<(&'a str, Role)>,
    pub(super) body: FormBody<'a>,
    pub(super) below: Vec<(&'a str, Role)>,
    /// The empty line above the body stays in a low window too.
    pub(super) keeps_gap: bool,
    /// Empty lines at the end.
    pub(super) spare: usize,
}

impl<'a> Form<'a> {
    pub(super) fn new(title: &'a str, widest: u16) -> Form<'a> {
        let (above, below) = (Vec::new(), Vec::new());
        Form { title, widest, above, body: FormBody::Nothing, below, keeps_gap: false, spare: 0 }
    }
}

impl StatefulWidget for Form<'_> {
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
            FormBody::Nothing => 0,
            FormBody::Field(_) => 1,
            FormBody::List(list) => list.height(),
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
            FormBody::Field(field) if place.height > 0 => field.render(place, buf, cx),
            FormBody::List(list) => list.draw(place, buf, cx),
            FormBody::Field(_) | FormBody::Nothing => {}
        }
        cx.lines(buf, area, place.bottom(), below);
    }
}
