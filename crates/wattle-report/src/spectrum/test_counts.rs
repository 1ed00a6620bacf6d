//! In how many tests a part of a program ran, and in how many it did not.

/// Tests by whether they stand out and whether a part ran in them. The letters are the field's: *e*xecuted or *n*ot, *f*ailed
/// (here: stands out) or *p*assed (here: normal).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// It ran, and the test stands out.
    pub e_f: usize,
    /// It ran, and the test is normal.
    pub e_p: usize,
    /// It did not run, and the test stands out.
    pub n_f: usize,
    /// It did not run, and the test is normal.
    pub n_p: usize,
}

impl Counts {
    /// Tests that stand out.
    pub const fn outstanding(self) -> usize {
        self.e_f + self.n_f
    }

    /// Normal tests.
    pub const fn normal(self) -> usize {
        self.e_p + self.n_p
    }

    /// Whether it ran in any test.
    pub const fn is_executed(self) -> bool {
        self.e_f + self.e_p > 0
    }

    /// Ochiai's coefficient, `e_f / √((e_f + n_f)(e_f + e_p))`: 0 to 1, and 1 where the part ran in exactly the tests that stand
    /// out. `None` where no test stands out or the part never ran.
    pub fn ochiai(self) -> Option<f64> {
        if self.outstanding() == 0 || !self.is_executed() {
            return None;
        }
        let product = self.outstanding() as f64 * (self.e_f + self.e_p) as f64;
        // A product of two equal integers below 2⁵³ has an exact root, so that 1 is 1.
        Some(self.e_f as f64 / product.sqrt())
    }

    /// Tarantula's score, `(e_f/F) / (e_f/F + e_p/P)`: 0 to 1. `None` where there are no tests of either kind or the part never ran.
    pub fn tarantula(self) -> Option<f64> {
        if self.outstanding() == 0 || self.normal() == 0 || !self.is_executed() {
            return None;
        }
        let outstanding = self.e_f as f64 / self.outstanding() as f64;
        Some(outstanding / (outstanding + self.e_p as f64 / self.normal() as f64))
    }
}
