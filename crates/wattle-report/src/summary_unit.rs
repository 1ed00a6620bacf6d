//! Units of energies in a summary.

/// The unit of energies in a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum EnergyUnit {
    /// Joules, with a prefix.
    #[default]
    Joules,
    /// Milliwatt-hours.
    MilliwattHours,
    /// Milliampere-hours of a battery with this voltage in volts.
    MilliampHours(f64),
}
