//! Firefox Profiler: the processed profile format, version 61 (`docs-developer/CHANGELOG-formats.md` and `src/types/profile.ts` of
//! github.com/firefox-devtools/profiler; later front ends upgrade it).
//!
//! A thread with samples each; a sample's weight is the energy of its stack. The format knows `samples`, `tracing-ms` and `bytes` as
//! kinds of weights and none of energy: they are written as `samples`, so one sample is one unit of energy, and the profile's facts
//! name the unit. Power is in counters of category `power`, in picowatt-hours, of which the front end makes watts. Findings and tests
//! are markers.

mod profile_markers;
mod profile_meta;
mod profile_threads;
mod shared;

use std::io::Write;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::stack_frames::Frames;
use crate::{EnergyUnit, ExportError, Extract, Schedule};

/// Version of the format.
pub const VERSION: u32 = 61;

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "firefox",
    endings: &[".profile.json", ".firefox.json"],
    endings_note: None,
    description: "Firefox Profiler",
    content_type: "application/json",
    is_binary: false,
    times: Times::Axis,
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
    let schedule = Schedule::new(extract, unit);
    let mut shared = shared::Shared::new(ledger, &frames);
    let threads = profile_threads::threads(extract, &frames, &schedule, &mut shared);
    to.write_all(b"{\"meta\":")?;
    serde_json::to_writer(&mut *to, &profile_meta::meta(extract, &schedule))?;
    to.write_all(b",\"libs\":")?;
    serde_json::to_writer(&mut *to, &shared.libs())?;
    to.write_all(b",\"pages\":[],\"profilerOverhead\":[],\"counters\":")?;
    serde_json::to_writer(&mut *to, &profile_threads::counters(ledger, &threads))?;
    to.write_all(b",\"threads\":[")?;
    for (index, thread) in threads.iter().enumerate() {
        if index > 0 {
            to.write_all(b",")?;
        }
        serde_json::to_writer(&mut *to, thread)?;
    }
    to.write_all(b"],\"shared\":")?;
    serde_json::to_writer(&mut *to, &shared)?;
    to.write_all(b"}\n")?;
    Ok(())
}
