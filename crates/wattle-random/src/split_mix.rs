//! SplitMix64 and the distributions that are drawn with it.

/// SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, OOPSLA 2014): one
/// 64-bit counter, passes BigCrush, and a simulation needs nothing stronger. Own code, because a library
/// may change its stream between versions, and then every golden figure of a simulated run with it; and because
/// no library shows the state, which [`SplitMix64::fork`] needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose whole stream follows from the seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator for another purpose that does not share a stream with this one, so that drawing
    /// more numbers for one purpose does not shift those of another.
    #[must_use]
    pub fn fork(&self, purpose: u64) -> Self {
        let mut other = Self::new(self.state ^ purpose.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self::new(other.next_u64())
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`, with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among `0..count`; 0 if there is nothing to choose from.
    pub fn below(&mut self, count: u64) -> u64 {
        // The high half of the product: the bias of 2^-64·count is of no concern here.
        ((u128::from(self.next_u64()) * u128::from(count)) >> 64) as u64
    }

    /// Whether something of this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Standard normal (Box and Muller 1958; the second of the pair is not kept, so that one call is
    /// always two steps of the generator).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Exponential with this mean: the waiting time of a Poisson process.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567 of the reference implementation by Sebastiano Vigna
    /// (`splitmix64.c`), as published with the Rosetta Code task on this generator.
    #[test]
    fn equals_the_reference() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = SplitMix64::new(7);
        let count = 200_000;
        let normal: Vec<f64> = (0..count).map(|_| random.normal()).collect();
        let mean = normal.iter().sum::<f64>() / f64::from(count);
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(count);
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        let waits = (0..count).map(|_| random.exponential(3.0)).sum::<f64>() / f64::from(count);
        assert!((waits - 3.0).abs() < 0.05, "{waits}");
        assert!((0..count).all(|_| random.below(7) < 7));
    }

    #[test]
    fn forks_differ() {
        let random = SplitMix64::new(1);
        assert_ne!(random.fork(1).next_u64(), random.fork(2).next_u64());
    }
}
