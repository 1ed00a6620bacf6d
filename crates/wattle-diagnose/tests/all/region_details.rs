//! Stacks, disk operations and idle intervals, by hand-made timelines.

use crate::built::{Machine, look, of, window};
use wattle_diagnose::{
    DiagnoseOptions, Diagnosis, IdleChoice, IdleSource, ProcessChoice, StackFrame,
};
use wattle_timeline::{
    CallSite, CallSlices, CounterScope, DiskKind, DiskOperation, EventId, Frame, FrameAddress,
    SampleEvent, SampleUnit, SliceScope, SliceTrack, StackSample, StateKind, StateTrack, Steps,
    ThreadId, Timeline, Uid,
};
use wattle_units::BootNanos;

/// A machine whose thread 7 is busy from second 3 to 4.
fn busy() -> (Machine, ThreadId) {
    let mut machine = Machine::new(10_000);
    let process = machine.process(7, "app");
    let thread = machine.thread(Some(process), 7, "worker");
    for index in 0..250 {
        machine.run_on(thread, 3_000_000 + index * 4000, 3990);
    }
    (machine, thread)
}

fn texts(frames: &[StackFrame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.text.as_str()).collect()
}

/// Adds a sample whose frames are letters, outermost first, at an instant in microseconds.
fn sample(timeline: &mut Timeline, thread: ThreadId, (time, stack): (i64, &str), event: &str) {
    let name = timeline.names.intern(event);
    let samples = &mut timeline.code.samples;
    let event = samples.events.iter().position(|it| it.name == name).unwrap_or_else(|| {
        samples.events.push(SampleEvent { name, unit: SampleUnit::Occurrences });
        samples.events.len() - 1
    });
    let mut site = None;
    for letter in stack.chars() {
        let mapping = Some(timeline.names.intern("/lib/app.so"));
        // Upper case has a symbol.
        let function = letter.is_uppercase().then(|| timeline.names.intern(&letter.to_string()));
        let address = FrameAddress::InElf(u64::from(u32::from(letter)));
        let frame = samples.frames.len() as u32;
        samples.frames.push(Frame { function, mapping, address, ..Frame::default() });
        samples.sites.push(CallSite { caller: site, frame });
        site = Some(samples.sites.len() as u32 - 1);
    }
    samples.samples.push(StackSample {
        time: BootNanos::new(time * 1000),
        cpu: None,
        thread,
        site,
        event: EventId(event as u16),
        weight: 1,
        is_truncated: stack.ends_with('t'),
    });
}

#[track_caller]
fn check_stacks(
    stacks: &[(i64, &str)],
    strict: &[&str],
    majority: &[&str],
    counted: u64,
) -> Diagnosis {
    let (machine, thread) = busy();
    let mut timeline = machine.finish();
    for stack in stacks {
        sample(&mut timeline, thread, *stack, "CSwitch");
    }
    let found = look(&timeline, &DiagnoseOptions::default());
    let region = of(&found, 7).next().unwrap();
    assert_eq!(texts(&region.stack.strict), strict);
    assert_eq!(texts(&region.stack.majority), majority);
    assert_eq!((region.stack.stacks, region.stack.switch_stacks), (counted, counted));
    found
}

#[test]
fn stacks_of_a_region_are_held_together() {
    let both = ["app.so!A", "app.so+0x62"];
    // What lies outside of the region does not count; a switch away at its very end does.
    let inside = [
        (1_000, "X"),
        (3_000_001, "AbC"),
        (3_500_000, "AbD"),
        (3_999_990, "AbE"),
        (5_000_000, "Y"),
    ];
    check_stacks(&inside, &both, &both, 3);
    let odd: Vec<(i64, &str)> =
        (0..9).map(|i| (3_100_000 + i, "Ab")).chain([(3_200_000, "Odd")]).collect();
    let found = check_stacks(&odd, &[], &both, 10);
    assert!((of(&found, 7).next().unwrap().stack.majority_share - 0.9).abs() < 1e-12);
    assert_eq!((found.groups.len(), found.groups[0].stack.len()), (1, 0));
    // Without its root a stack cannot be matched from there.
    check_stacks(&[(3_100_000, "Ab"), (3_200_000, "Xyt")], &both, &both, 1);
    check_stacks(&[(3_200_000, "t")], &["app.so+0x74"], &["app.so+0x74"], 1);
    check_stacks(&[(3_200_000, "")], &[], &[], 0);
}

#[test]
fn sections_stand_in_where_there_are_no_stacks() {
    let (machine, thread) = busy();
    let mut timeline = machine.finish();
    let (outer, inner) = (timeline.names.intern("loop"), timeline.names.intern("poll"));
    let at = |time: i64| BootNanos::new(time * 1000);
    timeline.code.slices = CallSlices {
        tracks: vec![SliceTrack {
            scope: SliceScope::Thread(thread),
            name: None,
            first: 0,
            count: 3,
        }],
        start: vec![at(2_000_000), at(3_000_000), at(3_900_000)],
        end: vec![at(5_000_000), at(3_800_000), BootNanos::MAX],
        name: vec![outer, inner, inner],
        depth: vec![0, 1, 1],
        ..CallSlices::default()
    };
    let found = look(&timeline, &DiagnoseOptions::default());
    let stack = &of(&found, 7).next().unwrap().stack;
    assert_eq!(texts(&stack.strict), ["loop"]);
    // 225 of 250 stretches lie in `poll`.
    assert_eq!(texts(&stack.majority), ["loop", "poll"]);
    assert_eq!((stack.stacks, stack.majority_share), (250, 0.9));
    assert!(found.notes.iter().any(|note| note.code == "sections-as-stacks"));
}

#[test]
fn disk_operations_have_the_region_that_they_began_in() {
    let (machine, thread) = busy();
    let mut timeline = machine.finish();
    let file = Some(timeline.names.intern("/data/log"));
    for (start, thread) in [(1_000_000, thread), (3_500_000, thread), (3_600_000, ThreadId::IDLE)] {
        timeline.hardware.disk.push(DiskOperation {
            kind: DiskKind::Flush,
            window: window(start, start + 700),
            begin_seen: true,
            end_seen: true,
            thread,
            disk: None,
            offset: None,
            bytes: None,
            service: None,
            file,
        });
    }
    let found = look(&timeline, &DiagnoseOptions::default());
    let rows: Vec<_> =
        found.disk.iter().map(|row| (row.window.start.value() / 1000, row.region)).collect();
    assert_eq!(rows, [(1_000_000, None), (3_500_000, Some(0))]);
    assert_eq!(
        (found.disk[0].kind.as_str(), found.disk[0].path.as_deref()),
        ("Flush", Some("/data/log"))
    );
    assert_eq!(of(&found, 7).next().unwrap().events, 251);
}

/// Checks the idle intervals, in milliseconds, that follow from the contents of a timeline.
#[track_caller]
fn check_idle(tell: impl FnOnce(&mut Timeline), source: IdleSource, expected: &[(i64, i64)]) {
    let (machine, _) = busy();
    let mut timeline = machine.finish();
    tell(&mut timeline);
    let mut options = DiagnoseOptions::default();
    options.processes = vec![ProcessChoice::from_word("app")];
    let idle = look(&timeline, &options).idle;
    let windows: Vec<_> = idle
        .windows
        .iter()
        .map(|it| (it.start.value() / 1_000_000, it.end.value() / 1_000_000))
        .collect();
    assert_eq!((idle.source, windows.as_slice()), (source, expected), "{}", idle.why);
    assert!(!idle.why.is_empty());
}

fn section(timeline: &mut Timeline, name: &str, (start, end): (i64, i64)) {
    let name = timeline.names.intern(name);
    let slices = &mut timeline.code.slices;
    let first = slices.len() as u32;
    slices.tracks.push(SliceTrack { scope: SliceScope::Global, name: None, first, count: 1 });
    slices.start.push(BootNanos::new(start * 1_000_000));
    slices.end.push(BootNanos::new(end * 1_000_000));
    slices.name.push(name);
    slices.depth.push(0);
}

fn state(timeline: &mut Timeline, kind: StateKind, tag: Option<&str>, levels: &[(i64, u32)]) {
    let tag = tag.map(|tag| timeline.names.intern(tag));
    let level: Steps<u32> =
        levels.iter().map(|(at, level)| (BootNanos::new(at * 1_000_000), *level)).collect();
    timeline.system.states.push(StateTrack { kind, scope: CounterScope::Global, tag, level });
}

#[test]
fn idle_is_when_nobody_asked_for_anything() {
    check_idle(|_| {}, IdleSource::Unknown, &[(0, 10_000)]);
    let input =
        |timeline: &mut Timeline| section(timeline, "deliverInputEvent src=0x1002", (2000, 2010));
    check_idle(input, IdleSource::Found, &[(0, 2000), (3000, 10_000)]);
    // Where no view is recorded, no input is, either.
    let launch =
        |timeline: &mut Timeline| section(timeline, "launching: com.example", (1000, 1500));
    check_idle(launch, IdleSource::Unknown, &[(0, 10_000)]);
    let launch = |timeline: &mut Timeline| {
        launch(timeline);
        section(timeline, "Choreographer#doFrame 7", (1400, 1410));
    };
    check_idle(launch, IdleSource::Found, &[(0, 1000), (3500, 10_000)]);
    let names_alike = |timeline: &mut Timeline| {
        section(timeline, "load MyInputConsumer", (1000, 1500));
    };
    check_idle(names_alike, IdleSource::Unknown, &[(0, 10_000)]);
    // Shorter than half a second is not idle.
    let two = |timeline: &mut Timeline| {
        section(timeline, "deliverInputEvent", (2000, 2010));
        section(timeline, "deliverInputEvent", (3400, 3410));
    };
    check_idle(two, IdleSource::Found, &[(0, 2000), (4400, 10_000)]);
    let always = |timeline: &mut Timeline| {
        for index in 0..12 {
            section(timeline, "deliverInputEvent", (index * 900, index * 900 + 1));
        }
    };
    check_idle(always, IdleSource::Unknown, &[(0, 10_000)]);
}

#[test]
fn with_the_screen_off_or_behind_another_app_all_is_idle() {
    let off = |timeline: &mut Timeline| {
        section(timeline, "deliverInputEvent", (2000, 2010));
        state(timeline, StateKind::Screen, None, &[(0, 1), (2500, 0)]);
    };
    check_idle(off, IdleSource::Found, &[(0, 2000), (2500, 10_000)]);
    let behind = |timeline: &mut Timeline| {
        section(timeline, "deliverInputEvent", (2000, 2010));
        section(timeline, "deliverInputEvent", (6000, 6010));
        state(timeline, StateKind::TopApp, Some("app"), &[(0, 1), (4000, 0)]);
        state(timeline, StateKind::TopApp, Some("other"), &[(4000, 1)]);
    };
    check_idle(behind, IdleSource::Found, &[(0, 2000), (3000, 10_000)]);
}

/// Checks the parts of idle time, in milliseconds, that rules about idle time look at. There is an input at the beginning.
#[track_caller]
fn check_still(tell: impl FnOnce(&mut Timeline), choice: IdleChoice, expected: &[(i64, i64)]) {
    let (machine, _) = busy();
    let mut timeline = machine.finish();
    section(&mut timeline, "deliverInputEvent", (0, 10));
    tell(&mut timeline);
    let mut options = DiagnoseOptions::default();
    options.idle = choice;
    let found = look(&timeline, &options);
    let ms = |time: BootNanos| time.value() / 1_000_000;
    let still: Vec<_> = found.idle.still.iter().map(|it| (ms(it.start), ms(it.end))).collect();
    assert_eq!(still, expected, "{}", found.idle.why);
    let is_for_lack_of_idle_time = expected.is_empty();
    assert_eq!(found.rules.without_idle > 0, is_for_lack_of_idle_time, "{:?}", found.rules);
}

/// Pictures each 16 ms.
fn pictures(timeline: &mut Timeline, (start, end): (i64, i64)) {
    for at in (start..end).step_by(16) {
        section(timeline, "DrawFrames 7", (at, at + 2));
    }
}

#[test]
fn nothing_loads_and_nothing_moves_while_it_is_still() {
    let check = |tell: &dyn Fn(&mut Timeline), expected: &[(i64, i64)]| {
        check_still(tell, IdleChoice::Find, expected);
    };
    // Nobody knows what was asked for before the recording.
    check(&|_| {}, &[(2000, 10_000)]);
    check(&|it| pictures(it, (5000, 5100)), &[(2000, 4000), (5596, 10_000)]);
    // A clock draws once a second, a cursor twice: nothing moves.
    let cursor = |it: &mut Timeline| {
        (4..20).for_each(|at| section(it, "DrawFrame", (at * 500, at * 500 + 2)));
    };
    check(&cursor, &[(2000, 10_000)]);
    // An animation without an end, and a rest that is too short to tell.
    check(&|it| pictures(it, (3000, 10_000)), &[]);
    check(&|it| pictures(it, (3000, 7000)), &[]);
    let unseen = |it: &mut Timeline| {
        pictures(it, (3000, 10_000));
        state(it, StateKind::Screen, None, &[(0, 1), (3500, 0)]);
    };
    check(&unseen, &[(3500, 10_000)]);
    let born = |it: &mut Timeline| {
        let process = &mut it.tasks.processes[0];
        process.start = Some(BootNanos::new(4_000_000_000));
        process.uid = Some(Uid(10_123));
    };
    check(&born, &[(2000, 4000), (6000, 10_000)]);
    // The user's word stands.
    let all = |it: &mut Timeline| pictures(it, (0, 10_000));
    check_still(all, IdleChoice::Whole, &[(0, 10_000)]);
}
