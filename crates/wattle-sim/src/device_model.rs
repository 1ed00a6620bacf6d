//! The device model that an estimator is given: what the maker's tables say of phones of this kind.

use std::fmt::Write as _;

use wattle_units::Hertz;

use crate::PhoneSpec;

/// Which number of a curve was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResidualKind {
    Active(Hertz),
    Static,
    Idle,
}

/// Measured power of one specimen, against the model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Residual {
    pub policy: u32,
    pub specimen: String,
    pub kind: ResidualKind,
    /// Measured divided by modelled.
    pub ratio: f64,
}

/// `wattle-device-model/1` in TOML.
pub(crate) fn toml(spec: &PhoneSpec, residuals: &[Residual]) -> String {
    let mut text = String::from("format = \"wattle-device-model/1\"\n");
    let soc = &spec.device.soc;
    line(&mut text, format_args!("name = {soc:?}"));
    line(&mut text, format_args!("version = 1"));
    line(&mut text, format_args!("source = \"simulated\""));
    line(&mut text, format_args!("licence = \"none needed\""));
    line(&mut text, format_args!("\n[match]\nsoc = [{soc:?}]"));
    for (index, cluster) in spec.clusters.iter().enumerate() {
        let first = spec.first_cpu(index);
        let cpus: Vec<u32> = (first..first + cluster.cores).collect();
        line(&mut text, format_args!("\n[[policy]]\nid = {first}\ncpus = {cpus:?}"));
        let exit = cluster.deep_idle_exit.value();
        line(&mut text, format_args!("deep_idle_exit_ns = {exit}\ncurve = ["));
        for point in &cluster.curve {
            let kilohertz = point.frequency.kilohertz();
            let [shared, active, idle0, idle1] =
                [point.static_power, point.active, point.idle0, point.idle1]
                    .map(wattle_units::Watts::milliwatts);
            line(
                &mut text,
                format_args!("  [{kilohertz}, {shared:?}, {active:?}, {idle0:?}, {idle1:?}],"),
            );
        }
        line(&mut text, format_args!("]"));
    }
    for residual in residuals {
        let Residual { policy, specimen, kind, ratio } = residual;
        line(&mut text, format_args!("\n[[residual]]\npolicy = {policy}\nspecimen = {specimen:?}"));
        match kind {
            ResidualKind::Active(at) => line(&mut text, format_args!("khz = {}", at.kilohertz())),
            ResidualKind::Static => line(&mut text, format_args!("kind = \"static\"")),
            ResidualKind::Idle => line(&mut text, format_args!("kind = \"idle\"")),
        }
        line(&mut text, format_args!("ratio = {ratio:?}"));
    }
    text
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
