//! Calls, lines of calls and places, by one run's ledger.

use std::io::Write;

use serde::Serialize;
use wattle_ledger::{CallEnergies, Ledger};

use super::{CallRecord, DIGEST_FORMAT, DigestError};

/// The most edges that are written, those of most energy.
const MOST_EDGES: usize = 200_000;

/// Writes what a ledger says of calls, lines of calls and places.
pub fn write_calls(ledger: &Ledger, output: &mut dyn Write) -> Result<(), DigestError> {
    let CallEnergies { edges, lines, places } = CallEnergies::new(ledger);
    write_line(output, &CallRecord::Format(DIGEST_FORMAT))?;
    for edge in edges.into_iter().take(MOST_EDGES) {
        write_line(output, &CallRecord::Edge(edge))?;
    }
    for line in lines {
        write_line(output, &CallRecord::Line(line))?;
    }
    for place in places {
        write_line(output, &CallRecord::Place(place))?;
    }
    Ok(())
}

/// Writes a record as a line.
pub(super) fn write_line<R: Serialize>(
    output: &mut dyn Write,
    record: &R,
) -> Result<(), DigestError> {
    serde_json::to_writer(&mut *output, record).map_err(std::io::Error::from)?;
    output.write_all(b"\n")?;
    Ok(())
}
