//! A theme as its file says it: a title, the backgrounds it is made for, names for colors, and a style for each role.

use std::collections::HashMap;

use ratatui::style::{Color, Style};
use serde::Deserialize;
use serde::de::{IntoDeserializer, value};
use toml::Spanned;

use super::{Background, FOLLOWS, ROLES, Role, Theme, rgb};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    /// One color, or two with everything between them.
    #[serde(default)]
    background: Vec<Spanned<String>>,
    #[serde(default)]
    palette: HashMap<String, Spanned<String>>,
    roles: HashMap<String, Spanned<String>>,
}

/// What is wrong in the file of a theme, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub line: usize,
    pub words: String,
}

/// Reads the file of a theme. What follows from other roles need not be in it; what does not is as in our own theme for such a
/// background.
pub fn read(name: &str, text: &str) -> Result<Theme, Mistake> {
    let at = |place: usize, words: String| Mistake { line: text[..place].matches('\n').count() + 1, words };
    let file: File = toml::from_str(text).map_err(|error| {
        let words = error.message().lines().next().unwrap_or_default().to_owned();
        at(error.span().map_or(0, |span| span.start), words)
    })?;
    let mut palette = HashMap::new();
    for (name, words) in &file.palette {
        let color = color(words.get_ref(), &HashMap::new());
        palette.insert(name.as_str(), color.map_err(|wrong| at(words.span().start, format!("`{name}`: {wrong}")))?);
    }
    let mut papers = Vec::new();
    for words in &file.background {
        let known = color(words.get_ref(), &palette).ok().and_then(rgb);
        papers.push(known.ok_or_else(|| at(words.span().start, "a background is written as #rrggbb".to_owned()))?);
    }
    let mut named = HashMap::new();
    for (role, words) in &file.roles {
        let wrong = |wrong: String| at(words.span().start, wrong);
        let known = role_named(role).ok_or_else(|| wrong(format!("unknown role `{role}`")))?;
        let style = style(words.get_ref(), &palette).map_err(|why| wrong(format!("role `{role}`: {why}")))?;
        named.insert(known, style);
    }
    let base = papers.first().map(|paper| Background::of(*paper).name()).filter(|base| *base != name);
    let mut styles = base.and_then(|base| Theme::named(base).ok()).map_or([Style::new(); ROLES], |base| base.styles);
    for (role, style) in &named {
        styles[*role as usize] = *style;
    }
    let title = file.title.unwrap_or_else(|| name.to_owned());
    let mut theme = Theme { name: name.to_owned(), title, papers, styles };
    for (role, from, weight) in FOLLOWS.into_iter().filter(|(role, ..)| !named.contains_key(role)) {
        let mut style = theme.style(from).add_modifier(weight);
        if role == Role::Cursor {
            style = style.patch(theme.style(Role::Row));
        }
        theme.styles[role as usize] = style;
    }
    Ok(theme)
}

fn role_named(name: &str) -> Option<Role> {
    Role::deserialize(IntoDeserializer::<value::Error>::into_deserializer(name)).ok()
}

/// A color by its name in the palette, by name, number or `#rrggbb`.
fn color(word: &str, palette: &HashMap<&str, Color>) -> Result<Color, String> {
    let own = palette.get(word).copied();
    own.or_else(|| word.parse().ok()).ok_or_else(|| format!("`{word}` is not a color or a style"))
}

/// A color, `on` a background, and weights.
fn style(words: &str, palette: &HashMap<&str, Color>) -> Result<Style, String> {
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
            word => {
                let color = color(word, palette)?;
                if std::mem::take(&mut background) { style.bg(color) } else { style.fg(color) }
            }
        };
    }
    Ok(style)
}

/// The roles that a shipped theme names, for tests.
pub(super) fn named(theme: &str) -> Vec<Role> {
    let text = lode_assets::THEMES.into_iter().find(|(name, _)| *name == theme).map_or("", |(_, text)| text);
    let file: File = toml::from_str(text).unwrap();
    file.roles.keys().filter_map(|role| role_named(role)).collect()
}
