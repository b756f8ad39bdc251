//! The page size of a service that refuses a large page instead of cutting it: found by halving, and remembered. The owner that asked
//! hears of a page that was cut.
//!
//! A refused first page may also mean anything else. One row tells: where that is refused as well, the size is not the reason,
//! and the first refusal is what is told.

use crate::effect::Effect;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, Refusal};

use super::{Desk, Pending};

/// The search for a page size that is taken. Nothing is asked here.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizing {
    /// The smallest size that was refused, and the first refusal.
    refused: Option<(u64, Failure)>,
}

impl Sizing {
    /// What to ask for after a first page of `limit` rows was refused; the failure where its size is not the reason.
    pub(super) fn refused(&mut self, limit: u64, failure: &Failure) -> Result<u64, Failure> {
        if !matches!(failure, Failure::Refused { why: Refusal::Request, .. }) {
            return Err(failure.clone());
        }
        match &mut self.refused {
            None if limit > 1 => {
                self.refused = Some((limit, failure.clone()));
                Ok(1)
            }
            Some((least, _)) if limit > 1 => {
                *least = limit;
                Ok(limit / 2)
            }
            Some((_, first)) => Err(first.clone()),
            None => Err(failure.clone()),
        }
    }

    /// What to ask for after a page of `limit` rows was taken: a larger one, after the one row that told that size matters.
    pub(super) fn taken(&self, limit: u64) -> Option<u64> {
        let (least, _) = self.refused.as_ref()?;
        (limit == 1).then_some(least / 2).filter(|half| *half > 1)
    }

    /// Whether any size was refused.
    pub(super) fn has_refused(&self) -> bool {
        self.refused.is_some()
    }
}

impl Desk {
    /// Whether a search goes out again with another page size. Fails with what is told where the size was not the reason.
    pub(super) fn resize(
        &mut self,
        pending: &mut Pending,
        result: Result<&Reply, &Failure>,
        fx: &mut Vec<Effect>,
    ) -> Result<bool, Failure> {
        let source = pending.call.source();
        // A window that is marked as pulled is what the person sees, not a row more or less.
        let Call::Search(search) = &mut pending.call else { return result.map(|_| false).map_err(Clone::clone) };
        if search.mark_pulled {
            return result.map(|_| false).map_err(Clone::clone);
        }
        let sizing = &mut pending.sizing;
        search.limit = match result {
            Ok(_) => match sizing.taken(search.limit) {
                Some(larger) => larger,
                None if sizing.has_refused() => {
                    let limit = search.limit;
                    self.learn_page(source, limit, fx);
                    return Ok(false);
                }
                None => return Ok(false),
            },
            // Another request has found it meanwhile.
            Err(Failure::Refused { why: Refusal::Request, .. }) if self.pages[source as usize] < search.limit => {
                self.pages[source as usize]
            }
            Err(failure) => sizing.refused(search.limit, failure)?,
        };
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &str) -> Failure {
        Failure::Refused { status: 422, why: Refusal::Request, words: words.into() }
    }

    /// The sizes asked for, with a service that takes at most `largest` rows.
    fn asked(largest: u64) -> Vec<u64> {
        let (mut sizing, mut limit, mut asked) = (Sizing::default(), 100, vec![100]);
        loop {
            limit = if limit > largest {
                sizing.refused(limit, &refusal("no")).unwrap()
            } else if let Some(larger) = sizing.taken(limit) {
                larger
            } else {
                return asked;
            };
            asked.push(limit);
        }
    }

    #[test]
    fn a_size_is_found_by_halving() {
        assert_eq!(asked(100), [100]);
        assert_eq!(asked(60), [100, 1, 50]);
        assert_eq!(asked(12), [100, 1, 50, 25, 12]);
        assert_eq!(asked(1), [100, 1, 50, 25, 12, 6, 3, 1]);
    }

    #[test]
    fn a_refusal_whatever_the_size_is_the_first_one() {
        let mut sizing = Sizing::default();
        assert_eq!(sizing.refused(100, &refusal("first")), Ok(1));
        assert_eq!(sizing.refused(1, &refusal("second")), Err(refusal("first")));
    }
}
