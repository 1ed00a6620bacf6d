//! Real recordings. What is expected is read out of the same files by other means: lines by their text, wake-ups by other events.

use std::collections::{BTreeMap, BTreeSet};

use wattle_diagnose::{DiagnoseOptions, Diagnosis, Finding, IdleChoice};
use wattle_ingest::read_paths;
use wattle_power::{PowerOptions, PowerProfile, estimate};
use wattle_testdata::requires;
use wattle_timeline::{ThreadId, Timeline};

use super::scene::Scene;

const MI9: &str = "batterystats/emanafa-batstat_mi9.log";

/// The whole recording as idle: what people did meanwhile is not asked.
fn read(name: &str, profile: Option<&str>) -> (Diagnosis, Timeline) {
    read_with(name, profile, IdleChoice::Whole)
}

fn read_with(name: &str, profile: Option<&str>, idle: IdleChoice) -> (Diagnosis, Timeline) {
    let timeline = read_paths(&[wattle_testdata::path(name)]).unwrap();
    let mut options = PowerOptions::default();
    if let Some(profile) = profile {
        let text = wattle_testdata::bytes(profile);
        let text = String::from_utf8(text).unwrap();
        options.profiles.push(PowerProfile::parse(profile, &text).unwrap());
    }
    let power = estimate(&timeline, &options).unwrap();
    let scene = Scene { timeline, power };
    let mut options = DiagnoseOptions::default();
    options.idle = idle;
    let diagnosis = scene.diagnose(&options);
    super::properties::check(&diagnosis);
    (diagnosis, scene.timeline)
}

fn of<'a>(diagnosis: &'a Diagnosis, rule: &str) -> Vec<&'a Finding> {
    diagnosis.findings.iter().filter(|finding| finding.rule.0 == rule).collect()
}

/// The lines of each uid's section of a dump for people.
fn sections(dump: &str) -> BTreeMap<String, Vec<String>> {
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut uid = String::new();
    for line in dump.lines().skip_while(|line| !line.starts_with("Statistics since last charge")) {
        let head = line.trim().trim_end_matches(':');
        let is_uid = head.starts_with("u0") || head.parse::<u32>().is_ok();
        if is_uid && line == format!("  {head}:") {
            head.clone_into(&mut uid);
        } else if line.starts_with("    ") && !uid.is_empty() {
            sections.entry(uid.clone()).or_default().push(line.trim().to_owned());
        }
    }
    sections
}

/// Seconds of `1h 0m 29s 764ms`.
fn seconds(text: &str) -> f64 {
    let word = |word: &str| {
        let end = word.find(|it: char| it.is_alphabetic()).unwrap_or(word.len());
        let (number, unit) = word.split_at(end);
        let factor = match unit {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * factor)
    };
    text.split(' ').map_while(word).sum()
}

/// Bytes of `198,88KB`.
fn bytes(text: &str) -> f64 {
    let end = text.find(|it: char| it.is_alphabetic()).unwrap();
    let (number, unit) = text.split_at(end);
    let factor = match unit {
        "B" => 1.0,
        "KB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        other => panic!("{other}"),
    };
    number.replace(',', ".").parse::<f64>().unwrap() * factor
}

#[requires(data)]
#[test]
fn a_day_of_a_phone() {
    let profile = "power_profile/power_profile-mi9t-davinci.xml";
    let (diagnosis, _) = read(MI9, Some(profile));
    let dump = wattle_testdata::bytes(MI9);
    let dump = String::from_utf8_lossy(&dump).into_owned();
    let sections = sections(&dump);
    assert!(sections.len() > 100, "{}", sections.len());
    // `Time on battery: 1d 1h 10m 25s 215ms`.
    let hours = 90_625.215 / 3600.0;

    // More than ten wake-ups by alarm an hour, of at least six.
    let alarms = |lines: &Vec<String>| -> f64 {
        let of = lines.iter().filter_map(|line| line.strip_prefix("Wakeup alarm "));
        of.map(|it| {
            it.rsplit(": ").next().unwrap().trim_end_matches(" times").parse::<f64>().unwrap()
        })
        .sum()
    };
    let expected: BTreeSet<String> = sections
        .values()
        .map(|lines| alarms(lines) / hours)
        .filter(|rate| *rate > 10.0)
        .map(|rate| format!("by alarm {rate:.1} times an hour"))
        .collect();
    assert!(!expected.is_empty());
    let found = of(&diagnosis, "alarm-wakes");
    let said: BTreeSet<String> = found
        .iter()
        .map(|it| it.title.split("woke the device ").nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(said, expected);
    let facebook =
        found.iter().find(|it| it.who.as_deref() == Some("com.facebook.katana")).unwrap();
    assert!(facebook.at_stake.is_some_and(|energy| energy.joules.value() > 0.0), "{facebook:#?}");

    // The mobile radio was active for ten minutes and more and moved at most a kilobyte in each second of it.
    let chatty = |lines: &Vec<String>| {
        let active = lines.iter().find_map(|it| it.strip_prefix("Mobile radio active: "))?;
        let network = lines.iter().find_map(|it| it.strip_prefix("Mobile network: "))?;
        let (received, rest) = network.split_once(" received, ")?;
        let moved = bytes(received) + bytes(rest.split_once(" sent")?.0);
        let active = seconds(active);
        (active >= 600.0 && moved > 0.0 && moved / active <= 1000.0).then_some(active)
    };
    // Of apps: what root and the resolver send is the device's.
    let of_apps = sections.iter().filter(|(uid, _)| uid.starts_with("u0a"));
    let mut expected: Vec<i64> =
        of_apps.filter_map(|(_, lines)| chatty(lines)).map(|it| it.round() as i64).collect();
    expected.sort_unstable();
    assert!(expected.len() >= 3, "{expected:?}");
    let of_device = of(&diagnosis, "chatty-network");
    let of_device = of_device.iter().find(|it| it.who.is_none()).unwrap();
    for account in ["dns", "root"] {
        assert!(of_device.evidence.iter().any(|it| it.text.starts_with(account)), "{account}");
    }
    let kept = |finding: &&Finding| finding.title.contains("kept the mobile radio active");
    let mut said: Vec<i64> = of(&diagnosis, "chatty-network")
        .into_iter()
        .filter(kept)
        .map(|finding| {
            let text = finding
                .title
                .split("active for ")
                .nth(1)
                .unwrap()
                .split(" to move")
                .next()
                .unwrap();
            let words: Vec<&str> = text.split(' ').collect();
            let word = |pair: &[&str]| {
                pair[0].parse::<i64>().unwrap()
                    * match pair[1] {
                        "h" => 3600,
                        "min" => 60,
                        _ => 1,
                    }
            };
            words.chunks(2).map(word).sum()
        })
        .collect();
    said.sort_unstable();
    // An hour is shown without seconds.
    assert!(
        said.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 30)
            && said.len() == expected.len(),
        "{said:?} {expected:?}"
    );

    // Nobody held wakelocks for two hours in a day: the system itself had most of them.
    let held = |lines: &Vec<String>| {
        let total = lines.iter().find(|it| it.starts_with("TOTAL wake: "))?;
        let partial = total
            .split(", ")
            .find_map(|it| it.trim_start_matches("TOTAL wake: ").strip_suffix(" blamed partial"))?;
        Some(seconds(partial))
    };
    let most = sections.values().filter_map(held).fold(0.0, f64::max);
    assert!((5500.0..7200.0).contains(&most), "{most}");
    assert_eq!(of(&diagnosis, "wakelock-held-long"), Vec::<&Finding>::new());
}

#[requires(data)]
#[test]
fn wakelocks_by_another_rule() {
    // The same day with the rule at one hour: the system has 1 h 32 min 24 s in 25 h 10 min.
    let path = wattle_testdata::path(MI9);
    let scene = Scene { timeline: read_paths(&[path]).unwrap(), ..Scene::default() };
    let found = scene.findings("wakelock-held-long", &[("most-hours", 1.0)]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding.who.as_deref(), Some("system"));
    assert!(
        finding.title.contains("held partial wakelocks for 1 h 32 min in 25 h 10 min"),
        "{}",
        finding.title
    );
}

#[requires(data)]
#[test]
fn a_minute_and_a_screen_that_never_went_off() {
    // `+ble_scan` stands in the first entry, and is not taken back before the screen goes off.
    let (diagnosis, _) = read("batterystats/emanafa-energy_saving.log", None);
    let rules: Vec<&str> = diagnosis.findings.iter().map(|it| it.rule.0.as_str()).collect();
    assert_eq!(rules, ["bluetooth-scan-left-on"]);
    // `Time on battery screen off: 3s 548ms` of 14 h: nothing is left on there, and one uid is chatty.
    let (diagnosis, _) = read("batterystats/navitas-batterystats-1.txt", None);
    let left: Vec<&Finding> =
        diagnosis.findings.iter().filter(|it| it.rule.0.ends_with("-left-on")).collect();
    assert_eq!(left, Vec::<&Finding>::new());
}

/// The median time between the wake-ups of a thread by `sched_waking`, which the rule does not use; milliseconds.
fn waking(timeline: &Timeline, thread: &str) -> Option<f64> {
    let tid: u32 = thread.rsplit('(').next()?.trim_end_matches(')').parse().ok()?;
    let index = timeline.tasks.threads.iter().position(|it| it.tid.0 == tid)?;
    let all = timeline.wakeups.time.iter().zip(&timeline.wakeups.thread);
    let mut times: Vec<i64> = all
        .filter(|(_, it)| **it == ThreadId(index as u32))
        .map(|(time, _)| time.value())
        .collect();
    times.sort_unstable();
    let mut steps: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).map(|it| *it as f64 / 1e6)
}

#[requires(data)]
#[test]
fn timers_of_real_phones() {
    let files = [
        (
            // `com.google.usf.` (1423) is a thread of the kernel.
            "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
            vec![],
        ),
        (
            "perfetto/ms_cpu_sampling.perfetto-trace",
            vec![
                "bluetooth@1.1-s (1451) wakes up every 10.0 ms",
                "TimerDispatch (508) wakes up every 16.7 ms",
            ],
        ),
        (
            // So is `smem_native_lpa` (83).
            "perfetto/studio_perflib_ftrace.perfetto-trace",
            vec![],
        ),
        (
            "systrace/catapult-android_systrace.html",
            vec!["InputReader (419) wakes up every 9.7 ms"],
        ),
    ];
    let mut compared = 0;
    for (name, expected) in files {
        let (diagnosis, timeline) = read(name, None);
        let found = of(&diagnosis, "short-sleep");
        for title in expected {
            assert!(
                found.iter().any(|it| it.title.starts_with(title)),
                "{name}: {title}: {found:#?}"
            );
        }
        for finding in found {
            let Some(median) = finding.thread.as_deref().and_then(|it| waking(&timeline, it))
            else {
                continue;
            };
            let said = format!("{median:.1} ms");
            let words = finding.title.split("every ").nth(1).unwrap();
            let period: f64 = words.split(' ').next().unwrap().parse().unwrap();
            assert!(
                (period - median).abs() <= 0.2,
                "{name}: {} by sched_waking: {said}",
                finding.title
            );
            compared += 1;
        }
    }
    assert!(compared > 2, "{compared} findings on threads whose wake-ups are recorded");
}

#[requires(data)]
#[test]
fn storms_of_real_phones() {
    for name in [
        "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
        "perfetto/ms_cpu_sampling.perfetto-trace",
    ] {
        let (diagnosis, timeline) = read(name, None);
        let found = of(&diagnosis, "wakeup-storm");
        // One cause is one finding: the device's own would say the same of all of them together.
        assert!(found.len() > 2 && found.iter().all(|it| it.who.is_some()), "{name}: {found:#?}");
        let rate = |it: &&Finding| -> f64 {
            let words = it.title.split("wakes up ").nth(1).unwrap();
            words.split(' ').next().unwrap().parse().unwrap()
        };
        let said: f64 = found.iter().map(rate).sum();
        // All events: the recorder's own, the kernel's, and those of processes that wake up less.
        let all = timeline.wakeups.len() as f64 / timeline.window.duration().seconds();
        assert!(said <= all && said >= all * 0.25, "{name}: {said} of {all}");
    }
}

/// Starts of apps, games, sampled profiles: nobody said that nothing should happen, so that nothing was too much.
#[requires(data)]
#[test]
fn no_work_is_too_much_where_idle_is_not_known() {
    for name in [
        "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
        "perfetto/ms_cpu_sampling.perfetto-trace",
        "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace",
        "perfetto/studio_perflib_ftrace.perfetto-trace",
        "perfetto/pairs/binder-spam_before.pftrace",
        "perfetto/pairs/cpu-spin_after.pftrace",
        "perfetto/pairs/cpu-spin_before.pftrace",
        "perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace",
    ] {
        let (diagnosis, _) = read_with(name, None, IdleChoice::Find);
        for rule in ["short-sleep", "wakeup-storm", "busy-wait", "disk-chatter"] {
            assert_eq!(of(&diagnosis, rule), Vec::<&Finding>::new(), "{name}");
        }
        assert!(diagnosis.notes.iter().any(|it| it.code == "idle-not-known"), "{name}");
    }
}

#[requires(data)]
#[test]
fn other_recordings_are_looked_at_without_a_defect_that_is_none() {
    for name in [
        "perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace",
        "perfetto/nia_pixel7pro_atrace.perfetto-trace",
        "perfetto/power_rails_pixel6pro.perfetto-trace",
        "systrace/petra-systrace_example",
        "systrace/trappy-trace_surfaceflinger.html",
        "logcat/ms-AndroidLogcatWSA.log",
    ] {
        let (diagnosis, _) = read(name, None);
        let grave: Vec<&Finding> = diagnosis
            .findings
            .iter()
            .filter(|it| it.severity > wattle_diagnose::FindingSeverity::Note)
            .collect();
        assert_eq!(grave, Vec::<&Finding>::new(), "{name}");
        assert!(diagnosis.notes.iter().any(|it| it.code == "rule-without-data"), "{name}");
    }
}

/// Recordings of one app with a defect and after its fix: the defect is found, by its rule and with its place, and not afterwards.
#[requires(data)]
#[test]
fn defects_of_pairs_are_gone_after_their_fix() {
    let check = |name: &str, rule: &str, thread: &str, place: &str| {
        let (diagnosis, _) = read_with(&format!("perfetto/pairs/{name}"), None, IdleChoice::Find);
        let found = of(&diagnosis, rule);
        let [finding] = found.as_slice() else { panic!("{name}: {:#?}", diagnosis.findings) };
        assert_eq!(finding.thread_name(), Some(thread), "{finding:#?}");
        let function = finding.place.as_ref().map(|it| it.function.as_str());
        assert_eq!(function, Some(place), "{finding:#?}");
        assert!(finding.severity > wattle_diagnose::FindingSeverity::Note, "{finding:#?}");
    };
    check("cpu-spin_before.pftrace", "memory-churn", "Parser", "parseQuadratic");
    check("binder-spam_before.pftrace", "binder-chatter", "etto.binderspam", "checkNetwork");
    let battery = "long-trace-battery_before.pftrace";
    check(battery, "background-poll", "BackgroundPoll", "backgroundPoll");
    let (after, _) = read_with("perfetto/pairs/cpu-spin_after.pftrace", None, IdleChoice::Find);
    for rule in ["memory-churn", "binder-chatter", "background-poll"] {
        assert_eq!(of(&after, rule), Vec::<&Finding>::new());
    }
}
