//! The file format `wattle-device-model/1`. See `docs/device-model.md`.

use serde::Deserialize;
use wattle_timeline::CpuId;
use wattle_units::{Hertz, Nanos, Provenance, Watts};

use super::file_linear::FileLinear;
use super::file_rail::{self, FileRail};
use super::file_values::{Wrong, finite};
use super::policy::{Cell, Row};
use super::{
    BasePower, DependsOn, DeviceModel, DsuClock, ErrorSizes, Figure, FigureUnit, Figures, GpuCurve,
    GpuPoint, Measure, ModelMatch, Policy, PolicyId, Residual, ResidualKind, StatePower, TpuPoint,
    VoteBy,
};
use crate::PowerError;

/// The value of `format` in a file that this version reads.
pub const DEVICE_MODEL_FORMAT: &str = "wattle-device-model/1";

/// More CPUs than any phone will have; keeps a file from asking for memory by a number.
const MOST_CPUS: u32 = 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    name: String,
    version: u32,
    #[serde(default)]
    source: String,
    #[serde(default, alias = "license")]
    licence: String,
    #[serde(default, rename = "match")]
    matching: ModelMatch,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    base: Option<FileBase>,
    #[serde(default)]
    idle_states: Option<IdleStates>,
    #[serde(default)]
    dsu: Option<Dsu>,
    #[serde(default)]
    error: Option<FileError>,
    #[serde(default)]
    policy: Vec<FilePolicy>,
    #[serde(default)]
    gpu: Option<FileGpu>,
    #[serde(default)]
    tpu: Option<FileTpu>,
    #[serde(default)]
    residual: Vec<FileResidual>,
    #[serde(default)]
    figure: Vec<FileFigure>,
    #[serde(default)]
    remarks: Vec<String>,
    #[serde(default)]
    linear: Option<FileLinear>,
    #[serde(default)]
    rail: Vec<FileRail>,
}

/// Head of a file: its unit and the devices that it is for, without its figures.
#[derive(Deserialize)]
pub(crate) struct Head {
    #[serde(default)]
    unit: Option<String>,
    #[serde(default, rename = "match")]
    pub(super) matching: ModelMatch,
}

impl Head {
    pub(super) fn is_current(&self) -> bool {
        self.unit.as_deref() == Some("mA")
    }

    pub(crate) fn devices(&self) -> &[String] {
        &self.matching.devices
    }

    /// Whether it stands in for computers of some system.
    pub(crate) fn is_generic(&self) -> bool {
        !self.matching.systems.is_empty()
    }
}

/// The head of a file of the library, in which figures come last.
pub(super) fn head(text: &str) -> Option<Head> {
    let end = text.find("\n[[").unwrap_or(text.len());
    toml::from_str(&text[..end]).ok()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdleStates {
    map: Vec<u8>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FileBase {
    suspend: f64,
    awake: f64,
    active: f64,
    floor: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dsu {
    devfreq: Vec<String>,
    guest_khz: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileError {
    shared: f64,
    own: f64,
    freedom: Option<f64>,
    #[serde(default)]
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilePolicy {
    pub(super) id: u32,
    pub(super) cpus: Vec<u32>,
    #[serde(default)]
    pub(super) deep_idle_exit_ns: OneOrEach,
    #[serde(default)]
    pub(super) vote_by: Option<String>,
    #[serde(default)]
    pub(super) source: String,
    #[serde(default)]
    pub(super) curve: Vec<[f64; 5]>,
    #[serde(default)]
    pub(super) dependent_curve: Vec<[f64; 8]>,
    #[serde(default)]
    pub(super) l3: Vec<[f64; 5]>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrEach {
    One(i64),
    Each(Vec<i64>),
}

impl Default for OneOrEach {
    fn default() -> Self {
        Self::One(0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileGpu {
    id: u32,
    curve: Vec<[f64; 4]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTpu {
    curve: Vec<[f64; 4]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFigure {
    name: String,
    value: OneOrMore,
    unit: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    provenance: Option<Provenance>,
    #[serde(default)]
    error: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(f64),
    More(Vec<f64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileResidual {
    policy: u32,
    specimen: String,
    kind: Option<String>,
    khz: Option<u64>,
    ratio: f64,
}

pub(super) fn parse(name: &str, text: &str) -> Result<DeviceModel, PowerError> {
    let file: File = toml::from_str(text).map_err(|error| PowerError::DeviceModelSyntax {
        name: name.to_owned(),
        reason: error.to_string(),
    })?;
    let wrong =
        |expected, found| PowerError::DeviceModelValue { name: name.to_owned(), expected, found };
    if file.format != DEVICE_MODEL_FORMAT {
        return Err(wrong("format = \"wattle-device-model/1\"", format!("{:?}", file.format)));
    }
    let idle_states = file.idle_states.map_or_else(|| vec![0, 1], |states| states.map);
    if idle_states.is_empty() || idle_states.iter().any(|column| *column > 1) {
        return Err(wrong(
            "idle_states.map of columns 0 and 1, at least one",
            format!("{idle_states:?}"),
        ));
    }
    let mut policies = Vec::with_capacity(file.policy.len());
    let mut seen = std::collections::BTreeSet::new();
    for policy in file.policy {
        for cpu in &policy.cpus {
            if *cpu >= MOST_CPUS || !seen.insert(*cpu) {
                let found = format!("CPU {cpu} in policy {}", policy.id);
                return Err(wrong("each CPU below 1024 in one policy only", found));
            }
        }
        policies.push(policy.into_policy().map_err(|(expected, found)| wrong(expected, found))?);
    }
    policies.sort_by_key(|policy| policy.id);
    let mut figures = Figures::default();
    for figure in file.figure {
        let (name, figure) = figure.into_figure().map_err(|(e, found)| wrong(e, found))?;
        if figures.get(&name).is_some() {
            return Err(wrong("one [[figure]] a name", format!("two of {name:?}")));
        }
        figures.insert(name, figure);
    }
    let linear = file.linear.map(FileLinear::into_linear).transpose();
    let linear = linear.map_err(|(expected, found)| wrong(expected, found))?;
    if policies.is_empty() && figures.is_empty() && linear.is_none() {
        return Err(wrong("at least one [[policy]], [[figure]] or [linear]", "none".to_owned()));
    }
    if let Some(twice) = policies.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(wrong("one [[policy]] an id", format!("two of id {}", twice[0].id.0)));
    }
    if file.dsu.is_none() && policies.iter().any(Policy::depends_on_dsu) {
        return Err(wrong("[dsu] beside curves that depend on it (255)", "none".to_owned()));
    }
    let mut residuals = Vec::with_capacity(file.residual.len());
    for residual in file.residual {
        residuals.push(residual.into_residual().map_err(|(e, found)| wrong(e, found))?);
    }
    if let Some(error) = &file.error
        && !(error.shared >= 0.0 && error.own >= 0.0)
    {
        return Err(wrong("sizes of errors from 0 on", format!("{} {}", error.shared, error.own)));
    }
    let unit = match file.unit.as_deref() {
        None | Some("mW") => FigureUnit::Power,
        Some("mA") => FigureUnit::Current,
        Some(other) => return Err(wrong("unit = \"mW\" or \"mA\"", other.to_owned())),
    };
    let gpu = file.gpu.map(FileGpu::into_curve).transpose();
    let rails = file_rail::rails(file.rail, &policies);
    let rails = rails.map_err(|(expected, found)| wrong(expected, found))?;
    if unit == FigureUnit::Current && !rails.is_empty() {
        return Err(wrong("[[rail]] in a model of unit = \"mW\"", "unit = \"mA\"".to_owned()));
    }
    Ok(DeviceModel {
        name: file.name,
        version: file.version,
        source: file.source,
        licence: file.licence,
        matching: file.matching,
        remarks: file.remarks,
        unit,
        base: file.base.map(|base| BasePower {
            suspend: Watts::from_milliwatts(base.suspend),
            awake: Watts::from_milliwatts(base.awake),
            active: Watts::from_milliwatts(base.active),
            floor: Watts::from_milliwatts(base.floor),
        }),
        idle_states,
        dsu: file.dsu.map(|dsu| DsuClock {
            devfreq: dsu.devfreq,
            guest: dsu.guest_khz.map(Hertz::from_kilohertz),
        }),
        policies,
        gpu: gpu.map_err(|(expected, found)| wrong(expected, found))?,
        tpu: file.tpu.map(FileTpu::into_points).unwrap_or_default(),
        figures,
        linear,
        residuals,
        rails,
        error: file.error.map(|error| ErrorSizes {
            shared: error.shared,
            own: error.own,
            freedom: error.freedom,
            source: error.source,
        }),
    })
}

impl FileFigure {
    fn into_figure(self) -> Result<(String, Figure), Wrong> {
        let Some(unit) = Measure::named(&self.unit) else {
            let found = format!("{:?} of figure {:?}", self.unit, self.name);
            return Err((
                "unit = \"mA\", \"mW\", \"mAh\", \"V\", \"s\", \"nJ/B\", \"uJ\" or \"1\"",
                found,
            ));
        };
        let values = match self.value {
            OneOrMore::One(value) => vec![value],
            OneOrMore::More(values) => values,
        };
        finite(&values)?;
        if values.is_empty() {
            return Err(("a value", format!("none in figure {:?}", self.name)));
        }
        if let Some(error) = self.error.filter(|error| !(0.0..=1e6).contains(error)) {
            return Err(("an error from 0 on", format!("{error} of figure {:?}", self.name)));
        }
        let provenance = self.provenance.unwrap_or(Provenance::Modelled);
        let (source, error) = (self.source, self.error);
        Ok((self.name, Figure { values, unit, source, provenance, error }))
    }
}

/// A number that must be a whole one.
fn whole(value: f64) -> Result<u64, Wrong> {
    if (0.0..9e15).contains(&value) && value.fract() == 0.0 {
        Ok(value as u64)
    } else {
        Err(("a whole number of kHz or of a policy", value.to_string()))
    }
}

fn khz(value: f64) -> Result<Hertz, Wrong> {
    whole(value).map(Hertz::from_kilohertz)
}

impl FilePolicy {
    pub(super) fn into_policy(self) -> Result<Policy, Wrong> {
        let mut cpus: Vec<CpuId> = self.cpus.iter().copied().map(CpuId).collect();
        cpus.sort();
        if cpus.is_empty() {
            return Err(("cpus of at least one CPU", format!("none in policy {}", self.id)));
        }
        let deep_idle_exit = match self.deep_idle_exit_ns {
            OneOrEach::One(nanos) => vec![Nanos::new(nanos); cpus.len()],
            OneOrEach::Each(each) if each.len() == cpus.len() => {
                each.into_iter().map(Nanos::new).collect()
            }
            OneOrEach::Each(each) => {
                let found = format!("{} for {} CPUs", each.len(), cpus.len());
                return Err(("deep_idle_exit_ns of one number, or one a CPU", found));
            }
        };
        if deep_idle_exit.iter().any(|nanos| *nanos < Nanos::ZERO) {
            return Err(("deep_idle_exit_ns from 0 on", format!("policy {}", self.id)));
        }
        let depends = !self.dependent_curve.is_empty();
        if depends != self.curve.is_empty() {
            let found = format!("both or none in policy {}", self.id);
            return Err(("either curve or dependent_curve", found));
        }
        let vote_by = match self.vote_by.as_deref() {
            None | Some("power") => VoteBy::Power,
            Some("frequency") => VoteBy::Frequency,
            Some(other) => return Err(("vote_by = \"power\" or \"frequency\"", other.to_owned())),
        };
        let mut points: Vec<(Hertz, Cell)> = Vec::new();
        for row in &self.curve {
            finite(row)?;
            let power = power([row[1], row[2], row[3], row[4]], 0.0);
            points.push((khz(row[0])?, Cell { on: DependsOn::default(), power }));
        }
        for row in &self.dependent_curve {
            finite(row)?;
            let on = depends_on(row[1], row[2])?;
            let power = power([row[3], row[4], row[5], row[6]], row[7]);
            points.push((khz(row[0])?, Cell { on, power }));
        }
        // What holds without a vote: the lowest clock depended on, the first such row of the file.
        let default_vote = points
            .iter()
            .map(|(_, cell)| cell.on)
            .reduce(|best, on| if on.frequency < best.frequency { on } else { best })
            .unwrap_or_default();
        points.sort_by_key(|(frequency, cell)| (*frequency, cell.on));
        if let Some(pair) = points.windows(2).find(|p| (p[0].0, p[0].1.on) == (p[1].0, p[1].1.on)) {
            let found = format!("two at {} in policy {}", pair[0].0, self.id);
            return Err(("one row a state", found));
        }
        for row in &self.l3 {
            finite(row)?;
            let key = (khz(row[0])?, depends_on(row[1], row[2])?);
            let key = if depends { key } else { (key.0, DependsOn::default()) };
            if let Ok(at) = points.binary_search_by_key(&key, |(f, cell)| (*f, cell.on)) {
                points[at].1.power.l3 = [row[3], row[4]].map(Watts::new);
            } else {
                let found = format!("{} kHz of policy {}", row[0], self.id);
                return Err(("l3 rows of states that are in the curve", found));
            }
        }
        let mut rows: Vec<Row> = Vec::new();
        for (frequency, cell) in points {
            match rows.last_mut().filter(|row| row.frequency == frequency) {
                Some(row) => row.cells.push(cell),
                None => rows.push(Row { frequency, cells: vec![cell] }),
            }
        }
        let id = PolicyId(self.id);
        let source = self.source;
        Ok(Policy { id, cpus, deep_idle_exit, vote_by, source, rows, depends, default_vote })
    }
}

fn depends_on(policy: f64, clock: f64) -> Result<DependsOn, Wrong> {
    let policy = u32::try_from(whole(policy)?)
        .map_err(|_| ("the number of a policy", policy.to_string()))?;
    Ok(DependsOn { policy: PolicyId(policy), frequency: khz(clock)? })
}

/// From milliwatts: static, active, idle0, idle1; interconnect.
fn power(figures: [f64; 4], interconnect: f64) -> StatePower {
    let [shared, active, idle0, idle1] = figures.map(Watts::from_milliwatts);
    StatePower {
        shared,
        core: [active, idle0, idle1],
        interconnect: Watts::from_milliwatts(interconnect),
        l3: [Watts::ZERO; 2],
    }
}

impl FileGpu {
    fn into_curve(self) -> Result<GpuCurve, Wrong> {
        let mut points = Vec::with_capacity(self.curve.len());
        for row in &self.curve {
            finite(row)?;
            let by_state = [row[3], row[2], row[1]].map(Watts::from_milliwatts);
            points.push(GpuPoint { frequency: khz(row[0])?, by_state });
        }
        points.sort_by_key(|point| point.frequency);
        Ok(GpuCurve { id: self.id, points })
    }
}

impl FileTpu {
    fn into_points(self) -> Vec<TpuPoint> {
        let point = |row: &[f64; 4]| TpuPoint {
            cluster: row[0] as u32,
            clock: row[1] as u64,
            requests: row[2] as u32,
            power: Watts::from_milliwatts(row[3]),
        };
        self.curve.iter().map(point).collect()
    }
}

impl FileResidual {
    fn into_residual(self) -> Result<Residual, Wrong> {
        if !(self.ratio > 0.0 && self.ratio.is_finite()) {
            return Err(("residual.ratio above 0", self.ratio.to_string()));
        }
        let kind = match (self.kind.as_deref(), self.khz) {
            (None | Some("active"), Some(khz)) => ResidualKind::Active(Hertz::from_kilohertz(khz)),
            (Some("static"), _) => ResidualKind::Static,
            (Some("idle"), _) => ResidualKind::Idle,
            (kind, khz) => {
                let found = format!("kind {kind:?}, khz {khz:?}");
                return Err(("residual with khz, or of kind \"static\" or \"idle\"", found));
            }
        };
        Ok(Residual {
            policy: PolicyId(self.policy),
            specimen: self.specimen,
            kind,
            ratio: self.ratio,
        })
    }
}
