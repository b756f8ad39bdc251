//! How the steps of a key look.

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::lines::{self, Line};
use crate::widgets::{input, pane};
use lode_core::contact::Source;
use lode_core::credits::counted;

use super::{Place, Setup, Step, words};

pub fn view(setup: &Setup, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 84);
    let columns = usize::from(width.saturating_sub(4));
    let mut above: Vec<(String, Role)> = Vec::new();
    let mut add =
        |words: &str, role: Role| above.extend(canvas.wrapped(words, columns).into_iter().map(|line| (line, role)));
    for (words, role) in explained(setup) {
        add(&words, role);
    }
    let mut below: Vec<(String, Role)> = Vec::new();
    if setup.step == Step::Key {
        below.push((known(setup.input.value()), Role::Dim));
    }
    if let Some(trouble) = &setup.trouble {
        below.extend(canvas.wrapped(trouble, columns).into_iter().map(|line| (line, Role::Danger)));
    }
    let answers = if setup.step == Step::Storage { Place::ALL.len() } else { usize::from(setup.is_text()) };
    let height = above.len() + answers + below.len() + 4;
    let inside = pane::overlay(canvas, over, width, height as u16, &title(setup));
    if inside.height == 0 {
        return;
    }
    let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
    let mut y = inside.y;
    // In a low window the answers stay and the explanation gives way.
    let room = usize::from(inside.height).saturating_sub(answers + below.len());
    for (line, role) in above.iter().take(room) {
        canvas.put(x, y, columns, line, *role);
        y += 1;
    }
    y = if usize::from(y - inside.y) + answers + below.len() < usize::from(inside.height) { y + 1 } else { y };
    if setup.is_text() && y < inside.bottom() {
        if setup.offered && setup.step != Step::Key {
            input::draw_offered(canvas, x, y, columns, &setup.input);
        } else {
            input::draw(canvas, x, y, columns, &setup.input, setup.step == Step::Key);
        }
        y += 1;
    } else if setup.step == Step::Storage {
        let area = Rect::new(x, y, columns, (answers as u16).min(inside.bottom().saturating_sub(y)));
        let keyring = setup.proof.as_ref().and_then(|proof| proof.keyring.as_deref());
        lines::draw(canvas, area, answers, &setup.marked, |at| place(Place::ALL[at], keyring));
        y += area.height;
    }
    for (line, role) in below {
        if y < inside.bottom() {
            canvas.put(x, y, columns, &line, role);
        }
        y += 1;
    }
}

fn title(setup: &Setup) -> String {
    if setup.only_caps {
        return format!("Caps of {}", setup.profile.as_deref().unwrap_or_default());
    }
    let whose = match setup.source {
        Source::Workspace => "Workspace",
        Source::Data => "Data API",
    };
    match &setup.profile {
        Some(profile) => format!("A {whose} key for {profile}"),
        None => format!("Add a {whose} key"),
    }
}

fn explained(setup: &Setup) -> Vec<(String, Role)> {
    let said = |words: &str| (words.to_owned(), Role::Text);
    let dim = |words: &str| (words.to_owned(), Role::Dim);
    let proof = || (setup.proof.as_ref().map(words::proof).unwrap_or_default(), Role::Good);
    match setup.step {
        Step::Address => {
            let example = match setup.source {
                Source::Workspace => "like https://api.example/api/v1",
                Source::Data => "like https://data.example",
            };
            vec![said("URL of the service"), dim(example)]
        }
        Step::Key => {
            let mut lines = vec![dim(&setup.url)];
            lines.extend(setup.said.as_deref().map(|words| (words.to_owned(), Role::Warning)));
            lines.push(said("API key (hidden; you can paste)"));
            lines
        }
        Step::Proving => vec![
            dim(&setup.url),
            said("Checking the key with the service. Nothing is spent, nothing is saved yet."),
            dim("<text.leave> cancel"),
        ],
        Step::Storage => vec![proof(), said("Where should the key be stored?")],
        Step::Command => vec![
            said("A command that prints the key. The key stays where it is; lode runs the command at each start."),
            dim("such as  pass show acme  or  op read op://work/acme/key"),
        ],
        Step::Name => vec![proof(), said("A name for this profile")],
        Step::Session => vec![
            said("Maximum credits per session. Empty: no cap."),
            dim("You confirm every purchase by typing its number; a cap is a second limit."),
        ],
        Step::Day => vec![said("Maximum credits in any 24 hours, over all windows. Empty: no cap.")],
        Step::Writing => vec![said("Writing the settings. The keyring may ask for its password.")],
    }
}

/// A place for a key, in words.
pub(super) fn words_of(place: Place) -> &'static str {
    match place {
        Place::Keyring => "the system keyring",
        Place::Command => "a command that prints it",
        Place::File => "a private file",
    }
}

fn place(place: Place, keyring: Option<&str>) -> Line<'static> {
    let words = words_of(place);
    match (place, keyring) {
        (Place::Keyring, None) => Line::new(words, "unlocked with your session"),
        (Place::Keyring, Some(_)) => Line::new(words, "cannot be used here").role(Role::Disabled),
        (Place::Command, _) => Line::new(words, "pass, op, gopass …"),
        (Place::File, _) => Line::new(words, "always shown in the header"),
    }
}

/// Length and beginning of a hidden key: never more than five characters, and never more than a quarter of it.
fn known(key: &str) -> String {
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
    use super::known;

    #[test]
    fn of_a_key_only_length_and_beginning_are_shown() {
        assert_eq!(known(""), "nothing typed yet");
        assert_eq!(known("ak_"), "3 characters");
        assert_eq!(known("ak_7f0123456789abcdef"), "21 characters, begins with ak_7f");
    }
}
