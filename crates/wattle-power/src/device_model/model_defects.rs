//! Defects of a model that can be read, which its reader should know.

use wattle_timeline::Severity;
use wattle_units::Watts;

use super::{DependsOn, DeviceModel, FigureUnit, Measure, Policy, PolicyId, RefitPoint};
use crate::{CoefficientUnit, ParameterName};

/// One thing that is wrong, or looks so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelDefect {
    /// Warning: figures are likely wrong. Info: something a reader should know.
    pub severity: Severity,
    /// Place of the defect: `policy 4`, `figure wifi.on`, `linear`, `model`.
    pub place: String,
    /// Description of the defect.
    pub text: String,
}

/// No core of a phone draws more, in watts; nor, in amperes at one volt, as a current.
const MOST_A_CORE: f64 = 15.0;
/// A working core that draws less, in watts, is a unit's mistake.
const LEAST_A_CORE: f64 = 1e-4;
/// So many doubtful points of a policy are listed.
const LISTED_POINTS: usize = 5;
/// No battery of a phone has a higher voltage: two cells.
const MOST_VOLTS: f64 = 10.0;

impl DeviceModel {
    /// All that looks wrong: curves that fall, powers no phone has, units that do not go together, CPUs that are missing.
    pub fn defects(&self) -> Vec<ModelDefect> {
        let mut defects = Vec::new();
        let mut say = |severity, place: &str, text: String| {
            defects.push(ModelDefect { severity, place: place.to_owned(), text });
        };
        if self.source.is_empty() {
            say(Severity::Info, "model", "no source is named".to_owned());
        }
        if !self.policies.is_empty() && self.matching.is_empty() {
            let text = "no [match]: it is used only where it is named with --device-model";
            say(Severity::Info, "model", text.to_owned());
        }
        let cpus = self.policies.iter().flat_map(|policy| &policy.cpus);
        let highest = cpus.clone().map(|cpu| cpu.index()).max();
        if let Some(highest) = highest.filter(|highest| highest + 1 != cpus.clone().count()) {
            let text = format!(
                "CPUs up to {highest}, and {} of them are in a policy: energy of the others is left out",
                cpus.count()
            );
            say(Severity::Warning, "model", text);
        }
        for policy in &self.policies {
            let place = format!("policy {}", policy.id.0);
            if policy.cpus.first().is_none_or(|first| PolicyId(first.0) != policy.id) {
                let text = "its number is not that of its first CPU, as cpufreq counts".to_owned();
                say(Severity::Info, &place, text);
            }
            for (severity, text) in policy.defects(self.unit) {
                say(severity, &place, text);
            }
        }
        for points in self.doubtful_points().chunk_by(|one, next| one.policy == next.policy) {
            let Some(first) = points.first() else { continue };
            let place = format!("policy {}", first.policy.0);
            say(Severity::Info, &place, doubtful_text(points, self.unit));
        }
        for (name, figure) in self.figures.iter() {
            let place = format!("figure {name}");
            if figure.values.iter().any(|value| *value < 0.0) {
                say(Severity::Warning, &place, "it is negative".to_owned());
            }
            let volts =
                figure.unit == Measure::Volts && figure.values.iter().any(|v| *v > MOST_VOLTS);
            if volts {
                let text = "more volts than a phone's battery has: is it in millivolts?".to_owned();
                say(Severity::Warning, &place, text);
            }
        }
        for (place, text) in self.rail_defects() {
            say(Severity::Warning, &place, text);
        }
        if let Some(text) = self.gpu_points_defect() {
            say(Severity::Warning, "figure gpu.utilisation", text);
        }
        for term in self.linear.iter().flat_map(|linear| &linear.terms) {
            let place = format!("linear term {}", term.parameter);
            let name = ParameterName::from(term.parameter.as_str());
            let natural = name.unit().map(CoefficientUnit::of_parameter);
            if let Some(natural) =
                natural.filter(|natural| natural.parameter() != term.unit.parameter())
            {
                let text =
                    format!("in {}, the parameter needs {natural}: it will not be used", term.unit);
                say(Severity::Warning, &place, text);
            }
            if term.coefficient < 0.0 {
                say(
                    Severity::Warning,
                    &place,
                    "it is negative: nothing draws less by being used".to_owned(),
                );
            }
            if term.error.is_some_and(|error| error > term.coefficient.abs()) {
                let text = "its standard error is larger than itself: it is not known".to_owned();
                say(Severity::Warning, &place, text);
            }
        }
        let intercept = self.linear.as_ref().and_then(|linear| linear.intercept.as_ref());
        if intercept.is_some_and(|intercept| intercept.power < Watts::ZERO) {
            say(Severity::Warning, "linear intercept", "it is negative".to_owned());
        }
        defects
    }

    /// Why the points of the GPU's power by utilisation are not used, if they are not.
    fn gpu_points_defect(&self) -> Option<String> {
        let (scale, power) = (self.figures.get("gpu.utilisation"), self.figures.get("gpu.power"));
        let (scale, power) = match (scale, power) {
            (None, None) => return None,
            (Some(scale), Some(power)) => (scale, power),
            _ => return Some("expected together with gpu.power: it is not used".to_owned()),
        };
        let (levels, powers) = (scale.values.len(), power.values.len());
        if levels != powers {
            let text = format!("{levels} values, but {powers} of gpu.power: it is not used");
            return Some(text);
        }
        let rises = scale.values.is_sorted() && scale.values.last().is_some_and(|v| *v > 0.0);
        let units = scale.unit == Measure::Ratio
            && matches!(power.unit, Measure::Milliwatts | Measure::Milliamperes);
        (!rises || !units).then(|| {
            "expected rising values in 1 up to full use, and gpu.power in mW or mA: it is not used"
                .to_owned()
        })
    }
}

/// The doubtful points of one policy.
fn doubtful_text(points: &[RefitPoint], unit: FigureUnit) -> String {
    let name = if unit == FigureUnit::Current { "mA" } else { "mW" };
    let point = |point: &RefitPoint| {
        let on = point.on.map_or_else(String::new, |on| match on.policy {
            DependsOn::DSU => format!(" (DSU at {} kHz)", on.frequency.kilohertz()),
            policy => format!(" (policy {} at {} kHz)", policy.0, on.frequency.kilohertz()),
        });
        let (power, refit) = (point.power.milliwatts(), point.refit.milliwatts());
        format!("{} kHz{on}: {power:.1} {name}, refit {refit:.1}", point.frequency.kilohertz())
    };
    let listed: Vec<String> = points.iter().take(LISTED_POINTS).map(point).collect();
    let others = points.len() - listed.len();
    let others = if others > 0 { format!("; and {others} more") } else { String::new() };
    format!(
        "{} doubtful: power should rise with the clock, and lies farther than its error from the closest rising curve: {}{others}",
        if points.len() == 1 {
            "1 point is".to_owned()
        } else {
            format!("{} points are", points.len())
        },
        listed.join("; ")
    )
}

impl Policy {
    fn defects(&self, unit: FigureUnit) -> Vec<(Severity, String)> {
        let mut defects = Vec::new();
        let name = if unit == FigureUnit::Current { "mA" } else { "mW" };
        let on = self.lowest_dependency();
        for clock in self.frequencies() {
            let power = self.power(clock, on);
            let active = power.core[0].value();
            if !(LEAST_A_CORE..=MOST_A_CORE).contains(&active) {
                let text = format!(
                    "{} {name} at {} kHz: no core draws that",
                    active * 1e3,
                    clock.kilohertz()
                );
                defects.push((Severity::Warning, text));
            }
            let idle = power.core[1].max(power.core[2]);
            if idle > power.core[0] || power.core.iter().any(|power| *power < Watts::ZERO) {
                let text = format!(
                    "at {} kHz idle draws more than work, or less than nothing",
                    clock.kilohertz()
                );
                defects.push((Severity::Warning, text));
            }
        }
        defects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, place: &str, words: &str) {
        let head = "format = 'wattle-device-model/1'\nname = 'x'\nversion = 1\nsource = 'a test'\n";
        let model = DeviceModel::parse("x", &format!("{head}{text}")).unwrap();
        let defects = model.defects();
        let found =
            defects.iter().any(|defect| defect.place == place && defect.text.contains(words));
        assert!(found, "{place}: {words}: {defects:?}");
    }

    #[test]
    fn what_looks_wrong_is_said() {
        let policy = |id: u32, cpus: &str, curve: &str| {
            format!(
                "[match]\nsoc = ['x']\n[[policy]]\nid = {id}\ncpus = [{cpus}]\ncurve = [{curve}]\n"
            )
        };
        check(
            &policy(0, "0", "[1000, 0, 40, 0, 0], [2000, 0, 10, 0, 0]"),
            "policy 0",
            "2 points are doubtful: power should rise with the clock, and lies farther than its error from the closest rising \
             curve: 1000 kHz: 40.0 mW, refit 20.0; 2000 kHz: 10.0 mW, refit 20.0",
        );
        check(&policy(0, "0", "[1000, 0, 100000, 0, 0]"), "policy 0", "no core draws that");
        check(&policy(0, "0", "[1000, 0, 10, 20, 0]"), "policy 0", "idle draws more");
        check(&policy(0, "0, 2", "[1000, 0, 10, 0, 0]"), "model", "CPUs up to 2");
        check(&policy(4, "0", "[1000, 0, 10, 0, 0]"), "policy 4", "first CPU");
        check(
            "[[policy]]\nid = 0\ncpus = [0]\ncurve = [[1000, 0, 10, 0, 0]]\n",
            "model",
            "no [match]",
        );
        let figure = |value: &str, unit: &str| {
            format!("[[figure]]\nname = 'a'\nvalue = {value}\nunit = '{unit}'\n")
        };
        check(&figure("-1", "mA"), "figure a", "negative");
        check(&figure("3700", "V"), "figure a", "millivolts");
        let term = |coefficient: f64, unit: &str| {
            format!(
                "[linear]\n[[linear.term]]\nparameter = 'cpu.busy'\ncomponent = 'cpu'\nerror = 5\n\
                 coefficient = {coefficient}\nunit = '{unit}'\n"
            )
        };
        check(&term(9.0, "mW/GHz"), "linear term cpu.busy", "mW/core");
        check(&term(-9.0, "mW/core"), "linear term cpu.busy", "negative");
        check(&term(1.0, "mW/core"), "linear term cpu.busy", "larger than itself");
    }
}
