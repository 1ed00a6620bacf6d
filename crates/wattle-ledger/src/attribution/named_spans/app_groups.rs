//! The apps of a recording and their processes.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{CounterScope, Process, ProcessId, StateKind, Timeline, Uid, process_base};

use crate::SpanParty;
use crate::attribution::bookings::SpanOwner;

/// An app with its processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct AppGroup {
    /// Its package, or the name of its process up to a colon.
    pub(crate) name: String,
    pub(crate) processes: Vec<ProcessId>,
    /// Its uids that are no isolated processes'.
    pub(crate) uids: Vec<Uid>,
}

impl AppGroup {
    /// The owners of energy that is the app's own.
    pub(crate) fn owners(&self) -> Vec<SpanOwner> {
        let processes = self.processes.iter().map(|process| SpanOwner::Process(Some(*process)));
        let uids = self.uids.iter().map(|uid| SpanOwner::App(*uid));
        processes.chain(uids).collect()
    }
}

/// All apps, in order of their names.
#[derive(Debug, Default)]
pub(crate) struct AppGroups {
    pub(crate) groups: Vec<AppGroup>,
    /// By process: its app.
    of_process: Vec<Option<usize>>,
    /// By process: the consumer that it is for apps that are not its own.
    parties: Vec<SpanParty>,
}

impl AppGroups {
    /// The apps of a timeline, by their processes and by the states that name them. Processes of one package are one app; without a
    /// package, the name up to a colon decides, which is Android's own rule for `android:process=":name"`.
    pub(crate) fn new(timeline: &Timeline) -> Self {
        let mut by_name: BTreeMap<&str, Vec<ProcessId>> = BTreeMap::new();
        let mut parties = Vec::with_capacity(timeline.tasks.processes.len());
        for (index, process) in (0..).zip(&timeline.tasks.processes) {
            parties.push(party(timeline, process));
            if let Some(name) = app_name(timeline, process) {
                by_name.entry(name).or_default().push(ProcessId(index));
            }
        }
        let named = named_by_states(timeline);
        for name in named.keys() {
            by_name.entry(name).or_default();
        }
        let mut of_process = vec![None; timeline.tasks.processes.len()];
        let mut taken = BTreeSet::new();
        let mut groups = Vec::with_capacity(by_name.len());
        for (name, processes) in by_name {
            let mut uids: Vec<Uid> = Vec::new();
            for process in &processes {
                of_process[process.index()] = Some(groups.len());
            }
            let of_processes = processes
                .iter()
                .filter_map(|process| timeline.tasks.processes[process.index()].uid);
            let of_states = named.get(name).into_iter().flatten().copied();
            // Hardware that worked for a uid that several packages share is the first one's: it is counted once.
            for uid in of_processes.chain(of_states) {
                if !uid.is_isolated() && taken.insert(uid) {
                    uids.push(uid);
                }
            }
            groups.push(AppGroup { name: name.to_owned(), processes, uids });
        }
        Self { groups, of_process, parties }
    }

    /// The app of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&AppGroup> {
        let at = self.groups.binary_search_by(|group| group.name.as_str().cmp(name)).ok()?;
        self.groups.get(at)
    }

    /// The app of a process.
    pub(crate) fn of(&self, process: ProcessId) -> Option<&AppGroup> {
        self.groups.get((*self.of_process.get(process.index())?)?)
    }

    /// The app of a uid.
    pub(crate) fn of_uid(&self, uid: Uid) -> Option<&AppGroup> {
        self.groups.iter().find(|group| group.uids.contains(&uid))
    }

    /// The consumer that an owner is in a stretch of an app that is not its own.
    pub(crate) fn party(&self, owner: SpanOwner) -> SpanParty {
        match owner {
            SpanOwner::Process(process) => process
                .and_then(|process| self.parties.get(process.index()).copied())
                .unwrap_or(SpanParty::Others),
            SpanOwner::App(_) => SpanParty::Others,
            SpanOwner::Nobody => SpanParty::NoProcess,
        }
    }
}

/// Apps that states name with their uid, as battery statistics do, which know no processes.
fn named_by_states(timeline: &Timeline) -> BTreeMap<&str, Vec<Uid>> {
    let mut named: BTreeMap<&str, Vec<Uid>> = BTreeMap::new();
    for state in &timeline.system.states {
        let is_of_apps = matches!(
            state.kind,
            StateKind::TopApp | StateKind::ForegroundApp | StateKind::ForegroundService
        );
        let CounterScope::Uid(uid) = state.scope else { continue };
        if let Some(tag) = state.tag.filter(|_| is_of_apps) {
            // A service is named with its package before a slash.
            let name = timeline.names.get(tag).split(['/', ':']).next().unwrap_or_default();
            if !name.is_empty() {
                named.entry(name).or_default().push(uid);
            }
        }
    }
    named
}

fn party(timeline: &Timeline, process: &Process) -> SpanParty {
    let name = process.name.map_or("", |name| timeline.names.get(name));
    match name.rsplit('/').next().unwrap_or_default() {
        "system_server" => SpanParty::SystemServer,
        "surfaceflinger" => SpanParty::SurfaceFlinger,
        _ => SpanParty::Others,
    }
}

/// The name of the app that a process is of; `None` for native programs and the kernel's threads, which have no state.
fn app_name<'a>(timeline: &'a Timeline, process: &Process) -> Option<&'a str> {
    if let Some(package) = process.package {
        return Some(timeline.names.get(package));
    }
    let name = process_base(timeline.names.get(process.name?));
    let is_app = name.contains('.')
        && !name.contains(['/', '@', ' ', '['])
        && !name.starts_with('.')
        && process.uid.is_none_or(|uid| uid.app_id() >= FIRST_APP || uid.app_id() == SYSTEM);
    is_app.then_some(name)
}

/// The first uid of an installed app (AOSP `Process.FIRST_APPLICATION_UID`).
const FIRST_APP: u32 = 10_000;
/// The uid that apps of the system share (AOSP `Process.SYSTEM_UID`).
const SYSTEM: u32 = 1000;
