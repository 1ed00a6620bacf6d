//! Fifty questions about the energy of simulated phones, answered by the tools alone, judged by what the simulator knows.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wattle_sim::{MethodTruth, ThreadTruth, Truth, scenario};
use wattle_units::Joules;

use crate::agent_client::{Agent, Reply};
use crate::simulated_recordings::KnownRecording;

const APP: &str = "com.example.news";
/// The part of the processor's energy from which threads and methods are asked about.
const LEAST_SHARE: f64 = 0.01;

/// A question with the call that answers it, and what is true.
struct Question {
    text: String,
    tool: &'static str,
    arguments: Value,
    truth: Fact,
}

/// A true fact by the simulator.
enum Fact {
    /// The row of this name has this energy.
    Row(String, Joules),
    /// The first line has this energy.
    Answer(Joules),
    /// The whole device used this energy, by the end of the first line.
    Whole(Joules),
    /// The first row is this one.
    First(String),
    /// The answer contains this text.
    Text(String),
    /// The thread was on a CPU for so many seconds.
    CpuTime(f64),
}

impl Fact {
    /// Whether an answer contains it. An energy does if the truth lies in its 90 % interval and the estimate is off by at most 25 %, or
    /// the estimate is off by at most 5 %.
    fn is_in(&self, reply: &Reply) -> bool {
        let energy = |found: Option<(f64, [f64; 2])>, truth: f64| {
            found.is_some_and(|(joules, [low, high])| {
                let off = (joules / truth - 1.0).abs();
                off <= 0.05 || (off <= 0.25 && (low..=high).contains(&truth))
            })
        };
        match self {
            Self::Row(name, truth) => {
                let row = reply.rows().iter().find(|row| {
                    row["name"]
                        .as_str()
                        .is_some_and(|it| it == name || it.starts_with(&format!("{name} (")))
                });
                let ends = |row: &Value, at: usize| row["interval_joules"][at].as_f64();
                let found = row.and_then(|row| {
                    Some((row["joules"].as_f64()?, [ends(row, 0)?, ends(row, 1)?]))
                });
                energy(found, truth.value())
            }
            Self::Answer(truth) => energy(energies(reply.first_line()), truth.value()),
            Self::Whole(truth) => {
                let line = reply.first_line();
                energy(energies(line.rsplit(": ").next().unwrap_or_default()), truth.value())
            }
            Self::First(name) => reply.rows().first().is_some_and(|row| {
                row["name"].as_str().is_some_and(|it| it.starts_with(name.as_str()))
            }),
            Self::Text(text) => reply.text.contains(text.as_str()),
            Self::CpuTime(truth) => {
                let before = reply.first_line().split(" on a CPU").next().unwrap_or_default();
                let mut words = before.rsplit(' ');
                let (unit, number) = (words.next(), words.next());
                let number: Option<f64> = number.and_then(|it| it.parse().ok());
                let seconds = match (number, unit) {
                    (Some(number), Some("ms")) => number / 1e3,
                    (Some(number), Some("s")) => number,
                    _ => return false,
                };
                (seconds / truth - 1.0).abs() <= 0.05 || (seconds - truth).abs() <= 0.05
            }
        }
    }
}

/// The first energy of a text, with its interval: `… 5.60 J (5.42 J – 5.79 J) …`.
fn energies(text: &str) -> Option<(f64, [f64; 2])> {
    let open = text.char_indices().find(|(at, letter)| {
        *letter == '(' && text[*at..].split(')').next().is_some_and(|inner| inner.contains(" – "))
    });
    let (at, _) = open?;
    let (low, high) = text[at + 1..].split(')').next()?.split_once(" – ")?;
    let before = text[..at].trim_end();
    let mut words = before.rsplit(' ');
    let (unit, number) = (words.next()?, words.next()?);
    Some((joules_of(&format!("{number} {unit}"))?, [joules_of(low)?, joules_of(high)?]))
}

/// `−12.3 mJ…` in joules.
fn joules_of(text: &str) -> Option<f64> {
    let text = text.trim().replace('−', "-").replace('+', "");
    let mut words = text.split([' ', ',', ';']);
    let number: f64 = words.next()?.parse().ok()?;
    let factor = match words.next()? {
        "kJ" => 1e3,
        "J" => 1.0,
        "mJ" => 1e-3,
        "µJ" => 1e-6,
        "nJ" => 1e-9,
        _ => return None,
    };
    Some(number * factor)
}

fn question(
    text: impl Into<String>,
    (tool, arguments): (&'static str, Value),
    truth: Fact,
) -> Question {
    Question { text: text.into(), tool, arguments, truth }
}

/// The threads that are not the recorder's, most energy first.
fn threads(truth: &Truth) -> Vec<&ThreadTruth> {
    let mut threads: Vec<&ThreadTruth> = truth.threads.iter().filter(|it| !it.recorder).collect();
    threads.sort_by(|a, b| b.charges.total().value().total_cmp(&a.charges.total().value()));
    threads
}

/// Methods by self energy on the processor, most first.
fn methods(truth: &Truth) -> Vec<(&str, Joules)> {
    let mut methods: Vec<(&str, Joules)> = truth.self_joules_by_method().into_iter().collect();
    methods.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
    methods
}

/// `1,234`.
fn with_commas(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn calls(truth: &Truth, name: &str) -> u64 {
    let of = |it: &&MethodTruth| !it.recorder && it.path.last().is_some_and(|last| last == name);
    truth.methods.iter().filter(of).map(|it| it.calls).sum()
}

/// Questions about one recording.
fn about(handle: &str, truth: &Truth) -> Vec<Question> {
    let cpu_top = |by: &str| {
        ("top", json!({ "recording": handle, "by": by, "component": "cpu", "limit": 30 }))
    };
    let of = |name: &str| ("explain", json!({ "recording": handle, "component": name }));
    let mut all = vec![
        question("How much energy did the CPU use?", of("cpu"), Fact::Answer(truth.total)),
        question(
            "How much CPU energy did the profiler itself use?",
            cpu_top("account"),
            Fact::Row("profiling overhead".to_owned(), truth.profiling_overhead()),
        ),
        question(
            "How much CPU energy did all threads use?",
            cpu_top("account"),
            Fact::Row(
                "threads".to_owned(),
                threads(truth).iter().map(|it| it.charges.total()).sum(),
            ),
        ),
    ];
    if let Some(battery) = truth.battery {
        let summary = ("summary", json!({ "recording": handle }));
        all.push(question("How much energy did the phone use?", summary, Fact::Whole(battery)));
    }
    // Smaller parts are nobody's question, as in the table of `wattle demo`.
    let is_worth = |joules: Joules| joules / truth.total >= LEAST_SHARE;
    for device in &truth.devices {
        let name = device.device.name();
        all.push(question(
            format!("How much energy did {name} use?"),
            of(name),
            Fact::Answer(device.total),
        ));
    }
    let threads = threads(truth);
    all.push(question(
        "Which thread used most CPU energy?",
        cpu_top("thread"),
        Fact::First(threads[0].thread.clone()),
    ));
    for thread in threads.iter().filter(|it| is_worth(it.charges.total())).take(3) {
        let name = format!("{} (tid {}) of {}", thread.thread, thread.tid, thread.process);
        all.push(question(
            format!("How much CPU energy did thread {} use?", thread.thread),
            cpu_top("thread"),
            Fact::Row(name, thread.charges.total()),
        ));
    }
    all.push(question(
        format!("How long was thread {} on a CPU?", threads[0].thread),
        ("explain", json!({ "recording": handle, "thread": threads[0].thread })),
        Fact::CpuTime(threads[0].cpu.seconds()),
    ));
    let methods = methods(truth);
    all.push(question(
        "Which method itself used most CPU energy?",
        cpu_top("method"),
        Fact::First(methods[0].0.to_owned()),
    ));
    for (name, joules) in methods.iter().filter(|it| is_worth(it.1)).take(4) {
        all.push(question(
            format!("How much CPU energy did {name} itself use?"),
            cpu_top("method"),
            Fact::Row((*name).to_owned(), *joules),
        ));
    }
    for (name, _) in methods.iter().take(2) {
        let count = calls(truth, name);
        let word = if count == 1 { "call" } else { "calls" };
        all.push(question(
            format!("How often was {name} called?"),
            ("explain", json!({ "recording": handle, "method": name })),
            Fact::Text(format!("{} {word}", with_commas(count))),
        ));
    }
    let mut processes: BTreeMap<&str, Joules> = BTreeMap::new();
    for thread in &threads {
        *processes.entry(thread.process.as_str()).or_insert(Joules::ZERO) += thread.charges.total();
    }
    let top = processes.iter().max_by(|a, b| a.1.value().total_cmp(&b.1.value()));
    let (name, joules) = top.expect("a process");
    all.push(question(
        "Which process used most CPU energy?",
        cpu_top("process"),
        Fact::First((*name).to_owned()),
    ));
    all.push(question(
        format!("How much CPU energy did process {name} use?"),
        cpu_top("process"),
        Fact::Row((*name).to_owned(), *joules),
    ));
    all
}

/// The change of the processor's and of devices' energy, and the method that changed most.
fn about_change(before: &Truth, after: &Truth) -> Vec<Question> {
    // Attributed to the app: its threads.
    let app_cpu = |truth: &Truth| {
        threads(truth)
            .iter()
            .filter(|it| it.process == APP)
            .map(|it| it.charges.total())
            .sum::<Joules>()
    };
    let compare = || ("compare", json!({ "before": "r1", "after": "r2" }));
    let of = |truth: &Truth| {
        truth
            .self_joules_by_method()
            .into_iter()
            .map(|(name, it)| (name.to_owned(), it))
            .collect::<BTreeMap<_, _>>()
    };
    let (old, new) = (of(before), of(after));
    let change = |name: &String| {
        let at = |all: &BTreeMap<String, Joules>| all.get(name).map_or(0.0, |it| it.value());
        at(&new) - at(&old)
    };
    let most =
        old.keys().chain(new.keys()).max_by(|a, b| change(a).abs().total_cmp(&change(b).abs()));
    vec![
        question(
            "Does the new version use less energy?",
            compare(),
            Fact::Text("LOWER: com.example.news".to_owned()),
        ),
        question(
            "Which method's energy changed most?",
            ("compare", json!({ "before": "r1", "after": "r2" })),
            Fact::Text(format!("{}: ", most.expect("a method"))),
        ),
        question(
            "How much CPU energy does the app's new version use?",
            compare(),
            Fact::Row("CPU".to_owned(), app_cpu(after)),
        ),
    ]
}

#[test]
fn fifty_questions_are_answered_by_the_tools() {
    let folder = tempfile::tempdir().expect("a folder");
    let phones = [
        ("wasteful", scenario::wasteful_app(11)),
        ("thrifty", scenario::thrifty_app(11)),
        ("news", scenario::demo(5)),
    ];
    let recordings: Vec<KnownRecording> = phones
        .into_iter()
        .map(|(name, simulation)| {
            KnownRecording::new(folder.path(), name, &simulation.expect("a phone"))
        })
        .collect();
    let truths: Vec<&Truth> = recordings.iter().map(|it| &it.simulated.truth).collect();
    let mut agent = Agent::start(folder.path(), &[]);
    for (at, recording) in recordings.iter().enumerate() {
        let opened = agent.tell("open", recording.open.clone());
        assert!(
            opened.first_line().starts_with(&format!("Opened as r{}:", at + 1)),
            "{}",
            opened.text
        );
    }
    let mut questions = about("r1", truths[0]);
    questions.extend(defects());
    questions.extend(about_change(truths[0], truths[1]));
    questions.extend(about("r3", truths[2]));
    questions.extend(about("r2", truths[1]));
    assert!(questions.len() >= 50, "{} questions", questions.len());
    questions.truncate(50);
    let mut wrong = Vec::new();
    for question in &questions {
        let reply = agent.call(question.tool, question.arguments.clone());
        if !question.truth.is_in(&reply) {
            wrong.push(format!(
                "{} ({} {}):\n{}\n{}",
                question.text,
                question.tool,
                question.arguments,
                truth_text(&question.truth),
                reply.text
            ));
        }
    }
    println!("{} of {} questions are answered", questions.len() - wrong.len(), questions.len());
    assert!(questions.len() - wrong.len() >= 48, "{}", wrong.join("\n\n"));
    if !wrong.is_empty() {
        println!("not answered: {}", wrong.join("\n\n"));
    }
    agent.end();
}

fn truth_text(truth: &Fact) -> String {
    match truth {
        Fact::Row(name, joules) => format!("{name}: {joules}"),
        Fact::Answer(joules) | Fact::Whole(joules) => joules.to_string(),
        Fact::First(text) | Fact::Text(text) => text.clone(),
        Fact::CpuTime(seconds) => format!("{seconds} s"),
    }
}

/// The defects that were injected.
fn defects() -> Vec<Question> {
    let findings = || ("findings", json!({ "recording": "r1" }));
    vec![
        question(
            "Does something hold a wakelock?",
            findings(),
            Fact::Text(format!("{APP} took a wakelock and did not release it")),
        ),
        question(
            "Does something keep the radio awake?",
            findings(),
            Fact::Text(format!("{APP} kept Wi-Fi awake")),
        ),
        question("How is the wakelock fixed?", findings(), Fact::Text("elease".to_owned())),
        question(
            "Is there a wakelock in the fixed app?",
            ("findings", json!({ "recording": "r2", "rule": "wakelock-never-released" })),
            Fact::Text("No finding".to_owned()),
        ),
    ]
}
