//! speedscope's own JSON: <https://www.speedscope.app/file-format-schema.json>.
//!
//! One sampled profile a thread, and one of what no thread drew. Weights are energy. The schema knows times and bytes as units, and
//! `none`, which is the honest one; the unit is in the profiles' names.

use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer as _};

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::stack_frames::Frames;
use crate::{EnergyUnit, ExportError, Extract, FrameId, Sheet, display_names, remarks};

#[derive(Serialize)]
struct FrameJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Default)]
struct Profile {
    name: String,
    stacks: Vec<Vec<FrameId>>,
    weights: Vec<i64>,
}

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "speedscope",
    endings: &[".speedscope.json"],
    endings_note: None,
    description: "speedscope",
    content_type: "application/json",
    is_binary: false,
    times: Times::None,
    unit: Some(EnergyUnit::Nanojoules),
    write: FormatWriter::Whole(|extract, options, to| write(extract, FORMAT.unit(options), to)),
};

/// Writes it.
pub fn write(
    extract: &Extract<'_>,
    unit: EnergyUnit,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let frames = Frames::new(ledger);
    write!(
        to,
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":{},\"name\":{},\"activeProfileIndex\":0,\"shared\":{{\"frames\":",
        serde_json::to_string(&format!("wattle {}", env!("CARGO_PKG_VERSION")))?,
        serde_json::to_string(&format!("{} energy in {unit}", remarks::title(ledger)))?,
    )?;
    let mut json = serde_json::Serializer::new(&mut *to);
    let mut seq = json.serialize_seq(None)?;
    for frame in frames.frames() {
        let file = frame.file.or(frame.mapping);
        seq.serialize_element(&FrameJson { name: &frame.name, file, line: frame.line })?;
    }
    seq.end()?;
    to.write_all(b"},\"profiles\":[")?;
    for (index, profile) in profiles(extract, unit, &frames).iter().enumerate() {
        if index > 0 {
            to.write_all(b",")?;
        }
        write_profile(profile, to)?;
    }
    to.write_all(b"]}\n")?;
    Ok(())
}

/// A profile a thread, those with the most energy first, then the accounts without a thread.
fn profiles(extract: &Extract<'_>, unit: EnergyUnit, frames: &Frames<'_>) -> Vec<Profile> {
    let ledger = extract.ledger();
    let mut threads: Vec<Profile> = Vec::new();
    threads.resize_with(ledger.rows.threads.len(), Profile::default);
    let mut others = Profile { name: format!("no thread ({unit})"), ..Profile::default() };
    for row in Sheet::new(extract, unit).rows() {
        let sum = row.sum();
        if sum == 0 {
            continue;
        }
        let thread = row.payer.thread(ledger).and_then(|id| threads.get_mut(id as usize));
        let profile = thread.unwrap_or(&mut others);
        let mut stack = Vec::new();
        frames.stack(row.payer, &mut stack);
        profile.stacks.push(stack);
        profile.weights.push(sum);
    }
    for (entry, profile) in ledger.rows.threads.iter().zip(&mut threads) {
        let process = ledger.rows.processes.get(entry.process as usize).map(display_names::process);
        let process = process.unwrap_or_else(|| "unknown process".to_owned());
        profile.name =
            format!("{process}: {} {} ({unit})", display_names::thread(entry), entry.tid);
    }
    threads.sort_by_key(|profile| std::cmp::Reverse(profile.weights.iter().sum::<i64>()));
    threads.push(others);
    threads.retain(|profile| !profile.weights.is_empty());
    threads
}

fn write_profile(profile: &Profile, to: &mut dyn Write) -> Result<(), ExportError> {
    let end: i64 = profile.weights.iter().sum();
    write!(
        to,
        "{{\"type\":\"sampled\",\"name\":{},\"unit\":\"none\",\"startValue\":0,\"endValue\":{end},\"samples\":[",
        serde_json::to_string(&profile.name)?
    )?;
    for (index, stack) in profile.stacks.iter().enumerate() {
        to.write_all(if index > 0 { b",[" } else { b"[" })?;
        for (index, frame) in stack.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(to, "{comma}{}", frame.0)?;
        }
        to.write_all(b"]")?;
    }
    to.write_all(b"],\"weights\":")?;
    serde_json::to_writer(&mut *to, &profile.weights)?;
    to.write_all(b"}")?;
    Ok(())
}
