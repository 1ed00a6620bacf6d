//! Functions that an address is in.

use wattle_timeline::FrameKind;

/// A function, where it is known with the place in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its name; Java methods as Java writes them.
    pub function: String,
    /// The source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The unit of a Dalvik method's code, where the method has no lines: R8 writes mappings by these instead.
    pub pc: Option<u32>,
    /// The kind of code; `None` to leave what the recorder said.
    pub kind: Option<FrameKind>,
}

impl Place {
    /// A function of which only the name is known.
    pub fn named(function: impl Into<String>) -> Self {
        Self { function: function.into(), ..Self::default() }
    }
}
