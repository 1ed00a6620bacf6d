//! The Arrow schema of a table, as Arrow's writers leave it in the metadata of a Parquet file: without it, readers know the types
//! of columns and nothing of their units and descriptions.
//!
//! ```text
//! base64( ff ff ff ff │ length │ Message ─► Schema ─► Field ─► type, metadata )
//!                                └────────── one FlatBuffer ──────────┘
//! ```
//!
//! Tables of a FlatBuffer are written from the inside out. Slots are those of `Schema.fbs` and `Message.fbs` of Apache Arrow: a
//! table's field number n is in slot 4 + 2n.

use base64ct::{Base64, Encoding as _};
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, VOffsetT, WIPOffset};

use crate::{Column, ColumnType};

/// The key of the file's metadata under which readers look for the schema.
pub const ARROW_SCHEMA_KEY: &str = "ARROW:schema";

/// `MetadataVersion.V5`.
const VERSION_5: i16 = 4;
/// `MessageHeader.Schema`.
const HEADER_SCHEMA: u8 = 1;
/// `Type.Int`, `Type.FloatingPoint`, `Type.Utf8`.
const TYPE_INT: u8 = 2;
const TYPE_FLOAT: u8 = 3;
const TYPE_UTF8: u8 = 5;
/// `Precision.DOUBLE`.
const DOUBLE: i16 = 2;

type Table = WIPOffset<TableFinishedWIPOffset>;

/// The slot of a field by its number.
const fn slot(number: VOffsetT) -> VOffsetT {
    4 + 2 * number
}

/// The schema as the value of [`ARROW_SCHEMA_KEY`].
pub fn encoded_arrow_schema(columns: &[Column]) -> String {
    let mut builder = FlatBufferBuilder::new();
    let fields: Vec<Table> = columns.iter().map(|column| field(&mut builder, column)).collect();
    let fields = builder.create_vector(&fields);
    let schema = builder.start_table();
    builder.push_slot_always(slot(1), fields);
    let schema = builder.end_table(schema);
    let message = builder.start_table();
    builder.push_slot_always(slot(0), VERSION_5);
    builder.push_slot_always(slot(1), HEADER_SCHEMA);
    builder.push_slot_always(slot(2), schema);
    let message = builder.end_table(message);
    builder.finish_minimal(message);
    let buffer = builder.finished_data();
    // The length counts the padding to eight bytes.
    let length = buffer.len().next_multiple_of(8);
    let mut bytes = vec![0xFF; 4];
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend(buffer);
    bytes.resize(8 + length, 0);
    Base64::encode_string(&bytes)
}

/// `Field`: name, nullable, type and its tag, no children, metadata.
fn field(builder: &mut FlatBufferBuilder<'_>, column: &Column) -> Table {
    let name = builder.create_string(column.name);
    let facts = [Some(("description", column.description)), column.unit.map(|unit| ("unit", unit))];
    let facts: Vec<Table> =
        facts.into_iter().flatten().map(|(key, value)| fact(builder, key, value)).collect();
    let facts = builder.create_vector(&facts);
    let children = builder.create_vector::<Table>(&[]);
    let (tag, kind) = kind(builder, column.kind);
    let field = builder.start_table();
    builder.push_slot_always(slot(0), name);
    builder.push_slot_always(slot(1), true);
    builder.push_slot_always(slot(2), tag);
    builder.push_slot_always(slot(3), kind);
    builder.push_slot_always(slot(5), children);
    builder.push_slot_always(slot(6), facts);
    builder.end_table(field)
}

/// `KeyValue`.
fn fact(builder: &mut FlatBufferBuilder<'_>, key: &str, value: &str) -> Table {
    let (key, value) = (builder.create_string(key), builder.create_string(value));
    let fact = builder.start_table();
    builder.push_slot_always(slot(0), key);
    builder.push_slot_always(slot(1), value);
    builder.end_table(fact)
}

/// The table of a type, and its tag.
fn kind(builder: &mut FlatBufferBuilder<'_>, kind: ColumnType) -> (u8, Table) {
    let table = builder.start_table();
    let tag = match kind {
        ColumnType::Text => TYPE_UTF8,
        ColumnType::Integer => {
            // Bits, and whether it has a sign.
            builder.push_slot_always(slot(0), 64_i32);
            builder.push_slot_always(slot(1), true);
            TYPE_INT
        }
        ColumnType::Float => {
            builder.push_slot_always(slot(0), DOUBLE);
            TYPE_FLOAT
        }
    };
    (tag, builder.end_table(table))
}
