//! What an address turned out to be.

use wattle_timeline::{FrameAddress, FrameKind};

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
    /// What kind of code it is; `None` to leave what the recorder said.
    pub kind: Option<FrameKind>,
}

impl Place {
    /// A function of which only the name is known.
    pub fn named(function: impl Into<String>) -> Self {
        Self { function: function.into(), ..Self::default() }
    }
}

/// An address to be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// Where it is.
    pub address: FrameAddress,
    /// Whether it is where a call returns to. The call stands before it, and what stands there may be another line, or, after a call
    /// that never returns, another function.
    pub is_return: bool,
}

impl Lookup {
    /// The address of the instruction.
    ///
    /// Of a return address that is the last byte of the call. Unwinders that write addresses of the ELF file (libunwindstack's
    /// `rel_pc`, which Perfetto and simpleperf write) have moved them to the call already.
    pub(crate) fn instruction(self, address: u64) -> u64 {
        let is_exact = matches!(self.address, FrameAddress::InElf(_));
        if self.is_return && !is_exact { address.saturating_sub(1) } else { address }
    }
}
