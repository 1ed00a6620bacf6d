//! Costs of clocks, and where they come from.

use wattle_timeline::{CpuId, Timeline};
use wattle_units::{Amperes, BootNanos, Hertz, Provenance, Volts, Watts};

use super::navitas;
use crate::choose::Applicable;
use crate::note::PowerNote;
use crate::voltage::Voltage;
use crate::{DeviceModel, FigureUnit, ModelFacts};

/// One step of a cluster's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockStep {
    /// The clock.
    pub frequency: Hertz,
    /// Of one core that executes.
    pub core: Watts,
    /// Of the cluster, once, while any of its cores executes.
    pub shared: Watts,
}

/// Cores with one clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterCosts {
    /// Its cores, ascending.
    pub cpus: Vec<CpuId>,
    /// Its steps, ascending, never empty.
    pub steps: Vec<ClockStep>,
}

/// Kind of match between a clock and a cluster's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClockReach {
    /// It is one of them.
    Step,
    /// It lies between two: a straight line was drawn.
    Between,
    /// It lies beyond the first or the last, which stands for it.
    Clamped,
    /// The model does not know the core: the costliest cluster stands for its own.
    OtherCluster,
}

/// Cost of an instant at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// Of one core that executes.
    pub core: Watts,
    /// Of its cluster.
    pub shared: Watts,
    /// Kind of match by which the clock was found.
    pub reach: ClockReach,
}

/// Cost of each step of each CPU's clock, by the model that was chosen for the device.
#[derive(Clone, Debug)]
pub struct ClockCosts {
    /// Which model.
    pub model: ModelFacts,
    /// The clusters, never empty.
    pub clusters: Vec<ClusterCosts>,
    /// Of the CPU as a whole while any core executes.
    base: Watts,
    /// Whether costs are currents: power at one volt.
    is_current: bool,
    voltage: Voltage,
}

impl ClockCosts {
    /// By the model that was chosen, else by the profile that Navitas takes. `None` where nothing asks for it.
    pub(crate) fn new(
        timeline: &Timeline,
        chosen: Option<&Applicable>,
        voltage: &Voltage,
    ) -> Option<Self> {
        if timeline.code.clocked_calls.is_empty() {
            return None;
        }
        let of_model = |chosen: &Applicable| {
            let model = &chosen.model;
            let base = model.base.map_or(Watts::ZERO, |b| b.suspend + b.awake + b.active);
            Some(Self {
                model: chosen.facts.clone(),
                clusters: clusters(model)?,
                base,
                is_current: model.unit == FigureUnit::Current,
                voltage: voltage.clone(),
            })
        };
        Some(chosen.and_then(of_model).unwrap_or_else(|| {
            Self {
                model: ModelFacts {
                    kind: "profile".to_owned(),
                    name: "Navitas default".to_owned(),
                    chosen: "nothing says which device it was".to_owned(),
                    reason: None,
                    source:
                        "PowerProfileManager.kt of Navitas, of a device that it does not name (MIT)"
                            .to_owned(),
                    provenance: Provenance::Assumed,
                    version: 1,
                },
                clusters: navitas::clusters(),
                base: Watts::ZERO,
                is_current: true,
                voltage: voltage.clone(),
            }
        }))
    }

    /// The battery's voltage at an instant.
    pub fn voltage(&self, time: BootNanos) -> Volts {
        self.voltage.at(time)
    }

    /// Whether nothing says the voltage.
    pub fn voltage_is_assumed(&self) -> bool {
        self.voltage.assumed
    }

    /// The weakest of what figures rest on.
    pub fn provenance(&self) -> Provenance {
        let guessed = self.is_current && self.voltage.assumed;
        if guessed { Provenance::Assumed } else { self.model.provenance }
    }

    fn scale(&self, time: BootNanos) -> f64 {
        if self.is_current { self.voltage(time).value() } else { 1.0 }
    }

    /// The current of one core at a step.
    pub fn current(&self, step: &ClockStep, time: BootNanos) -> Amperes {
        let volts = if self.is_current { 1.0 } else { self.voltage(time).value() };
        Amperes::new(step.core.value() / volts)
    }

    /// Of the CPU as a whole while any core executes.
    pub fn base(&self, time: BootNanos) -> Watts {
        self.base * self.scale(time)
    }

    /// The cluster of a core; `None` for one that the model does not know. Where the model has one cluster, all cores are of it.
    pub fn cluster_of(&self, cpu: CpuId) -> Option<usize> {
        match self.clusters.as_slice() {
            [_] => Some(0),
            clusters => clusters.iter().position(|cluster| cluster.cpus.contains(&cpu)),
        }
    }

    /// Returns the cost of a core at a clock.
    pub fn cost(&self, cpu: CpuId, frequency: Hertz, time: BootNanos) -> StepCost {
        let scale = self.scale(time);
        let own = self.cluster_of(cpu).and_then(|index| self.clusters.get(index));
        let cost = own.map_or_else(|| self.most(frequency), |cluster| cluster.cost(frequency));
        StepCost { core: cost.core * scale, shared: cost.shared * scale, ..cost }
    }

    /// Returns the cost in the costliest cluster.
    fn most(&self, frequency: Hertz) -> StepCost {
        let costs = self.clusters.iter().map(|cluster| cluster.cost(frequency));
        let most = costs.max_by(|a, b| a.core.value().total_cmp(&b.core.value()));
        let (core, shared) = most.map_or((Watts::ZERO, Watts::ZERO), |c| (c.core, c.shared));
        StepCost { core, shared, reach: ClockReach::OtherCluster }
    }

    /// Returns the notes on the choice.
    pub(crate) fn notes(&self) -> Vec<PowerNote> {
        let mut notes = Vec::new();
        if self.model.provenance == Provenance::Assumed {
            let (model, source) = (self.model.name.clone(), self.model.source.clone());
            notes.push(PowerNote::BoundModelAssumed { model, source });
        }
        notes.extend(self.voltage.note().filter(|_| self.is_current));
        notes
    }
}

impl ClusterCosts {
    fn cost(&self, frequency: Hertz) -> StepCost {
        let after = self.steps.partition_point(|step| step.frequency < frequency);
        let (low, high) =
            (after.checked_sub(1).and_then(|i| self.steps.get(i)), self.steps.get(after));
        let of = |step: &ClockStep, reach| StepCost { core: step.core, shared: step.shared, reach };
        match (low, high) {
            (_, Some(step)) if step.frequency == frequency => of(step, ClockReach::Step),
            (Some(low), Some(high)) => {
                let width = (high.frequency.value() - low.frequency.value()) as f64;
                let at = (frequency.value() - low.frequency.value()) as f64 / width;
                StepCost {
                    core: low.core + (high.core - low.core) * at,
                    shared: low.shared + (high.shared - low.shared) * at,
                    reach: ClockReach::Between,
                }
            }
            (Some(end), None) | (None, Some(end)) => of(end, ClockReach::Clamped),
            (None, None) => {
                StepCost { core: Watts::ZERO, shared: Watts::ZERO, reach: ClockReach::OtherCluster }
            }
        }
    }
}

/// A model's clusters. Where a step depends on another clock, the most it can cost.
fn clusters(model: &DeviceModel) -> Option<Vec<ClusterCosts>> {
    let most =
        |values: &mut dyn Iterator<Item = Watts>| values.reduce(Watts::max).unwrap_or(Watts::ZERO);
    let clusters: Vec<ClusterCosts> = model
        .policies
        .iter()
        .filter(|policy| !policy.rows.is_empty())
        .map(|policy| ClusterCosts {
            cpus: policy.cpus.clone(),
            steps: policy
                .rows
                .iter()
                .map(|row| ClockStep {
                    frequency: row.frequency,
                    core: most(&mut row.cells.iter().map(|cell| cell.power.core[0])),
                    shared: most(
                        &mut row
                            .cells
                            .iter()
                            .map(|cell| cell.power.shared + cell.power.interconnect),
                    ),
                })
                .collect(),
        })
        .collect();
    (!clusters.is_empty()).then_some(clusters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cpu: u32, kilohertz: u64, milliamperes: f64, reach: ClockReach) {
        let calls = vec![wattle_timeline::ClockedCall {
            process: None,
            thread: None,
            test: None,
            name: wattle_timeline::NameId(0),
            caller: None,
            window: wattle_timeline::Window::default(),
            has_end: true,
            is_stale: false,
            clocks: Vec::new(),
        }];
        let mut timeline = Timeline::default();
        timeline.code.clocked_calls = calls;
        let voltage = Voltage::new(&timeline, Some(Volts::new(4.0)));
        let costs = ClockCosts::new(&timeline, None, &voltage).expect("there are calls");
        let cost = costs.cost(CpuId(cpu), Hertz::from_kilohertz(kilohertz), BootNanos::new(0));
        assert!((cost.core.milliwatts() / 4.0 - milliamperes).abs() < 1e-9, "{cost:?}");
        assert_eq!(cost.reach, reach);
    }

    #[test]
    fn clocks_of_the_profile_between_and_beyond_it() {
        check(0, 806_400, 58.13, ClockReach::Step);
        check(7, 806_400, 77.22 + 33.64 * 406_400.0 / 483_200.0, ClockReach::Between);
        // Both ordinates: 101.37 at 1305.6 MHz, 105.93 at 1382.4 MHz.
        check(3, 1_333_000, 101.37 + 4.56 * 27_400.0 / 76_800.0, ClockReach::Between);
        check(0, 1_600_000, 109.05, ClockReach::Clamped);
        check(4, 100_000, 77.22, ClockReach::Clamped);
        check(8, 1_804_800, 275.35, ClockReach::OtherCluster);
    }

    #[test]
    fn nothing_is_asked_without_calls() {
        let timeline = Timeline::default();
        assert!(ClockCosts::new(&timeline, None, &Voltage::new(&timeline, None)).is_none());
    }
}
