//! The lower border of the grid: what is waited for or what the signs mean.

use ratatui::layout::Rect;

use crate::signs::Sign;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use lode_core::text;
use lode_core::time::Now;
use lode_engine::flow::session::Session;

use super::empty_state::waiting;
use super::state::State;

/// The most common first: what there is no room for is left out.
const LEGEND: [Sign; 8] = [
    Sign::Basket,
    Sign::Owned,
    Sign::Suppressed,
    Sign::Excluded,
    Sign::Refunded,
    Sign::New,
    Sign::Unknown,
    Sign::Repeat,
];

pub(super) fn footer(state: &State, session: &Session, now: Now, canvas: &mut Canvas<'_>, area: Rect) {
    let y = area.bottom() - 1;
    let (mut x, right) = (area.x + 2, area.right().saturating_sub(2));
    let window = &session.side(state.side).window;
    // Words on a border take nothing of its look.
    let clear = |canvas: &mut Canvas<'_>, x: u16, wide: usize| {
        let width = (wide as u16).min(right.saturating_sub(x));
        canvas.clear(Rect { x, y, width, height: 1 });
    };
    if state.seat().count(window) > 0
        && let Some(waits) = window.waits(session.desk(), now)
        && let Some(words) = waiting(&waits, session, state.side.source, now)
    {
        let words = format!(" {words} ");
        clear(canvas, x, text::width(&words));
        canvas.put(x, y, right.saturating_sub(x), &words, Role::Warning);
        return;
    }
    let excludes = !window.query().not.is_empty();
    for sign in LEGEND.into_iter().filter(|sign| excludes || *sign != Sign::Excluded) {
        let words = format!(" {} ", sign.word());
        let wide = text::width(&words) + 2;
        if usize::from(x) + wide > usize::from(right) || area.height < 12 {
            return;
        }
        clear(canvas, x, wide);
        x += canvas.line(x, y, wide as u16, &[(" ", Role::Text), (sign.letter(), sign.role()), (&words, Role::Dim)]);
    }
}
