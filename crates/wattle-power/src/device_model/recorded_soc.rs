//! A device model from the power model of its SoC that a recording contains.
//!
//! Nobody checked such a model but its author, and a file can state anything. It becomes a device model only as a whole: a
//! figure that is no power of a phone, or clusters that contradict each other, refuse it, because the rest of it is then no
//! better known. Figures that calibrations make slightly negative are counted as 0. The limits of the CPU are two to five
//! times what published curves of phones have at most ([`library`](super::library)).

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{SocCpuPoint, SocModel, SocModelOrigin, SocPolicy, SocTopology};
use wattle_units::{Hertz, Watts};

use super::device_model_file::{FilePolicy, OneOrEach};
use super::file_values::Wrong;
use super::{DeviceModel, DsuClock, ErrorSizes, GpuCurve, GpuPoint, Policy, TpuPoint};

/// Standard deviation of the error common to all figures of a policy: that of the whole difference between two published
/// sets of curves of one SoC. Models of the library have half of that variance each, because they were compared; of a model
/// that comes with a recording nothing says that it is the better of two.
const SHARED_ERROR: f64 = 0.27;

/// Standard deviation of each figure's own error, as of all published tables without one.
const OWN_ERROR: f64 = 0.1;

/// Number of the observations that [`SHARED_ERROR`] was learnt from.
const FREEDOM: f64 = 4.0;

const ERROR_SOURCE: &str = "not validated: the whole difference of Wattson and freqbench on Tensor and Tensor G4, 0.27 as root mean \
                            square of logarithms";

/// No GPU or TPU of a phone draws more, in milliwatts.
const MOST_MILLIWATTS: f64 = 15_000.0;

/// No core of a phone at work draws more, in milliwatts. The largest published one is 3.3 W (Tensor G4).
const MOST_AT_WORK: f64 = 8000.0;

/// No idle core of a phone draws more, in milliwatts. The largest published one is 222 mW (one clock of Tensor).
const MOST_IDLE: f64 = 1000.0;

/// No cluster, and no interconnect, of a phone draws more beside its cores, in milliwatts. The largest published one is 558 mW
/// (SM8750).
const MOST_SHARED: f64 = 2500.0;

/// All cores of a phone together draw no more at work, each at its clock with the highest power. The largest published sum is
/// 10.4 W (SM8750).
const MOST_ALL_AT_WORK: Watts = Watts::new(40.0);

/// All idle cores of a phone together draw no more. The largest published sum is 1.2 W (Tensor).
const MOST_ALL_IDLE: Watts = Watts::new(4.0);

/// No event of a cache takes more, in nanojoules.
const MOST_NANOJOULES: f64 = 1e6;

/// Up to this part of the power of the same core at work a negative figure is noise of a calibration.
const NOISE: f64 = 0.1;

/// More CPUs than any phone has.
const MOST_CPUS: i32 = 64;

/// More idle states than any driver has.
const MOST_IDLE_STATES: i64 = 64;

/// Rows of a table that was made of two.
const MOST_ROWS: usize = 20_000;

/// States of TPUs. The largest published table has 243.
const MOST_TPU_POINTS: usize = 2000;

/// No core wakes up longer, in nanoseconds.
const LONGEST_EXIT: i64 = 100_000_000;

/// No clock of a phone is higher, in kilohertz: a table that has such clocks of the DSU is in hertz (Wattson's of Tensor G6).
const HIGHEST_KHZ: u32 = 10_000_000;

/// A working core draws more than this.
const LEAST_AT_WORK: Watts = Watts::new(1e-4);

/// The number of the DSU among policies.
const DSU: u32 = super::DependsOn::DSU.0;

/// The clock that stands in for the DSU's where a guest cannot see it, as Wattson has it for every SoC.
const GUEST_DSU_KHZ: u64 = 610_000;

/// A recording's own model as a device model; the error is the reason why it cannot be used.
pub(crate) fn from_recording(soc: &SocModel) -> Result<DeviceModel, String> {
    if soc.dropped > 0 {
        return Err("it is damaged, or larger than that of any device".to_owned());
    }
    let mut conversion = Conversion { soc, zeroed: 0, remarks: Vec::new() };
    let policies = conversion.policies()?;
    let gpu = conversion.gpu()?;
    let tpu = conversion.tpu()?;
    let has_dsu = policies.iter().any(Policy::depends_on_dsu);
    let mut model = DeviceModel::named(&name(soc));
    model.version = soc.version.max(1);
    model.source = source(soc);
    model.matching.socs.extend((!soc.name.is_empty()).then(|| soc.name.clone()));
    model.remarks = conversion.remarks();
    model.idle_states = idle_columns(&soc.topology)?;
    model.dsu = has_dsu.then(|| DsuClock {
        devfreq: ["devfreq_dsu", "dsufreq"].map(str::to_owned).into(),
        guest: Some(Hertz::from_kilohertz(GUEST_DSU_KHZ)),
    });
    model.policies = policies;
    model.gpu = gpu;
    model.tpu = tpu;
    model.error = Some(ErrorSizes {
        shared: SHARED_ERROR,
        own: OWN_ERROR,
        freedom: Some(FREEDOM),
        source: ERROR_SOURCE.to_owned(),
    });
    Ok(model)
}

fn name(soc: &SocModel) -> String {
    match (soc.name.as_str(), soc.variant.as_str()) {
        ("", "") => "SoC model of the recording".to_owned(),
        (name, "") | ("", name) => name.to_owned(),
        (name, variant) => format!("{name} ({variant})"),
    }
}

fn source(soc: &SocModel) -> String {
    let author = match soc.origin {
        SocModelOrigin::Unknown => "",
        SocModelOrigin::Builtin => ", of the trace processor's library",
        SocModelOrigin::SocVendor => ", by the vendor of the SoC",
        SocModelOrigin::DeviceMaker => ", by the maker of the device",
    };
    let vendor =
        if soc.vendor.is_empty() { String::new() } else { format!(", vendor {}", soc.vendor) };
    format!("WattsonSocModel of the recording{author}{vendor}, not validated")
}

/// A model on its way from the recording's form.
struct Conversion<'a> {
    soc: &'a SocModel,
    /// Slightly negative figures that are counted as 0.
    zeroed: usize,
    remarks: Vec<String>,
}

/// Rows that were there before, by their bits.
type Seen = BTreeSet<Vec<u64>>;

/// Whether a row is there for the first time. Tables may repeat rows, as recorders repeat descriptions.
fn is_new(seen: &mut Seen, row: &[f64]) -> bool {
    seen.insert(row.iter().map(|value| value.to_bits()).collect())
}

impl Conversion<'_> {
    fn remarks(mut self) -> Vec<String> {
        if self.zeroed > 0 {
            let powers = if self.zeroed == 1 { "1 power" } else { "powers" };
            let count = if self.zeroed == 1 { String::new() } else { format!("{} ", self.zeroed) };
            self.remarks.push(format!("{count}{powers} slightly below 0 counted as 0"));
        }
        self.remarks
    }

    fn policies(&mut self) -> Result<Vec<Policy>, String> {
        let mut clusters = clusters(&self.soc.topology)?;
        let mut strays = BTreeSet::new();
        let mut seen = Seen::new();
        for point in &self.soc.cpu {
            let row = self.row(point)?;
            if !is_new(&mut seen, &keyed(point, &row)) {
                continue;
            }
            if let Some(cluster) = clusters.get_mut(&point.policy) {
                cluster.add(point, &row);
            } else if point.policy != DSU {
                strays.insert(point.policy);
            }
        }
        if let Some(first) = strays.first() {
            let others = strays.len() - 1;
            let others = if others > 0 { format!(" and {others} more") } else { String::new() };
            self.remarks.push(format!("curves of policies without CPUs not used: {first}{others}"));
        }
        if let Some(first) = clusters.get_mut(&0) {
            self.add_dsu(first)?;
            self.add_l3(first)?;
        } else if !self.soc.l3.is_empty() || self.soc.cpu.iter().any(|point| point.policy == DSU) {
            let remark =
                "no policy 0, by which the DSU and the L3 cache are looked up: both not used";
            self.remarks.push(remark.to_owned());
        }
        let mut policies = Vec::new();
        for cluster in clusters.into_values() {
            if cluster.curve.is_empty() && cluster.dependent_curve.is_empty() {
                self.remarks.push(format!("policy {} has no curve: not used", cluster.id));
                continue;
            }
            let policy = cluster.into_policy().map_err(|wrong| misfit(&wrong))?;
            let mut cells = policy.rows.iter().flat_map(|row| &row.cells);
            if !cells.any(|cell| cell.power.core[0] >= LEAST_AT_WORK) {
                return Err(format!("a core of policy {} draws nothing at work", policy.id.0));
            }
            policies.push(policy);
        }
        if policies.is_empty() {
            return Err("it has no CPU with a curve".to_owned());
        }
        plausible(&policies)?;
        Ok(policies)
    }

    /// Shared, active, idle, idle and interconnect power in milliwatts, each of them possible.
    fn row(&mut self, point: &SocCpuPoint) -> Result<[f64; 5], String> {
        let place = || format!("policy {} at {} kHz", point.policy, point.khz);
        if point.khz == 0 {
            return Err(format!("policy {} has a clock of 0 kHz", point.policy));
        }
        let of = |what: &'static str| move || format!("{what} of {}", place());
        let active = possible(point.active, MOST_AT_WORK, "mW", of("a core at work"))?;
        let others = [
            ("shared power", point.shared, MOST_SHARED),
            ("an idle core", point.idle[0], MOST_IDLE),
            ("a core in deep idle", point.idle[1], MOST_IDLE),
            ("interconnect", point.interconnect, MOST_SHARED),
        ];
        let mut row = [0.0, active, 0.0, 0.0, 0.0];
        for (to, (what, value, most)) in [0, 2, 3, 4].into_iter().zip(others) {
            let is_noise = value < 0.0 && -value <= active * NOISE;
            self.zeroed += usize::from(is_noise);
            let value = if is_noise { 0.0 } else { value };
            row[to] = possible(value, most, "mW", of(what))?;
        }
        Ok(row)
    }

    /// Adds the DSU's own table: its power by its clock alone, which is what an interconnect's is in tables of the first policy.
    fn add_dsu(&mut self, first: &mut FilePolicy) -> Result<(), String> {
        let mut powers: BTreeMap<u32, f64> = BTreeMap::new();
        let own = |point: &&SocCpuPoint| point.policy == DSU && point.on.is_none();
        for point in self.soc.cpu.iter().filter(own) {
            let [shared, active, ..] = self.row(point)?;
            let khz = if point.khz > HIGHEST_KHZ { point.khz / 1000 } else { point.khz };
            let ((power, 0.0) | (0.0, power)) = (shared, active) else {
                return Err("the DSU has a shared and an active power".to_owned());
            };
            if powers.insert(khz, power).is_some_and(|other| other != power) {
                return Err(format!("the DSU has two powers at {khz} kHz"));
            }
        }
        if powers.is_empty() {
            return Ok(());
        }
        if first.curve.is_empty() {
            self.remarks
                .push("the DSU's own curve is not used beside one that depends on it".into());
            return Ok(());
        }
        if first.curve.len() * powers.len() > MOST_ROWS {
            return Err("its curve of the DSU is longer than that of any device".to_owned());
        }
        let curve = std::mem::take(&mut first.curve);
        let rows = curve.iter().flat_map(|[khz, shared, active, idle0, idle1]| {
            powers.iter().map(|(dsu, power)| {
                let on = [f64::from(DSU), f64::from(*dsu)];
                [*khz, on[0], on[1], *shared, *active, *idle0, *idle1, *power]
            })
        });
        first.dependent_curve = rows.collect();
        Ok(())
    }

    /// Adds the L3 cache, which Wattson looks up by the clocks of the first policy.
    fn add_l3(&mut self, first: &mut FilePolicy) -> Result<(), String> {
        let clocks = |row: &[f64; 8]| [row[0], row[1], row[2]].map(f64::to_bits);
        let known: BTreeSet<[u64; 3]> = first.dependent_curve.iter().map(clocks).collect();
        let mut unused = 0;
        for point in &self.soc.l3 {
            let place = || format!("the L3 cache at {} kHz", point.khz);
            let hit = possible(point.hit, MOST_NANOJOULES, "nJ", place)?;
            let miss = possible(point.miss, MOST_NANOJOULES, "nJ", place)?;
            let at = [point.khz, point.on.policy, point.on.khz].map(f64::from);
            if known.contains(&at.map(f64::to_bits)) {
                first.l3.push([at[0], at[1], at[2], hit, miss]);
            } else {
                unused += 1;
            }
        }
        if unused > 0 {
            let rows = if unused == 1 { "1 row".to_owned() } else { format!("{unused} rows") };
            self.remarks
                .push(format!("{rows} of the L3 cache for clocks without a curve not used"));
        }
        Ok(())
    }

    fn gpu(&self) -> Result<Option<GpuCurve>, String> {
        let mut points = BTreeMap::new();
        for point in &self.soc.gpu {
            let mut by_state = [Watts::ZERO; 3];
            for (state, value) in by_state.iter_mut().zip(point.by_state) {
                let place = || format!("the GPU at {} kHz", point.khz);
                *state = Watts::from_milliwatts(possible(value, MOST_MILLIWATTS, "mW", place)?);
            }
            let frequency = Hertz::from_kilohertz(u64::from(point.khz));
            let known = points.insert(frequency, GpuPoint { frequency, by_state });
            if known.is_some_and(|known| known.by_state != by_state) {
                return Err(format!("the GPU has two powers at {} kHz", point.khz));
            }
        }
        let id = self.soc.gpu_id.and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
        let points: Vec<GpuPoint> = points.into_values().collect();
        Ok((!points.is_empty()).then_some(GpuCurve { id, points }))
    }

    fn tpu(&self) -> Result<Vec<TpuPoint>, String> {
        if self.soc.tpu.len() > MOST_TPU_POINTS {
            return Err("its table of the TPU is longer than that of any device".to_owned());
        }
        let mut points = BTreeMap::new();
        for point in &self.soc.tpu {
            let place = || format!("the TPU at {} kHz", point.khz);
            let power = possible(point.active, MOST_MILLIWATTS, "mW", place)?;
            let state = (point.cluster, point.khz, point.requests);
            if points.insert(state, power).is_some_and(|known| known != power) {
                return Err(format!("the TPU has two powers at {} kHz", point.khz));
            }
        }
        let point = |((cluster, khz, requests), power)| TpuPoint {
            cluster,
            clock: u64::from(khz),
            requests,
            power: Watts::from_milliwatts(power),
        };
        Ok(points.into_iter().map(point).collect())
    }
}

/// Refuses clusters whose idle cores draw more than working ones, and sums of cores that no phone's battery feeds.
fn plausible(policies: &[Policy]) -> Result<(), String> {
    let (mut at_work, mut idle) = (Watts::ZERO, Watts::ZERO);
    for policy in policies {
        let powers = || policy.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.power.core);
        let states = powers().count();
        // Published tables have this at single clocks, as placeholders.
        let turned = powers().filter(|[active, light, deep]| light.max(*deep) > *active).count();
        if 2 * turned > states {
            return Err(format!(
                "policy {}: expected idle cores below cores at work, found more in {turned} of {states} states",
                policy.id.0
            ));
        }
        let most = |of: fn([Watts; 3]) -> Watts| {
            powers().map(of).fold(Watts::ZERO, Watts::max) * policy.cpus.len() as f64
        };
        at_work += most(|[active, _, _]| active);
        idle += most(|[_, light, deep]| light.max(deep));
    }
    for (what, found, expected) in
        [("at work", at_work, MOST_ALL_AT_WORK), ("idle", idle, MOST_ALL_IDLE)]
    {
        if found > expected {
            return Err(format!(
                "all cores {what}: expected up to {:.0} W, found {:.1} W",
                expected.value(),
                found.value()
            ));
        }
    }
    Ok(())
}

/// A row with the state that it is of.
fn keyed(point: &SocCpuPoint, row: &[f64; 5]) -> Vec<f64> {
    let on = point.on.map_or([-1.0; 2], |on| [f64::from(on.policy), f64::from(on.khz)]);
    [f64::from(point.policy), f64::from(point.khz)].iter().chain(&on).chain(row).copied().collect()
}

impl FilePolicy {
    fn add(&mut self, point: &SocCpuPoint, row: &[f64; 5]) {
        let [shared, active, idle0, idle1, interconnect] = *row;
        let khz = f64::from(point.khz);
        match point.on {
            None => self.curve.push([khz, shared, active, idle0, idle1]),
            Some(on) => {
                let on = [f64::from(on.policy), f64::from(on.khz)];
                let row = [khz, on[0], on[1], shared, active, idle0, idle1, interconnect];
                self.dependent_curve.push(row);
            }
        }
    }
}

/// A value that a phone's hardware can have.
fn possible(value: f64, most: f64, unit: &str, place: impl Fn() -> String) -> Result<f64, String> {
    if (0.0..=most).contains(&value) {
        return Ok(value);
    }
    Err(format!("{}: expected 0 to {most} {unit}, found {value}", place()))
}

fn misfit((expected, found): &Wrong) -> String {
    format!("expected {expected}, found {found}")
}

/// The clusters of a topology by their policies, without curves.
fn clusters(topology: &SocTopology) -> Result<BTreeMap<u32, FilePolicy>, String> {
    let mut properties: BTreeMap<i32, &SocPolicy> = BTreeMap::new();
    for of in &topology.policies {
        if properties.insert(of.policy, of).is_some_and(|other| other != of) {
            return Err(format!("policy {} is described twice", of.policy));
        }
    }
    let mut known = BTreeMap::new();
    // By policy: CPUs with the time of their exit and the rule of their vote.
    let mut clusters: BTreeMap<u32, Vec<(u32, i64, bool)>> = BTreeMap::new();
    for cpu in &topology.cpus {
        match known.insert(cpu.cpu, cpu) {
            Some(other) if other == cpu => continue,
            Some(other) => {
                let policies = format!("policy {} and in policy {}", other.policy, cpu.policy);
                return Err(format!("CPU {} is in {policies}", cpu.cpu));
            }
            None => {}
        }
        let number = u32::try_from(cpu.cpu).ok().filter(|_| cpu.cpu < MOST_CPUS);
        let policy = u32::try_from(cpu.policy).ok();
        let (Some(number), Some(policy)) = (number, policy) else {
            return Err(format!("no device has a CPU {} in a policy {}", cpu.cpu, cpu.policy));
        };
        let of_policy = properties.get(&cpu.policy);
        let exit = cpu.deep_idle_exit.or(of_policy.and_then(|of| of.deep_idle_exit)).unwrap_or(0);
        if !(0..=LONGEST_EXIT).contains(&exit) {
            return Err(format!("CPU {number} leaves deep idle in {exit} ns"));
        }
        let by_clock = cpu.votes_by_clock.or(of_policy.and_then(|of| of.votes_by_clock));
        let of_cpu = (number, exit, by_clock.unwrap_or(false));
        clusters.entry(policy).or_default().push(of_cpu);
    }
    if clusters.is_empty() {
        return Err("it says of no CPU to which policy it belongs".to_owned());
    }
    let mut policies = BTreeMap::new();
    for (id, mut cpus) in clusters {
        cpus.sort_unstable();
        let by_clock = cpus.iter().any(|(_, _, by_clock)| *by_clock);
        if cpus.iter().any(|(_, _, other)| *other != by_clock) {
            return Err(format!("the CPUs of policy {id} vote by different rules"));
        }
        let policy = FilePolicy {
            id,
            cpus: cpus.iter().map(|(cpu, ..)| *cpu).collect(),
            deep_idle_exit_ns: OneOrEach::Each(cpus.iter().map(|(_, exit, _)| *exit).collect()),
            vote_by: by_clock.then(|| "frequency".to_owned()),
            source: String::new(),
            curve: Vec::new(),
            dependent_curve: Vec::new(),
            l3: Vec::new(),
        };
        policies.insert(id, policy);
    }
    Ok(policies)
}

/// The column of each idle state.
fn idle_columns(topology: &SocTopology) -> Result<Vec<u8>, String> {
    let mut columns = vec![0, 1];
    for (state, column) in &topology.idle_states {
        // A CPU that runs, as a signed and as an unsigned number.
        if matches!(*state, -1) || *state == i64::from(u32::MAX) {
            continue;
        }
        let index = usize::try_from(*state).ok().filter(|_| *state < MOST_IDLE_STATES);
        let column = u8::try_from(*column).ok().filter(|column| *column <= 1);
        let (Some(index), Some(column)) = (index, column) else {
            return Err(format!("idle state {state} has no column of the tables"));
        };
        if index >= columns.len() {
            let deepest = columns.last().copied().unwrap_or(1);
            columns.resize(index + 1, deepest);
        }
        columns[index] = column;
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of each limit is above all published curves of phones.
    #[test]
    fn published_curves_are_within_the_limits() {
        let phones = super::super::library().iter().filter(|model| {
            model.unit == super::super::FigureUnit::Power && model.matching.systems.is_empty()
        });
        for model in phones.filter(|model| !model.policies.is_empty()) {
            plausible(&model.policies).unwrap_or_else(|why| panic!("{}: {why}", model.name));
            for cell in model.policies.iter().flat_map(|of| &of.rows).flat_map(|row| &row.cells) {
                let [active, light, deep] = cell.power.core;
                let [shared, fabric] = [cell.power.shared, cell.power.interconnect];
                let within = |power: Watts, most: f64| 2.0 * power.milliwatts() <= most;
                assert!(within(active, MOST_AT_WORK), "{}: {cell:?}", model.name);
                assert!(within(light.max(deep), MOST_IDLE), "{}: {cell:?}", model.name);
                assert!(within(shared.max(fabric), MOST_SHARED), "{}: {cell:?}", model.name);
            }
        }
    }
}
