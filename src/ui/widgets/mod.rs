//! Data in, cells out. A widget knows neither a screen nor a flow; it draws what it is given into a [`canvas::Canvas`]
//! and says which places of it can be clicked.

pub mod bars;
pub mod canvas;
pub mod input;
pub mod lines;
pub mod map;
pub mod pane;
pub mod share;
pub mod table;
