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
