//! The flags that make a query: one for every filter of `core::filter`, the parameter's name with hyphens, and those that
//! hide rows. A flag that the chosen search does not document is wrong usage, not silently dropped.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use serde::Deserialize;

use super::*;
use lode_core::{Filter, InvalidExclusion, MatchKind, QueryProblem};

#[derive(Clone, Debug, Args)]
pub struct SideArgs {
    /// Service
    #[arg(long, default_value = "workspace", value_parser = source())]
    pub source: Source,
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

impl SideArgs {
    pub fn side(&self) -> Side {
        Side { source: self.source, corpus: self.corpus }
    }
}

/// What was typed, before it is known which search it is for. A command that does not `SEARCH` only narrows what it finds itself;
/// with `DATA` the filters are those of the Data API. The help lists only what a command takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<Filter, String>")]
#[schemars(with = "BTreeMap<Filter, String>", description = "")]
pub struct FilterArgs<const SEARCH: bool = true, const DATA: bool = false> {
    pub values: Vec<(Filter, String)>,
    pub exclude_unlocked: bool,
    pub exclude_pulled: bool,
    pub no_dedup: bool,
    /// What is left out on this side.
    pub not: Vec<(ExclusionKind, String)>,
}

pub type DataFilters = FilterArgs<true, true>;

/// An assistant names filters alone.
impl<const SEARCH: bool, const DATA: bool> From<BTreeMap<Filter, String>> for FilterArgs<SEARCH, DATA> {
    fn from(filters: BTreeMap<Filter, String>) -> Self {
        FilterArgs { values: filters.into_iter().collect(), ..FilterArgs::default() }
    }
}

/// One value of each filter: company and website come from the list.
pub type MatchFilters = FilterArgs<false>;

/// Filters that `lode match` sets for each account.
const FROM_THE_LIST: [Filter; 2] = [Filter::CompanyName, Filter::CompanyWebsite];

/// Flags without a value, their help, and the service that has them.
const SWITCHES: [(&str, &str, Source); 3] = [
    ("exclude-unlocked", "Hide owned contacts", Source::Workspace),
    ("exclude-pulled", "Hide pulled contacts", Source::Data),
    ("no-dedup", "Include duplicates", Source::Data),
];

fn where_documented(filter: Filter, sides: &[Side]) -> String {
    let documented: Vec<&Side> = sides.iter().filter(|side| Filter::of(**side).contains(&filter)).collect();
    if documented.len() == sides.len() {
        return String::new();
    }
    let names: Vec<String> = documented.iter().map(|side| format!("{} {}", side.source, side.corpus)).collect();
    format!(" [{}]", names.join(", "))
}

fn help(filter: Filter, sides: &[Side], takes_several: bool) -> String {
    let rule = match filter.matching() {
        MatchKind::Text => "contains".to_owned(),
        MatchKind::AnyOf => "contains any of these; comma-separated or repeated".to_owned(),
        MatchKind::Exact => "exact".to_owned(),
        MatchKind::OneOf(values) => values.join(", "),
    };
    let several = if takes_several && filter.matching() != MatchKind::AnyOf { "; may be repeated" } else { "" };
    format!("{rule}{several}{}", where_documented(filter, sides))
}

/// A flag that may come again, each time with a value.
fn repeated(id: &'static str, flag: String, value: &'static str, help: String, heading: &'static str) -> Arg {
    let arg = Arg::new(id).long(flag).value_name(value).value_hint(ValueHint::Other).help(help);
    arg.help_heading(heading).allow_hyphen_values(true).action(ArgAction::Append)
}

impl<const SEARCH: bool, const DATA: bool> Args for FilterArgs<SEARCH, DATA> {
    fn augment_args(mut command: Command) -> Command {
        let sides: Vec<Side> = Side::ALL.into_iter().filter(|side| !DATA || side.source == Source::Data).collect();
        for filter in Filter::ALL {
            if SEARCH || !FROM_THE_LIST.contains(&filter) {
                let help = help(filter, &sides, SEARCH);
                command = command.arg(repeated(filter.name(), flag(filter), "VALUE", help, "Filters"));
            }
        }
        for (name, help, source) in SWITCHES {
            if sides.iter().any(|side| side.source == source) {
                let is_shared = sides.iter().any(|side| side.source != source);
                let help = if is_shared { format!("{help} [{source}]") } else { help.to_owned() };
                let arg = Arg::new(name).long(name).help(help).help_heading("Filters");
                command = command.arg(arg.action(ArgAction::SetTrue));
            }
        }
        for kind in ExclusionKind::ALL.into_iter().filter(|_| SEARCH) {
            let (value, help) = match kind {
                ExclusionKind::Title => ("VALUE", "Leave out titles with this word or words; repeat for several"),
                ExclusionKind::Word => ("VALUE", "Leave out companies with this word or words in their name"),
                ExclusionKind::Company => ("VALUE", "Leave out this company, however its legal form is written"),
                ExclusionKind::Domain => ("VALUE", "Leave out emails and websites at this domain"),
                ExclusionKind::List => ("NAME", "Leave out contacts on this suppression list"),
            };
            let heading = "Exclusions (decided by lode, never sent)";
            command = command.arg(repeated(kind.flag(), kind.flag().to_owned(), value, help.to_owned(), heading));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const SEARCH: bool, const DATA: bool> FromArgMatches for FilterArgs<SEARCH, DATA> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // Not every command has every flag.
        let typed = |id: &str| matches.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned();
        let is_set = |id: &str| matches.try_get_one(id).ok().flatten().copied().unwrap_or(false);
        let of_filter = |filter: Filter| typed(filter.name()).map(move |value| (filter, value));
        let of_kind = |kind: ExclusionKind| typed(kind.flag()).map(move |value| (kind, value));
        let values = Filter::ALL.into_iter().flat_map(of_filter).collect();
        let not = ExclusionKind::ALL.into_iter().flat_map(of_kind).collect();
        let [exclude_unlocked, exclude_pulled, no_dedup] = SWITCHES.map(|(name, ..)| is_set(name));
        Ok(FilterArgs { values, exclude_unlocked, exclude_pulled, no_dedup, not })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const SEARCH: bool, const DATA: bool> FilterArgs<SEARCH, DATA> {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn excludes_lists(&self) -> bool {
        self.not.iter().any(|(kind, _)| *kind == ExclusionKind::List)
    }

    /// The query of these flags on one side.
    pub fn query(&self, side: Side) -> Result<Query, CommandProblem> {
        let mut query = Query::new(side);
        for (filter, value) in &self.values {
            // Of an industry each flag may name several, separated by commas.
            let is_list = filter.matching() == MatchKind::AnyOf;
            // An empty variable of a script would widen the search to everything.
            let words = format!("--{} has an empty value", flag(*filter));
            CommandProblem::refuse_if(value.trim().is_empty(), words, "leave the flag out to search without it")?;
            for value in value.split(|c| is_list && c == ',') {
                query.add(*filter, value).map_err(|problem| wrong(&problem, *filter, side))?;
            }
        }
        let set = [self.exclude_unlocked, self.exclude_pulled, self.no_dedup];
        for ((flag, _, source), set) in SWITCHES.into_iter().zip(set) {
            let words = format!("--{flag} works only with the {} search", source.title());
            let hint = format!("use it with `lode search --source {source}`");
            CommandProblem::refuse_if(set && side.source != source, words, hint)?;
        }
        for (kind, value) in &self.not {
            let wrong = |problem: InvalidExclusion| {
                let hint = format!("--{} takes {}", kind.flag(), kind.label());
                CommandProblem::new(Exit::Usage, problem.to_string(), hint)
            };
            query.not.add(*kind, value).map_err(wrong)?;
        }
        query.hide_owned = self.exclude_unlocked;
        query.hide_pulled = self.exclude_pulled;
        query.dedup = !self.no_dedup;
        match query.ready() {
            // What each account adds to the filters of a match makes the query.
            Err(QueryProblem::Empty) if !SEARCH => Ok(query),
            Err(problem) => Err(not_ready(&problem)),
            Ok(()) => Ok(query),
        }
    }
}

/// A query that is not sent as it stands.
pub fn not_ready(problem: &QueryProblem) -> CommandProblem {
    let hint = match problem {
        QueryProblem::NotListed { filter, nearest: Some(nearest), .. } => {
            format!("did you mean `--{} {nearest}`?", flag(*filter))
        }
        QueryProblem::TooManyLegs(_) => "each combination of values is one search: run fewer at a time".to_owned(),
        QueryProblem::Empty => "for example: `lode search --source data --query nurse`".to_owned(),
        _ => "`lode search --help` shows what each filter takes".to_owned(),
    };
    CommandProblem::new(Exit::Usage, problem.to_string(), hint)
}

fn wrong(problem: &QueryProblem, filter: Filter, side: Side) -> CommandProblem {
    let taking = || Side::ALL.into_iter().filter(|side| Filter::of(*side).contains(&filter));
    // The other corpus of the same service is nearer than the other service.
    let elsewhere = taking().find(|other| other.source == side.source).or_else(|| taking().next()).unwrap_or(side);
    let sentence = match problem {
        QueryProblem::NotHere(_) => format!("--{} is not available for {side}", flag(filter)),
        other => other.to_string(),
    };
    let hint = format!("use it with `lode search --source {} --corpus {}`", elsewhere.source, elsewhere.corpus);
    CommandProblem::new(Exit::Usage, sentence, hint)
}

/// `--corpus`: the help and the completions name what it can be.
pub(super) fn corpus() -> impl TypedValueParser<Value = Corpus> {
    PossibleValuesParser::new(Corpus::ALL.map(Corpus::name)).try_map(|word| word.parse::<Corpus>())
}

/// `--source`
pub(super) fn source() -> impl TypedValueParser<Value = Source> {
    PossibleValuesParser::new(Source::ALL.map(Source::name)).try_map(|word| word.parse::<Source>())
}

pub fn credits(word: &str) -> Result<Credits, String> {
    let number = word.parse::<i64>().ok().filter(|number| *number >= 0);
    number.map(Credits).ok_or_else(|| "a whole number of credits, 0 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(arguments: &[&str]) -> FilterArgs {
        let command = <FilterArgs>::augment_args(Command::new("search").no_binary_name(true));
        FilterArgs::from_arg_matches(&command.try_get_matches_from(arguments).unwrap()).unwrap()
    }

    #[test]
    fn every_filter_of_every_side_arrives_as_the_documents_name_it() {
        for side in Side::ALL {
            for filter in Filter::of(side) {
                let value = match filter.matching() {
                    MatchKind::OneOf(list) => list[0],
                    _ => "value",
                };
                let query = typed(&[&format!("--{}", flag(*filter)), value]).query(side).unwrap();
                assert_eq!(query.params(), [(filter.name(), value.to_owned())]);
            }
        }
    }

    #[test]
    fn a_filter_of_another_search_is_wrong_usage() {
        for side in Side::ALL {
            for filter in Filter::ALL.into_iter().filter(|filter| !Filter::of(side).contains(filter)) {
                let problem = typed(&[&format!("--{}", flag(filter)), "value"]).query(side).unwrap_err();
                assert_eq!(problem.exit(), Exit::Usage);
            }
        }
        let data = Side { source: Source::Data, corpus: Corpus::Us };
        assert_eq!(typed(&["--exclude-unlocked", "--query", "x"]).query(data).unwrap_err().exit(), Exit::Usage);
        assert_eq!(typed(&["--no-dedup"]).query(Side::default()).unwrap_err().exit(), Exit::Usage);
    }

    #[test]
    fn industries_add_up_and_a_value_may_begin_with_a_hyphen() {
        let query = typed(&["--industry", "hospital,clinic", "--industry", "dental", "--title", "-x"]);
        let query = query.query(Side::default()).unwrap();
        assert_eq!(query.values(Filter::Industry), ["hospital", "clinic", "dental"]);
        assert_eq!(query.value(Filter::Title), Some("-x"));
    }

    #[test]
    fn a_repeated_flag_adds_a_value_and_a_comma_is_part_of_it() {
        let query = typed(&["--state", "TX", "--state", "OK", "--title", "director, nursing"]);
        let query = query.query(Side::default()).unwrap();
        assert_eq!(query.values(Filter::State), ["TX", "OK"]);
        assert_eq!(query.values(Filter::Title), ["director, nursing"]);
        assert_eq!(query.leg_count(), 2);
    }

    #[test]
    fn more_than_sixty_combinations_are_wrong_usage() {
        let titles: Vec<String> = (0..8).map(|number| format!("title {number}")).collect();
        let states = ["TX", "OK", "NM", "CA", "NY", "OH", "FL", "GA"];
        let flags = |name: &'static str, values: Vec<String>| {
            values.into_iter().flat_map(move |value| [name.to_owned(), value])
        };
        let all: Vec<String> =
            flags("--title", titles).chain(flags("--state", states.map(str::to_owned).to_vec())).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let problem = typed(&all).query(Side::default()).unwrap_err();
        assert_eq!(problem.exit(), Exit::Usage);
    }

    #[test]
    fn the_data_search_for_everything_is_wrong_usage() {
        let data = Side { source: Source::Data, corpus: Corpus::Us };
        assert_eq!(<FilterArgs>::default().query(data).unwrap_err().exit(), Exit::Usage);
    }
}
