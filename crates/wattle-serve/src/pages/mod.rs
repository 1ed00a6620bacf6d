//! Pages of the server.

mod page_frame;

pub use self::page_frame::*;
