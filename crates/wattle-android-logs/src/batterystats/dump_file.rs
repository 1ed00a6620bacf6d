//! From bytes to findings.

use std::io::Read;

use wattle_timeline::{ArtifactQuality, Note, Severity};

use super::battery_statistics::Statistics;
use super::checkin::CheckinReader;
use super::dump_findings::{Findings, Form};
use super::text_dump::{POWER, TextReader};
use super::{CHECKIN, PROTO, TEXT, proto};
use crate::limits::MAX_STATISTICS_PROTO;
use wattle_import::Session;
use wattle_import::text::Lines;

/// The longest line that is read.
pub(crate) const LONGEST: usize = 1 << 16;

/// Whether a text is a dump for people.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    let titles: [&[u8]; 2] = [b"Battery History", b"Statistics since last charge:"];
    let mut lines = head.split(|byte| *byte == b'\n');
    lines.any(|line| {
        titles.iter().any(|title| line.starts_with(title)) || line.trim_ascii() == POWER.as_bytes()
    })
}

/// Whether a text is check-in lines.
pub(crate) fn looks_like_checkin(head: &[u8]) -> bool {
    let first =
        head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).find(|it| !it.is_empty());
    let Some(first) = first else { return false };
    let version = first.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = first.get(version..).unwrap_or_default();
    let is_begin =
        [&b",0,i,vers,"[..], b",0,i,uid,", b",hsp,", b",h,", b",0,l,bt,", b",0,t,", b",0,u,"];
    version > 0 && version < 4 && is_begin.iter().any(|begin| rest.starts_with(begin))
}

/// Whether it is one of the messages.
pub(crate) fn looks_like_proto(head: &[u8]) -> bool {
    proto::kind_of(head).is_some()
}

fn quality(name: &str, form: Form, bytes: u64) -> ArtifactQuality {
    let format = match form {
        Form::Text => TEXT,
        Form::Checkin => CHECKIN,
        Form::Proto | Form::UsageProto => PROTO,
    };
    ArtifactQuality { bytes, ..format.quality(name) }
}

fn damaged(failure: &std::io::Error) -> Note {
    let text = format!("the input ends with an error ({failure}); what is before that was read");
    Note::new(Severity::Error, "damaged", text)
}

/// Reads the dump for people.
pub(crate) fn read_text(
    name: &str,
    input: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let near = session.around();
    let mut reader = TextReader::new(session.qualities.len(), near);
    let dump = Dump { name, form: Form::Text, lines: Lines::new(input, LONGEST) };
    let (quality, cut) = dump.each_line(session, told, &mut |line, session| {
        let builder = &mut session.builder;
        let mut names = std::mem::take(&mut builder.names);
        reader.line(line, &mut names, &mut |package| builder.tasks().package(package));
        builder.names = names;
    });
    let mut found = reader.finish();
    found.counts.cut += cut;
    session.pending::<Statistics>().0.push(found);
    quality
}

/// Reads check-in lines.
pub(crate) fn read_checkin(
    name: &str,
    input: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut reader = CheckinReader::new(session.qualities.len());
    let dump = Dump { name, form: Form::Checkin, lines: Lines::new(input, LONGEST) };
    let (quality, cut) = dump.each_line(session, told, &mut |line, session| {
        let builder = &mut session.builder;
        let mut names = std::mem::take(&mut builder.names);
        reader.line(line, &mut names, &mut |package| builder.tasks().package(package));
        builder.names = names;
    });
    let mut found = reader.finish();
    found.counts.cut += cut;
    session.pending::<Statistics>().0.push(found);
    quality
}

/// A dump in one of the forms that are text.
struct Dump<'a, R> {
    name: &'a str,
    form: Form,
    lines: Lines<R>,
}

impl<R: Read> Dump<'_, R> {
    /// Gives each line to `take`. Returns the number of lines that were too long, too.
    fn each_line(
        self,
        session: &mut Session,
        told: &mut dyn FnMut(u64),
        take: &mut dyn FnMut(&str, &mut Session),
    ) -> (ArtifactQuality, u64) {
        let Self { name, form, mut lines } = self;
        let (mut cut, mut number) = (0, 0_u64);
        while let Some(line) = lines.next_line() {
            cut += u64::from(line.is_cut);
            take(&line.text(), session);
            number += 1;
            if number.is_multiple_of(4096) {
                told(lines.offset());
            }
        }
        let mut quality = quality(name, form, lines.offset());
        if let Some(failure) = &lines.failure {
            quality.notes.push(damaged(failure));
        } else if lines.ends_within {
            let text = "the dump ends inside of a line: it was cut, and what came after is missing";
            quality.notes.push(Note::new(Severity::Error, "line-cut", text).at(lines.offset()));
        }
        (quality, cut)
    }
}

/// Reads one of the messages.
pub(crate) fn read_proto(name: &str, input: impl Read, session: &mut Session) -> ArtifactQuality {
    let mut bytes = Vec::new();
    let failure = input.take(MAX_STATISTICS_PROTO).read_to_end(&mut bytes).err();
    let artifact = session.qualities.len();
    let builder = &mut session.builder;
    let mut names = std::mem::take(&mut builder.names);
    let found: Findings =
        proto::read(&bytes, artifact, &mut names, &mut |package| builder.tasks().package(package));
    builder.names = names;
    let mut quality = quality(name, found.form, bytes.len() as u64);
    if bytes.len() as u64 >= MAX_STATISTICS_PROTO {
        let text = format!("longer than {MAX_STATISTICS_PROTO} bytes: the rest was not read");
        quality.notes.push(Note::new(Severity::Error, "batterystats-limit", text));
    }
    if let Some(failure) = &failure {
        quality.notes.push(damaged(failure));
    }
    session.pending::<Statistics>().0.push(found);
    quality
}
