//! The bound of one call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_power::ClockCosts;
use wattle_timeline::{CLOCK_TICK, CpuId, TimeInState, Window};
use wattle_units::{Coulombs, Joules, Nanos};

use super::bound_reach::Reach;

/// The energy of all cores, had they executed all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpperBound {
    /// `Σ_cores Σ_f Δticks · 10 ms · current(f) · voltage`.
    pub core: Joules,
    /// Energy that cores share (clusters, the CPU as a whole); 0 in profiles that know of none.
    pub shared: Joules,
    /// Both together, at the same voltage.
    pub charge: Coulombs,
    /// `Σ_cores Σ_f Δticks · 10 ms`: time of cores, not of the wall.
    pub core_time: Nanos,
}

impl UpperBound {
    /// Everything.
    pub fn joules(self) -> Joules {
        self.core + self.shared
    }

    /// Of clocks that advanced inside the window.
    pub(super) fn new(
        clocks: &[TimeInState],
        window: Window,
        costs: &ClockCosts,
        reach: &mut Reach,
    ) -> Self {
        let at = window.start;
        let mut bound = Self::default();
        let mut shared: BTreeMap<CpuId, f64> = BTreeMap::new();
        let mut elapsed: BTreeMap<CpuId, i64> = BTreeMap::new();
        for clock in clocks {
            let ticks = i64::try_from(clock.ticks()).unwrap_or(i64::MAX);
            let time = Nanos::new(ticks.saturating_mul(CLOCK_TICK.value()));
            let cost = costs.cost(clock.cpu, clock.frequency, at);
            reach.add(clock.cpu, clock.frequency, cost.reach);
            bound.core += cost.core * time;
            bound.core_time += time;
            *shared.entry(clock.cpu).or_default() += (cost.shared * time).value();
            let of_cpu = elapsed.entry(clock.cpu).or_default();
            *of_cpu = of_cpu.saturating_add(time.value());
        }
        // The cores of a cluster run together: it draws as long as the core of it that was there for longest.
        let mut clusters: BTreeMap<Option<usize>, f64> = BTreeMap::new();
        for (cpu, joules) in shared {
            let most = clusters.entry(costs.cluster_of(cpu)).or_default();
            *most = most.max(joules);
        }
        bound.shared = Joules::new(clusters.values().sum());
        let longest = elapsed.values().copied().max().unwrap_or(0);
        bound.shared += costs.base(at) * Nanos::new(longest);
        bound.charge = Coulombs::new(bound.joules().value() / costs.voltage(at).value());
        bound
    }

    pub(super) fn add(&mut self, other: Self) {
        self.core += other.core;
        self.shared += other.shared;
        self.charge += other.charge;
        self.core_time += other.core_time;
    }

    /// Without a part; counters that began anew inside of it can leave less than nothing.
    pub(super) fn without(self, part: Self) -> Self {
        Self {
            core: (self.core - part.core).max(Joules::ZERO),
            shared: (self.shared - part.shared).max(Joules::ZERO),
            charge: (self.charge - part.charge).max(Coulombs::ZERO),
            core_time: (self.core_time - part.core_time).max(Nanos::ZERO),
        }
    }

    /// The part of a thread that ran for so long in so much time of the wall: on cores like those that were there, and at most the
    /// whole of what they share.
    pub(super) fn scaled(self, cpu: Nanos, wall: Nanos) -> Joules {
        let part = |of: Nanos| {
            if of > Nanos::ZERO { (cpu.seconds() / of.seconds()).clamp(0.0, 1.0) } else { 0.0 }
        };
        self.core * part(self.core_time) + self.shared * part(wall)
    }
}
