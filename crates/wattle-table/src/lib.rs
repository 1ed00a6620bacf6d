//! One description of a table's columns, from which every view of its rows is made.
//!
//! A row type lists its columns once: JSON key, unit, label, a sentence of documentation, how prominent the column is,
//! which views show it, and a function from row to value. JSON ([`Json`]), JSON Schema (`schema`), terminal tables
//! and the page's tables are all made from that list, so that they cannot disagree:
//!
//! ```
//! use wattle_table::{Column, Json, describe};
//!
//! struct Core { number: u32, busy: f64 }
//!
//! describe!(Core, "core", "one core of the CPU", [
//!     Column::id("core", "the kernel's number", |row: &Core| row.number),
//!     Column::number("busy_s", "time it ran a task", |row| row.busy),
//! ]);
//!
//! let text = serde_json::to_string(&Json(&Core { number: 3, busy: 0.5 }))?;
//! assert_eq!(text, r#"{"busy_s":0.5,"core":3}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! [`Json`] writes keys in alphabetical order, [`Declared`] in the order of the columns.

mod column;
mod definitions;
mod describe;
mod described;
mod estimate;
mod free;
mod json;
mod meta;
mod print;
mod reference;
mod row;
mod schema;
mod sheet;

pub use column::{Column, Get};
pub use definitions::Definitions;
pub use described::Described;
pub use free::Free;
pub use json::{Declared, Json};
pub use meta::{Align, Domain, Emphasis, Kind, Look, Meta, PROVENANCES, Views, Writing};
pub use print::print;
pub use reference::reference;
pub use row::{Cell, Row, Rows};
pub use schema::{document, reference_of};
pub use sheet::{Key, Leaf, Part, Sheet};
