//! The source file of items that are written again.

use crate::Dex;
use crate::remap::Remap;

/// Everything that an item needs to be written again.
#[derive(Clone, Copy)]
pub(crate) struct Source<'p, 'a> {
    pub(crate) dex: &'p Dex<'a>,
    pub(crate) remap: &'p Remap,
}
