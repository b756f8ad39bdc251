//! What each thing looks like, by role. All themes stand in one file, `assets/themes.toml`: our own for dark and light
//! backgrounds where the terminal has true colors, the person's own sixteen colors elsewhere, and none at all.
//!
//! A state is always a sign too. No widget names a color: it asks for a role.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::LazyLock;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use lode_core::{color, likely::nearest};

/// Named in the file of the themes in small letters: `sign-owned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Text,
    /// Labels, what matters less.
    Dim,
    /// Focus, keys.
    Accent,
    /// The whole line under the cursor.
    Row,
    Owned,
    #[serde(rename = "basket")]
    Staged,
    #[serde(rename = "warn")]
    Warning,
    Danger,
    Money,
    /// The cell under the cursor, on top of its row.
    Cell,
    Border,
    Shade1,
    Shade2,
    Shade3,
    Shade4,
    Shade5,
    Shade6,
    // What follows from those above.
    /// Masks, separators, troughs, empty values: the third tone, 3:1 where text has 4.5:1.
    Faint,
    Strong,
    /// The border of the pane that has the keys.
    Focus,
    Title,
    /// The marked line of a list, a marked text in a field.
    Cursor,
    /// Column heads.
    Head,
    Tab,
    Key,
    /// The label on the small painted surface of a filter; faint ink goes on it as well.
    Pill,
    /// The value on the same surface.
    PillValue,
    /// What can be pressed in a card.
    Button,
    /// A word about the whole window, in the header.
    Badge,
    Disabled,
    Input,
    Suppressed,
    Refunded,
    New,
    Live,
    Sandbox,
    Bar,
    Good,
    Match,
    SignOwned,
    SignBasket,
    SignWarn,
}

/// How many roles there are.
const ROLES: usize = Role::SignWarn as usize + 1;

/// What a role is where a theme does not name it: another role with a weight.
const FOLLOWS: [(Role, Role, Modifier); 25] = [
    (Role::Faint, Role::Dim, Modifier::empty()),
    (Role::Strong, Role::Text, Modifier::BOLD),
    (Role::Focus, Role::Accent, Modifier::empty()),
    (Role::Title, Role::Text, Modifier::BOLD),
    (Role::Cursor, Role::Text, Modifier::BOLD),
    (Role::Head, Role::Dim, Modifier::empty()),
    (Role::Tab, Role::Accent, Modifier::BOLD.union(Modifier::UNDERLINED)),
    (Role::Key, Role::Accent, Modifier::empty()),
    (Role::Pill, Role::Dim, Modifier::empty()),
    (Role::PillValue, Role::Strong, Modifier::empty()),
    (Role::Button, Role::Key, Modifier::BOLD),
    (Role::Badge, Role::Strong, Modifier::empty()),
    (Role::Disabled, Role::Dim, Modifier::empty()),
    (Role::Input, Role::Text, Modifier::UNDERLINED),
    (Role::Suppressed, Role::Dim, Modifier::empty()),
    (Role::Refunded, Role::Warning, Modifier::empty()),
    (Role::New, Role::Accent, Modifier::BOLD),
    (Role::Live, Role::Danger, Modifier::BOLD),
    (Role::Sandbox, Role::Owned, Modifier::empty()),
    (Role::Bar, Role::Accent, Modifier::empty()),
    (Role::Good, Role::Owned, Modifier::empty()),
    (Role::Match, Role::Warning, Modifier::BOLD),
    (Role::SignOwned, Role::Owned, Modifier::empty()),
    (Role::SignBasket, Role::Staged, Modifier::empty()),
    (Role::SignWarn, Role::Warning, Modifier::empty()),
];

/// The background of the terminal, if it reports one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    Dark,
    Light,
}

impl Background {
    pub fn name(self) -> &'static str {
        match self {
            Background::Dark => "dark",
            Background::Light => "light",
        }
    }

    /// Whether black or white stands out more from it.
    pub fn of(rgb: [u8; 3]) -> Background {
        if color::luminance(rgb) > 0.179 { Background::Light } else { Background::Dark }
    }
}

impl FromStr for Background {
    type Err = ();

    fn from_str(word: &str) -> Result<Background, ()> {
        [Background::Dark, Background::Light].into_iter().find(|known| known.name() == word).ok_or(())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: &'static str,
    styles: [Style; ROLES],
}

/// The themes in the order in which the palette walks through them.
pub const NAMES: [&str; 4] = ["dark", "light", "sixteen", "plain"];

/// Names of earlier versions.
const EARLIER: [(&str, &str); 4] = [("night", "dark"), ("harbour", "dark"), ("contrast", "dark"), ("paper", "light")];

const TEXT: &str = lode_assets::THEMES;

static ALL: LazyLock<[Theme; NAMES.len()]> = LazyLock::new(|| {
    let mut themes = read(TEXT).expect("a test reads the file of the themes");
    NAMES.map(|name| Theme::of(name, themes.remove(name).expect("every theme has a table")))
});

/// The styles that the themes of a file name.
fn read(file: &str) -> Result<HashMap<String, HashMap<Role, Words>>, toml::de::Error> {
    toml::from_str(file)
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no theme `{name}`{near} There are: {known}")]
pub struct UnknownTheme {
    name: String,
    near: String,
    known: String,
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::named("sixteen").expect("it is one of them")
    }
}

impl Theme {
    pub fn named(name: &str) -> Result<Theme, UnknownTheme> {
        let today = EARLIER.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, today)| today);
        let found = ALL.iter().find(|theme| theme.name == today);
        found.cloned().ok_or_else(|| {
            let near = nearest(name, &NAMES).map_or(".".to_owned(), |near| format!(". Did you mean `{near}`?"));
            UnknownTheme { name: name.to_owned(), near, known: NAMES.join(", ") }
        })
    }

    /// Our own theme for a background.
    pub fn on(background: Background) -> Theme {
        Theme::named(background.name()).unwrap_or_default()
    }

    fn of(name: &'static str, named: HashMap<Role, Words>) -> Theme {
        let mut theme = Theme { name, styles: [Style::new(); ROLES] };
        for (role, words) in &named {
            theme.styles[*role as usize] = words.0;
        }
        for (role, from, weight) in FOLLOWS.into_iter().filter(|(role, ..)| !named.contains_key(role)) {
            let mut style = theme.style(from).add_modifier(weight);
            if role == Role::Cursor {
                style = style.patch(theme.style(Role::Row));
            }
            theme.styles[role as usize] = style;
        }
        theme
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The one after this, for walking through them.
    pub fn next(&self) -> Theme {
        let at = ALL.iter().position(|theme| theme.name == self.name).map_or(0, |at| (at + 1) % ALL.len());
        ALL[at].clone()
    }
}

/// A style as the file says it: a color, `on` a background, and weights.
#[derive(Deserialize)]
#[serde(try_from = "&str")]
struct Words(Style);

impl TryFrom<&str> for Words {
    type Error = String;

    fn try_from(words: &str) -> Result<Words, String> {
        let mut style = Style::new();
        let mut background = false;
        for word in words.split_whitespace() {
            style = match word {
                "on" => {
                    background = true;
                    continue;
                }
                "bold" => style.bold(),
                "dim" => style.dim(),
                "italic" => style.italic(),
                "underline" => style.underlined(),
                "reverse" => style.reversed(),
                color => {
                    let color: Color = color.parse().map_err(|_| format!("`{color}` is not a color or a style"))?;
                    if std::mem::take(&mut background) { style.bg(color) } else { style.fg(color) }
                }
            };
        }
        Ok(Words(style))
    }
}

/// All roles with their names, for tests of colors.
pub fn roles() -> impl Iterator<Item = (String, Role)> {
    let named = read(TEXT).unwrap().remove("dark").unwrap().into_keys();
    let all: std::collections::HashSet<Role> = named.chain(FOLLOWS.map(|(role, ..)| role)).collect();
    assert_eq!(all.len(), ROLES, "a role is named by every theme or follows from one that is");
    all.into_iter().map(|role| (format!("{role:?}"), role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::color::{FAINT, READABLE, contrast};

    /// The backgrounds that our own themes are made for, from one end to the other.
    const MADE_FOR: [(&str, [u8; 3], [u8; 3]); 2] =
        [("dark", [0, 0, 0], [0x2e, 0x34, 0x40]), ("light", [0xff, 0xff, 0xff], [0xee, 0xe8, 0xd5])];

    fn rgb(color: Color) -> [u8; 3] {
        match color {
            Color::Rgb(r, g, b) => [r, g, b],
            Color::Indexed(n @ 232..) => [8 + (n - 232) * 10; 3],
            Color::Indexed(n @ 16..) => {
                [(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6].map(|step| if step == 0 { 0 } else { 55 + 40 * step })
            }
            other => panic!("{other} is the terminal's own"),
        }
    }

    #[test]
    fn every_role_stands_out_from_every_background_it_is_made_for_and_from_the_row_under_the_cursor() {
        for (name, one, other) in MADE_FOR {
            let theme = Theme::named(name).unwrap();
            let row = rgb(theme.style(Role::Row).bg.unwrap());
            for (word, role) in roles() {
                let style = theme.style(role);
                let ink = style.fg.or(theme.style(Role::Text).fg).map(rgb).unwrap();
                let papers = match style.bg {
                    Some(own) => vec![rgb(own)],
                    None if role == Role::Faint => vec![one, other, row, rgb(theme.style(Role::Pill).bg.unwrap())],
                    None => vec![one, other, row],
                };
                let least = match role {
                    Role::Border => 1.5,
                    Role::Faint => FAINT,
                    _ => READABLE,
                };
                for paper in papers {
                    let found = contrast(ink, paper);
                    assert!(found >= least, "{name}: {word} on {paper:02x?} has a contrast of {found:.2}");
                }
            }
            // The tint itself can be seen, by its shade or by its hue.
            for paper in [one, other] {
                let hue: i32 = row.iter().zip(paper).map(|(a, b)| (i32::from(*a) - i32::from(b)).abs()).sum();
                assert!(contrast(row, paper) >= 1.1 || hue >= 30, "{name}: the row cannot be seen on {paper:02x?}");
            }
        }
    }

    #[test]
    fn without_true_color_the_cursor_and_every_state_still_differ_from_plain_text() {
        for name in ["sixteen", "plain"] {
            let theme = Theme::named(name).unwrap();
            let text = theme.style(Role::Text);
            for role in [Role::Row, Role::Cell, Role::Cursor, Role::Owned, Role::Danger, Role::Tab, Role::Key] {
                assert_ne!(theme.style(role), text, "{name}: {role:?}");
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (role, words, names) in
            [("text", "blurple", "`blurple` is not a color or a style"), ("tekst", "red", "unknown variant `tekst`")]
        {
            let error = read(&format!("[x]\n{role} = \"{words}\"")).err().unwrap().to_string();
            assert!(error.contains(names) && error.contains(role), "{error}");
        }
        assert_eq!(Theme::named("x").unwrap_err().name, "x");
        assert_eq!(Theme::named("paper").unwrap().name, "light");
    }

    #[test]
    fn walking_through_them_comes_round() {
        let mut theme = Theme::default();
        for _ in NAMES {
            theme = theme.next();
        }
        assert_eq!(theme, Theme::default());
    }

    #[test]
    fn a_background_is_dark_or_light() {
        for (rgb, is) in [([0, 0, 0], Background::Dark), ([0x2e, 0x34, 0x40], Background::Dark)] {
            assert_eq!(Background::of(rgb), is);
        }
        for rgb in [[0xff, 0xff, 0xff], [0xee, 0xe8, 0xd5], [0x83, 0x94, 0x96]] {
            assert_eq!(Background::of(rgb), Background::Light);
        }
        assert_eq!("light".parse(), Ok(Background::Light));
    }
}
