//! Columns of the tables that quality is shown in, keys of devices and windows.

use wattle_table::{Column, Free, Rows, describe};

use crate::{
    Architecture, ArtifactQuality, ClockAlignment, CpuFacts, DeviceFacts, Emulator, Note, Window,
};

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
        Column::maybe_count(
            "ignored_bytes",
            "bytes of records of unknown kinds or damaged ones",
            |row: &ArtifactQuality| row.ignored_bytes
        )
        .optional(),
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

describe!(
    Window,
    "window",
    "a stretch of time, nanoseconds of the recording's clock",
    [
        Column::integer("start", "first instant", |row: &Window| row.start.value()),
        Column::integer("end", "first instant after it", |row: &Window| row.end.value()),
    ]
);

describe!(
    DeviceFacts,
    "device",
    "the device, as it names itself",
    [
        Column::maybe_text("fingerprint", "fingerprint of its build", |row: &DeviceFacts| row
            .fingerprint
            .as_deref())
        .optional(),
        Column::maybe_text("manufacturer", "its manufacturer", |row: &DeviceFacts| row
            .manufacturer
            .as_deref())
        .optional(),
        Column::maybe_text("model", "its model", |row: &DeviceFacts| row.model.as_deref())
            .optional(),
        Column::maybe_text("codename", "its code name", |row: &DeviceFacts| row
            .codename
            .as_deref())
        .optional(),
        Column::maybe_text("soc", "its SoC", |row: &DeviceFacts| row.soc.as_deref()).optional(),
        Column::maybe_text(
            "guest_soc",
            "SoC of the host under which this guest ran",
            |row: &DeviceFacts| row.guest_soc.as_deref()
        )
        .optional(),
        Column::maybe_text("board", "its board", |row: &DeviceFacts| row.board.as_deref())
            .optional(),
        Column::maybe_text(
            "hardware",
            "its hardware, as the kernel names it",
            |row: &DeviceFacts| { row.hardware.as_deref() }
        )
        .optional(),
        Column::word(
            "architecture",
            "its instruction set",
            Architecture::WORDS,
            |row: &DeviceFacts| row.architecture.as_ref().map(|it| it as &dyn Free)
        )
        .optional(),
        Column::word(
            "emulator",
            "the virtual device that it says it is",
            Emulator::WORDS,
            |row: &DeviceFacts| row.emulator.as_ref().map(|it| it as &dyn Free)
        )
        .optional(),
        Column::maybe_id("sdk", "Android SDK level", |row: &DeviceFacts| row.sdk).optional(),
        Column::word(
            "system",
            "the operating system",
            &["android", "linux", "windows"],
            |row: &DeviceFacts| row.system.as_ref().map(|it| it as &dyn Free)
        )
        .optional(),
        Column::maybe_text(
            "kernel",
            "kernel release and machine, or version and build of Windows",
            |row: &DeviceFacts| row.kernel.as_deref()
        )
        .optional(),
        Column::maybe_list::<CpuFacts>(
            "cpus",
            "its CPUs, in the kernel's order",
            |row: &DeviceFacts| row.cpus.some()
        ),
    ]
);

describe!(
    CpuFacts,
    "device_cpu",
    "a CPU, as it describes itself",
    [
        Column::maybe_text("processor", "processor line of /proc/cpuinfo", |row: &CpuFacts| row
            .processor
            .as_deref())
        .optional(),
        Column::whole_numbers(
            "frequencies",
            "frequencies it can run at, ascending, hertz",
            |row: &CpuFacts| (!row.frequencies.is_empty()).then_some(&row.frequencies as &dyn Free)
        )
        .optional(),
        Column::maybe_id(
            "capacity",
            "relative capacity, 1024 for the largest core",
            |row: &CpuFacts| { row.capacity }
        )
        .optional(),
    ]
);
