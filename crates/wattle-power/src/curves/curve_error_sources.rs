//! The error sources of a device model.

use wattle_units::Provenance;

use super::warmth::Warmth;
use crate::device_model::RailErrors;
use crate::{
    DeviceModel, ErrorGroup, ErrorGroupId, ErrorModel, ErrorSizes, ErrorSource, Policy, SourceId,
};

/// Own error of a power between two measured clocks: three measured clocks of a cluster give the
/// others within 7 % (freqbench, 146 clusters, log-interpolated), neighbours are nearer than that.
const INTERPOLATED: f64 = 0.07;

/// Own error of the power at a guessed clock: tables span a factor of about ten from end to end.
const GUESSED_CLOCK: f64 = 0.5;

/// Nearest by topology: one anchor of another SoC gives power within 37 % (freqbench, universal shape).
const ANOTHER_SOC: f64 = 0.6;

/// Between the bench that a model was measured on and a phone in use: voltage, memory; temperature beside it. Runs of one SoC differ by a tenth
/// (freqbench).
const IN_USE: f64 = 0.1;

/// Error of a model that states none.
const UNKNOWN: f64 = 0.3;

/// The model with an error more, common to all figures of a policy: the standard deviation of its logarithm, and between what it is.
pub(super) fn widened(model: &DeviceModel, deviation: f64, between: &str) -> DeviceModel {
    let sizes = model.error_sizes();
    let known = || sizes.iter().flatten();
    let shared = known().map(|size| size.shared).reduce(f64::max).unwrap_or(UNKNOWN);
    let own = known().map(|size| size.own).reduce(f64::max).unwrap_or(UNKNOWN / 3.0);
    let origin = known().next().map_or("judgement", |size| size.source.as_str());
    let error = ErrorSizes {
        shared: shared.hypot(deviation),
        own,
        freedom: None,
        source: format!("{origin}; between {between}"),
    };
    DeviceModel { residuals: Vec::new(), rails: Vec::new(), error: Some(error), ..model.clone() }
}

/// Makes all sources err by one common error, the largest and another of their logarithm: what is not known is the same for all.
pub(super) fn err_together(what: &str, more: f64, errors: &mut ErrorModel) {
    let shared = errors.groups.iter().map(|group| group.shared).fold(0.0, f64::max);
    if let Some(first) = errors.groups.first_mut() {
        first.shared = shared.hypot(more);
        what.clone_into(&mut first.name);
    }
    for source in &mut errors.sources {
        source.group = ErrorGroupId(0);
    }
}

/// The sources of one policy.
pub(super) struct PolicySources {
    /// Active power, by row of the table.
    pub(super) rows: Vec<SourceId>,
    pub(super) idle: SourceId,
    pub(super) shared: SourceId,
    /// Power between rows.
    pub(super) between: SourceId,
    /// Power at a clock that is guessed.
    pub(super) guessed: SourceId,
}

/// The sources of a model.
pub(super) struct Sources {
    pub(super) policies: Vec<PolicySources>,
    pub(super) l3: SourceId,
    pub(super) interconnect: SourceId,
    /// Of the CPU as a whole.
    pub(super) base: SourceId,
    /// Of power that is drawn whatever executes.
    pub(super) floor: SourceId,
}

impl Sources {
    pub(super) fn new(
        model: &DeviceModel,
        warmth: &Warmth,
        provenance: Provenance,
        errors: &mut ErrorModel,
    ) -> Self {
        let assumed = provenance == Provenance::Assumed;
        let mut sizes = model.error_sizes();
        for (size, policy) in sizes.iter_mut().zip(&model.policies) {
            let unknown = ErrorSizes {
                shared: UNKNOWN,
                own: UNKNOWN / 3.0,
                freedom: None,
                source: "judgement".to_owned(),
            };
            let size = size.get_or_insert(unknown);
            // Rails were read while the phone was in use.
            if model.rail_of(policy.id).is_none() {
                size.shared = size.shared.hypot(IN_USE);
            }
            if assumed {
                size.shared = size.shared.hypot(ANOTHER_SOC);
                size.freedom = None;
            }
        }
        let policies: Vec<PolicySources> = model
            .policies
            .iter()
            .zip(sizes.iter().flatten())
            .enumerate()
            .map(|(place, (policy, sizes))| {
                // What rails left holds at all temperatures that they were read at.
                let leakage = warmth.error(place);
                let rails = model.rail_of(policy.id).map(|_| model.rail_errors(policy.id));
                let more = rails.unwrap_or(RailErrors { idle: leakage, shared: leakage });
                PolicySources::new(policy, (sizes, more), provenance, errors)
            })
            .collect();
        // What serves all clusters errs with none of them; how much is not published.
        let fabric = errors.add_group(ErrorGroup {
            name: "cpu fabric".to_owned(),
            shared: sizes.first().and_then(Option::as_ref).map_or(UNKNOWN, |size| size.shared),
            freedom: None,
        });
        let [floor, awake] = model.base_errors();
        let mut source = |name: &str, own: f64| {
            errors.add_source(ErrorSource {
                name: name.to_owned(),
                group: fabric,
                own,
                meter: None,
                provenance,
            })
        };
        Self {
            policies,
            l3: source("l3 cache", 0.0),
            interconnect: source("cpu interconnect", 0.0),
            base: source("cpu base", awake),
            floor: source("cpu floor", floor),
        }
    }
}

impl PolicySources {
    fn new(
        policy: &Policy,
        (sizes, more): (&ErrorSizes, RailErrors),
        provenance: Provenance,
        errors: &mut ErrorModel,
    ) -> Self {
        let id = policy.id.0;
        let group = errors.add_group(ErrorGroup {
            name: format!("policy {id}"),
            shared: sizes.shared,
            freedom: sizes.freedom,
        });
        let mut source = |name: String, more: f64, provenance| {
            let own = sizes.own.hypot(more);
            errors.add_source(ErrorSource { name, group, own, meter: None, provenance })
        };
        Self {
            rows: policy
                .frequencies()
                .map(|frequency| source(format!("policy {id} at {frequency}"), 0.0, provenance))
                .collect(),
            idle: source(format!("policy {id} idle"), more.idle, provenance),
            shared: source(format!("policy {id} shared"), more.shared, provenance),
            between: source(format!("policy {id} between clocks"), INTERPOLATED, provenance),
            guessed: source(
                format!("policy {id} at a guessed clock"),
                GUESSED_CLOCK,
                Provenance::Assumed,
            ),
        }
    }
}
