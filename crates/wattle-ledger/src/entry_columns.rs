//! Columns of the tables that entries of a ledger are shown in.

use wattle_table::{Column, PROVENANCES, describe};
use wattle_units::Joules;

use crate::{ApiTableEntry, ArtifactEntry, TransferEntry};

describe!(
    ArtifactEntry,
    "artifact",
    "an input file of the recording",
    [
        Column::text("name", "file name", |row: &ArtifactEntry| &row.name),
        Column::text("format", "format", |row: &ArtifactEntry| &row.format),
        Column::count("bytes", "size", |row: &ArtifactEntry| row.bytes),
    ]
);

describe!(TransferEntry, "transfer", "bytes of an interface or disk", [
    Column::text("device", "interface or disk", |row: &TransferEntry| &row.device).label("device").elastic(),
    Column::text("component", "what it is a part of", |row: &TransferEntry| row.component.name())
        .label("component")
        .soft(),
    Column::bytes("counted", "bytes in both directions by its counters", |row: &TransferEntry| row.counted)
        .at_least(0.0)
        .label("counted")
        .strong(),
    Column::bytes(
        "shared",
        "bytes that calls were given by the time for which they ran",
        |row: &TransferEntry| row.shared
    )
    .at_least(0.0)
    .label("by time"),
    Column::share("shared_error", "part of what was counted that no call was given by time", |row: &TransferEntry| {
        row.shared_error
    })
    .at_least(0.0)
    .optional()
    .label("error")
    .soft(),
    Column::maybe_bytes(
        "hooked",
        "bytes that probes saw calls move; absent where no probe saw any",
        |row: &TransferEntry| row.hooked
    )
    .at_least(0.0)
    .optional()
    .label("by probes"),
    Column::share("hooked_error", "the same by what probes saw", |row: &TransferEntry| row.hooked_error)
        .at_least(0.0)
        .optional()
        .label("error")
        .soft(),
    Column::maybe_number(
        "allocation_error",
        "variance over calls of what a call moved less what it was given by time, bytes squared; absent without both",
        |row: &TransferEntry| row.allocation_error
    )
    .at_least(0.0)
    .optional(),
    Column::maybe_bytes("allocation_deviation", "its square root", |row: &TransferEntry| {
        row.allocation_error.map(f64::sqrt)
    })
    .hidden()
    .label("apart a call"),
    Column::count("calls", "calls", |row: &TransferEntry| row.calls).label("calls").ungrouped(),
    Column::count("intervals", "between samples, of all its counters", |row: &TransferEntry| row.intervals),
    Column::count(
        "without_call",
        "intervals in which something was counted while nobody called",
        |row: &TransferEntry| row.without_call
    ),
    Column::count("resets", "intervals in which a counter fell", |row: &TransferEntry| row.resets),
]);

describe!(
    ApiTableEntry,
    "api_table",
    "a table of costs",
    [
        Column::text("name", "name", |row: &ApiTableEntry| &row.name),
        Column::text("source", "where its figures come from", |row: &ApiTableEntry| &row.source),
        Column::word(
            "provenance",
            "where its figures come from",
            PROVENANCES,
            |row: &ApiTableEntry| { Some(&row.provenance) }
        ),
        Column::count("methods", "how many methods it has", |row: &ApiTableEntry| row.methods),
        Column::maybe_number(
            "greedy_above",
            "what costs more a call is energy-greedy, joules; null for tables that are too small",
            |row: &ApiTableEntry| row.greedy_above.map(Joules::value)
        ),
    ]
);
