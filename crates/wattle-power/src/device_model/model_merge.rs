//! Two device models in one: a calibration's new numbers among those that are known.

use super::{DeviceModel, FigureUnit};
use crate::LinearModel;

/// Two models that were merged, and what became of either.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Both in one.
    pub model: DeviceModel,
    /// Entries that the new one replaced, in words (`policy 4`, `figure wifi.on`).
    pub replaced: Vec<String>,
    /// Entries that it added.
    pub added: Vec<String>,
    /// Entries that had to be removed, with the reason: a component is never counted twice.
    pub removed: Vec<String>,
}

/// Why two models cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// One counts currents and the other power.
    #[error(
        "curves of {new} are in {new_unit}, those of {old} in {old_unit}: give the voltage at which the new ones were \
         measured, or merge into a model of the same unit"
    )]
    Units {
        /// The new model.
        new: String,
        /// Its unit.
        new_unit: &'static str,
        /// The one it is merged into.
        old: String,
        /// That one's unit.
        old_unit: &'static str,
    },
    /// A CPU would be in two policies.
    #[error(
        "CPU {cpu} is in policy {new} of the new model and in policy {old} of the one it is merged into"
    )]
    Topology {
        /// The CPU.
        cpu: u32,
        /// The policy it is in.
        new: u32,
        /// The policy it was in.
        old: u32,
    },
}

fn unit(unit: FigureUnit) -> &'static str {
    match unit {
        FigureUnit::Power => "mW",
        FigureUnit::Current => "mA",
    }
}

/// `source`, or where the model comes from.
fn or_of(source: &mut String, model: &DeviceModel) {
    if source.is_empty() {
        source.clone_from(&model.source);
    }
}

impl DeviceModel {
    /// Takes the policies, figures and linear terms of a newer model in: those of the same name (policies: number;
    /// terms: component) are replaced, all else is kept. Each keeps its own source.
    ///
    /// Residuals of a replaced policy go with it: they are of its old figures.
    pub fn merge(&self, newer: &Self) -> Result<Merged, MergeError> {
        let mut model = self.clone();
        let (mut replaced, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        if !newer.policies.is_empty() || newer.base.is_some() {
            if !self.policies.is_empty() && self.unit != newer.unit {
                return Err(MergeError::Units {
                    new: newer.name.clone(),
                    new_unit: unit(newer.unit),
                    old: self.name.clone(),
                    old_unit: unit(self.unit),
                });
            }
            model.unit = newer.unit;
            if self.policies.is_empty() {
                model.idle_states.clone_from(&newer.idle_states);
                model.error.clone_from(&newer.error);
            }
        }
        for policy in &newer.policies {
            let other = model.policies.iter().filter(|old| old.id != policy.id);
            let taken = other.flat_map(|old| old.cpus.iter().map(|cpu| (old.id, *cpu)));
            if let Some((old, cpu)) = { taken }.find(|(_, cpu)| policy.cpus.contains(cpu)) {
                return Err(MergeError::Topology { cpu: cpu.0, new: policy.id.0, old: old.0 });
            }
            let mut policy = policy.clone();
            or_of(&mut policy.source, newer);
            let name = format!("policy {}", policy.id.0);
            if let Some(old) = model.policies.iter_mut().find(|old| old.id == policy.id) {
                let residuals = model.residuals.len();
                model.residuals.retain(|residual| residual.policy != policy.id);
                if model.residuals.len() < residuals {
                    removed.push(format!("residuals of {name}: they are of its old figures"));
                }
                for rail in &mut model.rails {
                    if rail.policies.contains(&policy.id) {
                        rail.policies.retain(|of| *of != policy.id);
                        removed.push(format!(
                            "rail {} of {name}: it is of the old figures",
                            rail.rail
                        ));
                    }
                }
                model.rails.retain(|rail| !rail.policies.is_empty());
                *old = policy;
                replaced.push(name);
            } else {
                model.policies.push(policy);
                added.push(name);
            }
        }
        model.policies.sort_by_key(|policy| policy.id);
        model.residuals.extend(newer.residuals.iter().cloned());
        if newer.base.is_some() {
            let list = if model.base.is_some() { &mut replaced } else { &mut added };
            list.push("base".to_owned());
            model.base = newer.base;
        }
        for (name, figure) in newer.figures.iter() {
            let list = if model.figures.get(name).is_some() { &mut replaced } else { &mut added };
            list.push(format!("figure {name}"));
            let mut figure = figure.clone();
            or_of(&mut figure.source, newer);
            model.figures.insert(name, figure);
        }
        if newer.gpu.is_some() {
            let list = if model.gpu.is_some() { &mut replaced } else { &mut added };
            list.push("gpu".to_owned());
            model.gpu.clone_from(&newer.gpu);
        }
        if newer.dsu.is_some() {
            model.dsu.clone_from(&newer.dsu);
        }
        if let Some(linear) = &newer.linear {
            let mut linear = linear.clone();
            or_of(&mut linear.source, newer);
            let old = model.linear.take().unwrap_or_default();
            model.linear = Some(old.replaced_by(&linear, &mut replaced, &mut added, &mut removed));
        }
        for (to, from) in [
            (&mut model.matching.socs, &newer.matching.socs),
            (&mut model.matching.devices, &newer.matching.devices),
            (&mut model.matching.boards, &newer.matching.boards),
            (&mut model.remarks, &newer.remarks),
        ] {
            for name in from {
                if !to.contains(name) {
                    to.push(name.clone());
                }
            }
        }
        model.version = self.version.saturating_add(1);
        Ok(Merged { model, replaced, added, removed })
    }
}

impl LinearModel {
    /// Terms of components that the newer one has go: two ways to count one component would count it twice.
    fn replaced_by(
        mut self,
        newer: &Self,
        replaced: &mut Vec<String>,
        added: &mut Vec<String>,
        removed: &mut Vec<String>,
    ) -> Self {
        let has = |of: &Self, component: &crate::Component| {
            of.terms.iter().any(|term| term.component == *component)
        };
        let old = std::mem::take(&mut self.terms);
        for mut term in old {
            let newer_term = newer.terms.iter().find(|new| {
                (&new.parameter, &new.component, new.between)
                    == (&term.parameter, &term.component, term.between)
            });
            let name = term_name(&term);
            if newer_term.is_some() {
                replaced.push(name);
            } else if has(newer, &term.component) {
                removed.push(format!(
                    "{name}: the new model counts {} by other parameters",
                    term.component
                ));
            } else {
                if term.source.is_empty() {
                    term.source.clone_from(&self.source);
                }
                self.terms.push(term);
            }
        }
        for term in &newer.terms {
            let name = term_name(term);
            if !replaced.contains(&name) {
                added.push(name);
            }
            let mut term = term.clone();
            if term.source.is_empty() {
                term.source.clone_from(&newer.source);
            }
            self.terms.push(term);
        }
        if let Some(mut intercept) = newer.intercept.clone() {
            let list = if self.intercept.is_some() { replaced } else { added };
            list.push("linear intercept".to_owned());
            if intercept.source.is_empty() {
                intercept.source.clone_from(&newer.source);
            }
            self.intercept = Some(intercept);
        } else if let Some(intercept) = &mut self.intercept
            && intercept.source.is_empty()
        {
            intercept.source.clone_from(&self.source);
        }
        // What is left of the whole is known of the newer fit only.
        self.residuals.clone_from(&newer.residuals);
        self.freedom = newer.freedom;
        self.mean = newer.mean;
        self.interval = newer.interval;
        self.every = newer.every;
        // So is what the correction corrects, unless a term of another fit is among the terms.
        let is_whole = self.terms.len() == newer.terms.len()
            && self.intercept.is_some() == newer.intercept.is_some();
        if newer.correction.is_some() && !is_whole {
            removed.push(
                "linear correction: it is of the new terms alone, not of the merged ones"
                    .to_owned(),
            );
        }
        self.correction = newer.correction.clone().filter(|_| is_whole);
        self.table = newer.table.clone().filter(|_| is_whole);
        self.source = String::new();
        self
    }
}

/// A term's name for people.
fn term_name(term: &crate::LinearTerm) -> String {
    let name = format!("linear term {} of {}", term.parameter, term.component);
    match term.between {
        Some([lower, upper]) => format!("{name} from {lower} to {upper}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> DeviceModel {
        let head = "format = 'wattle-device-model/1'\nversion = 1\n";
        DeviceModel::parse("x", &format!("{head}{text}")).unwrap()
    }

    const OLD: &str = "name = 'old'
        source = 'maker'
        [[policy]]
        id = 0
        cpus = [0, 1]
        curve = [[1000, 0, 10, 0, 0]]
        [[policy]]
        id = 2
        cpus = [2]
        curve = [[1000, 0, 20, 0, 0]]
        [[figure]]
        name = 'wifi.on'
        value = 1
        unit = 'mA'
        [[figure]]
        name = 'bluetooth.on'
        value = 2
        unit = 'mA'
        [linear]
        source = 'first fit'
        [linear.intercept]
        value = 100
        unit = 'mW'
        [[linear.term]]
        parameter = 'cpu.busy'
        component = 'cpu'
        coefficient = 300
        unit = 'mW/core'
        [[linear.term]]
        parameter = 'screen.on'
        component = 'display'
        coefficient = 400
        unit = 'mW'
        [[residual]]
        policy = 2
        specimen = 'A'
        khz = 1000
        ratio = 1.1";

    const NEW: &str = "name = 'new'
        source = 'calibrated'
        [[policy]]
        id = 2
        cpus = [2]
        curve = [[1000, 0, 25, 0, 0]]
        [[figure]]
        name = 'wifi.on'
        value = 0.34
        unit = 'mA'
        [linear]
        [[linear.term]]
        parameter = 'cpu.busy_ghz'
        component = 'cpu'
        coefficient = 150
        unit = 'mW/GHz'";

    #[test]
    fn what_has_the_same_name_is_replaced_and_all_else_is_kept() {
        let (old, new) = (model(OLD), model(NEW));
        let merged = old.merge(&new).unwrap();
        assert_eq!(merged.replaced, ["policy 2", "figure wifi.on"]);
        assert_eq!(merged.added, ["linear term cpu.busy_ghz of cpu"]);
        assert_eq!(
            merged.removed,
            [
                "residuals of policy 2: they are of its old figures",
                "linear term cpu.busy of cpu: the new model counts cpu by other parameters"
            ]
        );
        let model = merged.model;
        assert_eq!(model.policies[0], old.policies[0]);
        assert_eq!(model.policies[1].rows, new.policies[0].rows);
        assert_eq!(model.policies[1].source, "calibrated");
        assert_eq!(model.source, "maker");
        assert_eq!(model.figures.value("bluetooth.on"), Some(2.0));
        assert_eq!(model.figures.get("wifi.on").unwrap().source, "calibrated");
        let linear = model.linear.unwrap();
        let terms: Vec<_> =
            linear.terms.iter().map(|t| (t.parameter.as_str(), t.source.as_str())).collect();
        assert_eq!(terms, [("screen.on", "first fit"), ("cpu.busy_ghz", "calibrated")]);
        assert_eq!(linear.intercept.unwrap().source, "first fit");
        assert!(model.residuals.is_empty());
    }

    #[test]
    fn what_contradicts_is_refused() {
        let currents = model(&format!("unit = 'mA'\n{NEW}"));
        assert!(matches!(model(OLD).merge(&currents), Err(MergeError::Units { .. })));
        let other = model(&NEW.replace("id = 2", "id = 1").replace("cpus = [2]", "cpus = [1, 2]"));
        let expected = MergeError::Topology { cpu: 1, new: 1, old: 0 };
        assert_eq!(model(OLD).merge(&other), Err(expected));
    }

    #[test]
    fn a_merged_model_is_read_as_it_was_written() {
        let merged = model(OLD).merge(&model(NEW)).unwrap().model;
        assert_eq!(DeviceModel::parse("merged", &merged.to_toml()).unwrap(), merged);
    }
}
