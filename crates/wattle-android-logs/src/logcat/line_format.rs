//! The formats of `logcat -v`, as liblog's `android_log_formatLogLine` writes them.

use wattle_import::text::{Stamp, take_stamp};

/// A format of `logcat -v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `MM-DD HH:MM:SS.mmm [uid ]pid tid P tag: text`
    ThreadTime,
    /// `MM-DD HH:MM:SS.mmm P/tag([uid:]pid): text`
    Time,
    /// `[ MM-DD HH:MM:SS.mmm [uid:]pid:tid P/tag ]`, then the text, then an empty line
    Long,
    /// `P/tag([uid:]pid): text`
    Brief,
    /// `P([uid:]pid:tid) text`
    Thread,
    /// `P([uid:]pid) text  (tag)`
    Process,
    /// `P/tag: text`
    Tag,
    /// the text alone
    Raw,
}

/// In order of how much they say: of two that read equally many lines, the first.
const DETECTED: [Format; 7] = [
    Format::ThreadTime,
    Format::Time,
    Format::Long,
    Format::Brief,
    Format::Thread,
    Format::Process,
    Format::Tag,
];

/// The longest `uid:pid` that is looked for.
const LONGEST_IDS: usize = 48;

/// A line taken apart. Of [`Format::Long`] it is the header, without text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parsed<'a> {
    pub stamp: Option<Stamp>,
    pub uid: Option<&'a [u8]>,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub priority: u8,
    pub tag: Option<&'a [u8]>,
    pub message: &'a [u8],
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThreadTime => "threadtime",
            Self::Time => "time",
            Self::Long => "long",
            Self::Brief => "brief",
            Self::Thread => "thread",
            Self::Process => "process",
            Self::Tag => "tag",
            Self::Raw => "raw",
        }
    }

    /// The format that reads most of the lines, and how many it reads; of none, [`Self::Raw`].
    pub fn detect<'a>(lines: &(impl Iterator<Item = &'a [u8]> + Clone)) -> (Self, usize) {
        let mut best = (Self::Raw, 0);
        for format in DETECTED {
            let read = lines.clone().filter(|line| format.parse(plain(line)).is_some()).count();
            if read > best.1 {
                best = (format, read);
            }
        }
        best
    }

    /// Takes a line apart; `None` if it is not of this format.
    pub fn parse(self, line: &[u8]) -> Option<Parsed<'_>> {
        match self {
            Self::ThreadTime => thread_time(line),
            Self::Time => {
                let mut rest = line;
                let stamp = take_stamp(&mut rest)?;
                let parsed = brief(rest.strip_prefix(b" ")?)?;
                Some(Parsed { stamp: Some(stamp), ..parsed })
            }
            Self::Long => long(line),
            Self::Brief => brief(line),
            Self::Thread => {
                let (priority, ids, rest) = in_parentheses(line)?;
                let (uid, pid, tid) = three(ids)?;
                let (pid, tid) = (Some(pid), Some(tid));
                Some(Parsed { uid, pid, tid, priority, message: rest, ..Parsed::default() })
            }
            Self::Process => {
                let (priority, ids, rest) = in_parentheses(line)?;
                let (uid, pid) = two(ids)?;
                let text = rest.strip_suffix(b")")?;
                let at = memchr::memmem::rfind(text, b"  (")?;
                // Colours end before the tag.
                let (message, tag) = (plain(text.get(..at)?), text.get(at + 3..)?);
                let (pid, tag) = (Some(pid), Some(tag));
                Some(Parsed { uid, pid, priority, tag, message, ..Parsed::default() })
            }
            Self::Tag => {
                let (priority, rest) = priority_and_slash(line)?;
                let (tag, message) = tag_and_text(rest)?;
                // Otherwise it is `brief`.
                if tag.ends_with(b")") {
                    return None;
                }
                Some(Parsed { priority, tag: Some(tag), message, ..Parsed::default() })
            }
            Self::Raw => Some(Parsed { priority: b'?', message: line, ..Parsed::default() }),
        }
    }
}

/// Without the colours around a line.
pub(crate) fn plain(mut line: &[u8]) -> &[u8] {
    const ESCAPE: &[u8] = b"\x1b[";
    while let Some(rest) = line.strip_prefix(ESCAPE) {
        let Some(end) = rest.iter().position(|b| !matches!(b, b'0'..=b'9' | b';')) else { break };
        if rest.get(end) != Some(&b'm') {
            break;
        }
        line = rest.get(end + 1..).unwrap_or_default();
    }
    while let Some(text) = line.strip_suffix(b"m") {
        let Some(begin) = text.iter().rposition(|b| !matches!(b, b'0'..=b'9' | b';')) else {
            break;
        };
        let Some(text) = text.get(..=begin).and_then(|text| text.strip_suffix(ESCAPE)) else {
            break;
        };
        line = text;
    }
    line
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}

fn is_priority(byte: u8) -> bool {
    matches!(byte, b'V' | b'D' | b'I' | b'W' | b'E' | b'F' | b'A' | b'S' | b'?')
}

/// A word and what follows it; spaces before it are passed over.
fn word<'a>(text: &mut &'a [u8]) -> Option<&'a [u8]> {
    let trimmed = text.trim_ascii_start();
    let end = memchr::memchr(b' ', trimmed).unwrap_or(trimmed.len());
    let (word, rest) = trimmed.split_at_checked(end)?;
    *text = rest;
    (!word.is_empty()).then_some(word)
}

/// The tag, padded with spaces, and the text behind `: `. Editors cut the space off an empty text.
fn tag_and_text(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (tag, message) = match memchr::memmem::find(text, b": ") {
        Some(at) => (text.get(..at)?, text.get(at + 2..)?),
        None => (text.strip_suffix(b":")?, &[][..]),
    };
    Some((tag.trim_ascii_end(), message))
}

fn thread_time(line: &[u8]) -> Option<Parsed<'_>> {
    let mut rest = line;
    let stamp = take_stamp(&mut rest)?;
    let (first, second, third) = (word(&mut rest)?, word(&mut rest)?, word(&mut rest)?);
    let (uid, pid, tid, priority) = match third {
        [priority] if is_priority(*priority) => (None, first, second, *priority),
        _ => match word(&mut rest)? {
            [priority] if is_priority(*priority) => (Some(first), second, third, *priority),
            _ => return None,
        },
    };
    let (tag, message) = tag_and_text(rest.strip_prefix(b" ")?)?;
    Some(Parsed {
        stamp: Some(stamp),
        uid,
        pid: Some(number(pid)?),
        tid: Some(number(tid)?),
        priority,
        tag: Some(tag),
        message,
    })
}

fn priority_and_slash(line: &[u8]) -> Option<(u8, &[u8])> {
    match line {
        [priority, b'/', rest @ ..] if is_priority(*priority) => Some((*priority, rest)),
        _ => None,
    }
}

/// `P/tag(  pid): text`. Tags may hold slashes, spaces and parentheses.
fn brief(line: &[u8]) -> Option<Parsed<'_>> {
    let (priority, rest) = priority_and_slash(line)?;
    let mut from = 0;
    loop {
        let open = from + memchr::memchr(b'(', rest.get(from..)?)?;
        from = open + 1;
        let inside = rest.get(from..)?;
        // Numbers are short; looking further would cost a line's square.
        let near = inside.get(..LONGEST_IDS).unwrap_or(inside);
        let Some(close) = memchr::memchr(b')', near) else { continue };
        let Some((uid, pid)) = inside.get(..close).and_then(two) else { continue };
        let Some(message) = inside.get(close + 1..).and_then(after_colon) else { continue };
        let tag = rest.get(..open)?.trim_ascii_end();
        let (pid, tag) = (Some(pid), Some(tag));
        return Some(Parsed { uid, pid, priority, tag, message, ..Parsed::default() });
    }
}

fn after_colon(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b":")?;
    if text.is_empty() { Some(text) } else { text.strip_prefix(b" ") }
}

/// `pid` or `uid:pid`.
fn two(ids: &[u8]) -> Option<(Option<&[u8]>, u32)> {
    match memchr::memchr(b':', ids) {
        None => Some((None, number(ids)?)),
        Some(at) => Some((Some(ids.get(..at)?.trim_ascii()), number(ids.get(at + 1..)?)?)),
    }
}

/// `pid:tid` or `uid:pid:tid`.
fn three(ids: &[u8]) -> Option<(Option<&[u8]>, u32, u32)> {
    let at = memchr::memrchr(b':', ids)?;
    let (uid, pid) = two(ids.get(..at)?)?;
    Some((uid, pid, number(ids.get(at + 1..)?)?))
}

/// `P(ids) text`.
fn in_parentheses(line: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (priority, rest) = match line {
        [priority, b'(', rest @ ..] if is_priority(*priority) => (*priority, rest),
        _ => return None,
    };
    let close = memchr::memchr(b')', rest)?;
    let message = rest.get(close + 1..)?;
    let message = if message.is_empty() { message } else { message.strip_prefix(b" ")? };
    Some((priority, rest.get(..close)?, message))
}

/// `[ time uid:pid:tid P/tag ]`. An absent uid is six spaces.
fn long(line: &[u8]) -> Option<Parsed<'_>> {
    let mut rest = line.strip_prefix(b"[ ")?.strip_suffix(b" ]")?;
    let stamp = take_stamp(&mut rest)?;
    let slash = memchr::memchr(b'/', rest)?;
    let priority = *rest.get(slash.checked_sub(1)?)?;
    let ids = rest.get(..slash - 1)?.strip_suffix(b" ")?;
    if !is_priority(priority) {
        return None;
    }
    let (uid, pid, tid) = three(ids)?;
    let tag = rest.get(slash + 1..)?.trim_ascii_end();
    Some(Parsed {
        stamp: Some(stamp),
        uid,
        pid: Some(pid),
        tid: Some(tid),
        priority,
        tag: Some(tag),
        message: &[],
    })
}
