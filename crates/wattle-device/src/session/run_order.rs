//! The order of the runs of several builds.

use std::fmt;

/// The order in which builds take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunOrder {
    /// A B A B.
    Alternating,
    /// A B B A: what changes steadily (heat, charge) is the same for both.
    #[default]
    Mirrored,
    /// Each round in an order of its own, drawn from this seed.
    Random(u64),
}

impl RunOrder {
    /// The index of the build at a place of a round.
    pub(super) fn build(self, round: u32, place: u32, builds: u32) -> u32 {
        match self {
            Self::Mirrored if round % 2 == 1 => builds.saturating_sub(1).saturating_sub(place),
            Self::Mirrored | Self::Alternating => place,
            Self::Random(seed) => {
                let mut order: Vec<u32> = (0..builds).collect();
                let mut state = seed ^ u64::from(round).wrapping_mul(0xa076_1d64_78bd_642f);
                for last in (1..order.len()).rev() {
                    let other = usize::try_from(next(&mut state) % (last as u64 + 1));
                    order.swap(last, other.unwrap_or(last));
                }
                let index = usize::try_from(place).ok().and_then(|place| order.get(place));
                index.copied().unwrap_or(place)
            }
        }
    }
}

/// `splitmix64`.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl fmt::Display for RunOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alternating => f.write_str("alternating"),
            Self::Mirrored => f.write_str("mirrored"),
            Self::Random(seed) => write!(f, "random, seed {seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RunOrder;

    fn order(order: RunOrder, rounds: u32, builds: u32) -> Vec<u32> {
        (0..rounds)
            .flat_map(|round| (0..builds).map(move |place| order.build(round, place, builds)))
            .collect()
    }

    #[test]
    fn builds_take_turns_and_none_is_always_first() {
        assert_eq!(order(RunOrder::Alternating, 2, 2), [0, 1, 0, 1]);
        assert_eq!(order(RunOrder::Mirrored, 4, 2), [0, 1, 1, 0, 0, 1, 1, 0]);
        assert_eq!(order(RunOrder::Mirrored, 2, 3), [0, 1, 2, 2, 1, 0]);
        assert_eq!(order(RunOrder::Mirrored, 3, 1), [0, 0, 0]);
    }

    #[test]
    fn a_random_order_is_the_same_for_the_same_seed_and_fair() {
        let drawn = order(RunOrder::Random(7), 1000, 2);
        assert_eq!(drawn, order(RunOrder::Random(7), 1000, 2));
        assert_ne!(drawn, order(RunOrder::Random(8), 1000, 2));
        for round in drawn.chunks(2) {
            assert!(round == [0, 1] || round == [1, 0], "each round has each build once");
        }
        let first = drawn.chunks(2).filter(|round| round[0] == 0).count();
        assert!((440..560).contains(&first), "{first} of 1000");
    }
}
