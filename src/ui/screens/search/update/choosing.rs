//! Whom to buy: what is left out of the result, and how many contacts of one company are taken. Nothing here is asked of a
//! service and nothing costs anything.

use crate::dialogs::Dialog;
use crate::dialogs::picker::{Item, Pick, Picker};
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::scene::Scene;
use crate::screens::search::state::State;
use lode_core::credits::{counted, grouped};
use lode_core::exclude::{Exclusions, Kind};
use lode_core::firm;
use lode_core::row::Known;
use lode_core::traits::Traits;

use lode_core::text::capital;

impl State {
    /// The menu of what can be left out, each with what is left out already.
    pub fn exclusions(&self) -> Picker {
        let not = &self.seat().draft.not;
        let items = Kind::ALL.into_iter().map(|kind| {
            let values = joined(not, kind);
            let right = if values.is_empty() { "none".to_owned() } else { values };
            Item::new(kind.label(), right, Pick::Exclude(kind))
        });
        Picker::new("Exclude", items.collect()).with_letters(Kind::ALL.map(Kind::letter).to_vec())
    }

    /// One line of that menu.
    pub fn ask_exclude(&mut self, kind: Kind, scene: &mut Scene<'_>) {
        if kind == Kind::List {
            return self.ask_lists(scene);
        }
        self.prompt_exclude(kind, joined(&self.seat().draft.not, kind), scene);
    }

    fn prompt_exclude(&self, kind: Kind, values: String, scene: &mut Scene<'_>) {
        let words = match kind {
            Kind::Title => "Leave out contacts whose title has one of these words.",
            Kind::Word => "Leave out contacts whose company has one of these words in its name.",
            Kind::Company => "Leave out these companies, however their legal form is written.",
            Kind::Domain => "Leave out contacts whose email or website is at one of these domains.",
            Kind::List => "",
        };
        let words = format!("{words} Separate several with a semicolon. No request, no credit.");
        let title = format!("Exclude: {}", kind.label());
        scene.open(Dialog::Prompt(Prompt::new(title, words, Purpose::Exclude(kind)).with(values)));
    }

    fn ask_lists(&self, scene: &mut Scene<'_>) {
        let not = &self.seat().draft.not;
        let lists = scene.session.lists().all().iter().map(|list| {
            let on = not.values(Kind::List).any(|name| name == list.list);
            Item::new(list.list.clone(), if on { "excluded" } else { "" }, Pick::ExcludeList(list.list.clone()))
        });
        let items: Vec<Item> = lists.collect();
        if items.is_empty() {
            return scene.say("No suppression lists yet. <basket.suppressions> on the Basket screen adds one.");
        }
        scene.open(Dialog::Picker(Picker::new("Exclude: suppression list", items)));
    }

    /// What was typed for one kind takes the place of what was there.
    pub fn set_excluded(&mut self, kind: Kind, typed: &str, scene: &mut Scene<'_>) {
        let mut not = self.seat().draft.not.clone();
        let before: Vec<String> = not.values(kind).map(str::to_owned).collect();
        for value in &before {
            not.remove(kind, value);
        }
        for value in typed.split(';').filter(|value| !value.trim().is_empty()) {
            if let Err(problem) = not.add(kind, value) {
                return scene.warn(format!("{}.", capital(&problem.to_string())));
            }
        }
        self.leave_out(not, scene);
    }

    pub fn toggle_excluded_list(&mut self, name: &str, scene: &mut Scene<'_>) {
        let mut not = self.seat().draft.not.clone();
        if !not.remove(Kind::List, name) && not.add(Kind::List, name).is_err() {
            return;
        }
        self.leave_out(not, scene);
    }

    pub(super) fn exclude_none(&mut self, scene: &mut Scene<'_>) {
        self.leave_out(Exclusions::default(), scene);
    }

    /// The cell under the cursor: its company or its domain at once, of a title the words that are meant.
    pub(super) fn exclude_by_cell(&mut self, scene: &mut Scene<'_>) {
        let seat = self.seat();
        let Some((column, row)) = seat.columns.get(seat.column).zip(seat.row(&scene.session.side(self.side).window))
        else {
            return;
        };
        let mut not = seat.draft.not.clone();
        let traits = Traits::of(row);
        let (kind, value) = match &*column.key {
            "title" => {
                let known = joined(&not, Kind::Title);
                let title = traits.title.replace(';', " ");
                let values = if known.is_empty() { title } else { format!("{known}; {title}") };
                return self.prompt_exclude(Kind::Title, values, scene);
            }
            "email" | "email_address" if traits.firm().is_none_or(|firm| !firm.contains('.')) => {
                return scene.say("This is not a company's domain. Exclude the company instead.");
            }
            "email" | "email_address" => (Kind::Domain, firm::domain(traits.email).unwrap_or_default()),
            "company_website" => (Kind::Domain, row.known(Known::Website).to_owned()),
            "company_name" | "name" => (Kind::Company, traits.company.to_owned()),
            _ => {
                scene
                    .say("Exclusions go by title, company, email domain or website.  <results.exclusions> all of them");
                return;
            }
        };
        match not.add(kind, &value) {
            Ok(_) => self.leave_out(not, scene),
            Err(_) => scene.say("This cell is empty or masked, so it cannot be excluded."),
        }
    }

    fn leave_out(&mut self, not: Exclusions, scene: &mut Scene<'_>) {
        let (side, before) = (self.side, self.seat().draft.not.clone());
        let added: Vec<String> = not.iter().filter(|new| !before.iter().any(|old| old == *new)).map(spelled).collect();
        self.change(scene, |query| query.not = not);
        let sift = scene.session.side(side).sift();
        scene.say(match (self.seat().draft.not.is_empty(), added.is_empty()) {
            _ if self.seat().draft.not == before => "Nothing changed.".to_owned(),
            (true, _) => "No exclusions left.  <everywhere.undo> undo".to_owned(),
            (false, none_new) => {
                let what =
                    if none_new { "Fewer exclusions".to_owned() } else { format!("Excluded {}", added.join(", ")) };
                let (out, read) = (grouped(sift.excluded()), counted(sift.read(), "row"));
                format!("{what}: {out} of {read} read. Nothing sent.  <everywhere.undo> undo")
            }
        });
    }

    pub(super) fn ask_per_company(&self, scene: &mut Scene<'_>) {
        let words = "The most contacts of one company, the best first. Applies to <results.stage-page>, <results.stage-all> \
                     and the review. Empty or 0: no limit.";
        let now = scene.session.taste().per_company.map_or_else(String::new, |limit| limit.to_string());
        scene.open(Dialog::Prompt(Prompt::new("Limit per company", words, Purpose::PerCompany).offering(now)));
    }

    /// The number that was typed for it.
    pub fn set_per_company(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let limit = match typed.trim() {
            "" | "0" => None,
            typed => match typed.parse::<u32>() {
                Ok(limit) => Some(limit),
                Err(_) => {
                    return scene.warn(format!("`{typed}` is not a number."));
                }
            },
        };
        scene.session.limit_per_company(limit);
        scene.say(match limit {
            Some(limit) => format!("At most {} of one company from now on.", grouped(u64::from(limit))),
            None => "No limit per company.".to_owned(),
        });
    }
}

fn joined(not: &Exclusions, kind: Kind) -> String {
    not.values(kind).collect::<Vec<_>>().join("; ")
}

fn spelled((kind, value): (Kind, &str)) -> String {
    format!("{} {value}", kind.label())
}
