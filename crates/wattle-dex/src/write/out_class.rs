//! Classes of the written file.

use crate::{ClassDefItem, ClassIndex};

/// A class of the written file. Its offsets are keys.
pub(crate) struct OutClass {
    pub(crate) item: ClassDefItem,
    /// The class of the source whose members it has.
    pub(crate) source: Option<ClassIndex>,
}
