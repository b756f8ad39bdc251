//! Layer 2: what a person sees and does, as pure functions of the [`model`].
//!
//! `update(&mut Model, Msg, Now)` changes it and returns the effects, `view(&Model, …)` draws it. Screens (as a
//! [`ScreenView`](scene::ScreenView)), dialogs and lists implement ratatui's `StatefulWidget`, with
//! [`ViewContext`](widgets::context::ViewContext) as its state. Modules have an order, lowest first: theme, signs, motion, widgets,
//! layout, screens and dialogs, model, update and view. Screens never import each other: what concerns two of them goes
//! up to [`update`]. A wizard ([`export`], [`unlock`], [`setup`]; Match is a screen) has all its steps in one folder: its dialogs, and
//! in `mod.rs` what follows from them, which is a part of the router.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod card;
pub mod dialogs;
pub mod export;
pub mod keys;
pub mod layout;
pub mod linear;
pub mod messages;
pub mod model;
pub mod motion;
pub mod msg;
pub mod scene;
pub mod screens;
pub mod setup;
pub mod signs;
pub mod theme;
pub mod unlock;
pub mod update;
pub mod view;
pub mod widgets;
