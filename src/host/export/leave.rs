//! Exclusions held against the records of a CSV. Suppression lists are not asked: a stream has no store.

use std::io;

use lode_core::{ExclusionFilter, ExclusionKind, Exclusions, Known, Traits};

/// What a record is looked at for, and where it stands.
pub(super) struct Leave {
    sieve: ExclusionFilter,
    columns: Vec<(Known, usize)>,
    pub excluded: u64,
}

impl Leave {
    pub(super) fn new(not: &Exclusions) -> Leave {
        Leave { sieve: ExclusionFilter::new(not, &[]), columns: Vec::new(), excluded: 0 }
    }

    /// Nothing is left out.
    pub(super) fn is_empty(&self) -> bool {
        self.sieve.is_empty()
    }

    /// The head of the file. A column that an exclusion needs has to be there: else nothing would be left out by it.
    pub(super) fn head<S: AsRef<str>>(&mut self, names: &[S]) -> io::Result<()> {
        for (at, name) in names.iter().enumerate() {
            self.columns.extend(Known::of(name.as_ref()).map(|known| (known, at)));
        }
        let has = |known: Known| self.columns.iter().any(|(there, _)| *there == known);
        let lacks = self.sieve.of().iter().find(|(kind, _)| match kind {
            ExclusionKind::Title => !has(Known::Title),
            ExclusionKind::Word | ExclusionKind::Company => !has(Known::Company),
            ExclusionKind::Domain => !has(Known::Email) && !has(Known::Website),
            ExclusionKind::List => true,
        });
        match lacks {
            None => Ok(()),
            Some((kind, value)) => {
                let words = format!("the export has no column for `{}`, so {value} cannot be left out", kind.label());
                Err(io::Error::new(io::ErrorKind::InvalidData, words))
            }
        }
    }

    /// Whether the record stays in.
    pub(super) fn takes<S: AsRef<str>>(&mut self, texts: &[S]) -> bool {
        if self.sieve.is_empty() {
            return true;
        }
        let text = |known: Known| {
            let column = self.columns.iter().find(|(there, _)| *there == known);
            column.and_then(|(_, at)| texts.get(*at)).map_or("", AsRef::as_ref)
        };
        let traits = Traits {
            title: text(Known::Title),
            company: text(Known::Company),
            email: text(Known::Email),
            website: text(Known::Website),
            ..Traits::default()
        };
        let stays = self.sieve.names(&traits).is_none();
        self.excluded += u64::from(!stays);
        stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_left_out_and_a_column_that_is_missing_is_said() {
        let mut not = Exclusions::default();
        not.add(ExclusionKind::Title, "intern").unwrap();
        let mut leave = Leave::new(&not);
        leave.head(&["id", "title", "company_name"]).unwrap();
        assert!(
            leave.takes(&["1", "Nurse", "Elm"]) && !leave.takes(&["2", "Summer Intern", "Elm"]) && leave.takes(&["3"])
        );
        assert_eq!(leave.excluded, 1);
        let missing = Leave::new(&not).head(&["id", "company_name"]).unwrap_err();
        assert_eq!(missing.to_string(), "the export has no column for `word in title`, so intern cannot be left out");
        not.clear();
        assert!(Leave::new(&not).head(&["id"]).is_ok());
    }
}
