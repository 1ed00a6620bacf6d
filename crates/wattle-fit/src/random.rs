/// Numbers that look random and are the same for the same seed everywhere (SplitMix64, Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// From this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `end`; 0 when `end` is.
    pub fn below(&mut self, end: usize) -> usize {
        // The bias of the product is below end / 2^64.
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// `count` of the numbers below `end`, each at most once, in rising order.
    pub fn sample(&mut self, end: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..end).collect();
        let count = count.min(end);
        for place in 0..count {
            let other = place + self.below(end - place);
            all.swap(place, other);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}
