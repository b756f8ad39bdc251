//! The lists that are made from the tables: help, palette, past searches; and the overlays that say what happened.

use super::*;

fn item(model: &Model, situation: &Situation, binding: &Binding) -> PickerItem {
    let row = binding.row;
    let (left, right) = (row.title.to_owned(), binding.keys_text());
    let hidden = model.keymap.spelled(row.help).into_owned();
    let pick = row.enabled(situation).map_or_else(Intent::Refused, |()| Intent::Command(row.command));
    PickerItem { hidden, name: row.name, aliases: row.aliases, ..PickerItem::new(left, right, pick) }
}

/// The keys that work here and now. Typing filters, Enter runs the line.
pub fn help(model: &mut Model) {
    let situation = facts::situation(model);
    let works = |binding: &&Binding| !binding.keys.is_empty() && binding.row.is_usable(&situation);
    let bound = model.keymap.of(facts::chain_of(model)).filter(works);
    let lines = bound.map(|binding| (binding.row.group, item(model, &situation, binding))).collect();
    model.nav.dialogs.push(Dialog::Help(HelpSheet::new(lines)));
}

/// What can be done with the row under the cursor, beside it: each command by its key, if that is a letter.
pub fn row(model: &mut Model) {
    let situation = facts::situation(model);
    let works = |binding: &&Binding| (binding.row.in_menu)(&situation) && binding.row.is_usable(&situation);
    let items = model.keymap.of(situation.chain).filter(works).map(|binding| {
        let item = item(model, &situation, binding);
        let only = if let Some([only]) = binding.keys.first().map(Vec::as_slice) { only.letter() } else { None };
        match only.filter(|letter| *letter != ' ') {
            Some(letter) => PickerItem { right: String::new(), ..item.letter(letter) },
            None => item,
        }
    });
    let name = facts::row(model).map_or_else(String::new, |row| row.name());
    model.nav.dialogs.push(Dialog::Picker(Picker::new(name, items.collect()).beside_row()));
}

/// Opens where the row under the cursor leads, after asking if there are several places.
pub fn open(model: &mut Model, what: Option<LeadKind>, fx: &mut Vec<Effect>) {
    let mut leads = facts::leads(model);
    leads.retain(|lead| what.is_none_or(|kind| lead.kind == kind));
    if leads.len() == 1 {
        return leads.into_iter().for_each(|lead| open_lead(model, lead, fx));
    }
    let item = |lead: Lead| PickerItem::new(lead.kind.to_string(), lead.text.clone(), Intent::Open(Box::new(lead)));
    let items = leads.into_iter().map(item);
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Open", items.collect()).beside_row()));
}

pub(super) fn open_lead(model: &mut Model, lead: Lead, fx: &mut Vec<Effect>) {
    model.say(format!("Opening {}.", lead.text));
    model.ask_file(PendingRequest::Open, FileCall::Open(Box::new(lead)), fx);
}

/// Another program opened it, or there is none here: then the address is copied.
pub(super) fn opened(model: &mut Model, result: Result<FileReply, FileFailure>, fx: &mut Vec<Effect>) {
    match result {
        Ok(FileReply::NoProgram(address)) => {
            model.say(format!("No browser here. Copied {address}"));
            fx.push(Effect::Copy(address));
        }
        Ok(_) => {}
        Err(failure) => model.fail(format!("Not opened: {failure}.")),
    }
}

/// Every command that means something here, found by its words.
pub fn palette(model: &mut Model) {
    let contexts: Chain = facts::chain_of(model);
    let situation = facts::situation(model);
    let skipped = |binding: &&Binding| {
        // Moving and typing are what the keys are for; a palette of them would hide the rest.
        let moves = matches!(binding.row.context, Context::List | Context::Text | Context::Always);
        !moves && (binding.row.applies)(&situation)
    };
    let items = model.keymap.of(contexts).filter(skipped).map(|binding| item(model, &situation, binding));
    let views = views::commands(&model.session).filter(|_| model.nav.screen == Screen::Search);
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Commands", items.chain(views).collect()).taking(typed)));
}

/// What is typed in the palette instead of a line: the number of a row, or a command with a name.
fn typed(words: &str) -> Option<(String, Intent)> {
    match words.parse() {
        Ok(row) => Some((format!("go to row {}", grouped(row)), Intent::Row(row))),
        Err(_) => views::typed(words),
    }
}

/// The files and rules that are in force.
pub fn settings(model: &mut Model) {
    let profile = model.session.profile();
    let limit = |most: Option<Credits>| most.map_or_else(|| "none".to_owned(), Credits::words);
    let per_company = model.session.choice_rules.per_company.map_or_else(|| "none".to_owned(), |most| most.to_string());
    let file = |name: &str| format!("{}{name}", model.config_folder);
    let parts = vec![
        ReaderPart::pair("profile", &*profile.name),
        ReaderPart::pair("settings file", file("config.toml")),
        ReaderPart::pair("score rules", file("score.toml")),
        ReaderPart::pair("themes", file("themes/")),
        ReaderPart::Gap,
        ReaderPart::pair("theme", &*model.theme.name),
        ReaderPart::pair("motion", if model.motion.is_off() { "none" } else { "full" }),
        ReaderPart::pair("limit per request", limit(profile.caps.call)),
        ReaderPart::pair("limit per session", limit(profile.caps.session)),
        ReaderPart::pair("limit per day", limit(profile.caps.day)),
        ReaderPart::pair("limit per company", per_company),
        ReaderPart::Gap,
        ReaderPart::words("Edit the files with any editor. lode applies them when you save."),
    ];
    model.nav.dialogs.push(Dialog::Reader(Reader::new("Settings", parts)));
}

/// The rules by which contacts are scored.
pub fn score_rules(model: &mut Model) {
    let rules = model.session.choice_rules.scorer.card.parts();
    let mut parts: Vec<_> = rules.map(|(label, points)| ReaderPart::pair(label, format!("{points:+}"))).collect();
    if parts.is_empty() {
        let words = "No score rules yet. A rule gives points to contacts that have a word in a field.";
        parts.push(ReaderPart::words(words));
    }
    let words = format!("Rules are in {}score.toml. lode applies them when you save.", model.config_folder);
    parts.extend([ReaderPart::Gap, ReaderPart::words(words)]);
    model.nav.dialogs.push(Dialog::Reader(Reader::new("Score rules", parts)));
}

/// How a program of the person's own gets rows.
pub fn own_commands(model: &mut Model) {
    let lines = ["In config.toml:", ""].into_iter().chain(help::OWN_COMMAND.lines()).chain([""]).map(ReaderPart::words);
    let parts = lines.chain(help::OWN_COMMANDS.replace('`', "").lines().map(ReaderPart::words)).collect();
    model.nav.dialogs.push(Dialog::Reader(Reader::new("Your own commands", parts)));
}

/// Searches of this profile, newest first.
pub fn recall(model: &mut Model) {
    let mut items: Vec<PickerItem> = recallable(&model.session);
    items.extend(model.session.history.recent.iter().filter(|past| past.total > 0).filter_map(|past| {
        let query = Query::from_canonical(&past.canonical)?;
        let right = format!("{}  {}", grouped(past.total), model.scene_ref().hour(past.at.0));
        Some(PickerItem::new(format!("{}  {}", query.side, query.words()), right, Intent::Query(Box::new(query))))
    }));
    let rule = match items.is_empty() {
        true => "No searches yet in this profile.",
        false if items[0].left.starts_with('★') => "★ saved   <text.submit> run again",
        false => "<text.submit> run it again.",
    };
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Recall a search", items).with_rule(rule)));
}

/// The themes, those last that cannot be read on the background of the terminal.
pub fn themes(model: &mut Model) {
    let list = model.themes.list();
    let at = list.iter().position(|(_, theme)| theme.name == model.theme.name).unwrap_or(0);
    let items = list.into_iter().map(|(reads, theme)| {
        let right = if reads { "" } else { "low contrast here" };
        PickerItem { hidden: theme.name.clone(), ..PickerItem::new(theme.title, right, Intent::Theme(theme.name)) }
    });
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Themes", items.collect()).standing_at(at)));
}

/// Shows the theme whose line is marked, until one is chosen; without a list the one before is back.
pub(super) fn try_theme(model: &mut Model) {
    let marked = if let Some(Dialog::Picker(picker)) = model.nav.top() { picker.theme() } else { None };
    match marked.map(|name| model.themes.named(name)) {
        Some(Ok(theme)) if theme != model.theme => {
            model.themes.before.get_or_insert(std::mem::replace(&mut model.theme, theme));
        }
        Some(_) => {}
        None => model.themes.before.take().into_iter().for_each(|before| model.theme = before),
    }
}

pub(super) fn pick_theme(model: &mut Model, name: &str) {
    if let Ok(theme) = model.themes.named(name) {
        model.say(format!("Theme: {}", theme.title));
        model.pick_theme(theme);
    }
}

/// What went wrong last: the sentence, and the request where it was one. What the service says of its keys is cut before it
/// comes here.
pub fn last_error(model: &mut Model) {
    let Some(error) = model.messages.last_error.clone() else { return };
    let mut parts = vec![ReaderPart::words(error.words.clone()), ReaderPart::Gap];
    parts.push(ReaderPart::pair("when", clock(error.at.wall, model.offset_minutes)));
    if let Some(request) = &error.request {
        parts.extend(std::iter::once(ReaderPart::Gap).chain(asked(model, request)));
        parts.extend(std::iter::once(ReaderPart::Gap).chain(answered(request)));
    }
    parts.extend(model.log.iter().flat_map(|log| [ReaderPart::Gap, ReaderPart::pair("log", log)]));
    model.nav.dialogs.push(Dialog::Reader(Reader::new("Last error", parts)));
}

/// What was sent last and what came back.
pub fn last_request(model: &mut Model) {
    let Some(last) = model.session.desk.last_request.clone() else { return };
    let mut parts = asked(model, &last);
    let source = lode_engine::wire::request(&last.call).source;
    parts.extend([
        ReaderPart::Gap,
        ReaderPart::pair("when", clock(last.at.wall, model.offset_minutes)),
        ReaderPart::pair("took", format!("{} ms", last.took.as_millis())),
        ReaderPart::pair("requests", facts::requests(model, source)),
    ]);
    parts.extend(answered(&last));
    if let Call::Search(search) = &last.call {
        parts.extend([ReaderPart::Gap, ReaderPart::pair("in a shell", shell_line::search(&search.query))]);
    }
    model.nav.dialogs.push(Dialog::Reader(Reader::new("Last request", parts)));
}

/// A request with everything that was sent. Calls carry no key, so there is no secret to cut.
fn asked(model: &Model, last: &LastRequest) -> Vec<ReaderPart> {
    let request = lode_engine::wire::request(&last.call);
    let service = model.session.profile().service(request.source);
    let (origin, key) = service
        .map_or_else(Default::default, |service| (service.origin.to_string(), format!("{}… (hidden)", service.shown)));
    let mut parts = vec![
        ReaderPart::pair("service", format!("{} {origin}", request.source.title())),
        ReaderPart::pair("key", key),
        ReaderPart::pair("request", format!("{} {}", request.method, request.path)),
    ];
    parts.extend(request.query.iter().map(|(name, value)| ReaderPart::pair(format!("  {name}"), value.clone())));
    parts.extend(request.body.iter().map(|body| ReaderPart::pair("body", String::from_utf8_lossy(body))));
    parts
}

/// What came back.
fn answered(last: &LastRequest) -> Vec<ReaderPart> {
    let Some(failure) = &last.failure else { return vec![ReaderPart::pair("result", "OK")] };
    let status = failure.status().map_or("none: no response with a status".to_owned(), |status| status.to_string());
    let result = ReaderPart::Pair("result".to_owned(), failure.words().to_owned(), Role::Danger);
    vec![ReaderPart::pair("status", status), result]
}
