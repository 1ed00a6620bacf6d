//! Transfer of a recording's dumps into the timeline.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use wattle_import::{Pending, Session, Stage};
use wattle_timeline::{
    ArtifactQuality, BatterySample, CounterScope, DeviceWake, NameId, Note, RawScope, Severity,
    StateKind, TimelineBuilder, Uid, Usage, Window,
};
use wattle_units::BootNanos;

use super::choice::{Choice, Dump, stretches};
use super::dump_findings::{Counts, Entry, Findings, Form, Said};
use super::history_clock::{HistoryClock, Walls, time_before_set, times_set};

const MILLISECOND: i64 = 1_000_000;

/// Whose and which state.
type Key = (StateKind, CounterScope, Option<NameId>);

/// The dumps of a recording, which wait for clocks and for each other.
#[derive(Default)]
pub(super) struct Statistics(pub Vec<Findings>);

impl Pending for Statistics {
    fn stage(&self) -> Stage {
        Stage::Totals
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        let Session { builder, clocks, window, qualities, runs, .. } = session;
        let walls = Walls::new(clocks, &self.0);
        // Beside a trace they are of whatever of them is in its time.
        if window.is_none() {
            for found in &self.0 {
                runs.place(found.artifact, HistoryClock::span(found, &walls));
            }
        }
        apply(self.0, &walls, *window, builder, qualities);
    }
}

/// Brings everything to one clock and gives it to the builder.
fn apply(
    mut all: Vec<Findings>,
    walls: &Walls,
    window: Option<Window>,
    builder: &mut TimelineBuilder,
    qualities: &mut [ArtifactQuality],
) {
    if all.is_empty() {
        return;
    }
    let names: Vec<String> = all
        .iter()
        .map(|found| {
            let name = qualities.get(found.artifact).map_or("", |quality| quality.name.as_str());
            format!("{name} as {}", found.form.text())
        })
        .collect();
    let name = |index: usize| names.get(index).map_or("", String::as_str);
    let history = best_history(&all);
    let mut said = Vec::new();
    if let Some(index) = history
        && let Some(found) = all.get(index)
    {
        let quality = qualities.get_mut(found.artifact);
        Teller { found, history: found, walls, window, builder }.history(quality);
        said.push(format!("the history from {}", name(index)));
    }
    for stretch in stretches(&all, walls) {
        let mut from = Vec::new();
        let choice = Choice::from_stretch(&stretch);
        for dump in &stretch {
            let Some(found) = all.get(dump.of) else { continue };
            let history = history.and_then(|index| all.get(index)).unwrap_or(found);
            let mut teller = Teller { found, history, walls, window, builder };
            let count = teller.totals(&stretch, dump, &choice, qualities);
            if count > 0 {
                from.push(format!("{count} from {}", name(dump.of)));
            }
        }
        if !from.is_empty() {
            said.push(format!("totals: {}", from.join(", ")));
        }
    }
    if all.len() > 1 {
        let text = format!(
            "the battery statistics are there {} times; each kind of information was taken once: {}",
            all.len(),
            said.join("; ")
        );
        builder.note(Note::new(Severity::Info, "batterystats-sources", text));
    }
    for found in &mut all {
        if let Some(quality) = qualities.get_mut(found.artifact) {
            std::mem::take(&mut found.counts).tell(quality);
        }
    }
}

/// Check-in lines and protobuf have the wall clock to a millisecond and in Unix time, text to a second and in local time. Of
/// several of one form it is the longest.
fn best_history(all: &[Findings]) -> Option<usize> {
    let with = all.iter().enumerate().filter(|(_, found)| !found.history.is_empty());
    with.min_by_key(|(_, found)| (found.form == Form::Text, std::cmp::Reverse(found.history.len())))
        .map(|(index, _)| index)
}

struct Teller<'a> {
    found: &'a Findings,
    /// Those whose history is used.
    history: &'a Findings,
    walls: &'a Walls,
    /// The recording's time; nothing outside of it is used. `None`: the dumps are all there is.
    window: Option<Window>,
    builder: &'a mut TimelineBuilder,
}

impl Teller<'_> {
    fn history(&mut self, quality: Option<&mut ArtifactQuality>) {
        let found = self.found;
        let clock = HistoryClock::new(found, self.walls);
        let mut notes = Vec::new();
        let set = times_set(&found.anchors);
        if set > 0 {
            let text = "the device's wall clock was set while the history was written: times before it are counted back from after it";
            notes.push(Note::new(Severity::Info, "batterystats-clock-set", text).times(set));
        }
        let is_usable = clock.is_aligned() || self.window.is_none();
        if !clock.is_aligned() {
            notes.push(unaligned(self.window.is_some(), &clock));
        }
        if is_usable {
            let first = found.history.first().map_or(0, |entry| entry.at_ms);
            let name = quality.as_ref().map_or("", |quality| quality.name.as_str());
            if let Some(told) = self.walls.told(name, &clock, first) {
                self.builder.alignment(told);
            }
            let outside = self.entries(&clock, &mut notes);
            if outside > 0 {
                let text = "changes of states before or after the recording: of those before it, the last holds; others are not used";
                notes.push(Note::new(Severity::Info, "batterystats-outside", text).times(outside));
            }
        }
        if let Some(quality) = quality {
            quality.notes.extend(notes);
        }
    }

    /// Tells all entries; how many lie outside of the recording.
    fn entries(&mut self, clock: &HistoryClock, notes: &mut Vec<Note>) -> u64 {
        let found = self.found;
        let has = |test: fn(&Said) -> bool| found.history.iter().any(|entry| test(&entry.said));
        let has_flag = has(|said| matches!(said, Said::State { kind: StateKind::Charging, .. }));
        let has_all_locks =
            has(|said| matches!(said, Said::State { kind: StateKind::Wakelock, uid: Some(_), .. }));
        let has_battery = self.builder.has_batteries();
        let mut states = States::new(&found.history);
        let (mut outside, mut holders, mut samples) = (0, 0, 0);
        let mut carried: Vec<(Key, u32)> = Vec::new();
        let temperature = self.builder.names.intern("battery.temperature");
        let rails = ["modem", "wifi"]
            .map(|rail| self.builder.names.intern(&format!("batterystats.rail.{rail}")));
        for entry in &found.history {
            let time = BootNanos::new(clock.time(entry.at_ms));
            let (is_before, is_after) = self
                .window
                .map_or((false, false), |window| (time < window.start, time > window.end));
            outside += u64::from(is_before || is_after);
            if is_after {
                continue;
            }
            states.changes.clear();
            match entry.said {
                Said::State { kind, uid, tag, level } => states.set(kind, uid, tag, level),
                Said::Status(charging) if !has_flag => {
                    states.set(StateKind::Charging, None, None, u32::from(charging));
                }
                Said::FirstHolder { uid, tag, level } if !has_all_locks => {
                    holders += u64::from(level);
                    states.set(StateKind::Wakelock, Some(uid), Some(tag), level);
                }
                Said::Restart => states.restart(),
                Said::Wake { cause, uid, tag } if !is_before => {
                    let text = Some(tag).filter(|tag| !self.builder.names.get(*tag).is_empty());
                    self.builder.cpus().device_wake(DeviceWake { time, cause, uid, text });
                }
                Said::Battery(battery) if !is_before => {
                    samples += 1;
                    if !has_battery {
                        self.builder.energy().battery(None, sample(time, &battery));
                    }
                    if let Some(tenths) = battery.decidegrees {
                        let key =
                            self.builder.system().counter_track(RawScope::Global, temperature);
                        self.builder.system().counter(key, time, tenths as f64 / 10.0);
                    }
                }
                Said::Rail { is_modem, charge } if !is_before => {
                    let [modem, wifi] = rails;
                    let rail = if is_modem { modem } else { wifi };
                    let key = self.builder.system().counter_track(RawScope::Global, rail);
                    self.builder.system().counter(key, time, charge);
                }
                Said::Battery(_)
                | Said::Wake { .. }
                | Said::Rail { .. }
                | Said::Status(_)
                | Said::FirstHolder { .. } => {}
            }
            if is_before {
                carried.extend(&states.changes);
                continue;
            }
            self.carry(&mut carried);
            for ((kind, scope, tag), level) in &states.changes {
                self.builder.system().state(*kind, *scope, *tag, time, *level);
            }
        }
        self.carry(&mut carried);
        if has_battery && samples > 0 {
            let text = "the battery's level, voltage and charge are in a trace, too: that is used";
            notes.push(Note::new(Severity::Info, "batterystats-battery", text).times(samples));
        }
        if holders > 0 {
            let text = "the history names only the first holder of each stretch with wakelocks: it is shown as holding to the \
                        stretch's end; `dumpsys batterystats --enable full-wake-history` names all";
            let note = Note::new(Severity::Info, "batterystats-first-holder", text);
            notes.push(note.times(holders));
        }
        outside
    }

    /// Carries states from before the recording over to its beginning.
    fn carry(&mut self, carried: &mut Vec<(Key, u32)>) {
        let Some(window) = self.window else { return };
        for ((kind, scope, tag), level) in carried.drain(..) {
            self.builder.system().state(kind, scope, tag, window.start, level);
        }
    }

    /// Tells the numbers that are taken from this dump; how many.
    fn totals(
        &mut self,
        stretch: &[Dump<'_>],
        dump: &Dump<'_>,
        choice: &Choice,
        qualities: &mut [ArtifactQuality],
    ) -> usize {
        let taken: Vec<_> =
            dump.summary.totals.iter().filter(|total| choice.takes(dump, total)).collect();
        if taken.is_empty() {
            return 0;
        }
        let Some((window, is_aligned)) = self.window(stretch, dump) else { return 0 };
        if self.window.is_some() && !is_aligned {
            let text = "nothing leads from the start of these statistics to the recording's clock: their totals are not used";
            if let Some(quality) = qualities.get_mut(self.found.artifact) {
                let note = Note::new(Severity::Error, "batterystats-unaligned", text);
                quality.notes.push(note);
            }
            return 0;
        }
        for total in &taken {
            let usage = Usage {
                quantity: total.quantity,
                uid: total.uid,
                tag: total.tag,
                window,
                value: total.value,
            };
            if self.window.is_some() {
                self.builder.system().usage_around(usage);
            } else {
                self.builder.system().usage(usage);
            }
        }
        taken.len()
    }

    /// The stretch that a dump is of.
    fn window(&self, stretch: &[Dump<'_>], dump: &Dump<'_>) -> Option<(Window, bool)> {
        let first = stretch.first()?;
        let start = match (dump.summary.start, first.summary.start) {
            (Some(own), Some(first)) if self.walls.are_comparable(own, first) => Some(own),
            (own, first) => first.or(own),
        };
        let length_ms = dump.summary.length_ms.or(first.summary.length_ms);
        let length = length_ms.unwrap_or(0).max(0).saturating_mul(MILLISECOND);
        let of_history = start.and_then(|wall| time_before_set(&self.history.anchors, wall));
        let (from, is_aligned) = if let Some(at_ms) = of_history {
            // Statistics and history are of one stretch, whatever the wall clock was set to meanwhile.
            let clock = HistoryClock::new(self.history, self.walls);
            (clock.time(at_ms), clock.is_aligned())
        } else if let Some(wall) = start {
            let placed = self.walls.place(wall);
            (placed.time, placed.is_aligned)
        } else {
            // Before Android 5 nothing says when it began: it ends with the history.
            let last = self.history.history.last();
            let clock = HistoryClock::new(self.history, self.walls);
            let end = last.map_or(length, |entry| clock.time(entry.at_ms));
            (end.saturating_sub(length), last.is_some() && clock.is_aligned())
        };
        let window = Window::new(BootNanos::new(from), BootNanos::new(from.saturating_add(length)));
        Some((window, is_aligned))
    }
}

fn unaligned(has_window: bool, clock: &HistoryClock) -> Note {
    if has_window {
        let text = "nothing leads from the history's clock to the recording's: it is not used";
        return Note::new(Severity::Error, "batterystats-unaligned", text);
    }
    let text = match clock {
        HistoryClock::Own => {
            "nothing in it says what time it was: times count from the history's first entry"
        }
        _ => "nothing leads to the device's boot time: times are those of its wall clock",
    };
    Note::new(Severity::Info, "batterystats-own-time", text)
}

fn sample(time: BootNanos, battery: &super::dump_findings::Battery) -> BatterySample {
    let thousands = |value: Option<i64>| value.map(|value| value.saturating_mul(1000));
    BatterySample {
        time,
        charge: thousands(battery.milliampere_hours),
        capacity_percent: battery.percent,
        current: thousands(battery.milliamperes),
        voltage: thousands(battery.millivolts),
        ..BatterySample::default()
    }
}

/// Follows which states are on, so that a restart can end them.
struct States {
    /// States of the device that the history knows: after a start they are off until it says otherwise.
    known: BTreeSet<StateKind>,
    on: FxHashSet<Key>,
    is_begun: bool,
    changes: Vec<(Key, u32)>,
}

impl States {
    fn new(history: &[Entry]) -> Self {
        let mut known: BTreeSet<StateKind> = history
            .iter()
            .filter_map(|entry| match entry.said {
                Said::State { kind, uid: None, .. } => Some(kind),
                _ => None,
            })
            .collect();
        // Every Android says these. Where it is plugged in, and whether it charges, is always said in full.
        known.extend([StateKind::Screen, StateKind::CpuRunning]);
        known.remove(&StateKind::Plugged);
        Self { known, on: FxHashSet::default(), is_begun: false, changes: Vec::new() }
    }

    fn set(&mut self, kind: StateKind, uid: Option<Uid>, tag: Option<NameId>, level: u32) {
        if !self.is_begun {
            self.is_begun = true;
            self.all_off();
        }
        let key = (kind, uid.map_or(CounterScope::Global, CounterScope::Uid), tag);
        if level == 0 {
            self.on.remove(&key);
        } else {
            self.on.insert(key);
        }
        self.changes.push((key, level));
    }

    fn all_off(&mut self) {
        let known = self.known.iter().map(|kind| ((*kind, CounterScope::Global, None), 0));
        self.changes.extend(known);
    }

    fn restart(&mut self) {
        self.is_begun = true;
        self.all_off();
        let mut on: Vec<Key> =
            self.on.drain().filter(|(kind, ..)| *kind != StateKind::Plugged).collect();
        on.sort_unstable();
        self.changes.extend(on.into_iter().map(|key| (key, 0)));
    }
}

impl Counts {
    /// Adds what was counted to the quality of the artifact.
    fn tell(self, quality: &mut ArtifactQuality) {
        quality.records += self.lines;
        for (name, count) in [("history", self.history), ("total", self.totals)] {
            if count > 0 {
                *quality.events.entry(name.to_owned()).or_default() += count;
            }
        }
        for (name, count) in self.unread {
            *quality.unread.entry(name).or_default() += count;
        }
        let mut note = |severity, code, count: u64, text: String| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        let unknown = self.unknown.values().sum();
        let mut named: Vec<_> =
            self.unknown.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        named.truncate(16);
        note(
            Severity::Info,
            "batterystats-unknown",
            unknown,
            format!("words that are not known, and are passed over: {}", named.join(", ")),
        );
        let first = self.first_unparsed.unwrap_or_default();
        note(
            Severity::Warning,
            "batterystats-unparsed",
            self.unparsed,
            format!("lines that are not of the format: passed over; the first is {first:?}"),
        );
        let plain = [
            (
                Severity::Warning,
                "batterystats-cut",
                self.cut,
                "lines or messages that are too long or end too early: what was whole is used",
            ),
            (
                Severity::Warning,
                "batterystats-order",
                self.backwards,
                "entries of the history that go back in time: taken to be of the time before them",
            ),
            (
                Severity::Warning,
                "batterystats-negative",
                self.negative,
                "negative totals: not used",
            ),
            (
                Severity::Info,
                "batterystats-end-unmatched",
                self.unmatched,
                "ends of something that was not said to have begun: off from then on, unknown before",
            ),
            (
                Severity::Info,
                "batterystats-begin-twice",
                self.repeated,
                "beginnings of something that had not ended: on all along",
            ),
            (
                Severity::Info,
                "batterystats-restart",
                self.restarts,
                "resets, starts and shutdowns in the history: what was on before is off, unless it is said again",
            ),
            (
                Severity::Warning,
                "batterystats-overflow",
                self.overflows,
                "the history overflowed: Android left entries out",
            ),
            (
                Severity::Warning,
                "batterystats-no-string",
                self.no_string,
                "events whose name is not in the dump: not used",
            ),
            (
                Severity::Error,
                "batterystats-limit",
                self.refused,
                "more entries or totals than are kept of one dump: the rest was not used",
            ),
        ];
        for (severity, code, count, text) in plain {
            note(severity, code, count, text.to_owned());
        }
    }
}
