//! Who is who: names of processes, threads and apps as findings show them.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId, Timeline, Uid};

/// The uid of statistics that Android gives to nobody.
pub(super) const NOBODY: Uid = Uid(u32::MAX);

/// The fix for what runs under an account of Android itself.
pub(super) const PLATFORM_REMEDY: &str = "This is an account of Android itself, shared by services that work for all apps: no app's code \
     to fix. The names in the evidence say which service, and often for whom; what is left is for the maker of the device.";

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

    /// The packages of an app, the platform's own name of the uid, else as Android writes it (`u0a123`); with the user where it is
    /// not the first one (a work profile, a guest), because each user has its own copy of an app.
    pub(super) fn uid(&self, uid: Uid) -> String {
        let name = self.without_user(uid);
        let is_named = name != uid.android_name();
        if uid.signed() >= 0 && uid.user() > 0 && is_named {
            return format!("{name} (user {})", uid.user());
        }
        name
    }

    fn without_user(&self, uid: Uid) -> String {
        let of_packages = || self.by_app_id.get(&uid.app_id()).cloned();
        let of_platform = || uid.platform_name().map(str::to_owned);
        let names = if uid.is_app() {
            of_packages().or_else(of_platform)
        } else {
            of_platform().or_else(of_packages)
        };
        names.unwrap_or_else(|| uid.android_name())
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

/// Whether a process is an app's: by its uid, else by its package, else by a name as packages have them.
pub(super) fn is_app(timeline: &Timeline, process: ProcessId) -> bool {
    let Some(facts) = timeline.tasks.processes.get(process.index()) else { return false };
    if let Some(uid) = facts.uid {
        return uid.is_app();
    }
    let name = facts.name.map_or("", |name| timeline.names.get(name));
    let is_of_platform = |name: &str| name.starts_with("android.") || name.starts_with("vendor.");
    facts.package.is_some()
        || (name.contains('.')
            && !name.contains(['/', '\\', '@'])
            && !is_of_platform(name)
            && !name.to_ascii_lowercase().ends_with(".exe"))
}
