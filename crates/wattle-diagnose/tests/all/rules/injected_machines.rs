//! Rules on simulated machines at idle with known truth: several defects a thread, on three systems.

use std::collections::BTreeSet;

use wattle_diagnose::IdleChoice;
use wattle_ingest::read_bytes;
use wattle_sim::SplitMix64;
use wattle_sim::idle::{
    Behaviour, CodeFrame, CodeModule, IdleMachine, IdlePopulation, IdleRun, PlantedKind,
    PlantedStretch,
};
use wattle_units::Nanos;

use super::injected::{Named, Score, check, look};
use crate::planted::traces::{Form, each};

/// A second defect into each thread that has one, and three times the noise into all others.
fn harder(machine: &mut IdleMachine) {
    let length = machine.duration;
    for thread in machine.processes.iter_mut().flat_map(|process| &mut process.threads) {
        let Some((first, path)) = thread.behaviours.last().cloned() else {
            thread.background.rate = (thread.background.rate * 3.0).min(30.0);
            continue;
        };
        let end = match first {
            Behaviour::BusyWait { start, length, .. }
            | Behaviour::DiskBurst { start, length, .. }
            | Behaviour::Timer { start, length: Some(length), .. } => start + length,
            Behaviour::Timer { length: None, .. } | Behaviour::Flush { .. } => continue,
            Behaviour::SingleEvent { start, run } => start + run,
        };
        let start = end + Nanos::from_seconds(0.4);
        if start + Nanos::from_seconds(1.5) < length {
            let spin = Nanos::from_seconds(1.0);
            thread
                .behaviours
                .push((Behaviour::BusyWait { start, length: spin, spin, nap: None }, path));
        }
    }
}

/// Functions with which ART crosses between Java and native code, and what they call.
const CROSSING: [&[&str]; 2] = [
    &["art::JNI<true>::CallCharMethodV"],
    &["art::JNI<true>::GetStringUTFChars", "art::mirror::String::GetUtfLength"],
];
/// Paths of [`crossings`] that cross.
const CROSSING_SHARE: f64 = 2.0 / 3.0;

/// Gives threads of some processes native code that asks Java all the time. Gives back the processes and their threads.
fn crossings(machine: &mut IdleMachine) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(machine.seed).fork(0x1A1);
    let length = machine.duration.seconds();
    let mut injected = Vec::new();
    for process in machine.processes.iter_mut().skip(1) {
        let Some(thread) = process.threads.iter_mut().find(|it| it.behaviours.is_empty()) else {
            continue;
        };
        if !random.chance(0.3) {
            continue;
        }
        let base =
            process.modules.iter().filter(|it| !it.is_kernel).map(|it| it.base + it.size).max();
        let module = process.modules.len() as u16;
        process.modules.push(CodeModule {
            path: "/apex/com.android.art/lib64/libart.so".to_owned(),
            base: (base.unwrap_or_default() + (1 << 28)) & !0xFFFF,
            size: 0x100_0000,
            is_kernel: false,
        });
        let frame = |module: u16, index: usize, function: &str| CodeFrame {
            module,
            function: function.to_owned(),
            offset: 0x4000 + 0x400 * index as u64,
        };
        let mut leaves: Vec<Vec<CodeFrame>> = CROSSING
            .iter()
            .enumerate()
            .map(|(at, functions)| {
                let frames = functions.iter().enumerate();
                frames.map(|(index, it)| frame(module, 8 * at + index, it)).collect()
            })
            .collect();
        leaves.push(vec![frame(0, 99, "tokenise")]);
        let mut path = thread.background_path.clone();
        path.common.push(frame(0, 98, "Java_com_example_Parser_parse"));
        path.leaves = leaves;
        path.odd_percent = 0;
        let spin = Nanos::from_seconds(random.between(0.7, 1.5));
        let start = Nanos::from_seconds(random.between(0.2, length - 2.0));
        thread
            .behaviours
            .push((Behaviour::BusyWait { start, length: spin, spin, nap: None }, path));
        injected.push((process.pid, thread.tid));
    }
    injected
}

/// Processes whose crossings take more than a trifle of their time; `None` in place of those for which that is close.
fn crossing_processes(run: &IdleRun, injected: &[(u32, u32)]) -> Vec<(String, bool)> {
    let of = |(pid, tid): &(u32, u32)| {
        let stretches = run.planted.iter().filter(|it| it.pid == *pid && it.tid == *tid);
        let crossed: f64 = stretches.map(|it| it.length().seconds() * it.cpu_use).sum();
        let crossed = crossed * CROSSING_SHARE;
        let index = run.processes.iter().position(|it| it.pid == *pid)?;
        let threads = run.threads.iter().filter(|it| usize::from(it.process) == index);
        let all: f64 = threads.map(|it| it.cpu.seconds()).sum();
        let share = crossed / all;
        let name = run.processes[index].name.clone();
        match () {
            () if share > 0.13 && crossed > 0.15 => Some((name, true)),
            () if share < 0.08 || crossed < 0.08 => None,
            () => Some((name, false)),
        }
    };
    injected.iter().filter_map(of).collect()
}

/// The rule that has to find a stretch; `None` where none needs to.
fn rule_of(stretch: &PlantedStretch) -> Option<&'static str> {
    let length = stretch.length().seconds();
    match stretch.kind {
        PlantedKind::BusyWait => (stretch.cpu_use > 0.99 && length >= 0.6).then_some("busy-wait"),
        PlantedKind::Timer | PlantedKind::WholeRunTimer => {
            let is_short = stretch.period.is_some_and(|it| it.seconds() <= 0.0195);
            (is_short && stretch.wakeups >= 60 && length >= 0.35).then_some("short-sleep")
        }
        PlantedKind::DiskBurst | PlantedKind::Flush | PlantedKind::SingleEvent => None,
    }
}

fn of_machine(base: u64, index: u64) -> Score {
    let form = Form::from_index(index);
    let population = IdlePopulation { system: form.system(), ..IdlePopulation::default() };
    let mut machine = population.machine(base + index);
    harder(&mut machine);
    let crossings = if form == Form::Perfetto { crossings(&mut machine) } else { Vec::new() };
    let run = machine.run();
    let (extension, bytes) = form.write(&run);
    let timeline = read_bytes(&format!("idle.{extension}"), &bytes).unwrap();
    let diagnosis = look(&timeline, IdleChoice::Whole);
    let number = |thread: &str| {
        thread.rsplit([' ', '(']).next().unwrap_or_default().trim_end_matches(')').to_owned()
    };
    let mut truth: BTreeSet<Named> = run
        .planted
        .iter()
        .filter_map(|it| Some((rule_of(it)?.to_owned(), it.tid.to_string())))
        .collect();
    let crossing = crossing_processes(&run, &crossings);
    let close: Vec<&String> = crossing.iter().filter(|it| !it.1).map(|it| &it.0).collect();
    let crosses = crossing.iter().filter(|it| it.1);
    truth.extend(crosses.map(|(name, _)| ("jni-crossings".to_owned(), name.clone())));
    // What else is said of a thread with a defect is of that defect.
    let guilty: BTreeSet<String> = run.planted.iter().map(|it| it.tid.to_string()).collect();
    let found: BTreeSet<Named> = diagnosis
        .findings
        .iter()
        .map(|it| {
            let of = match it.rule.0.as_str() {
                "jni-crossings" => it.who.clone(),
                _ => it.thread.as_deref().map(number),
            };
            (it.rule.0.clone(), of.unwrap_or_default())
        })
        .filter(|it| it.0 != "jni-crossings" || !close.contains(&&it.1))
        .filter(|it| truth.contains(it) || !guilty.contains(&it.1))
        .collect();
    Score::new(&format!("machine {index} as {form:?}"), &truth, &found)
}

#[test]
fn several_defects_a_thread_on_three_systems() {
    check("machines", &each(60, |index| of_machine(7000, index as u64)));
}

/// Seeds that nobody had looked at when the rules were changed last.
#[test]
fn held_out_machines() {
    check("held-out machines", &each(60, |index| of_machine(63_000, index as u64)));
}
