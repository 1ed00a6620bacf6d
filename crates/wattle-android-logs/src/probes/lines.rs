//! The log lines of the sink `logcat`: tag `wattle`, kinds `H`, `C`, `T` and `E` (`docs/probe-formats.md`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{ArtifactQuality, Note, Severity};

use super::ProbeClocks;
use super::map_id::{ShortId, base36};
use super::probe_record::Record;
use super::process::{ProbeLog, ProcessRecords};
use crate::logcat::LogEntry;

/// Gaps that are remembered of one process, in case their lines come late.
const MAX_GAPS: usize = 4096;
/// Processes of one log.
const MAX_PROCESSES: usize = 1 << 16;

/// Which lines of a process were there.
#[derive(Debug, Default)]
struct Sequence {
    next: u64,
    /// Numbers that are missing: first to (not including) last.
    gaps: BTreeMap<u64, u64>,
    missing: u64,
    /// Lines that came twice.
    repeated: u64,
}

impl Sequence {
    /// A line of this number came. False if it has been there before.
    fn line(&mut self, number: u64) -> bool {
        if number >= self.next {
            if number > self.next {
                self.missing = self.missing.saturating_add(number - self.next);
                if self.gaps.len() < MAX_GAPS {
                    self.gaps.insert(self.next, number);
                }
            }
            self.next = number.saturating_add(1);
            return true;
        }
        let gap = self.gaps.range(..=number).next_back().map(|(from, to)| (*from, *to));
        let Some((from, to)) = gap.filter(|(_, to)| number < *to) else {
            self.repeated += 1;
            return false;
        };
        self.gaps.remove(&from);
        if from < number {
            self.gaps.insert(from, number);
        }
        if number + 1 < to {
            self.gaps.insert(number + 1, to);
        }
        self.missing -= 1;
        true
    }
}

/// The part that every line of probes begins with.
struct LineStart {
    /// The kind: `H`, `C`, `T` or `E`.
    letter: u8,
    map: ShortId,
    /// The number of the line in its process.
    number: u64,
}

/// Reads the probes' lines of one log.
#[derive(Debug, Default)]
pub(crate) struct ProbeLines {
    /// By pid, where the log has it, and map: the process now, and its lines.
    open: FxHashMap<(Option<u32>, ShortId), usize>,
    sequences: BTreeMap<usize, Sequence>,
    lines: u64,
    records: u64,
    damaged: u64,
    first_damaged: Option<u64>,
    headless: u64,
}

fn number<T: std::str::FromStr>(word: Option<&[u8]>) -> Option<T> {
    std::str::from_utf8(word?).ok()?.parse().ok()
}

/// The words of a line; the rest of the line is to be had at any time.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr::memchr(b' ', self.0).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.get(1..).unwrap_or_default();
        Some(word)
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        number(self.next())
    }

    fn clocks(&mut self) -> Option<ProbeClocks> {
        Some(ProbeClocks {
            before: self.number()?,
            wall_ms: self.number()?,
            boot: self.number()?,
            after: self.number()?,
        })
    }
}

impl ProbeLines {
    /// Takes a line in if it is one of probes. What its clocks said, if it has any.
    pub fn line(
        &mut self,
        entry: &LogEntry<'_>,
        artifact: usize,
        log: &mut ProbeLog,
    ) -> Option<ProbeClocks> {
        // Formats without a tag are told by the text alone.
        if entry.tag.is_some_and(|tag| tag != b"wattle") {
            return None;
        }
        let mut words = Words(entry.message);
        let (letter, map) = match (words.next()?, words.next().and_then(ShortId::parse)) {
            ([letter @ (b'H' | b'C' | b'T' | b'E'), b'1'], Some(map)) => (*letter, map),
            // A later version, or somebody else's tag.
            _ if entry.tag.is_none() => return None,
            _ => return self.damage(entry),
        };
        self.lines += 1;
        let Some(number) = words.number::<u64>() else { return self.damage(entry) };
        let start = LineStart { letter, map, number };
        let process = self.process(entry, &start, artifact, log)?;
        if !self.sequences.entry(process).or_default().line(number) {
            return None;
        }
        let clocks = match letter {
            b'H' => head(words, process, log).map(Some),
            b'C' => words.clocks().map(Some),
            b'T' => thread(words, process, log).map(|()| None),
            _ => self.events(words, process, log).map(|()| None),
        };
        let Some(clocks) = clocks else { return self.damage(entry) };
        if let (Some(clocks), Some(process)) = (clocks, log.processes.get_mut(process)) {
            process.clocks.push(clocks);
        }
        clocks
    }

    fn damage(&mut self, entry: &LogEntry<'_>) -> Option<ProbeClocks> {
        self.damaged += 1;
        self.first_damaged.get_or_insert(entry.line);
        None
    }

    /// The process that a line is of. An `H` line with number 0 begins a new one.
    fn process(
        &mut self,
        entry: &LogEntry<'_>,
        start: &LineStart,
        artifact: usize,
        log: &mut ProbeLog,
    ) -> Option<usize> {
        let map = start.map;
        let key = (entry.pid, map);
        let begins = start.letter == b'H' && start.number == 0;
        if let Some(known) = self.open.get(&key).copied() {
            let is_same = self.sequences.get(&known).is_none_or(|lines| lines.next == 0);
            if !begins || is_same || is_repeat(known, entry, log) {
                return Some(known);
            }
        } else if !begins {
            self.headless += 1;
        }
        if self.sequences.len() >= MAX_PROCESSES {
            self.damage(entry);
            return None;
        }
        let process = log.processes.len();
        log.processes.push(ProcessRecords {
            artifact,
            pid: entry.pid,
            map,
            ..ProcessRecords::default()
        });
        self.open.insert(key, process);
        self.sequences.insert(process, Sequence::default());
        Some(process)
    }

    fn events(&mut self, mut words: Words<'_>, process: usize, log: &mut ProbeLog) -> Option<()> {
        let (tid, serial) = (words.number::<u32>()?, words.number::<u32>()?);
        let lost = words.number::<u64>()?;
        let mut time = words.number::<i64>()?;
        let thread = log.thread(process, serial, tid)?;
        thread.lost = thread.lost.max(lost);
        let mut rest = words.next().unwrap_or_default();
        while let Some((letter, after)) = rest.split_first() {
            let end = after.iter().position(u8::is_ascii_uppercase).unwrap_or(after.len());
            let (token, next) = after.split_at_checked(end)?;
            let dot = memchr::memchr(b'.', token)?;
            let id = match token.get(..dot)? {
                b"" => 0,
                id => base36(id)?,
            };
            let later = base36(token.get(dot + 1..)?)?;
            time = time.checked_add(i64::try_from(later).ok()?)?;
            log.keep(process, serial, Record::from_letter(time, *letter, id)?);
            self.records += 1;
            rest = next;
        }
        Some(())
    }

    /// Lines that are missing by their numbers.
    pub fn missing(&self) -> u64 {
        self.sequences.values().fold(0, |sum, lines| sum.saturating_add(lines.missing))
    }

    /// Tells the log's quality what was found.
    pub fn finish(&self, quality: &mut ArtifactQuality) {
        if self.lines == 0 && self.damaged == 0 {
            return;
        }
        quality.events.insert("probe line".to_owned(), self.lines);
        quality.events.insert("probe record".to_owned(), self.records);
        let missing = self.missing();
        quality.lost_events = quality.lost_events.saturating_add(missing);
        let processes = self.sequences.len();
        if missing > 0 {
            let text = format!(
                "{missing} lines of probes are missing by their numbers, of {processes} processes: the log's buffer was too \
                 small, or its reader too slow; calls in them are lost"
            );
            quality
                .notes
                .push(Note::new(Severity::Warning, "probe-lines-lost", text).times(missing));
        }
        let repeated = self.sequences.values().map(|lines| lines.repeated).sum::<u64>();
        if repeated > 0 {
            let text = "lines of probes came twice: used once".to_owned();
            quality
                .notes
                .push(Note::new(Severity::Info, "probe-lines-twice", text).times(repeated));
        }
        if self.headless > 0 {
            let text = "processes of which the log has no first line: it begins in their middle"
                .to_owned();
            let note = Note::new(Severity::Info, "probe-lines-headless", text);
            quality.notes.push(note.times(self.headless));
        }
        if self.damaged > 0 {
            let line = self.first_damaged.unwrap_or(0);
            let text = format!(
                "lines with the tag of probes that are none, the first is line {line}: cut off, or of a later version; not used \
                 from there on"
            );
            quality.notes.push(
                Note::new(Severity::Warning, "probe-lines-damaged", text).times(self.damaged),
            );
        }
    }
}

/// Whether an `H` line is the one that began the process, once more (a log that was read twice over).
fn is_repeat(process: usize, entry: &LogEntry<'_>, log: &ProbeLog) -> bool {
    let mut words = Words(entry.message);
    let clocks = (0..5).try_for_each(|_| words.next().map(|_| ())).and_then(|()| words.clocks());
    let first = log.processes.get(process).and_then(|process| process.clocks.first());
    clocks.is_some() && clocks.as_ref() == first
}

fn head(mut words: Words<'_>, process: usize, log: &mut ProbeLog) -> Option<ProbeClocks> {
    let process = log.processes.get_mut(process)?;
    words.next()?;
    process.pid = Some(words.number()?);
    let clocks = words.clocks()?;
    words.0.clone_into(&mut process.name);
    Some(clocks)
}

fn thread(mut words: Words<'_>, process: usize, log: &mut ProbeLog) -> Option<()> {
    let (tid, serial) = (words.number()?, words.number()?);
    words.0.clone_into(&mut log.thread(process, serial, tid)?.name);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[u64], missing: u64, repeated: u64) {
        let mut lines = Sequence::default();
        let mut twice = 0;
        for number in numbers {
            twice += u64::from(!lines.line(*number));
        }
        assert_eq!((lines.missing, lines.repeated), (missing, repeated), "{numbers:?}");
        assert_eq!(twice, repeated);
        let in_gaps: u64 = lines.gaps.iter().map(|(from, to)| to - from).sum();
        assert_eq!(in_gaps, missing);
    }

    #[test]
    fn missing_late_and_repeated_lines() {
        check(&[0, 1, 2], 0, 0);
        check(&[0, 2, 5], 3, 0);
        check(&[3], 3, 0);
        check(&[0, 5, 2, 4], 2, 0);
        check(&[0, 5, 2, 2, 5, 1, 3, 4], 0, 2);
    }
}
