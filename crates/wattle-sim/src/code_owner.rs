//! Whose code it is, for drawing its properties.

use crate::SplitMix64;

/// A thread, as far as the properties of its code are concerned: the same thread of the same app has the same code in every
/// run, whatever else runs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeOwner(u64);

impl CodeOwner {
    /// The thread at a place of a workload, where places never change.
    pub const fn at(place: usize) -> Self {
        Self(place as u64 + 1)
    }

    /// A thread of an app by their names; several threads of one name are told apart by their order.
    pub fn named(process: &str, thread: &str, order: usize) -> Self {
        let text = process.bytes().chain([0]).chain(thread.bytes());
        Self(hash(text).wrapping_add(order as u64))
    }

    /// Draws for a name in its code. The name of code outside of any method is empty.
    pub fn draws(self, seed: u64, name: &str) -> SplitMix64 {
        SplitMix64::new(seed ^ hash(name.bytes())).fork(self.0)
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_belong_to_names() {
        let first = |owner: CodeOwner, name| owner.draws(7, name).next_u64();
        let named = CodeOwner::named("com.example", "worker", 0);
        assert_eq!(first(named, "run"), first(CodeOwner::named("com.example", "worker", 0), "run"));
        for other in [
            CodeOwner::named("com.example", "worker", 1),
            CodeOwner::named("com.exampl", "eworker", 0),
            CodeOwner::at(0),
        ] {
            assert_ne!(first(named, "run"), first(other, "run"), "{other:?}");
        }
        assert_ne!(first(named, "run"), first(named, ""));
    }
}
