//! Diagnoses made by hand: their figures can be read off this file.

use wattle_diagnose::{
    AcceptedFinding, CodePlace, CommonStack, Confidence, ConfidenceLevel, Diagnosis, DiskRow,
    Evidence, Finding, FindingSeverity, IdleIntervals, IdleSource, Region, RegionKind,
    RegionOptions, RuleCoverage, RuleId, SCHEMA, StackFrame, StackGroup, StackOptions, Subject,
    ThreadUse, UseChart, UseLine,
};
use wattle_power::ModelFacts;
use wattle_timeline::{
    DeviceFacts, Note, OperatingSystem, Pid, ProcessId, Severity, ThreadId, Tid, Uid, Window,
};
use wattle_units::{BootNanos, Estimate, Interval, Joules, Nanos, Provenance};

use super::HOSTILE;

/// Times below are milliseconds since then.
const START: i64 = 7_000_000_000;

pub fn window(from_ms: i64, to_ms: i64) -> Window {
    let at = |ms: i64| BootNanos::new(START + ms * 1_000_000);
    Window::new(at(from_ms), at(to_ms))
}

fn ms(ms: f64) -> Nanos {
    Nanos::from_seconds(ms * 1e-3)
}

/// Assumed, from half to twice.
fn estimate(joules: f64) -> Estimate {
    let interval = Interval { low: Joules::new(joules / 2.0), high: Joules::new(joules * 2.0) };
    Estimate { joules: Joules::new(joules), interval, provenance: Provenance::Assumed }
}

pub fn frames(texts: &[&str]) -> Vec<StackFrame> {
    texts.iter().map(|text| StackFrame { text: (*text).to_owned(), source: None }).collect()
}

fn stack(strict: &[&str], majority: &[&str]) -> CommonStack {
    CommonStack {
        strict: frames(strict),
        majority: frames(majority),
        majority_share: 0.875,
        stacks: 40,
        switch_stacks: 32,
    }
}

fn subject(pid: u32, name: Option<&str>) -> Subject {
    Subject {
        process: (pid != 4).then_some(ProcessId(pid % 100)),
        pid: Pid(pid),
        name: name.map(str::to_owned),
        package: None,
        uid: Some(Uid(10_000 + pid)),
        cpu: ms(900.0),
        events: 1234,
        energy: Some(estimate(0.9)),
    }
}

fn thread(subject: u32, tid: u32, name: Option<&str>) -> ThreadUse {
    ThreadUse {
        thread: ThreadId(tid % 100),
        subject,
        tid: Tid(tid),
        name: name.map(str::to_owned),
        cpu: ms(600.0),
        cpu_use: 0.06,
        events: 1000,
        events_per_second: 100.0,
        wakeups_per_second: 90.5,
        energy: Some(estimate(0.6)),
    }
}

fn region(thread: u32, window: Window, cpu_use: f64, stack: CommonStack, group: u32) -> Region {
    let joules = cpu_use * window.duration().seconds();
    Region {
        thread,
        window,
        kind: RegionKind::Cluster,
        events: 200,
        share_of_process: 0.8125,
        share_of_machine: 0.25,
        cpu: ms(cpu_use * window.duration().milliseconds()),
        cpu_use,
        cpu_use_of_machine: cpu_use / 4.0,
        mean_interval: Some(ms(5.015_625)),
        interval_variation: Some(0.125),
        period: Some(ms(5.0)),
        period_share: Some(0.96875),
        wakeups_per_second: 199.5,
        energy: Some(estimate(joules)),
        watts: Some(cpu_use),
        saved: Some(estimate(joules * 0.75)),
        stack,
        group,
    }
}

/// The example of Intel's article: AfterMouse.race (1464), thread 2084, an event every 5 ms in its peaks. Ten seconds, of which the
/// first two are not idle.
pub fn after_mouse() -> Diagnosis {
    let timer = ["ntdll.dll!RtlUserThreadStart", "race.dll!Timer::run", "race.dll!Timer::sleep"];
    let worker = ["ntdll.dll!RtlUserThreadStart", "race.dll+0x1a2b"];
    let mut single = region(1, window(6000, 6250), 0.96, stack(&[], &worker), 1);
    single.kind = RegionKind::SingleEvent;
    single.events = 1;
    (single.mean_interval, single.interval_variation) = (None, None);
    (single.period, single.period_share) = (None, None);
    single.stack.majority_share = 1.0;
    let mut first = region(0, window(3000, 4000), 0.5, stack(&timer, &timer), 0);
    for stack in [&mut first.stack.strict, &mut first.stack.majority] {
        stack[2].source = Some(r"C:\race\timer.cpp:42".to_owned());
    }
    let second = region(0, window(8000, 9000), 0.25, first.stack.clone(), 0);
    let timer_stack = first.stack.strict.clone();
    let group = |stack: Vec<StackFrame>, regions: &[u32], cpu_use, joules| StackGroup {
        stack,
        regions: regions.to_vec(),
        cpu_use,
        energy: Some(estimate(joules)),
        saved: Some(estimate(joules * 0.75)),
    };
    let bins = 100;
    let line = |thread: Option<u32>, of: &dyn Fn(u32) -> f32| UseLine {
        thread,
        cpu_use: (0..bins).map(of).collect(),
    };
    let of_timer = |bin: u32| match bin {
        30..40 => 0.5,
        80..90 => 0.25,
        _ => 0.01,
    };
    let of_worker = |bin: u32| if (60..62).contains(&bin) { 0.96 } else { 0.0 };
    Diagnosis {
        schema: SCHEMA.to_owned(),
        artifacts: vec!["AfterMouse idle.etl".to_owned()],
        device: DeviceFacts {
            model: Some("Surface Pro".to_owned()),
            system: Some(OperatingSystem::Windows),
            kernel: Some("Windows 6.3 build 9600".to_owned()),
            ..DeviceFacts::default()
        },
        origin: window(0, 0).start,
        window: window(0, 10_000),
        model: Some(ModelFacts {
            kind: "linear".to_owned(),
            name: "Generic laptop".to_owned(),
            chosen: "no other that fits".to_owned(),
            reason: None,
            source: "Wattle's own; ranges of published measurements".to_owned(),
            provenance: Provenance::Assumed,
            version: 1,
        }),
        idle: IdleIntervals {
            source: IdleSource::Found,
            windows: vec![window(2000, 5000), window(5500, 10_000)],
            still: vec![window(2000, 5000), window(5500, 10_000)],
            why: "no input from 2 s on; one key at 5 s.".to_owned(),
        },
        region_options: RegionOptions::default(),
        stack_options: StackOptions::default(),
        rules: RuleCoverage { looked: 12, without_data: 25, without_idle: 3 },
        subjects: vec![subject(1464, Some("AfterMouse.race")), subject(4, None)],
        threads: vec![thread(0, 2084, None), thread(0, 2090, Some("worker"))],
        regions: vec![single, first, second],
        groups: vec![group(Vec::new(), &[0], 0.96, 0.24), group(timer_stack, &[1, 2], 0.375, 0.75)],
        disk: disk(),
        findings: findings(),
        accepted: accepted(),
        chart: UseChart {
            window: window(0, 10_000),
            bins,
            lines: vec![
                line(None, &|bin| of_timer(bin) + of_worker(bin)),
                line(Some(0), &of_timer),
                line(Some(1), &of_worker),
            ],
        },
        notes: vec![
            Note::new(Severity::Info, "no-batterystats", "wakelocks were not looked for"),
            Note { count: 3, ..Note::new(Severity::Warning, "lost-events", "a buffer was lost") },
        ],
    }
}

fn disk() -> Vec<DiskRow> {
    let read = DiskRow {
        thread: 1,
        kind: "Read".to_owned(),
        window: window(6010, 6030),
        begin_seen: true,
        end_seen: true,
        service: Some(ms(12.5)),
        bytes: Some(65_536),
        path: Some(r"C:\Users\Müller\cache, old.db".to_owned()),
        region: Some(0),
    };
    let write = DiskRow {
        kind: "Write".to_owned(),
        window: window(6100, 6104),
        begin_seen: false,
        service: Some(ms(4.0)),
        bytes: Some(4096),
        ..read.clone()
    };
    let flush = DiskRow {
        thread: 0,
        kind: "Flush".to_owned(),
        window: window(7000, 7000),
        begin_seen: false,
        service: None,
        bytes: None,
        path: None,
        region: None,
        ..read.clone()
    };
    let cut =
        DiskRow { window: window(9990, 10_000), end_seen: false, region: None, ..read.clone() };
    vec![read, write, flush, cut]
}

fn findings() -> Vec<Finding> {
    let timer = Finding {
        rule: RuleId("timer-period".to_owned()),
        severity: FindingSeverity::Error,
        confidence: Confidence {
            level: ConfidenceLevel::High,
            reason: "the scheduler's own events".to_owned(),
        },
        title: "Thread 2084 wakes every 5.0 ms while nothing happens".to_owned(),
        who: Some("AfterMouse.race (1464)".to_owned()),
        thread: Some("2084".to_owned()),
        evidence: vec![
            Evidence {
                text: "200 wake-ups, 97 % of them 5 ms apart".to_owned(),
                window: Some(window(3000, 4000)),
            },
            Evidence { text: "the same again".to_owned(), window: Some(window(8000, 9000)) },
        ],
        place: Some(CodePlace {
            function: "race.dll!Timer::sleep".to_owned(),
            file: Some(r"C:\race\timer.cpp".to_owned()),
            line: Some(42),
            stack: vec!["race.dll!Timer::run".to_owned(), "race.dll!Timer::sleep".to_owned()],
        }),
        at_stake: Some(estimate(0.5)),
        joules_per_hour: Some(180.0),
        remedy: "Wait for the event instead of asking for it.".to_owned(),
    };
    let unknown = Finding {
        rule: RuleId("chatty-network".to_owned()),
        severity: FindingSeverity::Note,
        confidence: Confidence::default(),
        title: "40 small transfers in a minute".to_owned(),
        who: None,
        thread: None,
        evidence: vec![Evidence { text: "totals only".to_owned(), window: None }],
        place: None,
        at_stake: None,
        joules_per_hour: None,
        remedy: "Send them together.".to_owned(),
    };
    vec![timer, unknown]
}

/// One that somebody accepts.
fn accepted() -> Vec<AcceptedFinding> {
    let mut findings = findings();
    let finding = Finding {
        rule: RuleId("alarm-wakes".to_owned()),
        title: "com.example.clock woke the device by alarm 12.0 times an hour".to_owned(),
        who: Some("com.example.clock".to_owned()),
        ..findings.remove(1)
    };
    let (reason, until) = ("it is a clock".to_owned(), Some("2027-01-31".to_owned()));
    vec![AcceptedFinding { finding, reason, until }]
}

/// Nothing was found in nothing.
pub fn empty() -> Diagnosis {
    Diagnosis {
        artifacts: Vec::new(),
        device: DeviceFacts::default(),
        window: Window::default(),
        model: None,
        idle: IdleIntervals::default(),
        subjects: Vec::new(),
        threads: Vec::new(),
        regions: Vec::new(),
        groups: Vec::new(),
        disk: Vec::new(),
        findings: Vec::new(),
        accepted: Vec::new(),
        chart: UseChart::default(),
        notes: Vec::new(),
        ..after_mouse()
    }
}

/// The example where no model fits.
pub fn without_energy() -> Diagnosis {
    let mut diagnosis = after_mouse();
    diagnosis.model = None;
    for subject in &mut diagnosis.subjects {
        subject.energy = None;
    }
    for thread in &mut diagnosis.threads {
        thread.energy = None;
    }
    for region in &mut diagnosis.regions {
        (region.energy, region.watts, region.saved) = (None, None, None);
    }
    for group in &mut diagnosis.groups {
        (group.energy, group.saved) = (None, None);
    }
    for finding in &mut diagnosis.findings {
        finding.at_stake = None;
        finding.joules_per_hour = None;
    }
    diagnosis
}

/// The example with so many regions, each with a stack of its own, and as many disk operations.
pub fn big(regions: u32) -> Diagnosis {
    let mut diagnosis = after_mouse();
    diagnosis.regions.clear();
    diagnosis.groups.clear();
    let operation = diagnosis.disk[0].clone();
    diagnosis.disk.clear();
    for at in 0..regions {
        let deep = format!("big.dll!Function{at}");
        let texts = ["ntdll.dll!RtlUserThreadStart", "big.dll!Main", deep.as_str()];
        let from = i64::from(at % 9000);
        let cpu_use = 0.9 - f64::from(at) * 1e-5;
        let stack = stack(&texts, &texts);
        diagnosis.groups.push(StackGroup {
            stack: stack.strict.clone(),
            regions: vec![at],
            cpu_use,
            energy: Some(estimate(cpu_use)),
            saved: Some(estimate(cpu_use / 2.0)),
        });
        diagnosis.regions.push(region(at % 2, window(from, from + 100), cpu_use, stack, at));
        let path = Some(format!(r"C:\data\file {at}.bin"));
        diagnosis.disk.push(DiskRow { window: window(from, from + 10), path, ..operation.clone() });
    }
    diagnosis
}

/// The example with names that want to be markup, formulas, control characters, and indices that point nowhere.
pub fn hostile() -> Diagnosis {
    let mut diagnosis = after_mouse();
    diagnosis.artifacts = vec![HOSTILE.to_owned(), "a\nb: c%.etl".to_owned()];
    diagnosis.device.model = Some(HOSTILE.to_owned());
    diagnosis.subjects[0].name = Some("=HYPERLINK(\"http://x\")".to_owned());
    diagnosis.threads[0].name = Some("@SUM(1)\u{1b}[2J\u{202e}".to_owned());
    diagnosis.threads[1].name = Some(HOSTILE.to_owned());
    diagnosis.regions[0].stack.majority = frames(&["=cmd|' /C calc'!A0", HOSTILE]);
    let odd = ["-2+3", "a \"quoted\", name"];
    diagnosis.regions[1].stack.strict = frames(&odd);
    diagnosis.regions[1].stack.majority = frames(&odd);
    diagnosis.regions[2].thread = 99;
    diagnosis.regions[2].group = 99;
    diagnosis.groups[1].stack = frames(&odd);
    diagnosis.groups[1].regions = vec![1, 2, 77];
    diagnosis.disk[0].path = Some("+1\r\n=2".to_owned());
    diagnosis.disk[1].path = Some(HOSTILE.to_owned());
    diagnosis.disk[2].thread = 99;
    diagnosis.disk[2].region = Some(99);
    diagnosis.findings[0].title = HOSTILE.into();
    diagnosis.findings[0].evidence[0].text = "\u{0}\u{7}nul and bell".into();
    diagnosis.findings[1].rule = RuleId(HOSTILE.to_owned());
    if let Some(place) = &mut diagnosis.findings[0].place {
        place.file = Some("javascript:alert(1)".to_owned());
        place.line = Some(0);
        place.function = HOSTILE.into();
    }
    diagnosis.chart.lines[2].thread = Some(99);
    diagnosis.chart.lines[1].cpu_use.truncate(10);
    diagnosis.notes[0].text = HOSTILE.into();
    diagnosis
}

/// All of them with a name.
pub fn all() -> Vec<(&'static str, Diagnosis)> {
    vec![
        ("after mouse", after_mouse()),
        ("empty", empty()),
        ("without energy", without_energy()),
        ("hostile", hostile()),
        ("big", big(10_000)),
    ]
}
