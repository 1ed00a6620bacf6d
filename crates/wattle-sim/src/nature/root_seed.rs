//! Random numbers that belong to a name and not to the order in which names come.

use crate::SplitMix64;
use crate::code_owner::CodeOwner;

/// The seed of everything that is drawn for one method of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootSeed(u64);

impl RootSeed {
    /// For one simulated phone.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed).fork(20).next_u64())
    }

    /// Draws for a name in a thread's code. The name of code outside of any method is empty.
    pub fn draws(self, owner: CodeOwner, name: &str) -> SplitMix64 {
        owner.draws(self.0, name)
    }
}
