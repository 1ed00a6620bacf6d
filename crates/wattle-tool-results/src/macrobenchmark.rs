//! Results of AndroidX Macrobenchmark and Microbenchmark.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wattle_recording::{ArtifactKind, DeviceFacts, ProductFacts, Recording, ScenarioFacts};

use crate::benchmark_data::{BenchmarkData, Build, Context, ProfilerOutput, TestResult};
use crate::file_listing::{FileListing, folder_name, name, named_file};
use crate::{ImportError, ImportPlan, PlannedFile, PlannedRun, PlannedSeries, Tool, json_file};

/// The end of the file's name, in any case.
const DATA_FILE: &str = "benchmarkdata.json";
/// Folders above the file: `connected/DEVICE` below the output of a build.
const DEPTH: u32 = 4;
/// More folders than any build leaves there.
const MOST_FOLDERS: usize = 10_000;
/// More cores than any device has.
const MOST_CORES: u32 = 1024;
/// More iterations than any test has.
const MOST_ITERATIONS: u32 = 100_000;

/// Whether it is such a file.
pub(crate) fn is_data(json: &Value) -> bool {
    json["context"]["build"].is_object() && json["benchmarks"].is_array()
}

/// The files of a folder and its sub-folders.
pub(crate) fn find(folder: &Path) -> Result<Vec<(PathBuf, Value)>, ImportError> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    let mut looked_at = 0_usize;
    while let Some((folder, depth)) = folders.pop() {
        looked_at = looked_at.saturating_add(1);
        if looked_at > MOST_FOLDERS {
            break;
        }
        let FileListing { files, folders: below } = FileListing::read(&folder)?;
        for file in files {
            if name(&file).to_ascii_lowercase().ends_with(DATA_FILE)
                && let Some(json) = json_file::read(&file)?.filter(is_data)
            {
                found.push((file, json));
            }
        }
        if depth < DEPTH {
            folders.extend(below.into_iter().map(|folder| (folder, depth + 1)));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

/// The recordings of a file.
pub(crate) fn plan(path: &Path, json: Value) -> Result<ImportPlan, ImportError> {
    let data: BenchmarkData = serde_json::from_value(json)
        .map_err(|error| ImportError::malformed(path, error.to_string()))?;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let beside: Vec<String> =
        FileListing::read(folder)?.files.iter().map(|file| name(file)).collect();
    let device = device(&data.context);
    let mut plan = ImportPlan { tool: Tool::Macrobenchmark, series: Vec::new(), notes: Vec::new() };
    for test in &data.benchmarks {
        let mut runs: BTreeMap<u32, PlannedRun> = BTreeMap::new();
        for output in outputs(test, &beside) {
            let Some(source) = named_file(folder, &output.filename) else {
                plan.notes.push(format!(
                    "{}: the file {} is missing",
                    title(test),
                    output.filename
                ));
                continue;
            };
            let number = iteration(&output).unwrap_or(0);
            let run = runs.entry(number).or_insert_with(|| PlannedRun {
                recording: described(test, number, &data.context, &device),
                files: Vec::new(),
            });
            run.files.push(PlannedFile { source, kind: kind(&output.kind) });
        }
        let expected = test.repeat_iterations.unwrap_or(0) as usize;
        if runs.is_empty() {
            plan.notes.push(format!("{}: no trace; left out", title(test)));
        } else if runs.len() < expected {
            plan.notes.push(format!(
                "{}: traces of {} of {expected} iterations",
                title(test),
                runs.len()
            ));
        }
        let name = folder_name(&title(test).replace('#', "-"));
        plan.series.push(PlannedSeries { name, runs: runs.into_values().collect() });
    }
    Ok(plan)
}

/// The files that the test names; of versions that name none, the traces beside it whose names begin with its own.
fn outputs(test: &TestResult, beside: &[String]) -> Vec<ProfilerOutput> {
    if let Some(outputs) = &test.profiler_outputs {
        let copy = |output: &ProfilerOutput| ProfilerOutput {
            kind: output.kind.clone(),
            label: output.label.clone(),
            filename: output.filename.clone(),
        };
        return outputs.iter().map(copy).collect();
    }
    // Parameters in brackets are not in the names of files.
    let method = test.name.split('[').next().unwrap_or(&test.name);
    let start = format!("{}_{method}_iter", simple_class(test));
    let is_trace = |name: &&String| name.starts_with(&start) && name.ends_with("-trace");
    let output = |name: &String| ProfilerOutput {
        kind: "PerfettoTrace".to_owned(),
        label: String::new(),
        filename: name.clone(),
    };
    beside.iter().filter(is_trace).map(output).collect()
}

/// The number of a file's iteration: `…_iter003_…`, else the last number of its label (`Trace Iteration 3`).
fn iteration(output: &ProfilerOutput) -> Option<u32> {
    let digits = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end).and_then(|digits| digits.parse::<u32>().ok())
    };
    let in_name = output.filename.split("_iter").skip(1).find_map(digits);
    let in_label = output.label.rsplit(' ').next().and_then(|word| word.parse().ok());
    in_name.or(in_label).filter(|number| *number < MOST_ITERATIONS)
}

fn kind(kind: &str) -> Option<ArtifactKind> {
    // Of method traces and stack samples there are several formats: the content decides.
    (kind == "PerfettoTrace").then_some(ArtifactKind::Perfetto)
}

fn simple_class(test: &TestResult) -> &str {
    test.class_name.rsplit('.').next().unwrap_or(&test.class_name)
}

fn title(test: &TestResult) -> String {
    format!("{}#{}", simple_class(test), test.name)
}

fn device(context: &Context) -> DeviceFacts {
    let Build { brand, device, fingerprint, model, version } = &context.build;
    DeviceFacts {
        product: ProductFacts {
            manufacturer: brand.clone(),
            model: model.clone(),
            codename: device.clone(),
            ..ProductFacts::default()
        },
        fingerprint: fingerprint.clone(),
        sdk: version.sdk,
        cpus: (0..context.cpu_core_count.min(MOST_CORES)).collect(),
        ..DeviceFacts::default()
    }
}

fn described(test: &TestResult, number: u32, context: &Context, device: &DeviceFacts) -> Recording {
    let mut notes = Vec::new();
    let of_run = |(name, metric): (&String, &Value)| {
        let value = metric["runs"].get(number as usize)?.as_f64()?;
        Some(format!("{name} {value}"))
    };
    let measured: Vec<String> = test.metrics.iter().filter_map(of_run).collect();
    if !measured.is_empty() {
        notes.push(format!("measured by the benchmark: {}", measured.join(", ")));
    }
    if let Some(mode) = &context.compilation_mode {
        notes.push(format!("compilation mode: {mode}"));
    }
    if context.cpu_locked == Some(true) {
        notes.push("the benchmark had locked the CPU's clocks".to_owned());
    }
    Recording {
        tool: Some("AndroidX Benchmark".to_owned()),
        device: Some(device.clone()),
        scenario: Some(ScenarioFacts {
            order: None,
            kind: "instrument".to_owned(),
            command: format!("{}#{}, iteration {number}", test.class_name, test.name),
            seed: None,
        }),
        notes,
        ..Recording::default()
    }
}
