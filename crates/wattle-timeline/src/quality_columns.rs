//! Columns of the tables that quality is shown in.

use wattle_table::{Column, describe};

use crate::{ArtifactQuality, ClockAlignment, Note};

describe!(
    Note,
    "note",
    "something a reader of the figures should know",
    [
        Column::word(
            "severity",
            "how much it matters",
            &["info", "warning", "error"],
            |row: &Note| { Some(&row.severity) }
        ),
        Column::text("code", "stable key", |row: &Note| &row.code),
        Column::text("text", "a sentence", |row: &Note| &row.text),
        Column::count("count", "how often it happened", |row: &Note| row.count),
        Column::maybe_count("offset", "byte offset of the first time", |row: &Note| row.offset)
            .optional(),
    ]
);

describe!(
    ArtifactQuality,
    "artifact_quality",
    "what was read of one input file",
    [
        Column::text("name", "file name", |row: &ArtifactQuality| &row.name),
        Column::text("format", "format", |row: &ArtifactQuality| &row.format),
        Column::count("bytes", "size, unpacked", |row: &ArtifactQuality| row.bytes),
        Column::count("records", "packets or records", |row: &ArtifactQuality| row.records),
        Column::tally("events", "events that were used, by kind", |row: &ArtifactQuality| &row
            .events),
        Column::tally(
            "unread",
            "records and events that no reader uses, by kind",
            |row: &ArtifactQuality| &row.unread
        ),
        Column::count("lost_events", "events the recorder lost", |row: &ArtifactQuality| row
            .lost_events),
        Column::list::<Note>("notes", "notes", |row: &ArtifactQuality| &row.notes),
    ]
);

describe!(
    ClockAlignment,
    "alignment",
    "how an input file's clock was brought to boot time",
    [
        Column::text("artifact", "the input file", |row: &ClockAlignment| &row.artifact),
        Column::text("clock", "its clock", |row: &ClockAlignment| &row.clock),
        Column::text("by", "by what", |row: &ClockAlignment| &row.by),
        Column::integer(
            "offset_ns",
            "nanoseconds to add at its beginning",
            |row: &ClockAlignment| row.offset_ns
        ),
        Column::maybe_integer("drift_ppb", "drift in parts per billion", |row: &ClockAlignment| {
            row.drift_ppb
        })
        .optional(),
        Column::maybe_integer(
            "residual_ns",
            "the largest error of a time, nanoseconds",
            |row: &ClockAlignment| { row.residual_ns }
        )
        .optional(),
        Column::id("readings", "how many readings it rests on", |row: &ClockAlignment| row
            .readings),
    ]
);
