//! Check-in lines: `9,<uid>,<i|l|u|c|t>,<type>,<values…>` (`dumpCheckinLocked` of `BatteryStats.java`).
//!
//! `l` is since the last charge, `u` since the last unplugging, `c` the run of the system, `t` all time (the last three up to
//! Android 5), `i` what is of no stretch. Times are milliseconds but for three of `wfl` and one of `nt`, which are
//! microseconds since Android 5.

use wattle_timeline::{Names, Package, Quantity, Uid};

use super::controller::{Activity, Controller};
use super::dump_findings::{Findings, Form, Wall};
use super::history_checkin::CheckinHistory;
use super::uid_text::{package_of, steps_of};

/// From this version of the lines on, `nt` and `wfl` have microseconds (Android 5).
const MICROSECONDS_FROM: i64 = 9;
/// Up to here `m` has the totals of traffic between the times (Android 4).
const OLD_MISC_UP_TO: i64 = 8;

/// Reads check-in lines.
#[derive(Debug)]
pub(crate) struct CheckinReader {
    pub found: Findings,
    history: CheckinHistory,
    version: i64,
    /// The aggregation that is read: `l`, unless there is none.
    aggregation: Option<char>,
    steps: Vec<(u8, u8)>,
    /// The uid whose wakelocks are added up, and their milliseconds.
    partial: Option<(Uid, i64)>,
}

/// The values of a line.
struct Values<'a> {
    line: &'a str,
    fields: Vec<&'a str>,
}

impl Values<'_> {
    fn int(&self, index: usize) -> Option<i64> {
        self.fields.get(index)?.trim().parse().ok()
    }

    fn float(&self, index: usize) -> Option<f64> {
        // `makemAh` follows the language of the device, but a comma would be a field's end.
        self.fields.get(index)?.trim().parse().ok().filter(|value: &f64| value.is_finite())
    }
}

/// Splits a line's values; a name in quotes may hold commas.
fn split(text: &str) -> Vec<&str> {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = quoted.rfind('"')
    {
        let name = quoted.get(..end).unwrap_or_default();
        let rest = quoted.get(end + 1..).unwrap_or_default().strip_prefix(',');
        return std::iter::once(name)
            .chain(rest.into_iter().flat_map(|it| it.split(',')))
            .collect();
    }
    text.split(',').collect()
}

impl CheckinReader {
    pub fn new(artifact: usize) -> Self {
        Self {
            found: Findings::new(artifact, Form::Checkin),
            history: CheckinHistory::default(),
            version: i64::MAX,
            aggregation: None,
            steps: Vec::new(),
            partial: None,
        }
    }

    /// A line without its end.
    pub fn line(&mut self, line: &str, names: &mut Names, packages: &mut dyn FnMut(Package)) {
        self.found.counts.lines += 1;
        if line.trim().is_empty() || line.starts_with("NEXT:") {
            return;
        }
        // The first number is the version of the history's lines; it was 9 at all times that are known, and less before.
        let rest = line.split_once(',').filter(|(version, _)| version.parse::<u32>().is_ok());
        let Some((_, rest)) = rest else {
            self.found.unparsed(line);
            return;
        };
        if let Some(rest) = rest.strip_prefix("h,") {
            self.history.line(rest, line, names, &mut self.found);
            return;
        }
        if let Some(rest) = rest.strip_prefix("hsp,") {
            self.history.pool_line(rest, line, names, &mut self.found);
            return;
        }
        let mut parts = rest.splitn(4, ',');
        let mut next = || parts.next().unwrap_or_default();
        let (uid, aggregation, kind, values) = (next(), next(), next(), next());
        let uid = uid.parse().ok().and_then(Uid::of_number);
        let (Some(uid), false) = (uid, kind.is_empty()) else {
            self.found.unparsed(line);
            return;
        };
        let values = Values { line, fields: split(values) };
        if aggregation == "i" {
            self.information(kind, &values, names, packages);
            return;
        }
        let aggregation = aggregation.chars().next().filter(|it| "luct".contains(*it));
        let Some(aggregation) = aggregation else {
            self.found.unparsed(line);
            return;
        };
        if *self.aggregation.get_or_insert(aggregation) != aggregation {
            self.found.unread(&format!("lines of aggregation {aggregation}"));
            return;
        }
        self.end_of_wakelocks(kind, uid);
        let known = if uid.0 == 0 && self.global(kind, &values, names) {
            true
        } else {
            self.of_uid(kind, uid, &values, names, packages)
        };
        if !known {
            self.found.unread(kind);
        }
    }

    fn information(
        &mut self,
        kind: &str,
        values: &Values<'_>,
        names: &mut Names,
        packages: &mut dyn FnMut(Package),
    ) {
        match kind {
            "vers" => {
                if let Some(version) = values.int(0) {
                    self.version = version;
                }
            }
            "uid" => {
                let uid = values.int(0).and_then(Uid::of_number);
                match (uid, values.fields.get(1)) {
                    (Some(uid), Some(name)) => packages(package_of(names.intern(name), uid)),
                    _ => self.found.unparsed(values.line),
                }
            }
            _ => self.found.unread(kind),
        }
    }

    /// The sum of a uid's wakelocks, when another kind of line or uid follows.
    fn end_of_wakelocks(&mut self, kind: &str, next: Uid) {
        if let Some((uid, ms)) = self.partial
            && (kind != "wl" || uid != next)
        {
            self.found.time(Quantity::Wakelock, Some(uid), None, ms);
            self.partial = None;
        }
    }

    fn times(&mut self, values: &Values<'_>, uid: Option<Uid>, quantities: &[(usize, Quantity)]) {
        for (index, quantity) in quantities {
            match values.int(*index) {
                Some(ms) => self.found.time(*quantity, uid, None, ms),
                // Newer versions append.
                None if *index >= values.fields.len() => {}
                None => self.found.unparsed(values.line),
            }
        }
    }

    fn counts(&mut self, values: &Values<'_>, uid: Option<Uid>, quantities: &[(usize, Quantity)]) {
        for (index, quantity) in quantities {
            match values.float(*index) {
                Some(value) => self.found.total(*quantity, uid, None, value),
                None if *index >= values.fields.len() => {}
                None => self.found.unparsed(values.line),
            }
        }
    }

    /// A line of the device. Whether it is one.
    fn global(&mut self, kind: &str, values: &Values<'_>, names: &mut Names) -> bool {
        match kind {
            "bt" => self.battery(values, names),
            "gn" => self.counts(
                values,
                None,
                &[
                    (0, Quantity::CellReceivedBytes),
                    (1, Quantity::CellSentBytes),
                    (2, Quantity::WifiReceivedBytes),
                    (3, Quantity::WifiSentBytes),
                    (4, Quantity::CellReceivedPackets),
                    (5, Quantity::CellSentPackets),
                    (6, Quantity::WifiReceivedPackets),
                    (7, Quantity::WifiSentPackets),
                    (8, Quantity::BluetoothReceivedBytes),
                    (9, Quantity::BluetoothSentBytes),
                ],
            ),
            "gwfl" => {
                self.times(values, None, &[(0, Quantity::Wifi), (1, Quantity::WifiRunning)]);
            }
            "gmcd" => self.controller(Controller::Modem, None, values, names),
            "gwfcd" => self.controller(Controller::Wifi, None, values, names),
            "gble" | "gblcd" | "gblecd" => {
                self.controller(Controller::Bluetooth, None, values, names);
            }
            "m" if self.version <= OLD_MISC_UP_TO => self.times(
                values,
                None,
                &[
                    (0, Quantity::Screen),
                    (1, Quantity::PhoneCall),
                    (2, Quantity::Wifi),
                    (3, Quantity::WifiRunning),
                    (10, Quantity::Wakelock),
                ],
            ),
            "m" => {
                self.times(
                    values,
                    None,
                    &[
                        (0, Quantity::Screen),
                        (1, Quantity::PhoneCall),
                        (3, Quantity::Wakelock),
                        (4, Quantity::CellActive),
                    ],
                );
                self.counts(values, None, &[(13, Quantity::CellActiveCount)]);
            }
            "br" => self.levels(values, Quantity::ScreenClass),
            "sgt" => self.levels(values, Quantity::CellSignal),
            "sst" => self.times(values, None, &[(0, Quantity::CellScan)]),
            "dc" => self.discharge(values, names),
            "pws" => {
                self.counts(values, None, &[(0, Quantity::BatteryCapacity)]);
                let tagged = [
                    (1, Quantity::EstimatedCharge, "total"),
                    (2, Quantity::BatteryCharge, "drain-min"),
                    (3, Quantity::BatteryCharge, "drain-max"),
                ];
                for (index, quantity, tag) in tagged {
                    if let Some(value) = values.float(index) {
                        let tag = Some(names.intern(tag));
                        self.found.total(quantity, None, tag, value);
                    }
                }
            }
            "gcf" => {
                let clocks: Vec<i64> =
                    (0..values.fields.len()).filter_map(|index| values.int(index)).collect();
                self.steps = steps_of(&clocks);
            }
            _ => return false,
        }
        true
    }

    fn battery(&mut self, values: &Values<'_>, names: &mut Names) {
        self.found.begin_summary();
        let start = values.int(5).map(|ms| Wall { ms, is_local: false, step_ms: 1 });
        let length = values.int(3);
        if let Some(summary) = self.found.summary() {
            summary.start = start.filter(|start| start.ms > 0);
            summary.length_ms = length;
        }
        self.times(
            values,
            None,
            &[
                (1, Quantity::OnBattery),
                (2, Quantity::OnBatteryAwake),
                (6, Quantity::ScreenOff),
                (7, Quantity::ScreenOffAwake),
                (11, Quantity::ScreenDoze),
            ],
        );
        let capacities =
            [(8, "estimated", 1.0), (9, "learned-min", 1000.0), (10, "learned-max", 1000.0)];
        for (index, tag, scale) in capacities {
            if let Some(value) = values.float(index).filter(|value| *value > 0.0) {
                let tag = Some(names.intern(tag));
                self.found.total(Quantity::BatteryCapacity, None, tag, value / scale);
            }
        }
    }

    fn discharge(&mut self, values: &Values<'_>, names: &mut Names) {
        let tags = [
            (4, None),
            (5, Some("screen-off")),
            (7, Some("screen-doze")),
            (8, Some("light-doze")),
            (9, Some("deep-doze")),
        ];
        for (index, tag) in tags {
            if let Some(value) = values.float(index) {
                let tag = tag.map(|tag| names.intern(tag));
                self.found.total(Quantity::BatteryCharge, None, tag, value);
            }
        }
    }

    fn levels(&mut self, values: &Values<'_>, quantity: fn(u8) -> Quantity) {
        for index in 0..values.fields.len().min(5) {
            self.times(values, None, &[(index, quantity(index as u8))]);
        }
    }

    /// `idle, rx, charge[, charge of the rail], tx…`: the rail came with Android 10; a modem has five levels of power, others
    /// have one.
    fn controller(
        &mut self,
        radio: Controller,
        uid: Option<Uid>,
        values: &Values<'_>,
        names: &mut Names,
    ) {
        let levels = if radio == Controller::Modem { 5 } else { 1 };
        let has_rail = values.fields.len() > 3 + levels;
        let first = if has_rail { 4 } else { 3 };
        let (Some(idle_ms), Some(receive_ms)) = (values.int(0), values.int(1)) else {
            self.found.unparsed(values.line);
            return;
        };
        let activity = Activity {
            idle_ms,
            receive_ms,
            transmit_ms: (first..values.fields.len()).filter_map(|it| values.int(it)).collect(),
            charge: values.float(2).unwrap_or(0.0),
            rail: values.float(3).filter(|_| has_rail).unwrap_or(0.0),
        };
        activity.say(radio, uid, names.intern(radio.rail()), &mut self.found);
    }

    /// A line of a uid. Whether it is known.
    fn of_uid(
        &mut self,
        kind: &str,
        uid: Uid,
        values: &Values<'_>,
        names: &mut Names,
        packages: &mut dyn FnMut(Package),
    ) -> bool {
        let of = Some(uid);
        match kind {
            "nt" => self.network(uid, values),
            "mcd" => self.controller(Controller::Modem, of, values, names),
            "wfcd" => self.controller(Controller::Wifi, of, values, names),
            "ble" | "blcd" | "blecd" => self.controller(Controller::Bluetooth, of, values, names),
            "wfl" => {
                let scale = self.microseconds();
                for (index, quantity) in [(1, Quantity::WifiScan), (2, Quantity::WifiRunning)] {
                    if let Some(value) = values.float(index) {
                        self.found.total(quantity, of, None, value / scale);
                    }
                }
            }
            "blem" => self.times(values, of, &[(0, Quantity::BluetoothScan)]),
            "wmc" => self.times(values, of, &[(0, Quantity::WifiMulticast)]),
            "wl" => self.wakelock(uid, values, names),
            "sy" => self.named(Quantity::Sync, uid, values, names),
            "jb" => self.named(Quantity::Job, uid, values, names),
            "fla" => self.times(values, of, &[(0, Quantity::Flashlight)]),
            "cam" => self.times(values, of, &[(0, Quantity::Camera)]),
            "vid" => self.times(values, of, &[(0, Quantity::Video)]),
            "aud" => self.times(values, of, &[(0, Quantity::Audio)]),
            "fg" => self.times(values, of, &[(0, Quantity::Foreground)]),
            "sr" => match values.int(0).and_then(|handle| i32::try_from(handle).ok()) {
                Some(-10_000) => self.times(values, of, &[(1, Quantity::Gnss)]),
                Some(handle) => self.times(values, of, &[(1, Quantity::Sensor(handle))]),
                None => self.found.unparsed(values.line),
            },
            "st" => {
                for index in 0..values.fields.len().min(7) {
                    self.times(values, of, &[(index, Quantity::ProcessState(index as u8))]);
                }
            }
            "cpu" => match (values.int(0), values.int(1)) {
                (Some(user), Some(system)) => {
                    self.found.time(Quantity::Cpu, of, None, user.saturating_add(system));
                }
                _ => self.found.unparsed(values.line),
            },
            "ctf" => self.by_clock(uid, values),
            "pwi" => self.estimate(uid, values, names),
            "wua" => self.alarm(uid, values, names),
            "apk" => match values.fields.get(1) {
                Some(name) if !name.is_empty() => {
                    packages(package_of(names.intern(name), uid));
                }
                _ => self.found.unparsed(values.line),
            },
            _ => return false,
        }
        true
    }

    /// Returns the divisor that converts times of `nt` and `wfl` to seconds.
    fn microseconds(&self) -> f64 {
        if self.version >= MICROSECONDS_FROM { 1e6 } else { 1e3 }
    }

    fn network(&mut self, uid: Uid, values: &Values<'_>) {
        let mut quantities = vec![
            (0, Quantity::CellReceivedBytes),
            (1, Quantity::CellSentBytes),
            (2, Quantity::WifiReceivedBytes),
            (3, Quantity::WifiSentBytes),
            (4, Quantity::CellReceivedPackets),
            (5, Quantity::CellSentPackets),
            (6, Quantity::WifiReceivedPackets),
            (7, Quantity::WifiSentPackets),
            (9, Quantity::CellActiveCount),
            (10, Quantity::BluetoothReceivedBytes),
            (11, Quantity::BluetoothSentBytes),
        ];
        quantities.retain(|(index, _)| *index < values.fields.len());
        self.counts(values, Some(uid), &quantities);
        if let Some(value) = values.float(8) {
            let seconds = value / self.microseconds();
            self.found.total(Quantity::CellActive, Some(uid), None, seconds);
        }
    }

    /// `name,ms,f,count,…,ms,p,count,…,ms,bp,…,ms,w,…`.
    fn wakelock(&mut self, uid: Uid, values: &Values<'_>, names: &mut Names) {
        let at = values.fields.iter().position(|field| *field == "p").filter(|at| *at >= 2);
        let parted = at.and_then(|at| Some((values.int(at - 1)?, values.float(at + 1)?)));
        let (Some((ms, count)), Some(name)) = (parted, values.fields.first()) else {
            self.found.unparsed(values.line);
            return;
        };
        if ms == 0 && count == 0.0 {
            return;
        }
        let tag = Some(names.intern(name));
        self.found.time(Quantity::Wakelock, Some(uid), tag, ms);
        self.found.total(Quantity::WakelockCount, Some(uid), tag, count);
        let sum = self.partial.map_or(0, |(_, sum)| sum);
        self.partial = Some((uid, sum.saturating_add(ms)));
    }

    fn named(&mut self, quantity: Quantity, uid: Uid, values: &Values<'_>, names: &mut Names) {
        match (values.fields.first(), values.int(1)) {
            (Some(name), Some(ms)) => {
                self.found.time(quantity, Some(uid), Some(names.intern(name)), ms);
            }
            _ => self.found.unparsed(values.line),
        }
    }

    /// `A,<steps>,<all times>,<times with the screen off>`; other letters are of one state of processes.
    fn by_clock(&mut self, uid: Uid, values: &Values<'_>) {
        if values.fields.first() != Some(&"A") {
            self.found.unread("ctf of process states");
            return;
        }
        let count = values.int(1).and_then(|count| usize::try_from(count).ok());
        if count != Some(self.steps.len()) {
            self.found.unread("ctf without the clocks");
            return;
        }
        for (index, (cluster, step)) in self.steps.iter().enumerate() {
            match values.int(index + 2) {
                Some(0) => {}
                Some(ms) => {
                    let at = Quantity::CpuAt { cluster: *cluster, step: *step };
                    self.found.time(at, Some(uid), None, ms);
                }
                None => {
                    self.found.unparsed(values.line);
                    return;
                }
            }
        }
    }

    /// `label,charge,hidden,screen,proportional`.
    fn estimate(&mut self, uid: Uid, values: &Values<'_>, names: &mut Names) {
        let (Some(label), Some(charge)) = (values.fields.first(), values.float(1)) else {
            self.found.unparsed(values.line);
            return;
        };
        // Lines of the device come with the uid of the line before.
        let of = (*label == "uid").then_some(uid);
        let tag = Some(names.intern(label));
        self.found.total(Quantity::EstimatedCharge, of, tag, charge);
        let smeared = [(3, "screen-smeared"), (4, "proportional-smeared")];
        for (index, tag) in smeared {
            let value = values.float(index).filter(|value| *value > 0.0);
            if let (Some(value), Some(_)) = (value, of) {
                let tag = Some(names.intern(tag));
                self.found.total(Quantity::EstimatedCharge, of, tag, value);
            }
        }
    }

    fn alarm(&mut self, uid: Uid, values: &Values<'_>, names: &mut Names) {
        match (values.fields.first(), values.float(1)) {
            (Some(name), Some(count)) => {
                let tag = Some(names.intern(name));
                self.found.total(Quantity::AlarmWakeups, Some(uid), tag, count);
            }
            _ => self.found.unparsed(values.line),
        }
    }

    /// Everything that was found.
    pub fn finish(mut self) -> Findings {
        self.end_of_wakelocks("", Uid(0));
        self.found
    }
}
