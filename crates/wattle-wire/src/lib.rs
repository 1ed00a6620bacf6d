//! Numbers on the wire, and nothing of any message's meaning: protobuf (a borrowing field cursor and a writer), and formats with fixed
//! widths ([`ByteCursor`], [`ByteOrder`]).
//!
//! Reading borrows from the input and allocates nothing; what a reader does not want is skipped by its
//! length. A defect of the framing is an error with its exact offset, after which the cursor ends.
//!
//! ```
//! use wattle_wire::{Fields, Value, Writer};
//!
//! let mut writer = Writer::new();
//! writer.varint(1, 150);
//! writer.message(2, |inner| inner.string(3, "swapper"));
//!
//! let mut fields = Fields::new(writer.as_bytes());
//! let field = fields.next().unwrap()?;
//! assert_eq!((field.number, field.value), (1, Value::Varint(150)));
//! let message = fields.next().unwrap()?.value.bytes();
//! let inner = Fields::new(message).next().unwrap()?;
//! assert_eq!(inner.value, Value::Len(b"swapper"));
//! # Ok::<(), wattle_wire::WireError>(())
//! ```
//!
//! For fields of fixed widths a [`ByteCursor`] steps from one to the next; past the end there is nothing, and no panic:
//!
//! ```
//! use wattle_wire::{ByteCursor, ByteOrder};
//!
//! let mut cursor = ByteCursor::new(b"\x2a\0\0\0main\0", 0, ByteOrder::LITTLE);
//! assert_eq!(cursor.u32(), Some(42));
//! assert_eq!(cursor.text(), Some(&b"main"[..]));
//! assert_eq!(cursor.u64(), None);
//! ```

mod bytes;
mod error;
mod fields;
mod packed;
mod value;
mod varint;
mod writer;

pub use bytes::{ByteCursor, ByteOrder};
pub use error::{Defect, WireError};
pub use fields::{Field, Fields};
pub use packed::PackedVarints;
pub use value::Value;
pub use varint::{read_varint, unzigzag, zigzag};
pub use writer::Writer;
