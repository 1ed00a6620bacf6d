//! The meaning of a wakelock's name.
//!
//! Names that the system gives: <https://developer.android.com/develop/background-work/background-tasks/awake/wakelock/identify-wls>
//! (`*job*/package/class`, up to Android 15 `*job*u/@namespace@/package/class` for jobs that the user began, later also a trace tag
//! in `#` behind the namespace), and AOSP's `SyncManager` (`*sync*/authority/account type/name`).

use crate::CodePlace;

/// The service in which WorkManager runs its workers.
const WORK_MANAGER: &str = "androidx.work.impl.background.systemjob.SystemJobService";

/// Who takes a wakelock of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenBy {
    /// The app itself, or a library in it.
    App,
    /// `JobScheduler`, for a job.
    Job,
    /// `JobScheduler`, for a job that the user began.
    UserJob,
    /// WorkManager, for a worker.
    Worker,
    /// `AlarmManager`, while a receiver works.
    Alarm,
    /// The sync framework.
    Sync,
    /// Firebase Cloud Messaging.
    Message,
    /// Audio and media.
    Audio,
    /// Location.
    Location,
}

impl TakenBy {
    /// By the name of a wakelock.
    pub(super) fn from_tag(tag: &str) -> Self {
        let job = job(tag);
        match tag {
            _ if job.as_ref().is_some_and(|(_, service)| service == WORK_MANAGER) => Self::Worker,
            _ if job.as_ref().is_some_and(|(kind, _)| *kind == "u") => Self::UserJob,
            _ if tag.starts_with("*job") || tag.starts_with("*gms_scheduler*") => Self::Job,
            _ if tag.contains("androidx.work") || tag.starts_with("WorkManager") => Self::Worker,
            _ if tag.starts_with("*alarm*") || tag.starts_with("*walarm*") => Self::Alarm,
            _ if tag.starts_with("*sync*") => Self::Sync,
            "GOOGLE_C2DM" | "GCM_MESSAGE" => Self::Message,
            "AudioIn" | "AudioMix" | "AudioBitPerfect" | "AudioDirectOut" | "AudioOffload"
            | "AudioSpatial" | "AudioUnknown" | "MmapCapture" | "MmapPlayback" | "AudioDup"
            | "AudioDuplicate" => Self::Audio,
            "NetworkLocationLocator"
            | "FusedLocation"
            | "*location*"
            | "NlpWakeLock"
            | "GnssLocationProvider"
            | "LocationManagerService"
            | "GCoreFlp"
            | "NlpCollectorWakeLock" => Self::Location,
            _ => Self::App,
        }
    }

    /// Whether Play does not count it: audio, location and jobs that the user began
    /// (<https://android-developers.googleblog.com/2025/09/guide-to-excessive-wake-lock-usage.html>).
    pub(super) const fn is_exempt(self) -> bool {
        matches!(self, Self::Audio | Self::Location | Self::UserJob)
    }

    /// Returns the fix for one that is held for long.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Self::App => {
                "Release it in a finally block as soon as the work is done, acquire it with a timeout, and ask whether it is \
                 needed at all: WorkManager, JobScheduler, alarms and media players keep the device awake by themselves for as \
                 long as they work."
            }
            Self::Job | Self::UserJob => {
                "The job runs for that long: call jobFinished() as soon as its work is done, split the work, give it constraints \
                 (charging, unmetered network, idle), and run it less often."
            }
            Self::Worker => {
                "A worker runs for that long: its stop reasons and run times are in WorkManager's own diagnostics. Give it \
                 constraints, a longer period and a flex interval, and let it return as soon as its work is done."
            }
            Self::Alarm => {
                "The receiver of an alarm works for that long: hand its work to WorkManager, use inexact alarms, and set fewer of \
                 them."
            }
            Self::Sync => {
                "A sync runs for that long: sync less often, only on changes, and only what changed."
            }
            Self::Message => {
                "The receiver of a message works for that long: return from onMessageReceived at once and hand the work to \
                 WorkManager; send fewer messages of high priority."
            }
            Self::Audio => "Stop the player or recorder when nobody listens.",
            Self::Location => {
                "Ask for positions less often, batch them (setMaxUpdateDelayMillis), and remove the request in the background."
            }
        }
    }
}

/// The kind of a job (`u` begun by the user, `e` expedited, `r` regular, empty where it is not said) and its class, of the name of
/// its wakelock.
fn job(tag: &str) -> Option<(&str, String)> {
    let (kind, path) = tag.strip_prefix("*job*")?.split_once('/')?;
    Some((kind, class(path)?))
}

/// The class of a component that is written `package/class`: `com.a/.B` is `com.a.B`. A namespace (`@name@/`) and a trace tag
/// (`#name#/`) can stand before it.
fn class(path: &str) -> Option<String> {
    let mut path = path;
    for mark in ['@', '#'] {
        if let Some((_, rest)) = path.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) {
            path = rest.strip_prefix('/').unwrap_or(rest);
        }
    }
    let (package, class) = path.split_once('/')?;
    let class = class.split([':', '/']).next()?;
    if class.is_empty() {
        return None;
    }
    Some(if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() })
}

/// The place in the code that a name tells: the service of a job, the class that an app put into the name.
pub(super) fn place(tag: &str) -> Option<CodePlace> {
    let own = |function: String| CodePlace { function, ..CodePlace::default() };
    if let Some((_, class)) = job(tag) {
        return Some(own(class));
    }
    for prefix in ["*gms_scheduler*/", "*alarm*:", "*walarm*:", "*net_scheduler*/"] {
        if let Some(rest) = tag.strip_prefix(prefix) {
            return class(rest).or_else(|| looks_like_class(rest)).map(own);
        }
    }
    looks_like_class(tag).map(own)
}

/// A class in a name that an app gave: `com.example.Sync`, `IntentOp:com.example.Sync`, `Tag/com.example.Sync`.
fn looks_like_class(tag: &str) -> Option<String> {
    let word = tag.split([':', '/', ' ']).find(|word| {
        let parts: Vec<&str> = word.trim_start_matches('.').split('.').collect();
        let is_name = |part: &&str| {
            part.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
                && part.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '$')
        };
        // Actions of intents are written the same way, all in capitals.
        let is_class = |part: &&str| {
            part.chars().next().is_some_and(char::is_uppercase)
                && part.chars().any(char::is_lowercase)
        };
        parts.len() >= 3 && parts.iter().all(is_name) && parts.last().is_some_and(is_class)
    });
    word.map(|word| word.trim_start_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, taken_by: TakenBy, class: Option<&str>) {
        assert_eq!(TakenBy::from_tag(tag), taken_by, "{tag}");
        assert_eq!(place(tag).map(|place| place.function).as_deref(), class, "{tag}");
    }

    #[test]
    fn names_tell_who_took_them() {
        // The first six as they stand in the dump of a Mi 9.
        check(
            "*job*/com.android.chrome/org.chromium.components.background_task_scheduler.internal.BackgroundTaskJobService",
            TakenBy::Job,
            Some(
                "org.chromium.components.background_task_scheduler.internal.BackgroundTaskJobService",
            ),
        );
        check(
            "*job*/com.miui.gallery/.pendingtask.base.PendingTaskService",
            TakenBy::Job,
            Some("com.miui.gallery.pendingtask.base.PendingTaskService"),
        );
        check(
            "*job*/com.skypicker.main/androidx.work.impl.background.systemjob.SystemJobService",
            TakenBy::Worker,
            Some(WORK_MANAGER),
        );
        check(
            "*gms_scheduler*/com.google.android.gms/.checkin.CheckinService",
            TakenBy::Job,
            Some("com.google.android.gms.checkin.CheckinService"),
        );
        check("*alarm*:TIME_TICK", TakenBy::Alarm, None);
        check("*alarm*", TakenBy::Alarm, None);
        check("*job*u/@space@/com.example/.Upload", TakenBy::UserJob, Some("com.example.Upload"));
        check(
            "*job*e/@a@/#tag#/com.example/com.example.work.Sender",
            TakenBy::Job,
            Some("com.example.work.Sender"),
        );
        check(
            "*job*/@androidx.work@/com.example/androidx.work.impl.background.systemjob.SystemJobService",
            TakenBy::Worker,
            Some(WORK_MANAGER),
        );
        check("AudioMix", TakenBy::Audio, None);
        check("com.example.sync.SyncService", TakenBy::App, Some("com.example.sync.SyncService"));
        check("MyApp:Upload", TakenBy::App, None);
        check("*walarm*:com.google.android.location.ALARM_WAKEUP_LOCATOR", TakenBy::Alarm, None);
        check("GOOGLE_C2DM", TakenBy::Message, None);
        check("*job*/", TakenBy::Job, None);
        check("", TakenBy::App, None);
    }
}
