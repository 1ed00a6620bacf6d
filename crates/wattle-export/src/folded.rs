//! Collapsed stacks: a line for each stack, `process;thread;frame;frame 123`, as Brendan Gregg's `flamegraph.pl` and all that came
//! after it read them.

use std::io::Write;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::stack_frames::{FrameKind, Frames};
use crate::{EnergyUnit, ExportError, Extract, Sheet, display_names};

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "folded",
    endings: &[".folded", ".collapsed"],
    endings_note: None,
    description: "flamegraph.pl and its kin; microjoules",
    content_type: "text/plain",
    is_binary: false,
    times: Times::None,
    unit: Some(EnergyUnit::Microjoules),
    write: FormatWriter::Whole(|extract, options, to| {
        write(extract, FORMAT.unit(options), options.annotate, to)
    }),
};

/// Writes it. Stacks whose energy rounds to 0 have no line.
///
/// With `annotate`, names end as `flamegraph.pl --color=java` wants them: `_[j]` code compiled while the app ran, `_[i]` inlined,
/// `_[k]` the kernel.
pub fn write(
    extract: &Extract<'_>,
    unit: EnergyUnit,
    annotate: bool,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let frames = Frames::new(ledger);
    let shown: Vec<String> = frames
        .frames()
        .iter()
        .map(|frame| {
            let name = display_names::plain(&frame.name, &[';']);
            let mark = match frame.kind {
                _ if !annotate => "",
                _ if frame.is_inlined => "_[i]",
                FrameKind::Sampled(wattle_ledger::FrameClass::Kernel) => "_[k]",
                FrameKind::Sampled(wattle_ledger::FrameClass::Jit) => "_[j]",
                _ => "",
            };
            name + mark
        })
        .collect();
    let threads: Vec<String> = ledger
        .rows
        .threads
        .iter()
        .map(|thread| {
            let process = ledger.rows.processes.get(thread.process as usize);
            let process =
                process.map_or_else(|| "unknown process".to_owned(), display_names::process);
            let thread = display_names::thread(thread);
            format!(
                "{};{};",
                display_names::plain(&process, &[';']),
                display_names::plain(&thread, &[';'])
            )
        })
        .collect();
    let mut stack = Vec::new();
    for row in Sheet::new(extract, unit).rows() {
        let sum = row.sum();
        if sum == 0 {
            continue;
        }
        if let Some(prefix) = row.payer.thread(ledger).and_then(|id| threads.get(id as usize)) {
            to.write_all(prefix.as_bytes())?;
        }
        frames.stack(row.payer, &mut stack);
        for (index, frame) in stack.iter().enumerate() {
            if index > 0 {
                to.write_all(b";")?;
            }
            let name = shown.get(frame.0 as usize).map_or("", String::as_str);
            // A name that ends the stack and is empty would leave the number where a name is.
            to.write_all(if name.trim().is_empty() { b"[unnamed]" } else { name.as_bytes() })?;
        }
        writeln!(to, " {sum}")?;
    }
    Ok(())
}
