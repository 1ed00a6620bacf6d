//! Code that threads of an idle run are in.

use crate::SplitMix64;

/// A file of code in a process, or the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeModule {
    /// Its path on a Linux or Windows machine.
    pub path: String,
    /// Base address in memory.
    pub base: u64,
    /// Size in memory, in bytes.
    pub size: u64,
    /// Whether it is the kernel's, and so in every process.
    pub is_kernel: bool,
}

impl CodeModule {
    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

/// A place in a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeFrame {
    /// Index into [`super::IdleProcess::modules`].
    pub module: u16,
    /// The function, as symbols would name it.
    pub function: String,
    /// Offset in the module, in bytes from its beginning.
    pub offset: u64,
}

/// Stacks with a beginning in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePath {
    /// Frames that they all begin with, outermost first.
    pub common: Vec<CodeFrame>,
    /// Continuations, outermost first; one of these at random.
    pub leaves: Vec<Vec<CodeFrame>>,
    /// Stacks of something else that the thread is in now and then (a signal, a procedure call of the kernel's), from the root.
    pub odd: Vec<Vec<CodeFrame>>,
    /// Share of odd stacks, in percent.
    pub odd_percent: u8,
}

impl CodePath {
    /// One of its stacks, and whether it is an odd one.
    pub(super) fn stack(&self, random: &mut SplitMix64) -> (Vec<CodeFrame>, bool) {
        let is_odd = random.chance(f64::from(self.odd_percent) / 100.0);
        let from = if is_odd { &self.odd } else { &self.leaves };
        let rest = from.get(random.below(from.len() as u64) as usize).cloned().unwrap_or_default();
        let root = if is_odd { &[][..] } else { &self.common };
        (root.iter().cloned().chain(rest).collect(), is_odd)
    }
}
