//! The list of themes: what is under its cursor is shown at once, Esc restores, Enter keeps.

use common::world::planned::World;
use lode_ui::msg::Msg;
use lode_ui::theme::Role;

use crate::contrast::is_readable_on;

const DARK: [u8; 3] = [0x10, 0x14, 0x1c];

/// Found on a dark terminal: the command went on to the light theme, black on black.
#[test]
fn the_theme_command_leaves_a_theme_that_can_be_read() {
    let mut world = World::new(120, 36);
    world.open();
    world.tell(Msg::Background(DARK));
    world.key(": t h e m e Enter");
    let (frame, _) = world.draw();
    is_readable_on(&frame, DARK, "after :theme");
}

fn on_dark() -> World {
    let mut world = World::new(120, 36);
    world.open();
    world.tell(Msg::Background(DARK));
    assert_eq!(world.model.theme.name, "dark", "it follows the background");
    world
}

#[test]
fn the_marked_theme_is_shown_at_once_escape_restores_enter_keeps() {
    let mut world = on_dark();
    let screen = world.screen();
    world.key(": t h e m e Enter");
    assert!(world.screen().contains("Themes · 12"), "{}", world.screen());
    assert_eq!(world.model.theme.name, "dark", "the list begins on the one in use");
    world.key("Down");
    assert_eq!(world.model.theme.name, "catppuccin-mocha");
    let (frame, _) = world.draw();
    let behind = frame[(2, 20)].style();
    assert_ne!(behind.fg, world.model.theme.style(Role::Faint).fg, "the screen behind is not dimmed");
    world.key("Down Esc");
    assert_eq!((world.model.theme.name.as_str(), world.screen()), ("dark", screen));
    world.tell(Msg::Background([255; 3]));
    assert_eq!(world.model.theme.name, "light", "nothing was picked: it follows on");
    world.tell(Msg::Background(DARK));
    world.key(": t h e m e Enter n o r d Enter");
    assert_eq!(world.model.theme.name, "nord");
    assert!(world.screen().contains("Theme: Nord"));
    world.tell(Msg::Background([255; 3]));
    assert_eq!(world.model.theme.name, "nord", "a picked one stays");
}

#[test]
fn themes_that_cannot_be_read_on_this_background_are_last_and_say_so() {
    let mut world = on_dark();
    world.key(": t h e m e Enter");
    let screen = world.screen();
    let line = |title: &str| screen.lines().position(|line| line.contains(title)).unwrap();
    for light in ["lode light", "Catppuccin Latte", "Solarized light"] {
        assert!(line(light) > line("no color"), "{screen}");
        assert!(screen.lines().nth(line(light)).unwrap().contains("low contrast here"), "{screen}");
    }
    assert!(!screen.lines().nth(line("Nord")).unwrap().contains("contrast"), "{screen}");
}

#[test]
fn a_theme_that_is_only_tried_is_not_remembered() {
    let mut world = on_dark();
    world.key(": t h e m e Enter n o r d Enter : t h e m e Enter Down").tell(Msg::Ending);
    let kept = world.model.kept_theme().name.clone();
    assert_eq!(kept, "nord");
    assert!(world.model.placed.contains(r#""picked_theme":"nord""#), "{}", world.model.placed);
}
