//! The themes there are: those of the owner, then those that lode brings.

use lode_assets::THEMES;
use lode_core::codes::nearest;

use super::{Background, Theme, read};

/// Those that lode brings, in the order of the list.
pub const NAMES: [&str; THEMES.len()] = {
    let mut names = [""; THEMES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = THEMES[at].0;
        at += 1;
    }
    names
};

/// Names of earlier versions.
const EARLIER: [(&str, &str); 4] = [("night", "dark"), ("harbour", "dark"), ("contrast", "dark"), ("paper", "light")];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no theme `{name}`{near} There are: {known}")]
pub struct UnknownTheme {
    pub(super) name: String,
    near: String,
    known: String,
}

#[derive(Clone, Debug, Default)]
pub struct Themes {
    /// From the config folder; one of these takes the place of a shipped one with its name.
    pub own: Vec<Theme>,
    /// The one that the settings name.
    pub set: Option<String>,
    /// The terminal has the fixed palette of 256 colors.
    pub fewer_colors: bool,
    /// The background of the terminal, where it reports one.
    pub paper: Option<[u8; 3]>,
}

impl Themes {
    pub fn named(&self, name: &str) -> Result<Theme, UnknownTheme> {
        let today = EARLIER.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, today)| today);
        let own = self.own.iter().find(|theme| theme.name == name).cloned();
        let shipped = || THEMES.into_iter().find(|(shipped, _)| *shipped == today);
        let found = own.or_else(|| shipped().and_then(|(name, text)| read(name, text).ok()));
        let fewer = |theme: Theme| if self.fewer_colors { theme.with_fewer_colors() } else { theme };
        found.map(fewer).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            let near = nearest(name, &known).map_or(".".to_owned(), |near| format!(". Did you mean `{near}`?"));
            UnknownTheme { name: name.to_owned(), near, known: known.join(", ") }
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|theme| theme.name.as_str());
        own.chain(NAMES.into_iter().filter(|shipped| self.own.iter().all(|theme| theme.name != *shipped)))
    }

    /// Our own theme for a background; the terminal's own colors where that could not be read on it.
    pub fn on(&self, background: Background) -> Theme {
        self.named(background.name()).ok().filter(|theme| self.reads(theme)).unwrap_or_default()
    }

    /// Whether a theme can be read on the background of the terminal, where that is known.
    fn reads(&self, theme: &Theme) -> bool {
        self.paper.is_none_or(|paper| theme.reads_on(paper))
    }

    /// All of them, and whether each can be read on the background of the terminal; those that cannot come last.
    pub fn list(&self) -> Vec<(Theme, bool)> {
        let all = self.names().filter_map(|name| self.named(name).ok());
        let judged = |theme: Theme| {
            let reads = self.reads(&theme);
            (theme, reads)
        };
        let mut all: Vec<(Theme, bool)> = all.map(judged).collect();
        all.sort_by_key(|(_, reads)| !reads);
        all
    }
}
