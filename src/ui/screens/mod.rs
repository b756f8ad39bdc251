//! One module per screen, each with its state, its update and its view. Screens never import each other.

pub mod basket;
pub mod counts;
pub mod jobs;
pub mod matching;
pub mod owned;
pub mod saved;
pub mod search;

/// The names that almost every screen uses.
pub(crate) mod prelude {
    pub(crate) use crate::dialogs::Dialog;
    pub(crate) use crate::dialogs::ask::{Ask, Deed};
    pub(crate) use crate::dialogs::picker::{Pick, Picker};
    pub(crate) use crate::dialogs::prompt::{Prompt, Purpose};
    pub(crate) use crate::dialogs::reader::{Part, Reader};
    pub(crate) use crate::keys::command::{Command, List};
    pub(crate) use crate::keys::situation::{Context, chain};
    pub(crate) use crate::scene::{Handoff, Scene, SceneRef, Slice, numbered};
    pub(crate) use crate::signs::Sign;
    pub(crate) use crate::theme::Role;
    pub(crate) use crate::widgets::canvas::{Canvas, Target};
    pub(crate) use crate::widgets::{pane, table};
    pub(crate) use lode_core::contact::{Side, Source};
    pub(crate) use lode_core::credits::{counted, grouped};
    pub(crate) use lode_core::query::Query;
    pub(crate) use lode_core::row::{Known, Row};
    pub(crate) use lode_engine::flow::session::Session;
    pub(crate) use ratatui::layout::Rect;
}
