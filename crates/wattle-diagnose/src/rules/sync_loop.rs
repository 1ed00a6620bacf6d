//! `sync-loop`.

use wattle_power::Component;
use wattle_timeline::{NameId, StateKind, Uid, Window};

use super::held;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakelock_tag;
use super::wakeup_evidence::awake;
use crate::windows;
use crate::words::{seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "sync-loop",
    title: "A sync starts again as soon as it has ended",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "An adapter that writes into its own provider: the change asks for a sync (`notifyChange` with `syncToNetwork`), whose result is \
              written, which asks for the next.",
    counter_example: "Contacts, calendar and mail of one account one after another: three syncs, each once. A sync every hour. A burst of a minute when \
                      the connection comes back.",
    looks_for: "Syncs of one adapter and account that begin within a minute of the end of the one before, several times in a row: \
                batterystats' history, and statsd's reports (SyncStateChanged).",
    why: "Each run holds a wakelock and opens a connection; in a loop neither the CPU nor the radio gets back to sleep.",
    remedy: "Do not ask for a sync from within a sync: call notifyChange with syncToNetwork = false for what came from the server. Report \
             failures through SyncResult so that the system backs off, and ask for syncs with setSyncAutomatically or WorkManager \
             instead of requestSync after each change.",
    references: &[
        "https://developer.android.com/reference/android/content/ContentResolver#notifyChange(android.net.Uri,android.database.ContentObserver,boolean)",
        "https://developer.android.com/reference/android/content/SyncResult",
        "https://developer.android.com/training/sync-adapters/running-sync-adapter",
    ],
    thresholds: &[
        Threshold {
            name: "longest-pause",
            value: 60.0,
            unit: "s",
            meaning: "A sync that begins later than this after the one before is one of its own. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 5.0,
            unit: "runs",
            meaning: "Fewer in a row are changes of several things, or a retry. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 120.0,
            unit: "s",
            meaning: "How long it has to go on: what has gathered while there was no connection is done sooner. Ours.",
        },
    ],
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    if !held::is_known(look, StateKind::Sync) {
        return Outcome::without("history of syncs");
    }
    let syncs = held::held(look, StateKind::Sync).into_iter();
    let found = syncs.filter_map(|sync| {
        let (uid, tag) = (sync.uid?, sync.tag?);
        if !look.is_app_looked_at(uid) {
            return None;
        }
        of_adapter(look, uid, tag, &sync.windows)
    });
    Outcome::found(found.collect())
}

/// Whether this rule reports runs of one adapter; never where nobody asks it.
pub(super) fn is_found(look: &Look<'_>, runs: &[Window]) -> bool {
    look.is_on(&RULE) && !loops(look, runs).is_empty()
}

/// From the beginning of the first run to the end of the last.
fn whole(runs: &[Window]) -> Option<Window> {
    Some(Window::new(runs.first()?.start, runs.last()?.end))
}

/// The loops among runs of one adapter, that of most runs first.
fn loops<'a>(look: &Look<'_>, runs: &'a [Window]) -> Vec<&'a [Window]> {
    let pause = look.threshold(&RULE, "longest-pause");
    let least = look.threshold(&RULE, "least-count");
    let loops = runs.chunk_by(|one, other| (other.start - one.end).seconds() <= pause);
    let least_time = look.threshold(&RULE, "least-time");
    let is_long = |it: &[Window]| {
        it.len() as f64 >= least
            && whole(it).is_some_and(|it| it.duration().seconds() >= least_time)
    };
    let mut loops: Vec<&[Window]> = loops.filter(|it| is_long(it)).collect();
    loops.sort_by_key(|it| std::cmp::Reverse(it.len()));
    loops
}

fn of_adapter(look: &Look<'_>, uid: Uid, tag: NameId, runs: &[Window]) -> Option<Finding> {
    let loops = loops(look, runs);
    let longest = loops.first()?;
    let count: usize = loops.iter().map(|it| it.len()).sum();
    let who = look.app(uid);
    let name = look.timeline.names.get(tag);
    let title = format!(
        "{who} ran a sync {count} times, each within {} of the one before",
        seconds(longest_pause(longest))
    );
    let severity = if uid.is_app() { FindingSeverity::Warning } else { FindingSeverity::Note };
    let confidence = Confidence::high("the system's own record of syncs of one adapter");
    let mut finding = look.finding(&RULE, severity, title, confidence);
    if !uid.is_app() {
        people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
    }
    for it in loops.iter().take(3) {
        let window = whole(it)?;
        let ran = windows::total(it);
        let text = format!(
            "\"{name}\": {} runs in {}, {} in all",
            it.len(),
            time(window.duration()),
            time(ran)
        );
        finding.evidence.push(evidence(text, Some(window)));
    }
    finding.place = wakelock_tag::place(&format!("*sync*/{name}"));
    finding.who = Some(who);
    let set = windows::union(loops.iter().flat_map(|it| it.iter().copied()).collect());
    finding.evidence.extend(awake(look, &set));
    finding.at_stake = look.stakes.component_of_app(uid, &Component::Cpu, &set);
    Some(finding)
}

/// The longest pause between two runs of a loop, in seconds.
fn longest_pause(runs: &[Window]) -> f64 {
    let pauses = runs.iter().zip(runs.iter().skip(1));
    pauses.map(|(one, other)| (other.start - one.end).seconds()).fold(0.0, f64::max)
}
