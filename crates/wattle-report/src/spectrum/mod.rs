//! Spectra of executions: which parts of a program ran in which tests, which of those tests stood out, and how much each part is
//! suspected because of it. Knows neither ledgers nor reports.
//!
//! Sources: Jones and Harrold, "Empirical evaluation of the Tarantula automatic fault-localization technique", ASE 2005 (score and
//! ranks); Abreu, Zoeteweij and van Gemund, "On the accuracy of spectrum-based fault localization", TAICPART-MUTATION 2007
//! (Ochiai's coefficient on spectra); Couto, Cunha, Fernandes, Pereira and Saraiva, GreenDroid (classes by colour).

mod matrix;
mod ranks;
mod suspicion;
mod test_counts;

pub use matrix::Spectrum;
pub use ranks::worst_ranks;
pub use suspicion::Suspicion;
pub use test_counts::Counts;
