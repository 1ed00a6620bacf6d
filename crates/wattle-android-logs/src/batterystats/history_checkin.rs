//! Lines of the history for programs: `9,hsp,<index>,<uid>,"<string>"` fill the pool of strings, `9,h,<ms since the line
//! before>[,word…]` or `9,h,<ms>:RESET:TIME:<Unix ms>` are the history.

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, Names, Uid};

use super::dump_findings::{Findings, Wall};
use super::history::{History, Word};
use crate::limits::MAX_STATISTICS;

/// Reads the history of one dump.
#[derive(Debug, Default)]
pub(crate) struct CheckinHistory {
    history: History,
    pool: FxHashMap<u32, (Uid, NameId)>,
}

impl CheckinHistory {
    /// A string of the pool.
    pub fn string(&mut self, index: u32, uid: i64, text: &str, names: &mut Names) {
        if self.pool.len() < MAX_STATISTICS
            && let Some(uid) = Uid::of_number(uid)
        {
            self.pool.insert(index, (uid, names.intern(text)));
        }
    }

    /// `9,hsp,` was taken off.
    pub fn pool_line(&mut self, rest: &str, line: &str, names: &mut Names, found: &mut Findings) {
        let mut parts = rest.splitn(3, ',');
        let mut next = || parts.next();
        let index = next().and_then(|index| index.parse().ok());
        let uid = next().and_then(|uid| uid.parse().ok());
        let text = next().map(|text| text.trim_matches('"'));
        match (index, uid, text) {
            (Some(index), Some(uid), Some(text)) => {
                let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
                self.string(index, uid, &text, names);
            }
            _ => found.unparsed(line),
        }
    }

    /// `9,h,` was taken off.
    pub fn line(&mut self, rest: &str, line: &str, names: &mut Names, found: &mut Findings) {
        let end = rest.find([',', ':']).unwrap_or(rest.len());
        let (delta, rest) = rest.split_at(end);
        let Ok(delta) = delta.parse::<i64>() else {
            found.unparsed(line);
            return;
        };
        self.history.at(self.history.now().saturating_add(delta), found);
        if let Some(command) = rest.strip_prefix(':') {
            self.command(command, line, found);
            return;
        }
        let mut rest = rest.strip_prefix(',').unwrap_or_default();
        while !rest.is_empty() {
            let (word, after) = take_field(rest);
            rest = after;
            self.word(word, names, found);
        }
        self.history.end_of_line(found);
    }

    fn command(&mut self, command: &str, line: &str, found: &mut Findings) {
        let (command, is_reset) = match command.strip_prefix("RESET:") {
            Some(rest) => (rest, true),
            None => (command, false),
        };
        if is_reset {
            self.history.restart(found);
        }
        if let Some(time) = command.strip_prefix("TIME:") {
            match time.parse() {
                Ok(ms) => {
                    self.history.wall(Wall { ms, is_local: false, step_ms: 1 }, found);
                    if is_reset {
                        self.history.reset(found);
                    }
                }
                Err(_) => found.unparsed(line),
            }
        } else if command == "START" || command == "SHUTDOWN" {
            self.history.restart(found);
        } else if command == "*OVERFLOW*" {
            found.counts.overflows += 1;
        } else {
            found.unparsed(line);
        }
    }

    fn word(&mut self, word: &str, names: &mut Names, found: &mut Findings) {
        let (sign, text) = match word.as_bytes().first() {
            Some(b'+') => (Some(true), word.get(1..).unwrap_or_default()),
            Some(b'-') => (Some(false), word.get(1..).unwrap_or_default()),
            _ => (None, word),
        };
        let Some((name, value)) = text.split_once('=') else {
            match sign {
                Some(on) => self.history.word(Word::Flag { on, name: text }, found),
                None => found.unknown(text),
            }
            return;
        };
        if name == "Bl" {
            self.history.percent(value, found);
            return;
        }
        // Events, the wakelock's flag and reasons of wake-ups have a string, all other fields a value.
        let is_event = matches!(name, "w" | "wr") || (name.len() == 3 && name.starts_with('E'));
        if !is_event {
            self.history.word(Word::Value { name, value }, found);
            return;
        }
        let known = match value.split_once(":\"") {
            // A string that came when the pool was full stands there itself.
            Some((uid, text)) => {
                let text = text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\"");
                Uid::of_android_name(uid).map(|uid| (uid, names.intern(&text)))
            }
            None => value.parse().ok().and_then(|index: u32| self.pool.get(&index).copied()),
        };
        let word = match known {
            Some((uid, tag)) => Word::Event { sign, name, uid, tag },
            None => Word::Lost { name },
        };
        self.history.word(word, found);
    }
}

/// Takes a field off the beginning; commas inside quotes do not end it.
fn take_field(text: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let end = text.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b',' && !is_quoted
    });
    match end {
        Some(end) => (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default()),
        None => (text, ""),
    }
}
