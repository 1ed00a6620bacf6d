//! From flags to a calibration.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use wattle_calibrate::{
    AnchorCalibration, ColumnChoice, CounterSeries, CounterUnit, CurveCalibration,
    LinearCalibration, LinearRequest, Observations, SlopeCalibration, SlopeRequest, Table,
    TablePrediction, TableRequest, TimeUnit, curve_points, observe,
};
use wattle_power::{DeviceModel, MeasuredBy, measured, parameter_names};
use wattle_units::Volts;

use super::model_output::write;
use super::outcome::{Found, MergedInto, Outcome, SCHEMA};
use super::recordings::{TARGETS, each_recording, failure, file_name, missing};
use super::terminal::show;
use super::{api_costs, update_by_rails};
use crate::bounded_file;
use crate::cli::Calibrate;
use crate::command::{analysis, input_names, inputs, output};
use crate::exit::{self, Failure};

/// Runs `wattle calibrate`.
pub fn run(calibrate: &Calibrate) -> exit::Outcome {
    if output::is_stdout(calibrate.output.as_deref()) {
        return Err(missing("--output -: expected the name of a file"));
    }
    let voltage = voltage(calibrate)?;
    let into = match &calibrate.into {
        Some(path) => Some((path, inputs::device_model(path).map_err(Failure::Input)?)),
        None => None,
    };
    let known = into.as_ref().map(|(_, model)| model);
    if calibrate.api_costs {
        return api_costs::run(calibrate, voltage, &source(calibrate));
    }
    if let Some(path) = &calibrate.anchor {
        return anchor(
            calibrate,
            path,
            into.as_ref().map(|(path, model)| (path.as_path(), model)),
            voltage,
        );
    }
    if let Some(path) = &calibrate.update {
        return update_by_rails::run(calibrate, path);
    }
    if calibrate.list_parameters {
        return list(calibrate, known, voltage);
    }
    let source = source(calibrate);
    let mut tested = None;
    let (found, model) = if let Some(path) = &calibrate.curve {
        let found = curves(path, known)?;
        let currents = known.is_some_and(|model| {
            model.unit == wattle_power::FigureUnit::Current && !model.policies.is_empty()
        });
        let model = found.device_model(calibrate.new_name(), &source, voltage.filter(|_| currents));
        (Found::Curves(found), model)
    } else if calibrate.slope {
        let found = slope(calibrate)?;
        let model = found.device_model(calibrate.new_name(), &source);
        (Found::Slope(found), model)
    } else {
        let observations = observations(calibrate, known, voltage)?;
        let request = LinearRequest {
            kind: match calibrate.fit.kind.as_str() {
                "auto" => None,
                kind => Some(kind.parse().map_err(failure)?),
            },
            robust: calibrate.fit.robust,
            folds: calibrate.fit.folds.map(usize::from),
            unconstrained: calibrate.fit.unconstrained,
            ridge: calibrate.fit.ridge,
            threads: 0,
        };
        let found = LinearCalibration::new(&observations, &request).map_err(failure)?;
        let model = found.device_model(calibrate.new_name(), &source);
        if let (Some(path), Some(linear)) = (&calibrate.table.test, &model.linear) {
            let group = calibrate.group.as_deref();
            let judged = TablePrediction::new(linear, &table(path)?, voltage, group);
            tested = judged.map_err(failure)?.errors;
            if tested.is_none() {
                return Err(missing(
                    "--test: expected a table with the measured column, found none",
                ));
            }
        }
        (Found::Linear(Box::new(found)), model)
    };
    let (model, merged) = match &into {
        Some((path, old)) => {
            let merged = old
                .merge(&model)
                .with_context(|| format!("merging into {}", path.display()))
                .map_err(Failure::Usage)?;
            let said = MergedInto {
                into: path.display().to_string(),
                replaced: merged.replaced,
                added: merged.added,
                removed: merged.removed,
            };
            (merged.model, Some(said))
        }
        None => (model, None),
    };
    if let Some(path) = &calibrate.output {
        write(path, &model)?;
    }
    let written = calibrate.output.as_ref().map(|path| path.display().to_string());
    show(calibrate, &Outcome { schema: SCHEMA, found, tested, merged, output: written })
}

fn voltage(calibrate: &Calibrate) -> Result<Option<Volts>, Failure> {
    match calibrate.fit.voltage {
        Some(volts) if !(volts.is_finite() && volts > 0.0) => {
            Err(Failure::Usage(anyhow::anyhow!("--voltage {volts}: expected volts above 0")))
        }
        volts => Ok(volts.map(Volts::new)),
    }
}

/// The source of the figures, for the file.
fn source(calibrate: &Calibrate) -> String {
    let files = calibrate.traces.iter().chain(&calibrate.csv).chain(&calibrate.curve);
    let names: Vec<String> = files.map(|path| file_name(path)).collect();
    format!("wattle calibrate of {}", names.join(", "))
}

fn table(path: &Path) -> Result<Table, Failure> {
    let bytes = bounded_file::bytes(path, bounded_file::MOST).context("table");
    let bytes = bytes.map_err(Failure::Input)?;
    Table::parse(&file_name(path), &bytes).map_err(failure)
}

/// All tables as one: rows of the same columns appended, others joined by the key.
fn tables(calibrate: &Calibrate, first: &Path) -> Result<Table, Failure> {
    let mut all = table(first)?;
    for path in calibrate.csv.iter().skip(1) {
        let next = table(path)?;
        let columns = |of: &Table| -> BTreeSet<String> { of.columns().iter().cloned().collect() };
        match &calibrate.table.key {
            _ if columns(&all) == columns(&next) => all.append(next).map_err(failure)?,
            Some(key) => {
                all.join(&next, key).map_err(failure)?;
            }
            None => {
                return Err(missing(&format!(
                    "{}: expected the columns of {}, or --key COLUMN to join by",
                    path.display(),
                    first.display()
                )));
            }
        }
    }
    Ok(all)
}

/// A model scaled by runs of another phone or population.
fn anchor(
    calibrate: &Calibrate,
    path: &Path,
    into: Option<(&Path, &DeviceModel)>,
    voltage: Option<Volts>,
) -> exit::Outcome {
    let Some((from, model)) = into else { return Err(missing("--anchor needs --into MODEL")) };
    let Some(linear) = &model.linear else {
        return Err(missing("--anchor: the model of --into has no [linear] section"));
    };
    let found = AnchorCalibration::new(linear, &table(path)?, voltage).map_err(failure)?;
    let mut moved = model.clone();
    moved.linear = Some(found.model.clone());
    moved.remarks.push(format!(
        "scaled by {:.4} with {} runs of {}",
        found.scale,
        found.runs,
        file_name(path)
    ));
    if let Some(path) = &calibrate.output {
        write(path, &moved)?;
    }
    let written = calibrate.output.as_ref().map(|path| path.display().to_string());
    let merged = MergedInto {
        into: from.display().to_string(),
        replaced: vec!["linear model".to_owned()],
        added: Vec::new(),
        removed: Vec::new(),
    };
    let found = Found::Anchor(Box::new(found));
    let merged = Some(merged);
    show(calibrate, &Outcome { schema: SCHEMA, found, tested: None, merged, output: written })
}

fn curves(path: &Path, known: Option<&DeviceModel>) -> Result<CurveCalibration, Failure> {
    let points = curve_points(&table(path)?, known).map_err(failure)?;
    CurveCalibration::new(&points, known).map_err(failure)
}

fn slope(calibrate: &Calibrate) -> Result<SlopeCalibration, Failure> {
    let (Some(path), Some(time), Some(figure), Some(target)) = (
        calibrate.csv.first(),
        &calibrate.counter.time,
        &calibrate.counter.figure,
        &calibrate.target,
    ) else {
        return Err(missing(
            "--slope needs --csv FILE, --time COLUMN, --target COLUMN and --figure NAME",
        ));
    };
    let unit =
        CounterUnit::named(calibrate.target_unit.as_deref().unwrap_or("mAh")).map_err(failure)?;
    let times = TimeUnit::named(&calibrate.counter.time_unit).map_err(failure)?;
    let group = calibrate.group.as_deref();
    let all = tables(calibrate, path)?;
    let series = CounterSeries::of_table(&all, time, times, target, group).map_err(failure)?;
    let request = SlopeRequest {
        warm_up: calibrate.counter.warm_up,
        robust: calibrate.fit.robust,
        ..SlopeRequest::new(figure, unit)
    };
    SlopeCalibration::new(&series, &request).map_err(failure)
}

fn observations(
    calibrate: &Calibrate,
    known: Option<&DeviceModel>,
    voltage: Option<Volts>,
) -> Result<Observations, Failure> {
    if calibrate.parameters.is_empty() {
        return Err(missing(
            "expected --parameters LIST: what power is a function of; --list-parameters shows what recordings hold",
        ));
    }
    if let Some(path) = calibrate.csv.first() {
        let all = tables(calibrate, path)?;
        let Some(target) = &calibrate.target else {
            return Err(missing("--csv needs --target COLUMN: the measured power"));
        };
        let parameters: Vec<ColumnChoice> = calibrate
            .parameters
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map_err(failure)?;
        let request = TableRequest {
            target,
            unit: calibrate.target_unit.as_deref().unwrap_or("mW"),
            voltage,
            duration: calibrate.table.duration.as_deref(),
            parameters: &parameters,
            group: calibrate.group.as_deref(),
            order: calibrate.table.order.as_deref(),
        };
        return all.observations(&request).map_err(failure);
    }
    if calibrate.traces.is_empty() {
        return Err(missing("expected recordings with measured power, --csv FILE or --curve FILE"));
    }
    let mut all = Observations::default();
    each_recording(calibrate, known, voltage, |timeline, name, request| {
        all.extend(observe(timeline, name, request)?)
    })?;
    Ok(all)
}

fn list(
    calibrate: &Calibrate,
    known: Option<&DeviceModel>,
    voltage: Option<Volts>,
) -> exit::Outcome {
    #[derive(serde::Serialize)]
    struct Held {
        recording: String,
        targets: Vec<String>,
        parameters: Vec<String>,
    }
    if calibrate.traces.is_empty() {
        return Err(missing("--list-parameters needs a recording"));
    }
    let mut all = Vec::new();
    for path in &calibrate.traces {
        let timeline = analysis::read(std::slice::from_ref(path), calibrate.quiet)?;
        let there =
            |target: &&&str| measured(&timeline, &MeasuredBy::from(**target), voltage).is_some();
        let mut targets: Vec<String> =
            TARGETS.iter().filter(there).map(|t| (*t).to_owned()).collect();
        targets.extend(
            timeline.energy.rails.iter().map(|rail| timeline.names.get(rail.name).to_owned()),
        );
        all.push(Held {
            recording: input_names::shown(path),
            targets,
            parameters: parameter_names(&timeline, known),
        });
    }
    if let Some(path) = &calibrate.json {
        output::write_json(path, &all)?;
    }
    if calibrate.quiet || output::is_stdout(calibrate.json.as_deref()) {
        return Ok(());
    }
    let mut text = String::new();
    for held in all {
        let targets =
            if held.targets.is_empty() { "none".to_owned() } else { held.targets.join(", ") };
        let _ = writeln!(text, "{}\n  measured power: {targets}\n  parameters:", held.recording);
        for name in held.parameters {
            let _ = writeln!(text, "    {}", name.replace(char::is_control, "\u{fffd}"));
        }
    }
    output::print(text.as_bytes())
}
