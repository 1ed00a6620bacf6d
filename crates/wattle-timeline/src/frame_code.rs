//! Kinds of code that frames of stacks are in.

/// The kind of code of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// Machine code of a file.
    #[default]
    Native,
    /// The kernel.
    Kernel,
    /// Java or Kotlin, interpreted or compiled ahead of time.
    Java,
    /// Java or Kotlin, compiled while the app ran.
    Jit,
}
