//! What a key costs on the line to the terminal: a tinted row is paid for in bytes.

use std::time::Duration;

use lode_host::terminal::capabilities::Features;
use lode_host::terminal::colors::Depth;
use lode_host::terminal::painter::Painter;
use lode_ui::motion::Motion;
use lode_ui::theme::{Theme, names};

use common::screen::planned::TestScreen;
use common::tabbed::TabbedTerminal;

/// The themes that lode chooses by itself.
const BY_ITSELF: [&str; 4] = ["dark", "light", "sixteen", "plain"];

/// Bytes of the last of these keys, at 160 by 48 in true color, each after a rest: of what it shows at once with motion, or of all.
fn cost(theme: &str, keys: &str, with_motion: bool, features: Features) -> usize {
    let mut screen = TestScreen::new(160, 48);
    screen.model.motion = Motion::new(false, !with_motion);
    screen.open();
    screen.painted();
    screen.model.theme = Theme::named(theme).unwrap();
    let mut painter = Painter::new(Depth::True);
    painter.use_features(features);
    let mut terminal = TabbedTerminal::new(48, 160);
    let mut paint = |screen: &TestScreen| {
        let (frame, drawn) = screen.draw();
        let bytes = painter.paint(&frame, &drawn.frame);
        terminal.process(bytes);
        let bytes = bytes.len();
        if painter.asks_of_tabs() {
            let (row, column) = terminal.cursor();
            painter.cursor_was_at(row, column);
        }
        bytes
    };
    paint(&screen);
    let mut bytes = 0;
    for key in keys.split(' ') {
        screen.wait(Duration::from_secs(1)).painted();
        paint(&screen);
        screen.key(key);
        bytes = paint(&screen);
        screen.painted();
    }
    bytes
}

#[test]
fn a_row_a_scroll_and_a_page_stay_small() {
    for theme in names() {
        // A row of another company brings other colleagues with it: four lines of the card.
        let costs = [
            ("row move with its card", "j j", false, 930),
            ("row move", "j j", true, 480),
            ("scroll", "39j j j", true, 480),
            ("page with its card", "PgDn", false, 3_200),
        ];
        for (name, keys, with_motion, most) in costs {
            let bytes = cost(theme, keys, with_motion, Features::default());
            // A color that is written out costs more than a number; only a theme that was picked has them for every word.
            let most = if BY_ITSELF.contains(&theme) { most } else { most * 5 / 4 };
            println!("{theme}: {name} {bytes} bytes");
            assert!(bytes <= most, "{theme}: {name} takes {bytes} bytes of {most}");
        }
    }
}

#[test]
fn a_terminal_that_can_do_more_is_sent_less() {
    let more = Features { margins: true, repeat: true, tabs: true, ..Features::default() };
    for theme in BY_ITSELF {
        for keys in ["j j", "39j j", "PgDn PgUp PgDn"] {
            let (usual, less) = (cost(theme, keys, false, Features::default()), cost(theme, keys, false, more));
            assert!(less < usual, "{theme}, {keys}: {less} bytes, {usual} without");
        }
    }
}
