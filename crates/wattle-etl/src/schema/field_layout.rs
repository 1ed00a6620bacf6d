//! Layout of an event's fields in its payload.

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
    /// Number of elements, if the field is an array.
    pub count: Option<Amount>,
    /// Length, if the type does not imply it: characters of a text, bytes of anything else.
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

/// Count or length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Always as many.
    Fixed(u16),
    /// As two bytes before the field say.
    Before,
    /// As another field says, which comes before it.
    Field(String),
}
