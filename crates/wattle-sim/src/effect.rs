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
    /// Static power and the power of idle cores grow with the temperature of the die, which follows the true power.
    Leakage,
    /// Cores that use memory at the same time slow each other down and draw less while they wait; memory draws more for
    /// each cache miss.
    Contention,
    /// The clusters share a unit with a clock and a power of its own.
    Dsu,
    /// The changes of the shared unit's clock are in the trace.
    DsuEvents,
    /// Each change of a cluster's clock costs energy and time.
    Dvfs,
    /// Display, graphics, memory, storage and Wi-Fi draw power on rails of their own, by what apps do.
    Devices,
    /// The trace has hardware counters: cycles, instructions and cache misses at each switch of tasks.
    Counters,
    /// Events are lost in bursts: the buffer of a CPU overran.
    Lost,
    /// The clock of the power monitor drifts, and not linearly.
    Drift,
    /// The recorder itself disturbs: it runs more, and leaves cold caches.
    Recorder,
}

/// Properties of an effect that do not differ from run to run.
struct Properties {
    name: &'static str,
    size: f64,
    range: (f64, f64),
    /// Meaning of the size, with its unit.
    meaning: &'static str,
}

impl Effect {
    /// All effects, in order of their names in the documentation.
    pub const ALL: [Self; 15] = [
        Self::Activity,
        Self::Leakage,
        Self::Contention,
        Self::Dsu,
        Self::DsuEvents,
        Self::Dvfs,
        Self::Binning,
        Self::RailGain,
        Self::RailOffset,
        Self::RailLag,
        Self::Devices,
        Self::Counters,
        Self::Lost,
        Self::Drift,
        Self::Recorder,
    ];

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
            Self::Leakage => Properties {
                name: "leakage",
                size: 1.6,
                range: (1.0, 2.5),
                meaning: "factor on leakage for 35 K more",
            },
            Self::Contention => Properties {
                name: "contention",
                size: 0.6,
                range: (0.0, 3.0),
                meaning: "slowdown of code that only waits, once memory is busy",
            },
            Self::Dsu => Properties {
                name: "dsu",
                size: 1.0,
                range: (0.0, 5.0),
                meaning: "factor on the power of the shared unit",
            },
            Self::DsuEvents => Properties {
                name: "dsu-events",
                size: 1.0,
                range: (1.0, 1.0),
                meaning: "none: it is on or off",
            },
            Self::Dvfs => Properties {
                name: "dvfs",
                size: 4.0,
                range: (0.0, 50.0),
                meaning: "energy of a change of clock in microjoules",
            },
            Self::Devices => Properties {
                name: "devices",
                size: 1.0,
                range: (1.0, 1.0),
                meaning: "none: it is on or off",
            },
            Self::Counters => Properties {
                name: "counters",
                size: 1.0,
                range: (1.0, 1.0),
                meaning: "none: it is on or off",
            },
            Self::Lost => Properties {
                name: "lost",
                size: 0.02,
                range: (0.0, 0.5),
                meaning: "probability of an overrun for each reading of a CPU's buffer",
            },
            Self::Drift => Properties {
                name: "drift",
                size: 200.0,
                range: (0.0, 5000.0),
                meaning: "largest extra drift in parts per million",
            },
            Self::Recorder => Properties {
                name: "recorder",
                size: 1.0,
                range: (0.0, 5.0),
                meaning: "factor on the slowdown after the recorder ran",
            },
        }
    }
}
