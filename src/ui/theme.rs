//! What each thing looks like, by role. The default uses the person's own sixteen colours; the files of `assets/themes`
//! bring their own. A state is always a sign too, so without colours only weight, underline and reversal remain.
//!
//! No widget names a colour: it asks for a role.

use crate::domain::likely::nearest;
use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Role {
    /// Ordinary text; its background is that of the whole screen.
    Text,
    Dim,
    Strong,
    Border,
    /// The border of the pane that has the keys.
    Focus,
    Title,
    /// The name cell of the row under the cursor, the marked line of a list.
    Cursor,
    /// Column heads.
    Head,
    Tab,
    Key,
    Disabled,
    Input,
    Staged,
    Ours,
    Suppressed,
    Refunded,
    New,
    Live,
    Sandbox,
    Good,
    Warning,
    Danger,
    Bar,
    Match,
    /// A share on the map, from little to the most. A digit says the same.
    Shade1,
    Shade2,
    Shade3,
    Shade4,
}

pub const ROLES: [(&str, Role); 28] = [
    ("text", Role::Text),
    ("dim", Role::Dim),
    ("strong", Role::Strong),
    ("border", Role::Border),
    ("focus", Role::Focus),
    ("title", Role::Title),
    ("cursor", Role::Cursor),
    ("head", Role::Head),
    ("tab", Role::Tab),
    ("key", Role::Key),
    ("disabled", Role::Disabled),
    ("input", Role::Input),
    ("staged", Role::Staged),
    ("ours", Role::Ours),
    ("suppressed", Role::Suppressed),
    ("refunded", Role::Refunded),
    ("new", Role::New),
    ("live", Role::Live),
    ("sandbox", Role::Sandbox),
    ("good", Role::Good),
    ("warning", Role::Warning),
    ("danger", Role::Danger),
    ("bar", Role::Bar),
    ("match", Role::Match),
    ("shade-1", Role::Shade1),
    ("shade-2", Role::Shade2),
    ("shade-3", Role::Shade3),
    ("shade-4", Role::Shade4),
];

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    styles: [Style; ROLES.len()],
}

/// The themes that lode brings, in the order in which the palette walks through them.
pub const BROUGHT: [(&str, &str); 6] = [
    ("sixteen", include_str!("../../assets/themes/sixteen.toml")),
    ("night", include_str!("../../assets/themes/night.toml")),
    ("paper", include_str!("../../assets/themes/paper.toml")),
    ("harbour", include_str!("../../assets/themes/harbour.toml")),
    ("contrast", include_str!("../../assets/themes/contrast.toml")),
    ("plain", include_str!("../../assets/themes/plain.toml")),
];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTheme {
    #[error("there is no theme `{name}`{near} There are: {known}")]
    Unknown { name: String, near: String, known: String },
    #[error("the theme cannot be read: {0}")]
    Unreadable(String),
    #[error("the theme says `{role} = \"{words}\"`, and `{word}` is not a color or a style")]
    Word { role: String, words: String, word: String },
    #[error("the theme names `{0}`, which is not a role")]
    Role(String),
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::named("sixteen").expect("a test reads every theme that lode brings")
    }
}

impl Theme {
    pub fn named(name: &str) -> Result<Theme, BadTheme> {
        let Some((name, text)) = BROUGHT.iter().find(|(known, _)| *known == name) else {
            let known = BROUGHT.map(|(known, _)| known);
            let near = nearest(name, &known).map_or(".".to_owned(), |near| format!(". Did you mean `{near}`?"));
            return Err(BadTheme::Unknown { name: name.to_owned(), near, known: known.join(", ") });
        };
        Theme::read(name, text)
    }

    /// `role = "blue on black bold"`: a colour by name, number or `#rrggbb`, a background after `on`, weights.
    pub fn read(name: &str, text: &str) -> Result<Theme, BadTheme> {
        let table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| BadTheme::Unreadable(e.message().to_owned()))?;
        let mut theme = Theme { name: name.to_owned(), styles: [Style::new(); ROLES.len()] };
        for (key, value) in &table {
            let role = ROLES.iter().find(|(role, _)| role == key).map(|(_, role)| *role);
            let role = role.ok_or_else(|| BadTheme::Role(key.clone()))?;
            let words = value.as_str().ok_or_else(|| BadTheme::Unreadable(format!("`{key}` is not a text")))?;
            theme.styles[role as usize] = read_style(key, words)?;
        }
        Ok(theme)
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The one after this, for walking through them.
    pub fn next(&self) -> Theme {
        let at = BROUGHT.iter().position(|(known, _)| *known == self.name).map_or(0, |at| (at + 1) % BROUGHT.len());
        Theme::named(BROUGHT[at].0).unwrap_or_default()
    }
}

fn read_style(role: &str, words: &str) -> Result<Style, BadTheme> {
    let mut style = Style::new();
    let mut background = false;
    for word in words.split_whitespace() {
        let modifier = match word {
            "on" => {
                background = true;
                continue;
            }
            "bold" => Some(Modifier::BOLD),
            "dim" => Some(Modifier::DIM),
            "italic" => Some(Modifier::ITALIC),
            "underline" => Some(Modifier::UNDERLINED),
            "reverse" => Some(Modifier::REVERSED),
            _ => None,
        };
        if let Some(modifier) = modifier {
            style = style.add_modifier(modifier);
            continue;
        }
        let colour: Color = word.parse().map_err(|_| BadTheme::Word {
            role: role.to_owned(),
            words: words.to_owned(),
            word: word.to_owned(),
        })?;
        style = if std::mem::take(&mut background) { style.bg(colour) } else { style.fg(colour) };
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Luminance of the WCAG.
    fn luminance(colour: Color) -> Option<f64> {
        let Color::Rgb(r, g, b) = colour else { return None };
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
    }

    #[test]
    fn every_theme_reads_and_its_text_stands_out() {
        for (name, _) in BROUGHT {
            let theme = Theme::named(name).unwrap();
            let base = theme.style(Role::Text);
            for (word, role) in ROLES {
                let style = theme.style(role);
                let (mut fore, mut back) = (style.fg.or(base.fg), style.bg.or(base.bg));
                if style.add_modifier.contains(Modifier::REVERSED) {
                    std::mem::swap(&mut fore, &mut back);
                }
                let (Some(fore), Some(back)) = (fore.and_then(luminance), back.and_then(luminance)) else { continue };
                let contrast = (fore.max(back) + 0.05) / (fore.min(back) + 0.05);
                let least = if role == Role::Border { 1.5 } else { 4.5 };
                assert!(contrast >= least, "{name}: {word} has a contrast of {contrast:.2}");
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert!(matches!(Theme::read("x", "text = \"blurple\""), Err(BadTheme::Word { .. })));
        assert!(matches!(Theme::read("x", "tekst = \"red\""), Err(BadTheme::Role(_))));
        assert!(matches!(Theme::read("x", "text = 3"), Err(BadTheme::Unreadable(_))));
        assert!(matches!(Theme::named("x"), Err(BadTheme::Unknown { .. })));
    }

    #[test]
    fn walking_through_them_comes_round() {
        let mut theme = Theme::default();
        for _ in BROUGHT {
            theme = theme.next();
        }
        assert_eq!(theme, Theme::default());
    }
}
