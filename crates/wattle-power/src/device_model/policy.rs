//! One cpufreq policy: CPUs with a common clock, and their power by state.

use wattle_timeline::CpuId;
use wattle_units::{Hertz, Nanos, Watts};

/// A cpufreq policy, by the number of its first CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId(pub u32);

/// The other clock that a policy's power depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependsOn {
    /// Another policy, or [`DependsOn::DSU`].
    pub policy: PolicyId,
    /// Its clock.
    pub frequency: Hertz,
}

impl DependsOn {
    /// The number by which tables name the DSU's own clock in place of a policy.
    pub const DSU: PolicyId = PolicyId(255);
}

/// Rule by which a policy finds the other cluster that sets the clock it depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VoteBy {
    /// The active core with the highest power.
    #[default]
    Power,
    /// The active core with the highest clock.
    Frequency,
}

/// Power in one state of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StatePower {
    /// Of the cluster, once, while any of its cores is not in the deepest idle state.
    pub shared: Watts,
    /// Of one core: executing, in idle column 0, in idle column 1.
    pub core: [Watts; 3],
    /// Of the interconnect.
    pub interconnect: Watts,
    /// Energy of an L3 hit and of a miss, in nanojoules (as power over a nanosecond: watts).
    pub l3: [Watts; 2],
}

/// A row of a table: one clock on which the policy depends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) on: DependsOn,
    pub(crate) power: StatePower,
}

/// All of a policy's power at one clock of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) frequency: Hertz,
    /// Ascending by clock depended on; one with a default dependency where there is none.
    pub(crate) cells: Vec<Cell>,
}

/// One cpufreq policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Its number.
    pub id: PolicyId,
    /// Its CPUs, ascending.
    pub cpus: Vec<CpuId>,
    /// By how much a core draws active power before its exit from deep idle is logged, a CPU.
    pub deep_idle_exit: Vec<Nanos>,
    /// Rule of its vote.
    pub vote_by: VoteBy,
    /// Origin of its figures; empty if it is that of the model.
    pub source: String,
    /// Ascending by clock, never empty.
    pub(crate) rows: Vec<Row>,
    /// Whether its power depends on another clock.
    pub(crate) depends: bool,
    /// The lowest clock depended on: what holds while nobody votes.
    pub(crate) default_vote: DependsOn,
}

/// Kind of match by which a state was found in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableMatch {
    /// It is a row of it, by its index.
    Row(usize),
    /// It lies between rows, or beyond its ends.
    Between,
}

impl Policy {
    /// A policy whose power depends on no other clock, from its points; of two at one clock the last given holds. `None`
    /// without a point or a CPU.
    pub fn new(
        id: PolicyId,
        cpus: Vec<CpuId>,
        points: &[(Hertz, StatePower)],
        source: &str,
    ) -> Option<Self> {
        let points: std::collections::BTreeMap<Hertz, StatePower> =
            points.iter().copied().collect();
        if points.is_empty() || cpus.is_empty() {
            return None;
        }
        let row = |(frequency, power)| Row {
            frequency,
            cells: vec![Cell { on: DependsOn::default(), power }],
        };
        Some(Self {
            id,
            deep_idle_exit: vec![Nanos::ZERO; cpus.len()],
            cpus,
            vote_by: VoteBy::Power,
            source: source.to_owned(),
            rows: points.into_iter().map(row).collect(),
            depends: false,
            default_vote: DependsOn::default(),
        })
    }

    /// The clocks of its table, ascending.
    pub fn frequencies(&self) -> impl ExactSizeIterator<Item = Hertz> + '_ {
        self.rows.iter().map(|row| row.frequency)
    }

    /// Whether its power depends on another clock.
    pub fn depends(&self) -> bool {
        self.depends
    }

    /// Whether that other clock is the DSU's.
    pub fn depends_on_dsu(&self) -> bool {
        self.depends && self.default_vote.policy == DependsOn::DSU
    }

    /// The clock depended on that holds while nobody votes.
    pub fn lowest_dependency(&self) -> DependsOn {
        self.default_vote
    }

    /// Power at a clock of its own and one it depends on (ignored by a policy that depends on none). A
    /// clock between two of the table is interpolated, one beyond an end is that end's.
    pub fn power(&self, frequency: Hertz, on: DependsOn) -> StatePower {
        self.find(frequency, on).0
    }

    pub(crate) fn find(&self, frequency: Hertz, on: DependsOn) -> (StatePower, TableMatch) {
        let after = self.rows.partition_point(|row| row.frequency < frequency);
        let exact = self.rows.get(after).filter(|row| row.frequency == frequency);
        if let Some(row) = exact {
            let (power, exact) = self.cell(row, on);
            return (power, if exact { TableMatch::Row(after) } else { TableMatch::Between });
        }
        let high = self.rows.get(after).or(self.rows.last());
        let low = after.checked_sub(1).and_then(|i| self.rows.get(i)).or(high);
        let (Some(low), Some(high)) = (low, high) else {
            return (StatePower::default(), TableMatch::Between);
        };
        let at = position(low.frequency, high.frequency, frequency);
        let power = StatePower::between(self.cell(low, on).0, self.cell(high, on).0, at);
        (power, TableMatch::Between)
    }

    /// Power in a row at a clock depended on, and whether exactly that is in the table.
    fn cell(&self, row: &Row, on: DependsOn) -> (StatePower, bool) {
        if !self.depends {
            return (row.cells.first().map(|c| c.power).unwrap_or_default(), true);
        }
        let after = row.cells.partition_point(|cell| cell.on < on);
        if let Some(cell) = row.cells.get(after).filter(|cell| cell.on == on) {
            return (cell.power, true);
        }
        let same = |cell: &&Cell| cell.on.policy == on.policy;
        let high = row.cells.get(after).filter(same);
        let low = after.checked_sub(1).and_then(|i| row.cells.get(i)).filter(same);
        let power = match (low, high) {
            (Some(low), Some(high)) => {
                let at = position(low.on.frequency, high.on.frequency, on.frequency);
                StatePower::between(low.power, high.power, at)
            }
            (Some(end), None) | (None, Some(end)) => end.power,
            // The table says nothing of that cluster at this clock: what holds without a vote.
            (None, None) => row.cells.first().map(|c| c.power).unwrap_or_default(),
        };
        (power, false)
    }
}

/// Returns the position of a clock between two others, 0 to 1.
fn position(low: Hertz, high: Hertz, at: Hertz) -> f64 {
    let width = high.value().saturating_sub(low.value());
    if width == 0 {
        return 0.0;
    }
    at.value().saturating_sub(low.value()).min(width) as f64 / width as f64
}

impl StatePower {
    /// Linear interpolation of every figure.
    fn between(low: Self, high: Self, at: f64) -> Self {
        let mix = |a: Watts, b: Watts| a + (b - a) * at;
        Self {
            shared: mix(low.shared, high.shared),
            core: std::array::from_fn(|i| mix(low.core[i], high.core[i])),
            interconnect: mix(low.interconnect, high.interconnect),
            l3: std::array::from_fn(|i| mix(low.l3[i], high.l3[i])),
        }
    }
}
