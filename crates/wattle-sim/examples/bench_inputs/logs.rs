//! Logs of Android.

/// Lines of the log at scale 1.
const LINES: u64 = 150_000;
/// Changes of the battery history at scale 1.
const CHANGES: u64 = 60_000;

/// `logcat -v threadtime -v year`, every fifth line of a garbage collector, with what that freed.
pub fn logcat(scale: u64) -> String {
    let mut text = "--------- beginning of main\n".to_owned();
    text.extend((0..LINES * scale).map(|line| {
        let (milli, second, minute) = (line % 1000, line / 100 % 60, line / 6_000 % 60);
        let (hour, day) = (line / 360_000 % 24, 1 + line / 8_640_000);
        let thread = 4000 + line % 7;
        let message = if line % 5 == 0 {
            "I art     : Background sticky concurrent mark sweep GC freed 1204(50KB) AllocSpace objects"
        } else {
            "D Example : frame drawn, next one follows"
        };
        format!(
            "2024-03-{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}  4000  {thread} {message} {line}\n"
        )
    }));
    text
}

/// `dumpsys batterystats`: a history of changes, then the sums of one app.
pub fn batterystats(scale: u64) -> String {
    let mut text = "Battery History (21% used, 881KB used of 4096KB, 539 strings using 59KB):\n\
        \x20                   0 (14) RESET:TIME: 2024-03-01-08-36-24\n\
        \x20                   0 (2) 100 status=discharging health=good plug=none temp=350 volt=4340 charge=3709 +running +screen brightness=bright\n"
        .to_owned();
    text.extend((0..CHANGES * scale).map(|change| {
        let millis = 1_000 + change * 250;
        let (minutes, seconds) = (millis / 60_000, millis / 1_000 % 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        let time = format!("+{hours}h{minutes:02}m{seconds:02}s{:03}ms", millis % 1_000);
        let percent = 100 - change * 90 / (CHANGES * scale);
        let state = match change % 6 {
            0 => "+wifi_radio",
            1 => "+wake_lock=u0a77:\"*job*/com.example/.Sync\"",
            2 => "-wifi_radio",
            3 => "-wake_lock",
            4 => "brightness=dim",
            _ => "brightness=bright",
        };
        format!("{time:>24} (2) {percent:03} {state}\n")
    }));
    text + "\nStatistics since last charge:\n  System starts: 0, currently on battery: true\n  Estimated battery \
        capacity: 4000 mAh\n  Time on battery: 4h 10m 0s 0ms (100%) realtime, 4h 10m 0s 0ms (100%) uptime\n\n  u0a77:\n    \
        Total cpu time: u=10s 200ms s=4s 100ms\n"
}

/// The parts of a bug report that have energy in them.
pub fn bugreport(scale: u64) -> String {
    format!(
        "========================================================\n== dumpstate: 2024-03-01 12:36:24\n\
         ========================================================\n\nBuild: EXAMPLE.1\n\n------ SYSTEM LOG (logcat -v \
         threadtime -v year) ------\n{}------ 1.0s was the duration of 'SYSTEM LOG' ------\n\
         -------------------------------------------------------------------------------\nDUMP OF SERVICE \
         batterystats:\n{}--------- 0.4s was the duration of dumpsys batterystats\n",
        logcat(scale),
        batterystats(scale)
    )
}
