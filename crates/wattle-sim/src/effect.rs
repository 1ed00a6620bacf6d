//! Effects that a simulated phone can have and that no estimator is told of.

/// An effect on power, on the meter or on the trace of a simulated phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// Code differs in power: each method of each thread has a log-normal factor on active core power, with a smaller
    /// part for each call and a slow one within the run.
    Activity,
    /// Voltage binning: this chip needs another voltage, and leaks more or less, than its kind.
    Binning,
    /// The power monitor multiplies each rail by a constant of its own.
    RailGain,
    /// The power monitor adds a constant power to each rail.
    RailOffset,
    /// The power monitor stamps samples late and averages them over a sliding window.
    RailLag,
}

/// Properties of an effect that do not differ from run to run.
struct Properties {
    name: &'static str,
    size: f64,
    range: (f64, f64),
    /// What the size is, with its unit.
    meaning: &'static str,
}

impl Effect {
    /// All effects, in order of their names in the documentation.
    pub const ALL: [Self; 5] =
        [Self::Activity, Self::Binning, Self::RailGain, Self::RailOffset, Self::RailLag];

    /// The name in lists of effects.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// The size that it has when none is given.
    pub const fn usual_size(self) -> f64 {
        self.properties().size
    }

    /// The least and the largest size.
    pub const fn range(self) -> (f64, f64) {
        self.properties().range
    }

    /// The meaning of its size, with the unit.
    pub const fn meaning(self) -> &'static str {
        self.properties().meaning
    }

    const fn properties(self) -> Properties {
        match self {
            Self::Activity => Properties {
                name: "activity",
                size: 0.2,
                range: (0.0, 0.4),
                meaning: "standard deviation of the logarithm of a method's power factor",
            },
            Self::Binning => Properties {
                name: "binning",
                size: 0.05,
                range: (0.0, 0.2),
                meaning: "standard deviation of the logarithm of a chip's squared voltage",
            },
            Self::RailGain => Properties {
                name: "rail-gain",
                size: 0.02,
                range: (0.0, 0.2),
                meaning: "standard deviation of the logarithm of a rail's gain",
            },
            Self::RailOffset => Properties {
                name: "rail-offset",
                size: 0.003,
                range: (0.0, 0.1),
                meaning: "standard deviation of a rail's offset in watts",
            },
            Self::RailLag => Properties {
                name: "rail-lag",
                size: 0.3,
                range: (0.0, 1.0),
                meaning: "largest delay of a rail's samples as a share of their period",
            },
        }
    }
}
