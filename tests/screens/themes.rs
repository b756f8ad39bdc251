//! The list of themes: what is under its cursor is shown at once, Esc restores, Enter keeps.

use common::screen::planned::TestScreen;
use lode_ui::msg::Msg;
use lode_ui::theme::Role;

use crate::contrast::is_readable_on;

const DARK: [u8; 3] = [0x10, 0x14, 0x1c];

/// Found on a dark terminal: the command went on to the light theme, black on black.
#[test]
fn the_theme_command_leaves_a_theme_that_can_be_read() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.handle(Msg::Background(DARK));
    screen.key(": t h e m e Enter");
    let (frame, _) = screen.draw();
    is_readable_on(&frame, DARK, "after :theme");
}

fn on_dark() -> TestScreen {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.handle(Msg::Background(DARK));
    assert_eq!(screen.model.theme.name, "dark", "it follows the background");
    screen
}

#[test]
fn the_marked_theme_is_shown_at_once_escape_restores_enter_keeps() {
    let mut screen = on_dark();
    let text = screen.text();
    screen.key(": t h e m e Enter");
    assert!(screen.text().contains("Themes · 12"), "{}", screen.text());
    assert_eq!(screen.model.theme.name, "dark", "the list begins on the one in use");
    screen.key("Down");
    assert_eq!(screen.model.theme.name, "catppuccin-mocha");
    let (frame, _) = screen.draw();
    let behind = frame[(2, 20)].style();
    assert_ne!(behind.fg, screen.model.theme.style(Role::Faint).fg, "the screen behind is not dimmed");
    screen.key("Down Esc");
    assert_eq!((screen.model.theme.name.as_str(), screen.text()), ("dark", text));
    screen.handle(Msg::Background([255; 3]));
    assert_eq!(screen.model.theme.name, "light", "nothing was picked: it follows on");
    screen.handle(Msg::Background(DARK));
    screen.key(": t h e m e Enter n o r d Enter");
    assert_eq!(screen.model.theme.name, "nord");
    assert!(screen.text().contains("Theme: Nord"));
    screen.handle(Msg::Background([255; 3]));
    assert_eq!(screen.model.theme.name, "nord", "a picked one stays");
}

#[test]
fn themes_that_cannot_be_read_on_this_background_are_last_and_say_so() {
    let mut screen = on_dark();
    screen.key(": t h e m e Enter");
    let text = screen.text();
    let line = |title: &str| text.lines().position(|line| line.contains(title)).unwrap();
    for light in ["lode light", "Catppuccin Latte", "Solarized light"] {
        assert!(line(light) > line("no color"), "{text}");
        assert!(text.lines().nth(line(light)).unwrap().contains("low contrast here"), "{text}");
    }
    assert!(!text.lines().nth(line("Nord")).unwrap().contains("contrast"), "{text}");
}

#[test]
fn a_theme_that_is_only_tried_is_not_remembered() {
    let mut screen = on_dark();
    screen.key(": t h e m e Enter n o r d Enter : t h e m e Enter Down").handle(Msg::Ending);
    let kept = screen.model.kept_theme().name.clone();
    assert_eq!(kept, "nord");
    assert!(screen.model.placed.contains(r#""picked_theme":"nord""#), "{}", screen.model.placed);
}
