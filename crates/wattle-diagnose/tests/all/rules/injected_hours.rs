//! Rules on hours of a phone as Android's services report them, and on minutes of Windows machines that are next to idle.

use std::collections::BTreeSet;

use wattle_diagnose::IdleChoice;
use wattle_ingest::read_bytes;
use wattle_sim::SplitMix64;
use wattle_sim::android::{ServiceApp, ServiceDay, ServiceEvent, ServiceReport};
use wattle_sim::idle::{Behaviour, IdlePopulation, TimerRequest};
use wattle_units::{BootNanos, Nanos};

use super::injected::{Named, Score, check, look, rules_and_names};
use crate::planted::traces::{Form, each};

const MAIL: u32 = 10_101;
const CHAT: u32 = 10_102;
const NEWS: u32 = 10_103;
const MAPS: u32 = 10_104;
const SPORT: u32 = 10_105;
const APPS: [(&str, u32); 5] = [
    ("com.example.mail", MAIL),
    ("com.example.chat", CHAT),
    ("com.example.news", NEWS),
    ("com.example.maps", MAPS),
    ("com.example.sport", SPORT),
];

/// Length of a day that is recorded, in seconds.
const HOURS: f64 = 6.0 * 3600.0;

/// A defect of an app over hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Habit {
    SyncLoop,
    Service,
    Alarm,
}

const HABITS: [Habit; 3] = [Habit::SyncLoop, Habit::Service, Habit::Alarm];

impl Habit {
    fn truth(self) -> Named {
        let (rule, who) = match self {
            Self::SyncLoop => ("sync-loop", "com.example.mail"),
            Self::Service => ("foreground-service-left-on", "com.example.chat"),
            Self::Alarm => ("exact-alarms", "com.example.news"),
        };
        (rule.to_owned(), who.to_owned())
    }
}

/// Reports of a day.
struct Day<'a> {
    reports: Vec<ServiceReport>,
    random: &'a mut SplitMix64,
}

impl Day<'_> {
    fn at(&mut self, seconds: f64, event: ServiceEvent) {
        self.reports.push(ServiceReport { after: Nanos::from_seconds(seconds), event });
    }

    fn sync(&mut self, uid: u32, name: &str, from: f64, length: f64) {
        for (at, is_on) in [(from, true), (from + length, false)] {
            self.at(at, ServiceEvent::Sync { uid, name: name.to_owned(), is_on });
        }
    }

    fn service(&mut self, uid: u32, name: &str, from: f64, length: f64) {
        for (at, is_on) in [(from, true), (from + length, false)] {
            self.at(at, ServiceEvent::ForegroundService { uid, name: name.to_owned(), is_on });
        }
    }

    /// The user looks at the phone for some minutes now and then; somebody's app is in front then.
    fn sessions(&mut self) {
        self.at(0.0, ServiceEvent::Screen { is_on: false });
        let mut now = self.random.between(60.0, 600.0);
        while now < HOURS {
            let length = self.random.between(30.0, 300.0);
            let (_, uid) = APPS[self.random.below(APPS.len() as u64) as usize];
            for (at, is_on) in [(now, true), (now + length, false)] {
                self.at(at, ServiceEvent::Screen { is_on });
                self.at(at, ServiceEvent::Front { uid, is_on });
            }
            now += length + self.random.exponential(1500.0) + 30.0;
        }
    }

    /// All of this without a defect.
    fn innocent(&mut self) {
        // Syncs each hour or so: three adapters of an account one after another, and a retry.
        for (_, uid) in APPS {
            let mut now = self.random.between(0.0, 3600.0);
            while now < HOURS {
                for name in ["contacts/me", "calendar/me", "mail/me", "contacts/me"] {
                    let length = self.random.between(2.0, 15.0);
                    self.sync(uid, name, now, length);
                    now += length + self.random.between(1.0, 20.0);
                }
                now += self.random.between(2400.0, 4800.0);
            }
        }
        // Inexact alarms, and exact ones that all ring together.
        let mut now = self.random.between(0.0, 600.0);
        while now < HOURS {
            let name = "*walarm*:com.example.maps/.Refresh".to_owned();
            self.at(now, ServiceEvent::Alarm { uid: MAPS, name });
            now += 480.0 + self.random.between(0.0, 400.0);
        }
        let mut now = self.random.between(0.0, 600.0);
        while now < HOURS {
            for uid in [MAIL, CHAT, SPORT] {
                let after = self.random.between(0.0, 0.3);
                let name = format!("*walarm*:batched.{uid}");
                self.at(now + after, ServiceEvent::Alarm { uid, name });
            }
            now += 780.0;
        }
        // A run that is recorded: its service sends positions all along.
        let from = self.random.between(600.0, HOURS - 5400.0);
        let length = self.random.between(1800.0, 4000.0);
        self.service(SPORT, "com.example.sport.Recorder", from, length);
        let mut now = from;
        while now < from + length {
            self.at(now, ServiceEvent::Network { uid: SPORT, bytes: 900 });
            now += self.random.between(10.0, 40.0);
        }
        // A short upload, and messages.
        let from = self.random.between(0.0, HOURS - 600.0);
        let length = self.random.between(20.0, 400.0);
        self.service(NEWS, "com.example.news.Upload", from, length);
        let mut now = self.random.exponential(900.0);
        while now < HOURS {
            self.at(now, ServiceEvent::Network { uid: CHAT, bytes: 3000 });
            now += self.random.exponential(900.0);
        }
    }

    fn inject(&mut self, habit: Habit) {
        match habit {
            Habit::SyncLoop => {
                let mut now = self.random.between(0.0, HOURS - 3600.0);
                let until = now + self.random.between(240.0, 1500.0);
                let pause = self.random.between(2.0, 45.0);
                while now < until {
                    let length = self.random.between(3.0, 15.0);
                    self.sync(MAIL, "mail/loops@me", now, length);
                    now += length + pause * self.random.between(0.7, 1.2);
                }
            }
            Habit::Service => {
                let length = self.random.between(5400.0, 18_000.0);
                let from = self.random.between(0.0, HOURS - length);
                self.service(CHAT, "com.example.chat.KeepAlive", from, length);
            }
            Habit::Alarm => {
                let period = self.random.between(120.0, 840.0);
                let mut now = self.random.between(0.0, period);
                while now < HOURS {
                    let late = self.random.between(0.0, 0.4);
                    let name = "*walarm*:com.example.news/.Tick".to_owned();
                    self.at(now + late, ServiceEvent::Alarm { uid: NEWS, name });
                    now += period;
                }
            }
        }
    }
}

fn of_day(seed: u64) -> Score {
    let mut random = SplitMix64::new(seed).fork(0xDA1);
    let mut habits = BTreeSet::new();
    if !seed.is_multiple_of(6) {
        for _ in 0..=random.below(2) {
            habits.insert(HABITS[random.below(HABITS.len() as u64) as usize]);
        }
    }
    let mut day = Day { reports: Vec::new(), random: &mut random };
    day.sessions();
    day.innocent();
    for habit in &habits {
        day.inject(*habit);
    }
    let apps = APPS.map(|(package, uid)| ServiceApp { package: package.to_owned(), uid });
    let day = ServiceDay {
        start: BootNanos::new(5_000_000_000_000),
        length: Nanos::from_seconds(HOURS),
        apps: apps.into(),
        reports: day.reports,
    };
    let timeline = read_bytes("day", &day.write(Vec::new()).unwrap()).unwrap();
    let diagnosis = look(&timeline, IdleChoice::Find);
    let found = rules_and_names(&diagnosis);
    let truth = habits.iter().map(|it| it.truth()).collect();
    Score::new(&format!("day {seed} ({habits:?})"), &truth, &found)
}

#[test]
fn habits_of_apps_over_hours() {
    check("days", &each(36, |index| of_day(300 + index as u64)));
}

/// Seeds that nobody had looked at when the rules were changed last.
#[test]
fn held_out_days() {
    check("held-out days", &each(36, |index| of_day(71_000 + index as u64)));
}

/// Length of a recording of a machine that is next to idle, in seconds.
const MINUTES: f64 = 150.0;

/// Forms of a Windows log, in turn.
fn windows_form(index: u64) -> Form {
    let all = (0..20).map(Form::from_index).filter(|it| *it != Form::Perfetto);
    let all: Vec<Form> = all.collect();
    all[index as usize % all.len()]
}

fn of_quiet_machine(base: u64, index: u64) -> Score {
    let form = windows_form(index);
    let mut random = SplitMix64::new(base + index).fork(0x0F1A);
    let population = IdlePopulation {
        system: form.system(),
        duration: Nanos::from_seconds(MINUTES),
        threads: (2, 4),
        background_rates: (0.2, 3.0),
        ..IdlePopulation::default()
    };
    let mut machine = population.machine(base + index);
    // Samples each millisecond say nothing of disks and clocks.
    machine.sampling = None;
    let mut truth: BTreeSet<Named> = BTreeSet::new();
    let mut named = |rule: &str, who: &str| {
        truth.insert((rule.to_owned(), who.to_owned()));
    };
    let from = |random: &mut SplitMix64| Nanos::from_seconds(random.between(0.5, 9.0));
    for process in &mut machine.processes {
        for thread in &mut process.threads {
            thread.behaviours.clear();
        }
        let Some(last) = process.threads.last_mut() else { continue };
        let path = last.background_path.clone();
        let start = from(&mut random);
        match random.below(4) {
            // By the clock.
            0 => {
                let period = Nanos::from_seconds(random.between(11.0, 20.0));
                let jitter = random.between(0.0, 0.04);
                last.behaviours.push((Behaviour::Flush { start, period, jitter }, path));
                named("periodic-flush", &process.name);
            }
            // When somebody saves.
            1 => {
                let period = Nanos::from_seconds(random.between(8.0, 25.0));
                let jitter = random.between(0.5, 0.9);
                last.behaviours.push((Behaviour::Flush { start, period, jitter }, path));
            }
            _ => {}
        }
        let request = |millis: f64, from: Nanos, to: Option<f64>| TimerRequest {
            pid: process.pid,
            period: Nanos::from_seconds(millis * 1e-3),
            from,
            to: to.map(|it| from + Nanos::from_seconds(it)),
        };
        let since = if random.chance(0.5) { Nanos::ZERO } else { from(&mut random) };
        match random.below(5) {
            // For good, or for most of the time.
            0 => {
                let to = random.chance(0.3).then(|| random.between(100.0, 130.0));
                let millis = [0.5, 1.0, 1.0, 2.0, 5.0][random.below(5) as usize];
                machine.timer_requests.push(request(millis, since, to));
                named("raised-timer", &process.name);
            }
            // While something plays.
            1 => {
                let length = random.between(2.0, 40.0);
                machine.timer_requests.push(request(1.0, since, Some(length)));
            }
            // Hardly finer than usual.
            2 => machine.timer_requests.push(request(10.0, since, None)),
            _ => {}
        }
    }
    let run = machine.run();
    let (extension, bytes) = form.write(&run);
    let timeline = read_bytes(&format!("quiet.{extension}"), &bytes).unwrap();
    let diagnosis = look(&timeline, IdleChoice::Whole);
    let found = rules_and_names(&diagnosis);
    Score::new(&format!("quiet machine {index} as {form:?}"), &truth, &found)
}

#[test]
fn flushes_and_clocks_of_quiet_machines() {
    check("quiet machines", &each(24, |index| of_quiet_machine(500, index as u64)));
}

/// Seeds that nobody had looked at when the rules were changed last.
#[test]
fn held_out_quiet_machines() {
    check("held-out quiet machines", &each(24, |index| of_quiet_machine(63_000, index as u64)));
}
