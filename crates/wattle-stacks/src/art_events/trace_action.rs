//! Action of a thread in a record (`TraceAction`).

/// The two low bits of a method's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceAction {
    /// `kTraceMethodEnter`.
    Enter,
    /// `kTraceMethodExit`.
    Exit,
    /// `kTraceUnroll`: left by an exception.
    Unroll,
}

impl TraceAction {
    /// The bits that are not the method's.
    pub const MASK: u64 = 3;

    /// `None` for the one that is not used.
    #[inline]
    pub fn from_word(word: u64) -> Option<Self> {
        match word & Self::MASK {
            0 => Some(Self::Enter),
            1 => Some(Self::Exit),
            2 => Some(Self::Unroll),
            _ => None,
        }
    }
}
