//! How the fields of an event lie in its payload.

use std::sync::Arc;

use super::field_type::{InType, OutType};
use super::map_info::ValueMap;

/// Structures inside structures. Recorders allow eight.
pub(super) const DEEPEST: usize = 16;

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldLayout {
    pub name: String,
    pub in_type: InType,
    pub out_type: OutType,
    /// How many there are, where the field is an array.
    pub count: Option<Amount>,
    /// How long it is, where its type does not say: characters of a text, bytes of anything else.
    pub length: Option<Amount>,
    /// Names of its values.
    pub map: Option<Arc<ValueMap>>,
    /// Of a structure its fields.
    pub members: Vec<FieldLayout>,
}

impl FieldLayout {
    /// A field of a type, one of it.
    pub fn new(name: String, in_type: InType, out_type: OutType) -> Self {
        Self { name, in_type, out_type, count: None, length: None, map: None, members: Vec::new() }
    }
}

/// How many, or how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Always as many.
    Fixed(u16),
    /// As two bytes before the field say.
    Before,
    /// As another field says, which comes before it.
    Field(String),
}
