//! The arguments of `logcat`.

use crate::device_log::BUFFERS;

/// The parts of a line that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Brief,
    Process,
    Tag,
    Thread,
    Raw,
    Time,
    Threadtime,
    Long,
}

/// The format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "adverbs of liblog, each apart")]
pub(super) struct LineFormat {
    pub(super) verb: Verb,
    pub(super) year: bool,
    /// Times in UTC.
    pub(super) utc: bool,
    /// The zone behind the time.
    pub(super) zone: bool,
    pub(super) epoch: bool,
    pub(super) monotonic: bool,
    pub(super) uid: bool,
    /// Digits behind the second: 3, 6 or 9.
    pub(super) digits: usize,
}

/// The start of the output.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum From {
    Beginning,
    /// The last so many lines.
    Last(usize),
    /// Lines since a time.
    Time(String),
}

/// The request.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "flags of logcat, each apart")]
pub(super) struct LogcatOptions {
    pub(super) format: LineFormat,
    /// Places in [`BUFFERS`].
    pub(super) buffers: Vec<usize>,
    pub(super) dump: bool,
    pub(super) clear: bool,
    pub(super) size: bool,
    pub(super) resize: Option<u64>,
    pub(super) from: From,
    pub(super) most: Option<u64>,
    pub(super) pid: Option<u32>,
    pub(super) uids: Vec<u32>,
    pub(super) file: Option<String>,
    /// Tag and least level; `*` is every other tag.
    pub(super) filters: Vec<(String, char)>,
    pub(super) regex: Option<String>,
    /// Not one that this understands but one that changes no line.
    pub(super) dividers: bool,
}

const LEVELS: &str = "VDIWEF";

/// Reads the arguments.
///
/// # Errors
/// The words that the program would print.
pub(super) fn parse(arguments: &[String], api: u32) -> Result<LogcatOptions, String> {
    let mut options = LogcatOptions {
        format: LineFormat {
            verb: Verb::Threadtime,
            year: false,
            utc: false,
            zone: false,
            epoch: false,
            monotonic: false,
            uid: false,
            digits: 3,
        },
        buffers: Vec::new(),
        dump: false,
        clear: false,
        size: false,
        resize: None,
        from: From::Beginning,
        most: None,
        pid: None,
        uids: Vec::new(),
        file: None,
        filters: Vec::new(),
        regex: None,
        dividers: false,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let (flag, mut attached) = split_flag(word);
        let is_alone = attached.is_none();
        let mut value = || {
            attached
                .take()
                .or_else(|| words.next().cloned())
                .ok_or_else(|| format!("logcat: option requires an argument -- {flag}"))
        };
        match flag {
            "-d" | "--dump" => options.dump = true,
            "-c" | "--clear" => options.clear = true,
            "-g" | "--buffer-size" if is_alone => options.size = true,
            "-G" | "--buffer-size" => options.resize = Some(bytes(&value()?)?),
            "-b" | "--buffer" => add_buffers(&mut options.buffers, &value()?)?,
            "-v" | "--format" => {
                for word in value()?.split([',', ' ']) {
                    add_format(&mut options.format, word, api)?;
                }
            }
            "-s" => options.filters.push(("*".to_owned(), 'S')),
            "-t" | "-T" => {
                let text = value()?;
                options.dump |= flag == "-t";
                options.from = match text.parse() {
                    Ok(count) => From::Last(count),
                    Err(_) => From::Time(text),
                };
            }
            "-m" | "--max-count" => options.most = value()?.parse().ok(),
            "--pid" => options.pid = value()?.parse().ok(),
            "--uid" => {
                options.uids = value()?.split(',').filter_map(|uid| uid.parse().ok()).collect();
            }
            "-f" | "--file" => options.file = Some(value()?),
            "-e" | "--regex" => options.regex = Some(value()?),
            "-r" | "-n" | "-P" | "--id" => drop(value()?),
            "-D" | "--dividers" => options.dividers = true,
            "-L" | "--last" | "--wrap" | "--print" | "-S" | "--statistics" | "-p" => {}
            _ if flag.starts_with('-') => {
                return Err(format!("logcat: unrecognized option '{word}'"));
            }
            _ => options.filters.push(filter(word)?),
        }
    }
    if options.buffers.is_empty() {
        options.buffers = vec![0, 3, 4];
    }
    Ok(options)
}

/// Letters of flags that take a value.
const WITH_VALUE: &str = "GbvtTmfernP";

/// `--format=x`, `-vx`: the value may be in the same word.
fn split_flag(word: &str) -> (&str, Option<String>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word, None),
        };
    }
    if let (Some(flag), Some(rest)) = (word.get(..2), word.get(2..))
        && !rest.is_empty()
        && flag.starts_with('-')
        && flag.get(1..).is_some_and(|letter| WITH_VALUE.contains(letter))
    {
        return (flag, Some(rest.to_owned()));
    }
    (word, None)
}

/// `16M`, `256K`.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..) {
        Some("") => 1,
        Some("K" | "k" | "KB") => 1 << 10,
        Some("M" | "m" | "MB") => 1 << 20,
        Some("G" | "g" | "GB") => 1 << 30,
        _ => 0,
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.filter(|bytes| *bytes > 0).ok_or_else(|| format!("Invalid -G parameter: {text}"))
}

fn add_buffers(buffers: &mut Vec<usize>, names: &str) -> Result<(), String> {
    for name in names.split(',') {
        match (name, BUFFERS.iter().position(|buffer| *buffer == name)) {
            ("all", _) => buffers.extend(0..BUFFERS.len() - 1),
            ("default", _) => buffers.extend([0, 3, 4]),
            (_, Some(place)) => buffers.push(place),
            _ => return Err(format!("Unknown -b buffer '{name}'")),
        }
    }
    buffers.sort_unstable();
    buffers.dedup();
    Ok(())
}

fn add_format(format: &mut LineFormat, word: &str, api: u32) -> Result<(), String> {
    match word {
        "brief" => format.verb = Verb::Brief,
        "process" => format.verb = Verb::Process,
        "tag" => format.verb = Verb::Tag,
        "thread" => format.verb = Verb::Thread,
        "raw" => format.verb = Verb::Raw,
        "time" => format.verb = Verb::Time,
        "threadtime" => format.verb = Verb::Threadtime,
        "long" => format.verb = Verb::Long,
        "year" => format.year = true,
        "zone" => format.zone = !format.zone,
        // A zone by its name is set, and printed.
        "UTC" | "GMT" | "utc" | "gmt" => {
            format.utc = true;
            format.zone = !format.zone;
        }
        "usec" => format.digits = 6,
        // Since Android 8.
        "nsec" if api >= 26 => format.digits = 9,
        "epoch" => format.epoch = true,
        "monotonic" => format.monotonic = true,
        "uid" => format.uid = true,
        "color" | "colour" | "printable" | "descriptive" | "" => {}
        _ => return Err(format!("Invalid parameter \"{word}\" to -v")),
    }
    Ok(())
}

fn filter(word: &str) -> Result<(String, char), String> {
    let invalid = || format!("Invalid filter expression '{word}'");
    let (tag, level) = word.split_once(':').unwrap_or((word, ""));
    if tag.is_empty() {
        return Err(invalid());
    }
    let level = match level.chars().next().map(|level| level.to_ascii_uppercase()) {
        None if tag == "*" => 'D',
        None | Some('*') => 'V',
        Some(level) if LEVELS.contains(level) || level == 'S' => level,
        Some(_) => return Err(invalid()),
    };
    Ok((tag.to_owned(), level))
}

impl LogcatOptions {
    /// Whether a line passes the filters.
    pub(super) fn passes(&self, entry: &crate::device_log::Entry) -> bool {
        let rank = |level: char| LEVELS.find(level).unwrap_or(LEVELS.len());
        let named = self.filters.iter().rev().find(|(tag, _)| *tag == entry.tag);
        let least = named.or_else(|| self.filters.iter().rev().find(|(tag, _)| tag == "*"));
        least.is_none_or(|(_, least)| rank(entry.level) >= rank(*least))
            && self.pid.is_none_or(|pid| pid == entry.pid)
            && (self.uids.is_empty() || self.uids.contains(&entry.uid))
            && self.regex.as_ref().is_none_or(|text| entry.message.contains(text.as_str()))
    }
}
