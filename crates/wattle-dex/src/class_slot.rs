//! The classes of a file that is edited.

use crate::{Class, ClassIndex};

/// The fate of a class.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// It is the source's.
    Source(ClassIndex),
    /// It replaces one of the source's.
    Edited(Box<Class>),
    /// It is new.
    New(Box<Class>),
    /// It is left out.
    Removed,
}
