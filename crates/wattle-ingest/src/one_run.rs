//! Whether input files can be of one recording. Only what contradicts counts: a file that states nothing goes with any other.

use wattle_import::RunFacts;
use wattle_timeline::{Architecture, DeviceFacts, Window};

use crate::file_stretches::{Stretches, duration};
use crate::separate_run::{SeparateRun, device_name};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
/// Wall clocks that differ by more at boot are of two boots: the network sets them by seconds.
const SAME_BOOT: i64 = 5 * MINUTE;
/// Files of one format that have a source of the device in common for longer than this, or for half of the shorter one, each recorded
/// it: pieces of one trace follow each other.
const LONGEST_OVERLAP: i64 = SECOND;
/// Processes of one number and different names that are no coincidence.
const MIN_RENAMED: usize = 5;
/// Names of a process before it becomes an app.
const BEFORE_APPS: [&str; 4] = ["zygote", "usap", "<pre-initialized>", "webview_zygote"];

/// Input files that cannot be of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// A sentence: two files, and the fact in which they differ.
    pub reason: String,
    /// Whether the files are of different devices.
    pub is_of_devices: bool,
    /// All recordings, each with its files.
    pub runs: Vec<SeparateRun>,
}

/// Sorts the files by recordings. `None` if there is one only.
pub(crate) fn contradiction(files: &[RunFacts]) -> Option<Contradiction> {
    let stretches = Stretches::new(files);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut first = None;
    for (at, file) in files.iter().enumerate() {
        let difference = |other: &usize| {
            let other_file = files.get(*other)?;
            let apart = || stretches.apart(*other, at);
            Some((other_file, file, difference(other_file, file, apart)?))
        };
        let mut fits = None;
        for (number, run) in runs.iter().enumerate() {
            match run.iter().find_map(difference) {
                None => {
                    fits = Some(number);
                    break;
                }
                Some(found) => {
                    first.get_or_insert(found);
                }
            }
        }
        match fits.and_then(|number| runs.get_mut(number)) {
            Some(run) => run.push(at),
            None => runs.push(vec![at]),
        }
    }
    if runs.len() < 2 {
        return None;
    }
    let (one, other, difference) = first?;
    let of_run = |run: &Vec<usize>| {
        let run: Vec<&RunFacts> = run.iter().filter_map(|at| files.get(*at)).collect();
        separate_run(&run)
    };
    Some(Contradiction {
        reason: format!("{} and {} {}", one.name, other.name, difference.text),
        is_of_devices: difference.is_of_devices,
        runs: runs.iter().map(of_run).collect(),
    })
}

fn separate_run(files: &[&RunFacts]) -> SeparateRun {
    // The files of a recording go by its name.
    let named = files.iter().filter(|file| {
        if file.recording.is_some() {
            return file.is_description;
        }
        // A file that states nothing may be of any of the recordings.
        let states_source = file.sources.scheduler.is_some() || file.sources.rails.is_some();
        file.wall.is_some()
            || states_source
            || file.placed.is_some()
            || !file.processes.is_empty()
            || states_device(&file.device)
    });
    let names: Vec<&str> = named.map(|file| file.name.as_str()).collect();
    SeparateRun {
        name: names.join(", "),
        time: files.iter().find_map(|file| file.wall.map(|(start, _)| start)),
        begins: files.iter().filter_map(|file| Some(file.placed?.start.value())).min(),
        device: files.iter().find_map(|file| device_name(&file.device)),
    }
}

fn states_device(device: &DeviceFacts) -> bool {
    device_name(device).is_some() || device.kernel.is_some() || device.system.is_some()
}

/// A fact in which two files differ.
struct Difference {
    text: String,
    is_of_devices: bool,
}

impl Difference {
    fn of_device(text: String) -> Self {
        Self { text, is_of_devices: true }
    }

    fn of_time(text: String) -> Self {
        Self { text, is_of_devices: false }
    }
}

/// The first fact in which two files contradict each other.
fn difference(
    one: &RunFacts,
    other: &RunFacts,
    apart: impl FnOnce() -> Option<String>,
) -> Option<Difference> {
    if one.recording.is_some() && other.recording.is_some() {
        // What a recording lists is of it; two recordings are two.
        let text = "are two recordings, each with a recording.json of its own";
        return (one.recording != other.recording).then(|| Difference::of_time(text.to_owned()));
    }
    of_device(&one.device, &other.device)
        .map(Difference::of_device)
        .or_else(|| of_boot(one, other).map(Difference::of_time))
        .or_else(|| apart().map(Difference::of_time))
        .or_else(|| of_processes(one, other).map(Difference::of_time))
        .or_else(|| of_sources(one, other).map(Difference::of_time))
}

/// A device has one scheduler and one monitor of its rails: two files of one format that both have one of them at the same time are of
/// two recordings, or one is a copy of the other. Other formats may be another recorder's view of the same run.
fn of_sources(one: &RunFacts, other: &RunFacts) -> Option<String> {
    if one.format != other.format {
        return None;
    }
    let sources = [
        ("the scheduler", one.sources.scheduler, other.sources.scheduler),
        ("the power rails", one.sources.rails, other.sources.rails),
    ];
    sources.into_iter().find_map(|(name, one, other)| {
        let both = overlap(one?, other?)?;
        Some(format!(
            "both contain {name} for the same {}: they are two recordings, or one is a copy of the other",
            duration(both)
        ))
    })
}

/// The time that two spans have in common, if it is more than neighbouring pieces of one trace have.
fn overlap(one: Window, other: Window) -> Option<i64> {
    let both = one.intersect(other).duration().value();
    let shorter = one.duration().min(other.duration()).value();
    (both > LONGEST_OVERLAP || (both > 0 && both > shorter / 2)).then_some(both)
}

fn of_device(one: &DeviceFacts, other: &DeviceFacts) -> Option<String> {
    if let (Some(one), Some(other)) = (one.system, other.system)
        && one != other
    {
        return Some(format!("are of {} and of {}", one.title(), other.title()));
    }
    let names = || {
        let name = |device| device_name(device).unwrap_or_else(|| "an unnamed one".to_owned());
        Some(format!("are of different devices: {} and {}", name(one), name(other)))
    };
    // Android's error text in place of a property is no value.
    let stated = |text: &&str| !text.contains("__system_property");
    let differ = |one: Option<&str>, other: Option<&str>| {
        let (one, other) = (one.filter(stated)?, other.filter(stated)?);
        Some(!one.trim().eq_ignore_ascii_case(other.trim()))
    };
    let builds = differ(one.fingerprint.as_deref(), other.fingerprint.as_deref());
    let models = differ(one.model.as_deref(), other.model.as_deref());
    let codes = differ(one.device_name(), other.device_name());
    let socs = differ(one.soc_name(), other.soc_name());
    // The build names the device; without it the model does, else the code name.
    let is_other = match (builds, models, codes, socs) {
        (Some(true), _, Some(false), _) => {
            return Some(
                "are of different builds of Android on the same type of device".to_owned(),
            );
        }
        (Some(differs), ..)
        | (None, Some(differs), ..)
        | (None, None, Some(differs), _)
        | (None, None, None, Some(differs)) => differs,
        (None, None, None, None) => false,
    };
    if is_other {
        return names();
    }
    let release = |device: &DeviceFacts| -> Option<String> {
        let mut words = device.kernel.as_deref()?.split_whitespace();
        words.find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
    };
    if let (Some(one), Some(other)) = (one.architecture, other.architecture)
        && one.is_arm() != other.is_arm()
    {
        let [one, other] = [one, other].map(Architecture::title);
        return Some(format!("are of processors of different architectures: {one} and {other}"));
    }
    let (one, other) = (release(one)?, release(other)?);
    (one != other).then(|| format!("are of different kernels: {one} and {other}"))
}

fn of_boot(one: &RunFacts, other: &RunFacts) -> Option<String> {
    let (one, other) = (one.boot?, other.boot?);
    (one.abs_diff(other) > SAME_BOOT.unsigned_abs()).then(|| {
        "are of different boots: their device restarted between, or they are of two devices"
            .to_owned()
    })
}

fn of_processes(one: &RunFacts, other: &RunFacts) -> Option<String> {
    let (mut renamed, mut shared) = (0, 0);
    for (pid, name) in &one.processes {
        let Some(other) = other.processes.get(pid) else { continue };
        let begins = |name: &str| BEFORE_APPS.iter().any(|before| name.starts_with(before));
        shared += 1;
        renamed += usize::from(name != other && !begins(name) && !begins(other));
    }
    (renamed >= MIN_RENAMED && 2 * renamed > shared)
        .then(|| format!("have different processes under the same numbers ({renamed} of {shared})"))
}
