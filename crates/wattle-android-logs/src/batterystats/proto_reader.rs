//! A message of battery statistics, field by field.

use wattle_timeline::{Names, Package};
use wattle_wire::{Field, Fields};

use super::dump_findings::Findings;

/// Fields up to the first that is broken; whether all were whole.
pub(crate) fn each<'a>(bytes: &'a [u8], take: &mut dyn FnMut(Field<'a>)) -> bool {
    for field in Fields::new(bytes) {
        match field {
            Ok(field) => take(field),
            Err(_) => return false,
        }
    }
    true
}

/// A message, of which the parts that are whole are read.
pub(crate) struct Reader<'a> {
    pub found: &'a mut Findings,
    pub names: &'a mut Names,
    pub packages: &'a mut dyn FnMut(Package),
    pub steps: Vec<(u8, u8)>,
}

/// Text of a field.
pub(crate) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
