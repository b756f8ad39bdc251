//! How well a line of a list matches what is typed to find it: the start of the line, the start of a word, part of a word, the first
//! letters of its words, a word with letters left out, and last a typing error. A line that matches in none of these ways is not listed.

/// One rank for each way to match; a lower one is listed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    LineStart,
    WordStart,
    Part,
    Initials,
    Gaps,
    Typo,
}

/// Returns how the line matches, or `None`. Of several typed words each must match, in any order; the worst one counts.
pub fn rank(line: &str, typed: &str) -> Option<Rank> {
    let line = line.to_lowercase();
    let typed = typed.to_lowercase();
    if line.starts_with(&typed) {
        return Some(Rank::LineStart);
    }
    let mut ranks = typed.split_whitespace().map(|word| rank_of_word(&line, word));
    ranks.try_fold(Rank::WordStart, |worst, rank| Some(worst.max(rank?)))
}

fn rank_of_word(line: &str, typed: &str) -> Option<Rank> {
    let some_word = |fits: fn(&str, &str) -> bool| words(line).any(|at| fits(&line[at..], typed));
    Some(match () {
        () if some_word(|rest, typed| rest.starts_with(typed)) => Rank::WordStart,
        () if line.contains(typed) => Rank::Part,
        () if some_word(has_initials) => Rank::Initials,
        () if some_word(has_in_order) => Rank::Gaps,
        () if some_word(is_typo) => Rank::Typo,
        () => return None,
    })
}

/// The places where a word begins.
fn words(line: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    line.char_indices().filter_map(move |(at, c)| {
        let is_start = c.is_alphanumeric() && !before.is_alphanumeric();
        before = c;
        is_start.then_some(at)
    })
}

/// Whether the typed letters are, in their order, letters that begin a word or follow one that matched: `ucon` in "unlock contacts".
/// The line starts where a word does, or after a letter that matched.
fn has_initials(line: &str, typed: &str) -> bool {
    let Some(first) = typed.chars().next() else { return true };
    let Some(rest) = line.strip_prefix(first) else { return false };
    let typed = &typed[first.len_utf8()..];
    has_initials(rest, typed) || words_after(rest).any(|at| has_initials(&rest[at..], typed))
}

/// The places where a word begins after the one that `rest` is the end of.
fn words_after(rest: &str) -> impl Iterator<Item = usize> {
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    words(&rest[end..]).map(move |at| end + at)
}

/// Whether a word begins with the first typed letter and has the others in their order, at most every other letter left out: `hsptl`
/// in "hospital".
fn has_in_order(line: &str, typed: &str) -> bool {
    let mut wanted = typed.chars().peekable();
    let word = line.chars().take_while(|c| c.is_alphanumeric());
    let begins = line.chars().next() == typed.chars().next();
    let span = word.take_while(|c| wanted.next_if_eq(c).is_some() || wanted.peek().is_some()).count();
    let length = typed.chars().count();
    begins && length >= 3 && wanted.peek().is_none() && span <= 2 * length
}

/// Whether a word begins with what is typed but for one letter that is wrong, missing, doubled or swapped. Short words have too many
/// neighbors for that.
fn is_typo(line: &str, typed: &str) -> bool {
    if typed.chars().count() < 4 {
        return false;
    }
    let same = line.chars().zip(typed.chars()).take_while(|(one, other)| one == other);
    let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let (line_at, typed_at) = (&line[same..], &typed[same..]);
    let ((wanted, line_next), (wrong, typed_next)) = (split_first(line_at), split_first(typed_at));
    let swapped = || {
        let ((second, line_rest), (third, typed_rest)) = (split_first(line_next), split_first(typed_next));
        wanted == third && wrong == second && line_rest.starts_with(typed_rest)
    };
    line_next.starts_with(typed_next) || line_next.starts_with(typed_at) || line_at.starts_with(typed_next) || swapped()
}

/// The first character and what is behind it.
fn split_first(text: &str) -> (Option<char>, &str) {
    let mut chars = text.chars();
    (chars.next(), chars.as_str())
}
