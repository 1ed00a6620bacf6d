//! The history as both of its written forms tell it: words about an instant.

use rustc_hash::FxHashSet;
use wattle_timeline::{NameId, StateKind, Uid, WakeCause};

use super::amount::decimal;
use super::dump_findings::{Anchor, Battery, Findings, Said, Wall};
use super::state_word::{Event, Field, Flag, event, field, flag, is_charging, level, plug};

/// One word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// `+wifi`, `-wifi`.
    Flag { on: bool, name: &'a str },
    /// `volt=4340`.
    Value { name: &'a str, value: &'a str },
    /// `+job=u0a45:"name"`; without a sign the state was on already.
    Event { sign: Option<bool>, name: &'a str, uid: Uid, tag: NameId },
    /// The same, of a string that is not in the pool.
    Lost { name: &'a str },
}

/// Follows the history of one dump.
#[derive(Debug, Default)]
pub(crate) struct History {
    at_ms: i64,
    battery: Battery,
    told: Battery,
    is_on: bool,
    is_dozing: bool,
    holder: Option<(Uid, NameId)>,
    open: FxHashSet<(StateKind, Uid, NameId)>,
}

impl History {
    /// Sets the time of the lines that follow. A time that goes back is ignored, and counted.
    pub fn at(&mut self, at_ms: i64, found: &mut Findings) {
        if at_ms < self.at_ms && found.counts.history > 0 {
            found.counts.backwards += 1;
        } else {
            self.at_ms = at_ms;
        }
        found.counts.history += 1;
    }

    /// Time of the last line.
    pub fn now(&self) -> i64 {
        self.at_ms
    }

    /// The wall clock was written.
    pub fn wall(&mut self, wall: Wall, found: &mut Findings) {
        found.anchors.push(Anchor { at_ms: self.at_ms, wall, is_reset: false });
    }

    /// The reading of the wall clock just told was that of a reset.
    pub fn reset(&self, found: &mut Findings) {
        if let Some(anchor) = found.anchors.last_mut()
            && anchor.at_ms == self.at_ms
        {
            anchor.is_reset = true;
        }
    }

    /// Reset, start or shutdown.
    pub fn restart(&mut self, found: &mut Findings) {
        found.counts.restarts += 1;
        found.say(self.at_ms, Said::Restart);
        self.open.clear();
        self.holder = None;
        self.is_on = false;
        self.is_dozing = false;
        self.battery = Battery::default();
        self.told = Battery::default();
    }

    /// The battery's level, percent.
    pub fn percent(&mut self, value: &str, found: &mut Findings) {
        match value.parse::<u32>() {
            Ok(percent) if percent <= 100 => self.battery.percent = Some(f64::from(percent)),
            _ => found.unknown(value),
        }
    }

    pub fn word(&mut self, word: Word<'_>, found: &mut Findings) {
        match word {
            Word::Flag { on, name } => self.flag(on, name, found),
            Word::Value { name, value } => self.value(name, value, found),
            Word::Event { sign, name, uid, tag } => self.event(sign, name, uid, tag, found),
            Word::Lost { name } => {
                found.counts.no_string += 1;
                if let (Some(Flag::WakeLock), Some(on)) = (flag(name), Some(true)) {
                    self.state(StateKind::Wakelock, u32::from(on), found);
                }
            }
        }
    }

    /// All words of a line were said.
    pub fn end_of_line(&mut self, found: &mut Findings) {
        if self.battery != self.told {
            self.told = self.battery;
            found.say(self.at_ms, Said::Battery(self.battery));
        }
    }

    fn state(&mut self, kind: StateKind, level: u32, found: &mut Findings) {
        found.say(self.at_ms, Said::State { kind, uid: None, tag: None, level });
    }

    fn flag(&mut self, on: bool, name: &str, found: &mut Findings) {
        match flag(name) {
            Some(Flag::State(kind)) => self.state(kind, u32::from(on), found),
            Some(Flag::Charging) => self.state(StateKind::Charging, u32::from(on), found),
            Some(Flag::ScreenOn) => {
                self.is_on = on;
                self.screen(found);
            }
            Some(Flag::ScreenDoze) => {
                self.is_dozing = on;
                self.screen(found);
            }
            Some(Flag::WakeLock) => {
                self.state(StateKind::Wakelock, u32::from(on), found);
                self.end_of_holder(found);
            }
            Some(Flag::Passed) => found.unread(name),
            None => found.unknown(name),
        }
    }

    fn screen(&mut self, found: &mut Findings) {
        let level = match (self.is_on, self.is_dozing) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        };
        self.state(StateKind::Screen, level, found);
    }

    fn end_of_holder(&mut self, found: &mut Findings) {
        if let Some((uid, tag)) = self.holder.take() {
            found.say(self.at_ms, Said::FirstHolder { uid, tag, level: 0 });
        }
    }

    fn value(&mut self, name: &str, value: &str, found: &mut Findings) {
        let number = || value.parse::<i64>().ok();
        let is_understood = match field(name) {
            Some(Field::Status) => is_charging(value)
                .map(|charging| found.say(self.at_ms, Said::Status(charging)))
                .is_some(),
            Some(Field::Plug) => {
                plug(value).map(|level| self.state(StateKind::Plugged, level, found)).is_some()
            }
            Some(Field::Temperature) => set(&mut self.battery.decidegrees, number()),
            Some(Field::Voltage) => set(&mut self.battery.millivolts, number()),
            Some(Field::Charge) => set(&mut self.battery.milliampere_hours, number()),
            Some(Field::Current) => set(&mut self.battery.milliamperes, number()),
            Some(rail @ (Field::ModemRail | Field::WifiRail)) => decimal(value)
                .map(|charge| {
                    let is_modem = rail == Field::ModemRail;
                    found.say(self.at_ms, Said::Rail { is_modem, charge });
                })
                .is_some(),
            Some(Field::State(kind)) => {
                level(kind, value).map(|level| self.state(kind, level, found)).is_some()
            }
            Some(Field::Passed) => {
                found.unread(name);
                true
            }
            None => {
                found.unknown(name);
                true
            }
        };
        if !is_understood {
            found.unknown(&format!("{name}={value}"));
        }
    }

    fn event(
        &mut self,
        sign: Option<bool>,
        name: &str,
        uid: Uid,
        tag: NameId,
        found: &mut Findings,
    ) {
        if flag(name) == Some(Flag::WakeLock) {
            self.end_of_holder(found);
            if sign == Some(false) {
                self.state(StateKind::Wakelock, 0, found);
                return;
            }
            // Without a sign somebody else took over: it stays held.
            self.state(StateKind::Wakelock, 1, found);
            self.holder = Some((uid, tag));
            found.say(self.at_ms, Said::FirstHolder { uid, tag, level: 1 });
            return;
        }
        match event(name) {
            Some(Event::State(kind)) => {
                let level = u32::from(sign.unwrap_or(true));
                let key = (kind, uid, tag);
                let fits = if level == 1 { self.open.insert(key) } else { self.open.remove(&key) };
                // A state without a sign is told again after each reset.
                if !fits && level == 1 && sign.is_some() {
                    found.counts.repeated += 1;
                }
                if !fits && level == 0 {
                    found.counts.unmatched += 1;
                }
                let (uid, tag) = (Some(uid), Some(tag));
                found.say(self.at_ms, Said::State { kind, uid, tag, level });
            }
            Some(Event::Wake(cause)) => {
                // The kernel's reasons are nobody's: they are written under uid 0.
                let uid = Some(uid).filter(|_| cause != WakeCause::Reason);
                found.say(self.at_ms, Said::Wake { cause, uid, tag });
            }
            Some(Event::Passed) => found.unread(name),
            None if field(name) == Some(Field::Passed) => found.unread(name),
            None => found.unknown(name),
        }
    }
}

fn set(slot: &mut Option<i64>, value: Option<i64>) -> bool {
    if value.is_some() {
        *slot = value;
    }
    value.is_some()
}
