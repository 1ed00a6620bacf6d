//! Who is who: names of processes, threads and apps as findings show them.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId, Timeline, Uid};

/// The first app id of installed apps (AOSP `Process.FIRST_APPLICATION_UID`).
const FIRST_APP: u32 = 10_000;

/// Uids of the platform that have no package (AOSP `android_filesystem_config.h`).
const SYSTEM: [(u32, &str); 14] = [
    (0, "root"),
    (1000, "android (system)"),
    (1001, "radio"),
    (1002, "bluetooth"),
    (1010, "wifi"),
    (1013, "media"),
    (1021, "gps"),
    (1027, "nfc"),
    (1036, "logd"),
    (1041, "audioserver"),
    (1047, "cameraserver"),
    (1051, "dns and tethering"),
    (1073, "network stack"),
    (2000, "shell"),
];

/// Whether the uid is an installed app's: the rules of stores are about these.
pub(super) fn is_app(uid: Uid) -> bool {
    uid.app_id() >= FIRST_APP
}

/// Names of uids.
#[derive(Debug, Default)]
pub(super) struct People {
    by_app_id: BTreeMap<u32, String>,
}

impl People {
    pub(super) fn new(timeline: &Timeline) -> Self {
        let packages = timeline.tasks.packages.iter().map(|package| (package.uid, package.name));
        let processes = timeline
            .tasks
            .processes
            .iter()
            .filter_map(|process| Some((process.uid?, process.package?)));
        let mut names: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for (uid, name) in packages.chain(processes) {
            let name = timeline.names.get(name);
            if !name.is_empty() {
                names.entry(uid.app_id()).or_default().push(name);
            }
        }
        let by_app_id = names.into_iter().map(|(id, mut names)| {
            names.sort_unstable();
            names.dedup();
            let more = names.len().saturating_sub(2);
            names.truncate(2);
            let mut text = names.join(", ");
            if more > 0 {
                text = format!("{text} and {more} more");
            }
            (id, text)
        });
        Self { by_app_id: by_app_id.collect() }
    }

    /// The packages of an app, the platform's own name of the uid, else as Android writes it (`u0a123`).
    pub(super) fn uid(&self, uid: Uid) -> String {
        let app = uid.app_id();
        if let Some(system) = SYSTEM.iter().find(|(id, _)| *id == app) {
            return system.1.to_owned();
        }
        if let Some(name) = self.by_app_id.get(&app) {
            return name.clone();
        }
        match app {
            id if id >= FIRST_APP => format!("u{}a{}", uid.user(), id - FIRST_APP),
            id => format!("uid {id}"),
        }
    }
}

/// A process's name, else its number.
pub(super) fn process(timeline: &Timeline, process: ProcessId) -> Option<String> {
    let facts = timeline.tasks.processes.get(process.index())?;
    let name = facts.name.map(|name| timeline.names.get(name)).filter(|name| !name.is_empty());
    Some(name.map_or_else(|| format!("pid {}", facts.pid), str::to_owned))
}

/// The process of a thread.
pub(super) fn process_of(timeline: &Timeline, thread: ThreadId) -> Option<ProcessId> {
    timeline.tasks.threads.get(thread.index())?.process
}

/// The app of a process.
pub(super) fn uid_of(timeline: &Timeline, process: Option<ProcessId>) -> Option<Uid> {
    timeline.tasks.processes.get(process?.index())?.uid
}

/// `name (tid)`.
pub(super) fn thread(timeline: &Timeline, thread: ThreadId) -> String {
    let Some(facts) = timeline.tasks.threads.get(thread.index()) else { return String::new() };
    let name = facts.name.map_or("", |name| timeline.names.get(name));
    if name.is_empty() {
        format!("thread {}", facts.tid)
    } else {
        format!("{name} ({})", facts.tid)
    }
}
