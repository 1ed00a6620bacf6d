//! Logs of the Navitas framework: `profilingOutput/logs.json` in all its forms, the texts it is made of, and the lists of 2019.
//!
//! # Quirks
//!
//! - A test's log holds records of earlier runs: see [`stale`].
//! - Records without a time, or stamped by the host when it parsed them, get their time from the CPUs' clocks: see [`record_times`].
//! - Two clocks: calls are logged by the device, residual charges by the host. Nothing tells how far they are apart.
//! - `Wifi:` and `Bluetooth:` are residuals: charge that Android charges no app with, since its statistics began.
//! - Figures may have decimal commas.

mod calls;
mod csv;
mod json;
mod navitas_file;
mod profiling_output;
mod readings;
mod record_times;
mod stale;
mod test_log;
mod text_sites;

use std::io::Read;

use wattle_import::{
    Artifact, Content, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_timeline::{ArtifactQuality, Note, Severity};

use crate::limits::MAX_JSON;
use crate::logcat::parse_line;
use test_log::{Lost, TestLog};

pub(crate) use calls::{CallEvent, CallStacks, CallsOf};
use navitas_file::{NavitasFile, NavitasFiles};
pub(crate) use readings::Readings;

/// Logs of the Navitas framework.
pub const NAVITAS: &dyn Importer = &Navitas;

const FORMAT: Format = Format {
    name: "navitas",
    title: "a log of Navitas",
    family: "a log",
    short: None,
    order: ReadOrder::Logs,
    kinds: &[],
    is_accessory: false,
};

struct Navitas;

impl Importer for Navitas {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        (matches!(head.content, Content::Text | Content::Json) && looks_like_navitas(head.bytes))
            .into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let quality = read(artifact.name, artifact.source, session);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The tag of Navitas's lines in the log.
const TAG: &[u8] = b"TEST";

/// Whether a file is of Navitas by its first bytes.
fn looks_like_navitas(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    match start.first() {
        Some(b'{' | b'[') => return json::is_json(start),
        None => return false,
        _ if csv::is_csv(start) => return true,
        _ => {}
    }
    // The last line may be cut.
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("---------"));
    let (mut own, mut all) = (0, 0);
    for line in lines.take(256) {
        all += 1;
        own += usize::from(profiling_output::is_line(line));
        // Its logs hold one tag; with others it is a log of the whole device.
        let tag = parse_line(line.as_bytes()).and_then(|parsed| parsed.tag);
        if tag.is_some_and(|tag| tag.trim_ascii() != TAG) {
            return false;
        }
    }
    // Between the lines of its sampler stands what the device's shell had to say, a line each time.
    own > 0 && own * 4 >= all
}

/// Reads one file. What it says waits in the session until the clocks are known.
fn read(name: &str, mut input: impl Read, session: &mut Session) -> ArtifactQuality {
    let artifact = session.qualities.len();
    let mut quality = FORMAT.quality(name);
    let around = session.around();
    let builder = &mut session.builder;
    let mut lost = Lost::default();
    let mut head = Vec::new();
    let mut failure = None;
    if let Err(error) = input.by_ref().take(wattle_import::HEAD as u64).read_to_end(&mut head) {
        failure = Some(error.to_string());
    }
    let start = head.trim_ascii_start().first().copied();
    let tests = if matches!(start, Some(b'{' | b'[')) || csv::is_csv(head.trim_ascii_start()) {
        let mut text = std::mem::take(&mut head);
        if let Err(error) = input.take(MAX_JSON + 1 - text.len() as u64).read_to_end(&mut text) {
            failure = Some(error.to_string());
        }
        if text.len() as u64 > MAX_JSON {
            let note = format!("more than {MAX_JSON} bytes: the rest was not read");
            quality.notes.push(Note::new(Severity::Error, "json-limit", note).at(MAX_JSON));
            text.truncate(MAX_JSON as usize);
        }
        quality.bytes = text.len() as u64;
        if matches!(start, Some(b'{' | b'[')) {
            quality.format.push_str("-json");
            match json::read(&text, &mut lost, builder) {
                Ok((tests, damage)) => {
                    if let Some(damage) = damage {
                        let text = format!(
                            "the JSON is damaged ({damage}): what was complete before that was read"
                        );
                        quality.notes.push(Note::new(Severity::Error, "damaged", text));
                    }
                    tests
                }
                Err(reason) => {
                    let text = format!("expected logs.json of Navitas: {reason}; nothing was read");
                    quality.notes.push(Note::new(Severity::Error, "damaged", text));
                    Vec::new()
                }
            }
        } else {
            quality.format.push_str("-csv");
            let mut log = TestLog { name: stem(name), ..TestLog::default() };
            csv::read(&String::from_utf8_lossy(&text), &mut log, &mut lost, builder);
            vec![log]
        }
    } else {
        quality.format.push_str("-text");
        let mut log = TestLog { name: stem(name), ..TestLog::default() };
        let whole = std::io::Cursor::new(head).chain(input);
        let (bytes, failed) = profiling_output::read(whole, &mut log, &mut lost, around, builder);
        quality.bytes = bytes;
        failure = failure.or(failed);
        vec![log]
    };
    if let Some(failure) = failure {
        let text =
            format!("the input ends with an error ({failure}); what is before that was read");
        quality.notes.push(Note::new(Severity::Error, "damaged", text));
    }
    lost.tell(&mut quality);
    session.pending::<NavitasFiles>().0.push(NavitasFile { artifact, tests });
    quality
}

/// A file's name without folder and ending: the test's.
fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    [".gz", ".txt", ".log", ".csv"]
        .iter()
        .fold(file, |file, end| file.strip_suffix(end).unwrap_or(file))
        .to_owned()
}

impl Lost {
    /// Says what was lost.
    fn tell(self, quality: &mut ArtifactQuality) {
        let mut note = |severity, code, count: u64, text: String, at: Option<u64>| {
            if count > 0 {
                let note = Note::new(severity, code, text).times(count);
                quality.notes.push(match at {
                    Some(at) => note.at(at),
                    None => note,
                });
            }
        };
        let text = "lines or records of calls that are not of any known form: not used";
        note(Severity::Warning, "navitas-unparsed", self.calls, text.to_owned(), self.first);
        let text = "lines that the device's log cut (it keeps 4,068 bytes): the figures that are missing belong to the last CPUs";
        note(Severity::Warning, "navitas-cut", self.cut, text.to_owned(), None);
        let text = "more records, or readings of time_in_state, than are kept at a time: the rest was not used";
        note(Severity::Error, "navitas-limit", self.refused, text.to_owned(), None);
        let text = "times at which the sampler got no value of Wi-Fi, Bluetooth or the GPU";
        note(Severity::Warning, "navitas-empty-sample", self.empty_samples, text.to_owned(), None);
        for (error, count) in self.errors {
            let text = format!("in place of values stands: {error}");
            note(Severity::Warning, "navitas-error-text", count, text, None);
        }
        if self.others > 0 {
            quality.unread.insert("lines of others".to_owned(), self.others);
        }
    }
}
