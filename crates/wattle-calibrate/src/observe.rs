//! Observations from a recording with measured power.

use wattle_power::{
    Component, DeviceModel, MeasuredBy, Parameter, ParameterName, measured, parameter,
    parameter_names,
};
use wattle_timeline::Timeline;
use wattle_units::{Nanos, Volts};

use crate::{CalibrateError, Observations, ObservedParameter};

/// Request for observations from a recording.
#[derive(Clone, Debug)]
pub struct ObserveRequest<'a> {
    /// The parameters' names.
    pub parameters: &'a [String],
    /// Source of the measured power, as requested (`battery`, `meter`, `rails`, `cpu`).
    pub target: &'a str,
    /// The least length of an observation.
    pub least: Nanos,
    /// The battery's voltage, where the recording does not tell it.
    pub voltage: Option<Volts>,
    /// A model that says which CPUs make a policy.
    pub model: Option<&'a DeviceModel>,
}

/// Cuts a recording into stretches between readings of its instrument, with the mean of power and of each parameter over
/// each. All are of one group, as they are of one run.
pub fn observe(
    timeline: &Timeline,
    group: &str,
    request: &ObserveRequest<'_>,
) -> Result<Observations, CalibrateError> {
    let by = MeasuredBy::from(request.target);
    let Some(power) = measured(timeline, &by, request.voltage) else {
        return Err(no_measurement(timeline, group, request.target));
    };
    let found: Vec<Parameter> = request
        .parameters
        .iter()
        .map(|name| {
            parameter(timeline, name, request.model).ok_or_else(|| CalibrateError::NoParameter {
                group: group.to_owned(),
                name: name.clone(),
                found: parameter_names(timeline, request.model).into_iter().take(60).collect(),
            })
        })
        .collect::<Result<_, _>>()?;
    let component = |name: &str| {
        let of_rail = power.component.clone();
        let of_name = || ParameterName::from(name).component();
        of_rail.or_else(of_name).unwrap_or_else(|| Component::Other(name.to_owned()))
    };
    let mut observations = Observations {
        parameters: found
            .iter()
            .map(|parameter| ObservedParameter {
                name: parameter.name.clone(),
                unit: parameter.unit.to_owned(),
                component: component(&parameter.name),
                values: Vec::new(),
            })
            .collect(),
        what: power.what.clone(),
        component: power.component.clone(),
        every: Some(request.least.seconds()),
        ..Observations::default()
    };
    let (mut without_power, mut without_parameter) = (0, 0);
    for window in power.stretches(request.least) {
        let Some(watts) = power.mean(window) else {
            without_power += 1;
            continue;
        };
        let values: Option<Vec<f64>> =
            found.iter().map(|parameter| parameter.mean(window)).collect();
        let Some(values) = values else {
            without_parameter += 1;
            continue;
        };
        observations.power.push(watts);
        observations.groups.push(group.to_owned());
        for (parameter, value) in observations.parameters.iter_mut().zip(values) {
            parameter.values.push(value);
        }
    }
    observations.leave_out("power not known", without_power);
    observations.leave_out("a parameter not known", without_parameter);
    Ok(observations)
}

/// Says what measured power there is instead of what was asked for.
pub(crate) fn no_measurement(timeline: &Timeline, group: &str, target: &str) -> CalibrateError {
    CalibrateError::NoMeasurement {
        group: group.to_owned(),
        target: target.to_owned(),
        found: instruments(timeline),
    }
}

fn instruments(timeline: &Timeline) -> Vec<String> {
    let mut found: Vec<String> = timeline
        .energy
        .meters
        .iter()
        .map(|m| format!("meter:{}", timeline.names.get(m.name)))
        .collect();
    if timeline.energy.batteries.iter().any(|battery| !battery.samples.is_empty()) {
        found.push("battery polls".to_owned());
    }
    found.extend(timeline.energy.rails.iter().map(|rail| timeline.names.get(rail.name).to_owned()));
    if found.is_empty() {
        found.push("no instrument at all".to_owned());
    }
    found
}
