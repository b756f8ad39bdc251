//! The estimate in two lines below the list, where there is no room for it beside.

use ratatui::layout::Rect;

use crate::signs::Sign;
use crate::theme::Role;
use lode_core::contact::Side;
use lode_core::credits::grouped;
use lode_engine::flow::session::Session;

use super::facts::{Estimate, Standing, why_not};

pub(super) fn footer(estimate: &Estimate, session: &Session, side: Side, inside: Rect) -> Vec<(String, Role)> {
    if inside.height < 5 {
        return Vec::new();
    }
    let first = match why_not(session, side) {
        Some(words) => (words.to_owned(), Role::Warning),
        None => (format!("{}   <basket.unlock> review   nothing spent so far", estimate.most()), Role::Strong),
    };
    if inside.height < 9 {
        return vec![first];
    }
    let mut words = format!(
        "to unlock {}   {} {}   {} {}   risky {}",
        grouped(estimate.to_unlock()),
        Sign::Owned.before("owned"),
        grouped(estimate.count(Standing::Owned)),
        Sign::Suppressed.before("suppressed"),
        grouped(estimate.count(Standing::Suppressed)),
        grouped(estimate.count(Standing::Risky))
    );
    let (repeats, unknown) = (estimate.repeats.len() as u64, estimate.count(Standing::Unknown));
    for (count, name) in [
        (estimate.count(Standing::Unchecked), Sign::Excluded.before("not checked")),
        (repeats, Sign::Repeat.before("repeats")),
        (unknown, Sign::Unknown.before("UNKNOWN")),
    ] {
        if count > 0 {
            words.push_str(&format!("   {name} {}", grouped(count)));
        }
    }
    vec![(words, Role::Text), first]
}
