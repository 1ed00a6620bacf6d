//! Polled counters, file by file, by the kernel's documentation.

#![expect(clippy::expect_used, reason = "a helper of a test fails the test by a panic")]

use wattle_ingest::read_bytes;
use wattle_timeline::{CounterScope, Timeline, Uid};

/// Samples one second apart, 20 ms long, each of one file.
fn samples(path: &str, contents: &[&str]) -> String {
    let sample = |(index, content): (usize, &&str)| {
        format!("@ {index}.50 1700000000.000000000\n< {path}\n{content}> {index}.52 -\n")
    };
    let samples = contents.iter().enumerate().map(sample).collect::<Vec<_>>().concat();
    format!("wattle-counters 1\n# pid 4321\n# period 1000\n{samples}")
}

fn read(text: &str) -> Timeline {
    read_bytes("counters.txt", text.as_bytes()).expect("counters")
}

/// Series of the timeline: scope, name and values.
fn series(timeline: &Timeline) -> Vec<(String, Vec<f64>)> {
    let mut all: Vec<_> = timeline
        .system
        .counters
        .iter()
        .map(|track| {
            let name = timeline.names.get(track.name);
            let of = match track.scope {
                CounterScope::Global => name.to_owned(),
                CounterScope::Uid(Uid(uid)) => format!("{name} of uid {uid}"),
                CounterScope::Thread(thread) => {
                    format!("{name} of thread {}", timeline.tasks.threads[thread.index()].tid)
                }
                other => format!("{name} of {other:?}"),
            };
            (of, track.value.clone())
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[track_caller]
fn check(path: &str, contents: &[&str], expected: &[(&str, &[f64])], resets: u64) {
    let timeline = read(&samples(path, contents));
    let found = series(&timeline);
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, found), (_, expected)) in found.iter().zip(expected) {
        let close = found.iter().zip(*expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(found.len() == expected.len() && close, "{name}: {found:?}, {expected:?} expected");
    }
    let notes = &timeline.quality.artifacts[0].notes;
    let count = notes.iter().filter(|note| note.code == "counters-reset").map(|note| note.count);
    assert_eq!(count.sum::<u64>(), resets, "{notes:?}");
}

#[test]
fn times_and_the_poller() {
    let timeline = read(&samples("/proc/net/dev", &["", ""]));
    assert_eq!(timeline.tasks.recorders.iter().map(|pid| pid.0).collect::<Vec<_>>(), [4321]);
    let text = samples("/proc/diskstats", &[" 8 0 sda 1 2 10 4 5 6 20 8 9 10 11\n"; 2]);
    let timeline = read(&text);
    // The middle of 0.50 and 0.52, which stands for up to 0.53.
    let times: Vec<_> = timeline.system.counters[0].time.iter().map(|time| time.value()).collect();
    assert_eq!(times, [515_000_000, 1_515_000_000]);
    let quality = &timeline.quality.artifacts[0];
    assert_eq!((quality.records, quality.events["sample"], quality.events["counter"]), (2, 2, 2));
    let period = quality.notes.iter().find(|note| note.code == "counters-period").expect("a note");
    assert!(period.text.contains("every 1000 ms") && period.text.contains("15 ms"), "{period:?}");
}

const NET_HEAD: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
";
const OLD_NET_HEAD: &str = "\
Inter-|   Receive                  |  Transmit
 face |packets errs drop fifo frame|packets errs drop fifo colls carrier
";

#[test]
fn interfaces() {
    let net = |lines: &str| format!("{NET_HEAD}{lines}");
    let first = net(
        "    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0\n wlan0:1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n",
    );
    let second = net(" wlan0:1800 18 0 0 0 0 0 0 700 7 0 0 0 0 0 0\n");
    // The interface was reloaded.
    let third = net(" wlan0: 200 2 0 0 0 0 0 0 50 1 0 0 0 0 0 0\n");
    check(
        "/proc/net/dev",
        &[&first, &second, &third],
        &[
            ("net.lo.rx_bytes", &[100.0]),
            ("net.lo.rx_packets", &[1.0]),
            ("net.lo.tx_bytes", &[100.0]),
            ("net.lo.tx_packets", &[1.0]),
            ("net.wlan0.rx_bytes", &[1000.0, 1800.0, 2000.0]),
            ("net.wlan0.rx_packets", &[10.0, 18.0, 20.0]),
            ("net.wlan0.tx_bytes", &[500.0, 700.0, 750.0]),
            ("net.wlan0.tx_packets", &[5.0, 7.0, 8.0]),
        ],
        4,
    );
    let old = format!("{OLD_NET_HEAD}  eth0:1: 7 0 0 0 0 9 0 0 0 0 0\n");
    let expected: &[(&str, &[f64])] =
        &[("net.eth0:1.rx_packets", &[7.0]), ("net.eth0:1.tx_packets", &[9.0])];
    check("/proc/net/dev", &[&old], expected, 0);
}

#[test]
fn disks() {
    let lines = "\
   8       0 sda 100 0 2000 5 50 0 1000 7 0 9 12
   8       1 sda1 90 0 1900 5 50 0 1000 7 0 9 12
 179       0 mmcblk0 1 0 16 5 2 0 32 7 0 9 12 0 0 0 0
 179       1 mmcblk0p1 1 0 16 5 2 0 32 7 0 9 12 0 0 0 0 0 0
 253       0 dm-0 1 0 16 5 2 0 32 7 0 9 12 0 0 0 0 0 0
   7       0 loop0 1 0 16 5 2 0 32 7 0 9 12
 252       0 zram0 1 0 16 5 2 0 32 7 0 9 12
  31       0 mtdblock0 1 0 8 0 2 0 24 0 0 0 0 1 2 3 4 5 6 7 8 9
   3       1 hdx1 10 20 30 40
";
    check(
        "/proc/diskstats",
        &[lines],
        &[
            ("disk.hdx1.read_bytes", &[20.0 * 512.0]),
            ("disk.hdx1.write_bytes", &[40.0 * 512.0]),
            ("disk.mmcblk0.read_bytes", &[16.0 * 512.0]),
            ("disk.mmcblk0.write_bytes", &[32.0 * 512.0]),
            ("disk.mtdblock0.read_bytes", &[8.0 * 512.0]),
            ("disk.mtdblock0.write_bytes", &[24.0 * 512.0]),
            ("disk.sda.read_bytes", &[2000.0 * 512.0]),
            ("disk.sda.write_bytes", &[1000.0 * 512.0]),
        ],
        0,
    );
}

#[test]
fn times_of_cpus() {
    let stat = "cpu  9 9 9 9\ncpu0 100 20 30 400 50 6 7 8 0 0\ncpu1 1 2 3 4\nintr 5\n";
    check(
        "/proc/stat",
        &[stat],
        &[
            ("cpu.0.busy", &[1.71]),
            ("cpu.0.idle", &[4.5]),
            ("cpu.1.busy", &[0.06]),
            ("cpu.1.idle", &[0.04]),
        ],
        0,
    );
    // Unplugged and plugged in again: the counter begins anew.
    check(
        "/sys/devices/system/cpu/cpu4/cpufreq/stats/time_in_state",
        &["300000 295\n2457600 11\n", "300000 300\n2457600 20\n", "300000 2\n2457600 0\n"],
        &[
            ("cpu.4.time_in_state.2457600", &[0.11, 0.20, 0.20]),
            ("cpu.4.time_in_state.300000", &[2.95, 3.0, 3.02]),
        ],
        2,
    );
    check(
        "/proc/uid_time_in_state",
        &["uid: 300000 1800000 300000\n0: 1 2 3\n10088: 4 5 6\n"],
        &[
            ("cpu.uid.time_in_state.1800000 of uid 0", &[0.02]),
            ("cpu.uid.time_in_state.1800000 of uid 10088", &[0.05]),
            ("cpu.uid.time_in_state.300000 of uid 0", &[0.01]),
            ("cpu.uid.time_in_state.300000 of uid 10088", &[0.04]),
            ("cpu.uid.time_in_state.300000#2 of uid 0", &[0.03]),
            ("cpu.uid.time_in_state.300000#2 of uid 10088", &[0.06]),
        ],
        0,
    );
    check(
        "/proc/70/task/71/time_in_state",
        &["cpu0\n300000 7\ncpu4\n300000 8\n"],
        &[
            ("cpu.0.time_in_state.300000 of thread 71", &[0.07]),
            ("cpu.4.time_in_state.300000 of thread 71", &[0.08]),
        ],
        0,
    );
}

#[test]
fn traffic_of_apps() {
    let qtaguid = "\
idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes tx_packets rx_tcp_bytes rx_tcp_packets
2 wlan0 0x0 10088 0 1000 10 500 5 0 0
3 wlan0 0x0 10088 1 2000 20 700 7 0 0
4 wlan0 0x7fffff0100000000 10088 1 1500 15 600 6 0 0
5 lo 0x0 10088 0 77 1 77 1 0 0
6 rmnet0 0x0 10088 0 10 1 20 1 0 0
7 wlan0 0x0 1000 0 5 1 6 1 0 0
";
    check(
        "/proc/net/xt_qtaguid/stats",
        &[qtaguid],
        &[
            ("net.uid.rx_bytes of uid 1000", &[5.0]),
            ("net.uid.rx_bytes of uid 10088", &[3010.0]),
            ("net.uid.tx_bytes of uid 1000", &[6.0]),
            ("net.uid.tx_bytes of uid 10088", &[1220.0]),
        ],
        0,
    );
    let netstats = |last: &str| {
        format!(
            "Active interfaces:\nXt stats:\n  Pending bytes: 0\n  ident=[{{type=1}}] uid=-1 set=ALL tag=0x0\n    st=1 rb=9 rp=9 tb=9 tp=9 op=0\n\
             UID stats:\n  ident=[{{type=1, wifiNetworkKey=\"a uid=3 b\"}}] uid=10147 set=DEFAULT tag=0x0\n    NetworkStatsHistory: bucketDuration=7200\n\
             {last}  ident=[{{type=0}}] uid=10147 set=FOREGROUND tag=0x0\n    NetworkStatsHistory: bucketDuration=7200\n\
             \x20     bucketStart=1 activeTime=2 rxBytes=1000 rxPackets=3 txBytes=300 txPackets=4 operations=0\n\
             UID tag stats:\n  ident=[{{type=1}}] uid=10147 set=DEFAULT tag=0x5\n    st=1 rb=100 rp=1 tb=50 tp=1 op=0\n"
        )
    };
    let bucket = "      st=1790661600 rb=100 rp=1 tb=50 tp=1 op=0\n";
    let later = "      st=1790668800 rb=30 rp=1 tb=10 tp=1 op=0\n";
    // The first bucket got too old: what was counted is not counted again.
    check(
        "!netstats",
        &[&netstats(bucket), &netstats(&format!("{bucket}{later}")), &netstats(later)],
        &[
            ("net.uid.rx_bytes of uid 10147", &[1100.0, 1130.0, 1130.0]),
            ("net.uid.tx_bytes of uid 10147", &[350.0, 360.0, 360.0]),
        ],
        0,
    );
}

#[test]
fn what_is_incomplete_or_strange() {
    let text = "\
wattle-counters 1
? /proc/uid_time_in_state Permission denied
@ 1.00 -
< /proc/diskstats
 8 0 sda 1 2 10 4 5 6 20 8 9 10 11
@ 2.00 -
< /proc/diskstats
 8 0 sda 1 2 10 4 5 6 20 8 9 10 11
> 2.01 -
@ 1.50 -
> 1.60 -
stray
@ x y
> 3.0 -
@ 3.00 -
< /proc/later
new
> 3.01 -
@ 4.00 -
< /proc/diskstats
 8 0 sda 1 2 nan 4";
    let timeline = read(text);
    let quality = &timeline.quality.artifacts[0];
    let notes: Vec<_> = quality.notes.iter().map(|note| (note.code.as_str(), note.count)).collect();
    let expected = [
        ("counters-period", 1),
        ("counters-order", 1),
        ("counters-incomplete", 3),
        ("counters-stray", 2),
        ("counter-missing", 1),
    ];
    assert_eq!(notes, expected);
    assert_eq!(quality.unread["/proc/later"], 1);
    assert_eq!(
        timeline.system.counters.iter().map(|track| track.value.len()).collect::<Vec<_>>(),
        [1, 1]
    );
}
