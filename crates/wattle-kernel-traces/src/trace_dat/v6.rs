//! Files of version 6: everything in one fixed order.

use super::file_options::{self, id};
use crate::tracepoints::{Contents, formats, header_info, long_text, short_text, systems};
use wattle_wire::ByteCursor;

/// Finds the places of the events, and whether they are in packed pieces. Whatever was read before the end stays in the contents.
pub(super) fn read(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    header_info(cursor, contents)?;
    formats(cursor, contents)?;
    systems(cursor, contents)?;
    // Addresses of functions.
    short_text(cursor)?;
    contents.read_constants(short_text(cursor)?);
    contents.read_comms(long_text(cursor)?);
    let mut cpus = cursor.u32()?;
    let mut kind = cursor.take(10)?;
    if kind == b"options  \0" {
        loop {
            let option = cursor.u16()?;
            if option == id::DONE {
                break;
            }
            let data = short_text(cursor)?;
            match option {
                id::BUFFER | id::BUFFER_TEXT => contents.instances += 1,
                id::CPUCOUNT => {
                    cpus = ByteCursor::new(data, 0, contents.order).u32().unwrap_or(cpus);
                }
                other => file_options::common(other, data, contents),
            }
        }
        kind = cursor.take(10)?;
    }
    match kind {
        b"flyrecord\0" => {
            for cpu in 0..cpus {
                contents.cpus.push(file_options::cpu_data(cursor, cpu)?);
            }
        }
        b"latency  \0" => contents.latency = Some(cursor.at..cursor.bytes.len()),
        _ => return None,
    }
    Some(())
}
