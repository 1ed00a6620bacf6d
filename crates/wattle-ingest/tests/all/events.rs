//! Events in order, and the methods' values that follow from them: computed here, independently of the reader.

use std::collections::BTreeMap;

use wattle_timeline::{CallSlice, SliceScope, Timeline};

/// One entry or exit; times since the trace began, microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub thread: u32,
    pub is_entry: bool,
    pub method: String,
    pub cpu: u64,
    pub wall: u64,
}

/// A method's calls and times, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub calls: u64,
    pub inclusive: u64,
    pub exclusive: u64,
}

pub type Profile = BTreeMap<String, Row>;

/// A call; times by one clock.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: String,
    pub from: u64,
    pub to: Option<u64>,
    /// Its entry was before the trace.
    pub is_earlier: bool,
    pub callees: Vec<Call>,
}

/// The calls of each thread by the clock that is asked for, and the time of each thread's last event.
pub fn calls(events: &[Event], clock: fn(&Event) -> u64) -> BTreeMap<u32, (Vec<Call>, u64)> {
    let mut threads: BTreeMap<u32, (Vec<Call>, Vec<Call>, u64)> = BTreeMap::new();
    for event in events {
        let (done, open, last) = threads.entry(event.thread).or_default();
        *last = clock(event);
        if event.is_entry {
            let method = event.method.clone();
            let callees = Vec::new();
            open.push(Call { method, from: *last, to: None, is_earlier: false, callees });
            continue;
        }
        let call = match open.pop() {
            Some(call) => {
                assert_eq!(call.method, event.method, "this model knows no mismatched exits");
                Call { to: Some(*last), ..call }
            }
            // What came before was inside of it.
            None => Call {
                method: event.method.clone(),
                from: 0,
                to: Some(*last),
                is_earlier: true,
                callees: std::mem::take(done),
            },
        };
        open.last_mut().map_or(&mut *done, |around| &mut around.callees).push(call);
    }
    let close = |(mut done, mut open, last): (Vec<Call>, Vec<Call>, u64)| {
        while let Some(call) = open.pop() {
            open.last_mut().map_or(&mut done, |around| &mut around.callees).push(call);
        }
        (done, last)
    };
    threads.into_iter().map(|(thread, of)| (thread, close(of))).collect()
}

/// Sums calls up. Recursion counts once; an open call lasts until its thread's last event.
pub fn profile<'a>(threads: impl IntoIterator<Item = &'a (Vec<Call>, u64)>) -> Profile {
    let mut profile = Profile::new();
    for (calls, last) in threads {
        for call in calls {
            add(call, *last, &mut Vec::new(), &mut profile);
        }
    }
    profile
}

fn add<'a>(call: &'a Call, last: u64, around: &mut Vec<&'a str>, profile: &mut Profile) {
    let length = |call: &Call| call.to.unwrap_or(last) - call.from;
    let inside: u64 = call.callees.iter().map(length).sum();
    let row = profile.entry(call.method.clone()).or_default();
    row.calls += 1;
    row.exclusive += length(call) - inside;
    if !around.contains(&call.method.as_str()) {
        row.inclusive += length(call);
    }
    around.push(&call.method);
    call.callees.iter().for_each(|callee| add(callee, last, around, profile));
    around.pop();
}

/// `com.example.Main.run (I)V`, whatever the trace writes.
pub fn method_of(timeline: &Timeline, slice: &CallSlice) -> String {
    let text = |name| timeline.names.get(name);
    match slice.site.and_then(|site| timeline.code.sites.get(site)) {
        Some(site) => {
            let descriptor = site.descriptor.map_or("", text);
            format!("{}.{} {descriptor}", text(site.class), text(site.method))
        }
        None => text(slice.name).to_owned(),
    }
}

/// Slices by depth as calls, with their own clock or the timeline's.
pub fn calls_of(timeline: &Timeline, is_cpu: bool) -> BTreeMap<u32, (Vec<Call>, u64)> {
    let micros = |nanos: i64| u64::try_from(nanos).expect("a time after the start") / 1000;
    let start = timeline.window.start;
    let mut threads = BTreeMap::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { panic!("{track:?}") };
        let tid = timeline.tasks.threads[thread.index()].tid.0;
        let mut last = 0;
        let mut open: Vec<Call> = Vec::new();
        let mut done: Vec<Call> = Vec::new();
        let mut end = |open: &mut Vec<Call>, depth: usize| {
            while open.len() > depth {
                let call = open.pop().expect("one is open");
                open.last_mut().map_or(&mut done, |around| &mut around.callees).push(call);
            }
        };
        for slice in timeline.code.slices.of(track) {
            end(&mut open, usize::from(slice.depth));
            assert_eq!(open.len(), usize::from(slice.depth));
            let from = micros((slice.start - start).value());
            let to = (!slice.is_unfinished()).then(|| micros((slice.end - start).value()));
            last = last.max(to.unwrap_or(from));
            let cpu = slice.cpu.map(|cpu| micros(cpu.value()));
            let (from, to) =
                if is_cpu { (0, Some(cpu.expect("a thread's clock"))) } else { (from, to) };
            let method = method_of(timeline, &slice);
            open.push(Call { method, from, to, is_earlier: false, callees: Vec::new() });
        }
        end(&mut open, 0);
        threads.insert(tid, (done, last));
    }
    threads
}
