//! Lines of the history for people.
//!
//! `+1h02m03s456ms (2) 095 c0400020 status=… +wifi -job=u0a45:"name"`: time since the first entry (before Android 4.4: before
//! the dump, with a minus), how many numbers the entry takes, level, all bits (verbose only), what changed. Since Android 15
//! the time is `MM-dd HH:mm:ss.SSS` in the device's zone.

use wattle_timeline::{Names, Uid};

use super::amount::take_duration;
use super::dump_findings::{Findings, Wall};
use super::history::{History, Word};
use wattle_import::text::{Date, SECOND, Stamp, Years, take_stamp};

const MILLISECOND: i64 = 1_000_000;

/// Reads lines of one history.
#[derive(Debug, Default)]
pub(crate) struct TextHistory {
    history: History,
    years: Years,
    /// Lines without a year that came before the first one with it.
    has_year: bool,
}

impl TextHistory {
    /// One that is near to a time, nanoseconds since 1970.
    pub fn near(time: Option<i64>) -> Self {
        Self { years: Years::near(time), ..Self::default() }
    }

    pub fn line(&mut self, line: &str, names: &mut Names, found: &mut Findings) {
        let text = line.trim_start();
        if text.is_empty() {
            return;
        }
        let detail =
            ["Details:", "/proc/stat=", ", SubsystemPowerState", "Stats:", "procstate:", "NEXT:"];
        if let Some(name) = detail.iter().find(|name| text.starts_with(**name)) {
            found.unread(name.trim_matches([',', ' ', ':', '=']));
            return;
        }
        let Some(rest) = self.time(text, found) else {
            found.unparsed(line);
            return;
        };
        self.after_time(line, rest, names, found);
    }

    /// The time at the beginning of a line; the rest.
    fn time<'a>(&mut self, text: &'a str, found: &mut Findings) -> Option<&'a str> {
        let (sign, unsigned) = match text.as_bytes().first()? {
            b'+' => (1, text.get(1..)?),
            b'-' => (-1, text.get(1..)?),
            _ => (1, text),
        };
        if unsigned.as_bytes().get(2) == Some(&b'-') {
            return self.wall_time(text, found);
        }
        let (ms, rest) = take_duration(unsigned)?;
        self.history.at(ms.checked_mul(sign)?, found);
        let rest = rest.trim_start();
        let counted = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        Some(counted.map_or(rest, |(_, rest)| rest.trim_start()))
    }

    fn wall_time<'a>(&mut self, text: &'a str, found: &mut Findings) -> Option<&'a str> {
        let mut bytes = text.as_bytes();
        let Stamp::Date { date, .. } = take_stamp(&mut bytes)? else { return None };
        let rest = text.get(text.len() - bytes.len()..)?.trim_start();
        // A line that gives the year gives it for itself, too.
        let year = rest.rsplit_once("TIME: ").and_then(|(_, wall)| parse_wall(wall));
        if let (Some(wall), false) = (year, self.has_year) {
            self.has_year = true;
            self.years = Years::near(Some(wall.ms.saturating_mul(MILLISECOND)));
        }
        let nanos = self.years.resolve(date);
        found.is_wall = true;
        found.year_is_unknown = !self.has_year && !self.years.are_known();
        self.history.at(nanos.div_euclid(MILLISECOND), found);
        Some(rest)
    }

    fn after_time(&mut self, line: &str, rest: &str, names: &mut Names, found: &mut Findings) {
        if let Some(wall) = rest.strip_prefix("RESET:TIME:") {
            self.history.restart(found);
            self.anchor(line, wall, found);
            self.history.reset(found);
        } else if let Some(wall) = rest.strip_prefix("TIME:") {
            self.anchor(line, wall, found);
        } else if rest == "START" || rest == "SHUTDOWN" {
            self.history.restart(found);
        } else if rest == "*OVERFLOW*" {
            found.counts.overflows += 1;
        } else {
            self.states(line, rest, names, found);
        }
    }

    fn anchor(&mut self, line: &str, wall: &str, found: &mut Findings) {
        match parse_wall(wall.trim()) {
            Some(wall) if !found.is_wall => self.history.wall(wall, found),
            Some(_) => {}
            None => found.unparsed(line),
        }
    }

    fn states(&mut self, line: &str, rest: &str, names: &mut Names, found: &mut Findings) {
        let (percent, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if percent.is_empty() || percent.len() > 3 || !percent.bytes().all(|b| b.is_ascii_digit()) {
            found.unparsed(line);
            return;
        }
        self.history.percent(percent, found);
        let (bits, after) = rest.split_once(' ').unwrap_or((rest, ""));
        if bits.len() == 8 && bits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            rest = after;
        }
        let mut is_whole = true;
        while let Some((word, after)) = take_word(rest, names, &mut is_whole) {
            rest = after;
            if let Some(word) = word {
                self.history.word(word, found);
            }
        }
        if !is_whole {
            found.unparsed(line);
        }
        self.history.end_of_line(found);
    }
}

/// Takes a word off the beginning; without one that is understood, it is passed over and the line is not whole.
fn take_word<'a>(
    text: &'a str,
    names: &mut Names,
    is_whole: &mut bool,
) -> Option<(Option<Word<'a>>, &'a str)> {
    let text = text.trim_start();
    let (sign, text) = match text.as_bytes().first()? {
        b'+' => (Some(true), text.get(1..)?),
        b'-' => (Some(false), text.get(1..)?),
        _ => (None, text),
    };
    let end = text.find([' ', '=']).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let Some(value) = after.strip_prefix('=') else {
        let word = sign.filter(|_| !name.is_empty()).map(|on| Word::Flag { on, name });
        *is_whole &= word.is_some();
        return Some((word, after));
    };
    let end = value.find([' ', '"']).unwrap_or(value.len());
    if value.as_bytes().get(end) != Some(&b'"') {
        let (value, after) = value.split_at(end);
        return Some((Some(Word::Value { name, value }), after));
    }
    let (uid, rest) = value.split_at(end);
    let quoted = rest.get(1..)?;
    // A name may hold quotes: it ends with one that the line or the word ends with.
    let end = quoted.find("\" ").or_else(|| quoted.strip_suffix('"').map(str::len));
    let Some(end) = end else {
        *is_whole = false;
        return Some((None, ""));
    };
    let after = quoted.get(end + 1..).unwrap_or_default();
    let uid: Option<Uid> = uid.strip_suffix(':').and_then(Uid::of_android_name);
    *is_whole &= uid.is_some();
    let tag = quoted.get(..end).unwrap_or_default();
    let word = uid.map(|uid| Word::Event { sign, name, uid, tag: names.intern(tag) });
    Some((word, after))
}

/// `2020-07-26-08-36-24`, since Android 16 with milliseconds: local time.
pub(crate) fn parse_wall(text: &str) -> Option<Wall> {
    let text = text.trim();
    let mut parts = text.split(['-', '.']);
    let mut next = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    let millisecond = next();
    let is_valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second)
        && millisecond.is_none_or(|ms| (0..1000).contains(&ms));
    if !is_valid {
        return None;
    }
    let of_day = (hour * 3600 + minute * 60 + second) * SECOND;
    let nanos = Date { year: Some(year), month, day, of_day }.in_its_year()?;
    let ms = nanos.div_euclid(MILLISECOND) + millisecond.unwrap_or(0);
    let step_ms = if millisecond.is_some() { 1 } else { 1000 };
    Some(Wall { ms, is_local: true, step_ms })
}
