//! A linear model over the parameters of a recording, as power tracks.

use wattle_timeline::{Timeline, Window};
use wattle_units::{Provenance, Watts};

use crate::linear_gains::LinearGains;
use crate::note::PowerNote;
use crate::parameter_name::ParameterName;
use crate::parameters::{ParameterOwner, ParameterPart};
use crate::{
    CoefficientUnit, Component, DeviceModel, ErrorGroup, ErrorGroupId, ErrorModel, ErrorSource,
    LinearModel, LinearTerm, PowerTrack, Scope, SourceId,
};

/// Relative error of a linear model that tells nothing of its residuals: peers' leave-one-group-out errors are 10 to
/// 30 %. A judgement.
const UNTOLD: f64 = 0.3;

/// The component that the intercept is booked as.
const BASELINE: &str = "baseline";

/// The units that parameters have by themselves; of any other a recording does not know what it counts.
const KNOWN_UNITS: [&str; 3] = ["core", "GHz", "B/s"];

/// A linear model and the recording that it is applied to.
pub(crate) struct Request<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) model: &'a DeviceModel,
    /// Certainty that the model is of this device.
    pub(crate) provenance: Provenance,
    pub(crate) window: Window,
    /// Whether the constant is used: a rail that is metered beside the model is a part of it.
    pub(crate) floor: bool,
}

/// The tracks of a linear model.
#[derive(Default)]
pub(crate) struct LinearTracks {
    pub(crate) tracks: Vec<PowerTrack>,
    pub(crate) notes: Vec<PowerNote>,
    /// Whether the constant of a whole device is among them.
    pub(crate) is_whole_device: bool,
}

/// The component of a whole device's constant.
fn baseline() -> Component {
    Component::Other(BASELINE.to_owned())
}

/// Tracks of the terms whose components are wanted. What another model or a rail has is not wanted: no component is
/// counted twice.
pub(crate) fn estimate(
    request: &Request<'_>,
    wanted: &dyn Fn(&Component) -> bool,
    errors: &mut ErrorModel,
) -> LinearTracks {
    let Request { timeline, model, provenance, window, floor } = *request;
    let mut linear = LinearTracks::default();
    let Some(of) = &model.linear else { return linear };
    if of.table.as_ref().is_some_and(|table| table.duration.is_none() && table.is_energy()) {
        linear.notes.push(PowerNote::LinearOfRuns);
        return linear;
    }
    // The correction is of all terms and the constant together.
    let is_whole =
        of.terms.iter().all(|term| wanted(&term.component)) && (floor || of.intercept.is_none());
    let gains = LinearGains::new(timeline, model, of, window, is_whole);
    if of.correction.is_some() && !gains.is_corrected() {
        linear
            .notes
            .push(PowerNote::LinearCorrectionLeftOut { parameters: gains.uncorrected.clone() });
    }
    let deviation = residual_deviation(of, gains.is_corrected()).zip(of.mean);
    let shared = match deviation {
        Some((deviation, mean)) if mean > Watts::ZERO => deviation / mean,
        _ => UNTOLD,
    };
    let freedom = deviation.and(of.freedom);
    let group = ErrorGroup { name: format!("linear model {}", model.name), shared, freedom };
    let mut group = Lazy { group: Some(group), id: ErrorGroupId::default() };
    let mut unknown: Vec<&str> = Vec::new();
    for term in of.terms.iter().filter(|term| wanted(&term.component)) {
        if LinearGains::is_of_tables(&term.parameter) {
            continue;
        }
        let Some(parameter) = gains.parameter(&term.parameter) else {
            linear.notes.push(missing(term));
            continue;
        };
        if let Some(note) = unit_mismatch(term, parameter.unit) {
            linear.notes.push(note);
            continue;
        }
        let own = term.error.map_or(0.0, |error| relative(error, term.coefficient));
        let source = errors_source(
            errors,
            &mut group,
            &term.parameter,
            own,
            term.provenance.weakest(provenance),
        );
        let each = gains.of(term);
        let is_constant = ParameterName::from(term.parameter.as_str()) == ParameterName::Constant;
        for part in &parameter.parts {
            let scope = if is_constant { Scope::Floor } else { scope(&part.owner) };
            let empty = |from| PowerTrack::new(term.component.clone(), scope.clone(), from);
            let (tracks, gap) = part_tracks(part, &empty, &each, window, source);
            linear.tracks.extend(tracks);
            if gap && !unknown.contains(&term.parameter.as_str()) {
                unknown.push(&term.parameter);
            }
        }
    }
    if !unknown.is_empty() {
        let parameters = unknown.into_iter().map(str::to_owned).collect();
        linear.notes.push(PowerNote::LinearParameterGaps { parameters });
    }
    if let Some(intercept) = &of.intercept {
        if floor {
            let own = intercept.error.map_or(0.0, |e| relative(e.value(), intercept.power.value()));
            let provenance = intercept.provenance.weakest(provenance);
            let source = errors_source(errors, &mut group, BASELINE, own, provenance);
            for (index, stretch) in gains.stretches.iter().enumerate() {
                let power = intercept.power * gains.factor(index);
                linear.tracks.extend(floor_tracks(timeline, power, *stretch, source));
            }
        } else {
            linear.notes.push(PowerNote::LinearInterceptLeftOut);
        }
    }
    let whole = baseline();
    linear.is_whole_device = linear.tracks.iter().any(|track| track.component == whole);
    linear
}

/// The deviation of what the model leaves, with its correction or without.
fn residual_deviation(of: &LinearModel, is_corrected: bool) -> Option<Watts> {
    let correction = of.correction.as_ref().filter(|_| is_corrected);
    let residuals = correction.map(|correction| correction.residuals.clone());
    match residuals.filter(|residuals| !residuals.is_empty()) {
        Some(residuals) => LinearModel { residuals, ..LinearModel::default() }.residual_deviation(),
        None => of.residual_deviation(),
    }
}

/// A group of errors that exists once something carries it.
struct Lazy {
    group: Option<ErrorGroup>,
    id: ErrorGroupId,
}

fn errors_source(
    errors: &mut ErrorModel,
    group: &mut Lazy,
    name: &str,
    own: f64,
    provenance: Provenance,
) -> SourceId {
    if let Some(new) = group.group.take() {
        group.id = errors.add_group(new);
    }
    let name = format!("linear term {name}");
    errors.add_source(ErrorSource { name, group: group.id, own, meter: None, provenance })
}

/// A standard error as a part of the value; at most the whole ten times over.
fn relative(error: f64, value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { (error / value).abs().min(10.0) }
}

fn missing(term: &LinearTerm) -> PowerNote {
    let (parameter, component) = (term.parameter.clone(), term.component.clone());
    PowerNote::LinearParameterMissing { parameter, component }
}

fn unit_mismatch(term: &LinearTerm, unit: &'static str) -> Option<PowerNote> {
    let expected = CoefficientUnit::of_parameter(unit);
    let same = expected == term.unit
        || (unit == "B/s" && term.unit.parameter() == "B/s")
        || !KNOWN_UNITS.contains(&unit);
    (!same).then(|| PowerNote::LinearUnit {
        parameter: term.parameter.clone(),
        component: term.component.clone(),
        unit: term.unit.clone(),
        expected,
    })
}

fn scope(owner: &ParameterOwner) -> Scope {
    match owner {
        ParameterOwner::Device => Scope::Device,
        ParameterOwner::Core(cpu) => Scope::Core(*cpu),
        ParameterOwner::Cores(cpus) => Scope::Cores(cpus.clone()),
        ParameterOwner::Gpu(id) => Scope::Gpu(*id),
        ParameterOwner::App(uid) => Scope::App(*uid),
    }
}

/// A track for each stretch in which the part is known, and whether there is more than one or something is left out.
fn part_tracks(
    part: &ParameterPart,
    empty: &dyn Fn(wattle_units::BootNanos) -> PowerTrack,
    each: &[(Window, Option<Watts>)],
    window: Window,
    source: SourceId,
) -> (Vec<PowerTrack>, bool) {
    let mut tracks: Vec<PowerTrack> = Vec::new();
    for (stretch, each) in each {
        let Some(each) = *each else { continue };
        for segment in part.value.segments(*stretch) {
            let Some(value) = segment.value else { continue };
            let from = segment.window.start;
            if tracks.last().is_none_or(|track| track.end() != from) {
                tracks.push(empty(from));
            }
            if let Some(track) = tracks.last_mut() {
                track.push_until(segment.window.end, each * value, source);
            }
        }
    }
    let known: f64 = tracks.iter().map(|track| track.window().duration().seconds()).sum();
    let gap = known < window.duration().seconds() * 0.99;
    (tracks, gap)
}

/// The constant, while the device is awake: nobody calibrates a sleeping phone.
fn floor_tracks(
    timeline: &Timeline,
    power: Watts,
    window: Window,
    source: SourceId,
) -> Vec<PowerTrack> {
    let mut tracks = Vec::new();
    let mut awake_from = Some(window.start);
    let mut close = |from: wattle_units::BootNanos, until| {
        let mut track = PowerTrack::new(baseline(), Scope::Floor, from);
        track.push_until(until, power, source);
        if !track.is_empty() {
            tracks.push(track);
        }
    };
    for segment in timeline.suspend.suspended.segments(window) {
        match (awake_from, segment.value) {
            (Some(from), true) => {
                close(from, segment.window.start);
                awake_from = None;
            }
            (None, false) => awake_from = Some(segment.window.start),
            _ => {}
        }
    }
    if let Some(from) = awake_from {
        close(from, window.end);
    }
    tracks
}
