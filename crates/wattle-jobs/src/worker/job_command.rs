//! Command lines of jobs.

use super::job_folder::JobFolder;
use crate::base::ServerError;
use crate::queue::{AnalysisOptions, JobClaim, JobKind, RunOptions, RunScenario};

/// One program call of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobStep {
    /// A line to be shown.
    pub title: &'static str,
    pub arguments: Vec<String>,
    /// Exit codes of success.
    pub accepted: &'static [i32],
}

/// The files that a job makes, and that are kept.
pub(crate) const OUTPUTS: [&str; 7] = [
    "report.json",
    "report.html",
    "page-data.txt",
    "run.ledger.json.zst",
    "verify.json",
    "instrument.json",
    "verify-probed.json",
];
/// The rewritten packages and their probe map, below `out/`.
pub(crate) const PROBED: &str = "probed";
/// The history that the program itself keeps its runs in, below `out/`.
pub(crate) const HISTORY: &str = "history";
/// The recording of a run on a device, below `out/`.
pub(crate) const RECORDING: &str = "recording";

/// The program calls of a job. Values of users are whole arguments behind `=`, or names that do not begin like options.
pub(crate) fn steps(
    claim: &JobClaim,
    folder: &JobFolder,
    allows_scripts: bool,
) -> Result<Vec<JobStep>, ServerError> {
    let step = |title, arguments: Vec<String>, accepted| JobStep { title, arguments, accepted };
    Ok(match &claim.job.kind {
        JobKind::Analyse(options) => {
            let mut arguments = report(folder, options);
            arguments.extend(analysis(options));
            // A saved ledger is a result, with the facts of its run: it is taken as it is.
            if let Some(ledger) = saved_ledger(folder) {
                let mut import = ["runs", "import", ledger, "--quiet"].map(str::to_owned).to_vec();
                import.push(format!("--store=out/{HISTORY}"));
                import.extend(options.app.iter().map(|app| format!("--app={app}")));
                import.extend(facts(options));
                let is_of_keeping = |argument: &String| {
                    argument == "--keep"
                        || argument.starts_with("--store=")
                        || facts(options).any(|fact| fact == *argument)
                };
                arguments.retain(|argument| !is_of_keeping(argument));
                return Ok(vec![
                    step("taking in the saved ledger", import, &[0]),
                    step("making the report", arguments, &[0]),
                ]);
            }
            vec![step("analysing", arguments, &[0])]
        }
        JobKind::Range(options) => {
            let mut arguments = report(folder, &options.analysis);
            arguments.extend(results(&options.analysis));
            arguments.push(format!("--from=@{}", options.from.value()));
            arguments.push(format!("--to=@{}", options.to.value()));
            vec![step("reading the range", arguments, &[0])]
        }
        JobKind::Package => {
            let call = |verb: &str, files: &[String], more: &[&str]| {
                let first = [verb, "--quiet"].into_iter().chain(more.iter().copied());
                first.map(str::to_owned).chain(files.iter().cloned()).collect()
            };
            let probed = probed(&folder.inputs);
            let to = match probed.as_slice() {
                [only] => format!("--output={only}"),
                _ => format!("--output=out/{PROBED}/"),
            };
            let verify = call("verify", &folder.inputs, &["--json=out/verify.json"]);
            let instrument =
                call("instrument", &folder.inputs, &[&to, "--json=out/instrument.json"]);
            let again = call("verify", &probed, &["--json=out/verify-probed.json"]);
            // A package with defects is an answer, too.
            vec![
                step("checking the package", verify, &[0, 1]),
                step("adding probes", instrument, &[0]),
                step("checking the rewritten package", again, &[0, 1]),
            ]
        }
        JobKind::Run(options) => {
            if matches!(options.scenario, RunScenario::Script { .. }) && !allows_scripts {
                return Err(ServerError::Forbidden("this worker runs no scripts on devices"));
            }
            vec![step("running the app", run(claim, folder, options), &[0])]
        }
    })
}

/// The rewritten packages: one has a name of its own, as `wattle instrument` gives it, and those of a set keep theirs.
fn probed(inputs: &[String]) -> Vec<String> {
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    if let [only] = inputs {
        let name = name(only);
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, "apk"));
        return vec![format!("out/{PROBED}/{stem}.traced.{ending}")];
    }
    inputs.iter().map(|path| format!("out/{PROBED}/{}", name(path))).collect()
}

/// The inputs as arguments: what is a device model by its name is the one behind the figures. Alone it is read as what it is.
fn with_models(inputs: &[String]) -> Vec<String> {
    let is_model = |input: &&String| {
        let name = input.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
        match ending {
            "toml" => true,
            "xml" => stem.starts_with("power_profile"),
            "apk" => stem == "framework-res",
            _ => false,
        }
    };
    let (models, others): (Vec<&String>, Vec<&String>) = inputs.iter().partition(is_model);
    if others.is_empty() {
        return inputs.to_vec();
    }
    let models = models.into_iter().map(|model| format!("--device-model={model}"));
    others.into_iter().cloned().chain(models).collect()
}

/// `wattle report` of the job's files.
fn report(folder: &JobFolder, options: &AnalysisOptions) -> Vec<String> {
    let mut arguments = vec!["report".to_owned()];
    match &folder.recording {
        Some(recording) => arguments.push(recording.clone()),
        None => arguments.extend(with_models(&folder.inputs)),
    }
    arguments.extend(options.app.iter().map(|app| format!("--app={app}")));
    arguments
}

/// The results that an analysis writes.
fn results(options: &AnalysisOptions) -> Vec<String> {
    let mut arguments = vec![
        "--quiet".to_owned(),
        "--json=out/report.json".to_owned(),
        "--save=out/run.ledger.json.zst".to_owned(),
        "--page-data=out/page-data.txt".to_owned(),
    ];
    if options.html {
        arguments.push("--html=out/report.html".to_owned());
    }
    arguments
}

/// The results, and that its run is kept.
fn analysis(options: &AnalysisOptions) -> Vec<String> {
    let mut arguments = results(options);
    arguments.extend(["--keep".to_owned(), format!("--store=out/{HISTORY}")]);
    arguments.extend(facts(options));
    arguments
}

/// Facts of the run that its files do not have.
fn facts(options: &AnalysisOptions) -> impl Iterator<Item = String> {
    let facts = [
        ("--app-version", &options.app_version),
        ("--commit", &options.commit),
        ("--branch", &options.branch),
        ("--scenario-name", &options.scenario),
    ];
    facts
        .into_iter()
        .filter_map(|(flag, value)| value.as_ref().map(|value| format!("{flag}={value}")))
}

/// The only input, where it is a saved ledger by its name.
fn saved_ledger(folder: &JobFolder) -> Option<&str> {
    let [only] = folder.inputs.as_slice() else { return None };
    let is_ledger = [".ledger.json.zst", ".ledger.json"].iter().any(|end| only.ends_with(end));
    (is_ledger && folder.recording.is_none()).then_some(only.as_str())
}

fn run(claim: &JobClaim, folder: &JobFolder, options: &RunOptions) -> Vec<String> {
    let beside = options.scenario.file();
    let packages = folder.inputs.iter().enumerate().filter(|(at, _)| Some(*at) != beside);
    let mut arguments = vec!["run".to_owned()];
    arguments.extend(packages.map(|(_, path)| path.clone()));
    arguments.push(format!("--out=out/{RECORDING}"));
    arguments.extend(analysis(&options.analysis));
    let file = beside.and_then(|at| folder.inputs.get(at)).cloned().unwrap_or_default();
    match &options.scenario {
        RunScenario::Start { seconds } => arguments.push(format!("--duration={seconds}")),
        RunScenario::Monkey { events, seed } => {
            arguments.extend([format!("--monkey={events}"), format!("--seed={seed}")]);
        }
        RunScenario::Script { .. } => arguments.push(format!("--script={file}")),
        RunScenario::Test { class, .. } => {
            arguments.push(format!("--test-apk={file}"));
            arguments.extend(class.iter().map(|class| format!("--test={class}")));
        }
    }
    match (&options.simulate, &claim.device) {
        (Some(phone), _) => arguments.push(format!("--simulate={phone}")),
        (None, Some(device)) => arguments.push(format!("--serial={}", device.serial)),
        (None, None) => {}
    }
    arguments
}
