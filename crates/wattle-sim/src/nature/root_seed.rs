//! Random numbers that belong to a name and not to the order in which names come.

use crate::SplitMix64;

/// The seed of everything that is drawn for one method of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootSeed(u64);

impl RootSeed {
    /// For one simulated phone.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed).fork(20).next_u64())
    }

    /// Draws for a name on a thread, by the thread's index. The name of code outside of any method is empty.
    pub fn draws(self, task: usize, name: &str) -> SplitMix64 {
        // FNV-1a over the name.
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        SplitMix64::new(self.0 ^ hash).fork(task as u64 + 1)
    }
}
