//! The input of rules: a recording with its energy, its idle intervals, and data that several rules need, made once.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use wattle_timeline::{
    CounterScope, ProcessId, StateKind, StateTrack, ThreadId, Timeline, Uid, Window,
};
use wattle_units::Estimate;

use super::activity::Activity;
use super::people::{self, People};
use super::settings::Settings;
use super::stakes::{self, Stakes};
use super::wakers::Wakers;
use crate::recording_tools::{recording_processes, recording_threads};
use crate::windows;
use crate::{
    Confidence, DiagnoseOptions, Diagnosis, Evidence, Finding, FindingSeverity, IdleSource, Input,
    Rule, RuleId,
};

/// The recording, as rules see it.
#[derive(Debug)]
pub(super) struct Look<'a> {
    pub(super) input: Input<'a>,
    pub(super) timeline: &'a Timeline,
    /// The stretch that is looked at.
    pub(super) window: Window,
    /// When there should have been nothing to do: nobody touched the device, nothing loaded, no picture moved.
    pub(super) idle: Vec<Window>,
    /// When nobody touched the device; more than `idle`.
    pub(super) untouched: Vec<Window>,
    /// Whether somebody or something told when it should have been idle; if not, nothing that happened was too much.
    pub(super) idle_is_told: bool,
    idle_source: IdleSource,
    /// Potential savings.
    pub(super) stakes: Stakes<'a>,
    settings: &'a Settings,
    processes: Option<FxHashSet<ProcessId>>,
    /// By process: whether it only runs because somebody records.
    recorders: Vec<bool>,
    /// By thread: the same.
    recording_threads: Vec<bool>,
    activity: OnceCell<Option<Activity>>,
    wakers: OnceCell<Option<Wakers>>,
    people: OnceCell<People>,
}

impl<'a> Look<'a> {
    pub(super) fn new(
        input: Input<'a>,
        options: &DiagnoseOptions,
        diagnosis: &Diagnosis,
        settings: &'a Settings,
    ) -> Self {
        let window = diagnosis.window;
        let of_window =
            |set: &[Window]| windows::intersection(&windows::union(set.to_vec()), &[window]);
        let mut untouched = of_window(&diagnosis.idle.windows);
        // Intervals that were found or given, and are none, are a word, too.
        let is_whole = matches!(diagnosis.idle.source, IdleSource::Whole | IdleSource::Unknown);
        if untouched.is_empty() && !window.is_empty() && is_whole {
            untouched.push(window);
        }
        let still = of_window(&diagnosis.idle.still);
        let is_users = matches!(diagnosis.idle.source, IdleSource::Given | IdleSource::Whole);
        let idle_is_told = is_users || !still.is_empty();
        let idle = if still.is_empty() { untouched.clone() } else { still };
        // Whom the user asked for, or the apps that the recording was made of, as the diagnosis has found them.
        let names = &input.timeline.names;
        let is_app = |name: Option<&String>| {
            name.is_some_and(|name| {
                input.timeline.tasks.apps.iter().any(|app| names.get(*app) == name)
            })
        };
        let is_chosen = !options.processes.is_empty()
            || diagnosis
                .subjects
                .iter()
                .all(|it| is_app(it.package.as_ref()) || is_app(it.name.as_ref()));
        let subjects = diagnosis.subjects.iter().filter_map(|subject| subject.process);
        let processes = (is_chosen && !diagnosis.subjects.is_empty()).then(|| subjects.collect());
        let recorders = recording_processes(input.timeline);
        Self {
            input,
            timeline: input.timeline,
            window,
            stakes: Stakes::new(input, idle.clone()),
            idle,
            untouched,
            idle_is_told,
            idle_source: diagnosis.idle.source,
            settings,
            processes,
            recording_threads: recording_threads(input.timeline, &recorders),
            recorders,
            activity: OnceCell::new(),
            wakers: OnceCell::new(),
            people: OnceCell::new(),
        }
    }

    /// Whether a rule is asked.
    pub(super) fn is_on(&self, rule: &Rule) -> bool {
        self.settings.is_on(rule)
    }

    /// A threshold of a rule.
    pub(super) fn threshold(&self, rule: &Rule, name: &'static str) -> f64 {
        self.settings.value(rule, name)
    }

    /// When threads were on CPUs; `None` where the scheduler was not recorded.
    pub(super) fn activity(&self) -> Option<&Activity> {
        self.activity.get_or_init(|| Activity::new(self.timeline, self.window)).as_ref()
    }

    /// Who woke whom at idle; `None` where that was not recorded.
    pub(super) fn wakers(&self) -> Option<&Wakers> {
        self.wakers.get_or_init(|| Wakers::new(self.timeline, &self.idle)).as_ref()
    }

    fn people(&self) -> &People {
        self.people.get_or_init(|| People::new(self.timeline))
    }

    /// Returns the time in which there should have been nothing to do, in seconds.
    pub(super) fn idle_seconds(&self) -> f64 {
        windows::total(&self.idle).seconds()
    }

    /// The energy of a thread inside of a set of time, by its part of the thread's time on CPUs.
    pub(super) fn at_stake_within(&self, thread: ThreadId, set: &[Window]) -> Option<Estimate> {
        let activity = self.activity()?;
        let all = activity.cpu(thread, &[self.window]).seconds();
        let share = if all > 0.0 { activity.cpu(thread, set).seconds() / all } else { 0.0 };
        self.stakes.whole(&[thread]).map(|energy| stakes::part(energy, share))
    }

    /// The energy of threads, each inside of a set of time of its own, by its part of the thread's time on CPUs.
    pub(super) fn at_stake_of_each(
        &self,
        sets: &BTreeMap<ThreadId, Vec<Window>>,
    ) -> Option<Estimate> {
        let activity = self.activity()?;
        let threads: Vec<ThreadId> = sets.keys().copied().collect();
        let whole = self.stakes.whole(&threads)?;
        let (mut all, mut inside) = (0.0, 0.0);
        for (thread, set) in sets {
            let Some(energy) = self.stakes.whole(&[*thread]) else { continue };
            let joules = energy.joules.value();
            let cpu = activity.cpu(*thread, &[self.window]).seconds();
            all += joules;
            if cpu > 0.0 {
                inside += joules * activity.cpu(*thread, set).seconds() / cpu;
            }
        }
        Some(stakes::part(whole, if all > 0.0 { inside / all } else { 0.0 }))
    }

    /// The confidence of what should not happen at idle, by how idle time is known.
    pub(super) fn idle_confidence(&self) -> Confidence {
        match self.idle_source {
            IdleSource::Given | IdleSource::Whole => {
                Confidence::high("the scheduler's own events, in time that was given as idle")
            }
            IdleSource::Found => Confidence::medium(
                "the scheduler's own events, in time in which neither input nor a start nor a moving picture was recorded",
            ),
            IdleSource::Unknown => {
                Confidence::low("it is not known whether anything should have happened")
            }
        }
    }

    /// The threads that are looked at: those of the chosen processes but the recorder's own.
    pub(super) fn threads(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let all = (0..).zip(&self.timeline.tasks.threads).skip(1);
        let ids = all.map(|(index, _)| ThreadId(index));
        ids.filter(|thread| self.is_thread_looked_at(*thread))
    }

    /// Whether a thread is one of those that are looked at, also where its process is not known.
    pub(super) fn is_thread_looked_at(&self, thread: ThreadId) -> bool {
        match people::process_of(self.timeline, thread) {
            Some(process) => self.is_looked_at(Some(process)),
            None => {
                self.processes.is_none()
                    && self.recording_threads.get(thread.index()) != Some(&true)
            }
        }
    }

    /// Whether a process is one of those that are looked at: chosen, and not one that only runs because somebody records.
    pub(super) fn is_looked_at(&self, process: Option<ProcessId>) -> bool {
        let records = |process: ProcessId| self.recorders.get(process.index()) == Some(&true);
        match &self.processes {
            Some(chosen) => process.is_some_and(|it| chosen.contains(&it)),
            None => !process.is_some_and(records),
        }
    }

    /// Whether an app is one of those that are looked at.
    pub(super) fn is_app_looked_at(&self, uid: Uid) -> bool {
        // Statistics of nobody are a sum, and no app.
        if uid == people::NOBODY {
            return false;
        }
        let Some(chosen) = &self.processes else { return true };
        chosen.iter().any(|process| {
            people::uid_of(self.timeline, Some(*process)).is_some_and(|it| it == uid)
        })
    }

    /// Whether what nobody is known to have caused is looked at: not where the user asked for one process.
    pub(super) fn is_device_looked_at(&self) -> bool {
        self.processes.is_none()
    }

    /// The name of an app.
    pub(super) fn app(&self, uid: Uid) -> String {
        self.people().uid(uid)
    }

    /// Whose a state is; `None` for the device's.
    pub(super) fn owner(&self, scope: CounterScope) -> Option<Uid> {
        match scope {
            CounterScope::Uid(uid) => Some(uid),
            CounterScope::Process(process) => people::uid_of(self.timeline, Some(process)),
            CounterScope::Thread(thread) => {
                people::uid_of(self.timeline, people::process_of(self.timeline, thread))
            }
            CounterScope::Global | CounterScope::Cpu(_) => None,
        }
    }

    /// When the screen was off; `None` where that is not known.
    pub(super) fn screen_off(&self) -> Option<Vec<Window>> {
        let of_device = |track: &&StateTrack| {
            track.kind == StateKind::Screen && track.scope == CounterScope::Global
        };
        let track = self.timeline.system.states.iter().find(of_device)?;
        // Ambient displays are no use of an app.
        let off = track.level.segments(self.window).filter(|segment| segment.value != 1);
        Some(windows::union(off.map(|segment| segment.window).collect()))
    }

    /// When an app was in front; `None` where the recording does not say who was.
    pub(super) fn in_front(&self, uid: Uid) -> Option<Vec<Window>> {
        let tops =
            || self.timeline.system.states.iter().filter(|track| track.kind == StateKind::TopApp);
        tops().next()?;
        let own = tops().filter(|track| self.owner(track.scope) == Some(uid));
        let on = own.flat_map(|track| track.level.segments(self.window));
        Some(windows::union(on.filter(|it| it.value > 0).map(|it| it.window).collect()))
    }

    /// An empty finding of a rule, to be filled.
    pub(super) fn finding(
        &self,
        rule: &Rule,
        severity: FindingSeverity,
        title: String,
        confidence: Confidence,
    ) -> Finding {
        debug_assert!(self.settings.is_on(rule), "{}", rule.id);
        Finding {
            rule: RuleId(rule.id.to_owned()),
            severity,
            confidence,
            title,
            who: None,
            thread: None,
            evidence: Vec::new(),
            place: None,
            at_stake: None,
            joules_per_hour: None,
            remedy: rule.remedy.to_owned(),
        }
    }
}

/// One thing that was seen.
pub(super) fn evidence(text: impl Into<String>, window: Option<Window>) -> Evidence {
    Evidence { text: text.into(), window }
}
