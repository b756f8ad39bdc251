//! What each thing looks like, by role. A theme is a file: `assets/themes` has those that lode brings, the config folder those of
//! its owner. Where the terminal has 256 colors, each is the nearest of them; elsewhere there are the owner's own sixteen, or none.
//!
//! A state is always a sign too. No widget names a color: it asks for a role.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr};
use toml::Spanned;

use lode_assets::THEMES;
use lode_core::codes;
use lode_core::color::{self, FAINT, READABLE, contrast, indexed, nearest};

/// Named in the file of the themes in small letters: `sign-owned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    Text,
    /// Labels, what matters less.
    Dim,
    /// Focus, keys.
    Accent,
    /// The whole line under the cursor.
    Row,
    Owned,
    #[strum(serialize = "basket")]
    Staged,
    #[strum(serialize = "warn")]
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
    /// A row that just changed.
    Changed,
}

/// How many roles there are.
pub const ROLES: usize = Role::Changed as usize + 1;

/// What roles are where a theme does not name them: another role with a weight. That one comes before those that follow from it.
const FOLLOWS: [(&[Role], Role, Modifier); 14] = [
    (&[Role::Faint, Role::Head, Role::Pill, Role::Disabled, Role::Suppressed], Role::Dim, Modifier::empty()),
    (&[Role::Strong, Role::Title, Role::Cursor], Role::Text, Modifier::BOLD),
    (&[Role::Focus, Role::Key, Role::Bar], Role::Accent, Modifier::empty()),
    (&[Role::Tab], Role::Accent, Modifier::BOLD.union(Modifier::UNDERLINED)),
    (&[Role::New], Role::Accent, Modifier::BOLD),
    (&[Role::PillValue, Role::Badge], Role::Strong, Modifier::empty()),
    (&[Role::Button], Role::Key, Modifier::BOLD),
    (&[Role::Input], Role::Text, Modifier::UNDERLINED),
    (&[Role::Refunded, Role::SignWarn], Role::Warning, Modifier::empty()),
    (&[Role::Match], Role::Warning, Modifier::BOLD),
    (&[Role::Sandbox, Role::Good, Role::SignOwned], Role::Owned, Modifier::empty()),
    (&[Role::SignBasket], Role::Staged, Modifier::empty()),
    (&[Role::Live], Role::Danger, Modifier::BOLD),
    (&[Role::Changed], Role::Row, Modifier::BOLD),
];

/// The background of the terminal, if it reports one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Background {
    Dark,
    Light,
}

impl Background {
    /// Whether black or white stands out more from it.
    pub fn of(rgb: [u8; 3]) -> Background {
        if color::luminance(rgb) > 0.179 { Background::Light } else { Background::Dark }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    /// As people know it.
    pub title: String,
    /// The backgrounds it is made for, from one end to the other; none where its inks are the terminal's own.
    pub papers: Vec<[u8; 3]>,
    /// Of each role, in their order.
    pub styles: Arc<[Style; ROLES]>,
}

impl Default for Theme {
    /// Without any color.
    fn default() -> Theme {
        Theme { name: String::new(), title: String::new(), papers: Vec::new(), styles: Arc::new([Style::new(); ROLES]) }
    }
}

impl Theme {
    /// The one in the terminal's own colors.
    pub fn sixteen() -> Theme {
        Theme::named("sixteen").expect("it is one of them")
    }

    /// One of those that lode brings.
    pub fn named(name: &str) -> Result<Theme, String> {
        Themes::default().named(name)
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Whether everything without a surface of its own can be read on this background.
    pub fn reads_on(&self, paper: [u8; 3]) -> bool {
        let inks = self.styles.iter().enumerate().filter(|(_, style)| style.bg.is_none());
        let mut inks = inks.filter_map(|(at, style)| Some((at, rgb(style.fg?)?)));
        inks.all(|(at, ink)| contrast(ink, paper) >= least(at))
    }

    /// The same in the colors of the fixed palette: the nearest ones with which everything can still be read.
    fn with_fewer_colors(mut self) -> Theme {
        let found = |color: Option<Color>, will_do: &dyn Fn([u8; 3]) -> bool| {
            let wanted = color.and_then(rgb)?;
            nearest(wanted, will_do).or_else(|| nearest(wanted, |_| true)).map(Color::Indexed)
        };
        let (papers, mut step) = (&self.papers, None);
        for (at, style) in Arc::make_mut(&mut self.styles).iter_mut().enumerate() {
            let is_seen = |own| papers.iter().all(|paper| is_seen(own, *paper));
            // Each step of the ramp stands out more than the one before.
            let stronger =
                |own| step.is_none_or(|before| papers.iter().all(|on| contrast(own, *on) > contrast(before, *on)));
            let is_step = at >= Role::Shade1 as usize && at <= Role::Shade6 as usize;
            style.bg = found(style.bg, &|own| is_seen(own) && (!is_step || stronger(own))).or(style.bg);
            step = style.bg.and_then(rgb).filter(|_| is_step);
        }
        let surfaces = [Role::Row, Role::Pill].map(|role| self.style(role).bg.and_then(rgb));
        let papers: Vec<[u8; 3]> = self.papers.iter().copied().chain(surfaces.into_iter().flatten()).collect();
        for (at, style) in Arc::make_mut(&mut self.styles).iter_mut().enumerate() {
            let own = style.bg.and_then(rgb).map(|own| vec![own]);
            let papers = own.as_ref().unwrap_or(&papers);
            let holds = |ink| papers.iter().all(|paper| contrast(ink, *paper) >= least(at));
            style.fg = found(style.fg, &holds).or(style.fg);
        }
        self
    }
}

/// The contrast that a role needs, by its place.
fn least(role: usize) -> f64 {
    const FRAME: f64 = 1.5;
    match role {
        role if role == Role::Border as usize => FRAME,
        role if role == Role::Faint as usize => FAINT,
        _ => READABLE,
    }
}

/// Whether a surface can be told from what is around it, by its shade or by its hue.
fn is_seen(own: [u8; 3], paper: [u8; 3]) -> bool {
    let hue: u32 = own.iter().zip(paper).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
    contrast(own, paper) >= 1.1 || hue >= 30
}

/// As it is shown; none for what only the terminal's owner knows.
fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(number) => indexed(number),
        _ => None,
    }
}

// The themes there are: those of the owner, then those that lode brings.

/// The names of those that lode brings, in the order of the list.
pub fn names() -> [&'static str; THEMES.len()] {
    THEMES.map(|(name, _)| name)
}

/// Names of earlier versions.
const EARLIER: [(&str, &str); 4] = [("night", "dark"), ("harbour", "dark"), ("contrast", "dark"), ("paper", "light")];

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
    /// The theme of the window while another one is tried in the list.
    pub before: Option<Theme>,
    /// Asked for on the command line, or the only one that can be shown: a remembered one does not take its place.
    pub stays: bool,
    /// It follows the background of the terminal.
    pub follows: bool,
    /// It was picked by hand and is remembered.
    pub picked: bool,
}

impl Themes {
    /// The error lists the themes.
    pub fn named(&self, name: &str) -> Result<Theme, String> {
        let today = EARLIER.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, today)| today);
        let own = self.own.iter().find(|theme| theme.name == name).cloned();
        let shipped = || THEMES.into_iter().find(|(shipped, _)| *shipped == today);
        let found = own.or_else(|| shipped().and_then(|(name, text)| read(name, text).ok()));
        let fewer = |theme: Theme| if self.fewer_colors { theme.with_fewer_colors() } else { theme };
        found.map(fewer).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            let near = codes::nearest(name, &known).map_or(".".to_owned(), |near| format!(". Did you mean `{near}`?"));
            format!("unknown theme `{name}`{near} Themes: {}", known.join(", "))
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|theme| theme.name.as_str());
        own.chain(names().into_iter().filter(|shipped| self.own.iter().all(|theme| theme.name != *shipped)))
    }

    /// Our own theme for a background; the terminal's own colors where that could not be read on it.
    pub fn on(&self, background: Background) -> Theme {
        self.named(background.into()).ok().filter(|theme| self.reads(theme)).unwrap_or_else(Theme::sixteen)
    }

    /// Whether a theme can be read on the background of the terminal, where that is known.
    fn reads(&self, theme: &Theme) -> bool {
        self.paper.is_none_or(|paper| theme.reads_on(paper))
    }

    /// Whether each can be read on the background of the terminal, and the theme; those that cannot come last.
    pub fn list(&self) -> Vec<(bool, Theme)> {
        let all = self.names().filter_map(|name| self.named(name).ok());
        let mut all: Vec<(bool, Theme)> = all.map(|theme| (self.reads(&theme), theme)).collect();
        all.sort_by_key(|(reads, _)| !reads);
        all
    }
}

// A theme as its file says it: a title, the backgrounds it is made for, names for colors, and a style for each role.

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    title: Option<String>,
    /// One color, or two with everything between them.
    #[serde(default)]
    background: Vec<Spanned<String>>,
    #[serde(default)]
    palette: HashMap<String, Spanned<String>>,
    roles: HashMap<String, Spanned<String>>,
}

/// Reads the file of a theme. What follows from other roles need not be in it; what does not is as in our own theme for such a
/// background. The error names the line and the mistake.
pub fn read(name: &str, text: &str) -> Result<Theme, String> {
    let at = |place: usize, words: String| format!("line {}: {words}", text[..place].matches('\n').count() + 1);
    let file: ThemeFile = toml::from_str(text).map_err(|error| {
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
        let known: Role = role.parse().map_err(|_| wrong(format!("unknown role `{role}`")))?;
        named.insert(known, style(words.get_ref(), &palette).map_err(|why| wrong(format!("role `{role}`: {why}")))?);
    }
    let base = papers.first().map(|paper| Background::of(*paper).into()).filter(|base| *base != name);
    let mut theme = base.and_then(|base| Theme::named(base).ok()).unwrap_or_default();
    let title = file.title.unwrap_or_else(|| name.to_owned());
    theme = Theme { name: name.to_owned(), title, papers, ..theme };
    for (role, style) in &named {
        Arc::make_mut(&mut theme.styles)[*role as usize] = *style;
    }
    let follows = FOLLOWS.iter().flat_map(|(roles, from, weight)| roles.iter().map(move |role| (role, *from, *weight)));
    for (role, from, weight) in follows.filter(|(role, ..)| !named.contains_key(role)) {
        let mut style = theme.style(from).add_modifier(weight);
        if *role == Role::Cursor {
            style = style.patch(theme.style(Role::Row));
        }
        Arc::make_mut(&mut theme.styles)[*role as usize] = style;
    }
    Ok(theme)
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// All roles with their names.
    fn roles() -> impl Iterator<Item = (String, Role)> {
        let following = FOLLOWS.iter().flat_map(|(roles, ..)| *roles).copied();
        let known: HashSet<Role> = named_in("dark").into_iter().chain(following).collect();
        assert_eq!(known.len(), ROLES, "a role is named by every theme or follows from one that is");
        known.into_iter().map(|role| (format!("{role:?}"), role))
    }

    /// The roles that a shipped theme names.
    fn named_in(theme: &str) -> Vec<Role> {
        let text = THEMES.into_iter().find(|(name, _)| *name == theme).map_or("", |(_, text)| text);
        let file: ThemeFile = toml::from_str(text).unwrap();
        file.roles.keys().filter_map(|role| role.parse().ok()).collect()
    }

    fn shown(color: Option<Color>) -> [u8; 3] {
        color.and_then(rgb).unwrap_or_else(|| panic!("{color:?} is the terminal's own"))
    }

    /// Every theme that has colors of its own, in true color and in 256.
    fn colored() -> impl Iterator<Item = (String, Theme)> {
        let tiers = [false, true].map(|fewer_colors| Themes { fewer_colors, ..Themes::default() });
        let themes = tiers.into_iter().flat_map(|themes| names().map(|name| (themes.clone(), name)));
        let all = themes.map(|(themes, name)| (themes.fewer_colors, themes.named(name).unwrap()));
        all.filter(|(_, theme)| !theme.papers.is_empty())
            .map(|(fewer, theme)| (format!("{} {}", theme.name, if fewer { "in 256 colors" } else { "" }), theme))
    }

    #[test]
    fn every_role_stands_out_from_every_background_it_is_made_for_and_from_the_surfaces() {
        for (name, theme) in colored() {
            let [row, pill] = [Role::Row, Role::Pill].map(|role| shown(theme.style(role).bg));
            for (word, role) in roles() {
                let style = theme.style(role);
                let ink = shown(style.fg.or(theme.style(Role::Text).fg));
                let papers = match style.bg {
                    Some(own) => vec![shown(Some(own))],
                    None => [&theme.papers[..], &[row, pill]].concat(),
                };
                let needed = match role {
                    Role::Border => continue,
                    Role::Faint => 3.0,
                    _ => 4.5,
                };
                for paper in papers {
                    let found = contrast(ink, paper);
                    assert!(found >= needed, "{name}: {word} on {paper:02x?} has a contrast of {found:.2}");
                }
            }
            for (surface, paper) in
                [Role::Row, Role::Tab].iter().flat_map(|role| theme.papers.iter().map(move |p| (role, p)))
            {
                let own = shown(theme.style(*surface).bg);
                assert!(is_seen(own, *paper), "{name}: {surface:?} cannot be seen on {paper:02x?}");
            }
            assert!(theme.papers.iter().all(|paper| theme.reads_on(*paper)), "{name} says so itself");
        }
    }

    #[test]
    fn there_are_three_tones_and_six_steps_of_the_ramp() {
        for (name, theme) in colored() {
            let paper = theme.papers[0];
            let tones = [Role::Text, Role::Dim, Role::Faint].map(|role| contrast(shown(theme.style(role).fg), paper));
            assert!(tones.windows(2).all(|two| two[0] > two[1] * 1.2), "{name}: {tones:?}");
            let ramp = [Role::Shade1, Role::Shade2, Role::Shade3, Role::Shade4, Role::Shade5, Role::Shade6];
            let steps = ramp.map(|role| contrast(shown(theme.style(role).bg), paper));
            assert!(steps.windows(2).all(|two| two[0] < two[1]), "{name}: {steps:?}");
        }
    }

    #[test]
    fn a_theme_is_not_chosen_where_it_cannot_be_read() {
        let on = |paper| Themes { paper: Some(paper), ..Themes::default() };
        assert_eq!(on([0x1e, 0x1e, 0x2e]).on(Background::Dark).name, "dark");
        assert_eq!(on([0x77, 0x77, 0x77]).on(Background::Dark).name, "sixteen");
        let listed = on([0, 0, 0]).list();
        assert_eq!(listed.len(), names().len());
        let last: Vec<&str> =
            listed.iter().skip_while(|(reads, _)| *reads).map(|(_, theme)| theme.name.as_str()).collect();
        assert_eq!(last, ["light", "catppuccin-latte", "solarized-light"]);
    }

    #[test]
    fn a_theme_of_ones_own_names_what_is_different() {
        let text = "background = ['#101010']\n[palette]\npink = '#ff80c0'\n[roles]\naccent = 'pink'\n";
        let own = read("mine", text).unwrap();
        assert_eq!((own.title.as_str(), own.style(Role::Key).fg), ("mine", Some(Color::Rgb(255, 128, 192))));
        assert_eq!(own.style(Role::Text), Theme::named("dark").unwrap().style(Role::Text));
        let themes = Themes { own: vec![own], ..Themes::default() };
        assert_eq!(themes.named("mine").unwrap().papers, [[16, 16, 16]]);
        assert_eq!(themes.list().len(), names().len() + 1);
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
    fn mistakes_are_named_with_line_and_role() {
        for (text, line, words) in [
            ("[roles]\n\ntext = 'blurple'", 3, "role `text`: `blurple` is not a color or a style"),
            ("[roles]\ntext = 'red'\ntekst = 'red'", 3, "unknown role `tekst`"),
            ("[palette]\nink = 'x'\n[roles]", 2, "`ink`: `x` is not a color or a style"),
            ("\nbackground = ['red']\n[roles]", 2, "a background is written as #rrggbb"),
        ] {
            assert_eq!(read("x", text), Err(format!("line {line}: {words}")));
        }
        assert!(read("x", "[roles]\ntext = 3").unwrap_err().starts_with("line 2: "));
        assert!(Theme::named("x").unwrap_err().starts_with("unknown theme `x`. Themes: dark, "));
        assert_eq!(Theme::named("paper").unwrap().name, "light");
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
