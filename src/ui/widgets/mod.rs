//! Data in, cells out. A widget knows neither a screen nor a flow; it draws what it is given into a ratatui `Buffer`
//! and says which places of it can be clicked.

pub mod bars;
pub mod context;
pub mod input;
pub mod lines;
pub mod map;
pub mod pane;
pub mod share;
pub mod table;

/// The names that almost every view uses.
pub(crate) mod prelude {
    pub(crate) use super::context::{Pieces, Target, ViewContext, beginning, flowed, width_of};
    pub(crate) use super::input::Field;
    pub(crate) use super::lines::{LineList, ListLine};
    pub(crate) use super::pane::{self, TitledPane};
    pub(crate) use crate::keys::command::*;
    pub(crate) use crate::keys::situation::{Chain, Context, chain};
    pub(crate) use crate::motion::{MotionFrame, RowStates, Wait};
    pub(crate) use crate::signs::{Sign, status_of};
    pub(crate) use crate::theme::Role;
    pub(crate) use lode_core::*;
    pub(crate) use ratatui::prelude::{Buffer, Position, Rect, StatefulWidget, Widget};
}
