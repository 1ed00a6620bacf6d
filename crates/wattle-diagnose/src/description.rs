//! Keys of a diagnosis in JSON, in the order in which they are written.

use serde::{Serialize, Serializer};
use wattle_power::ModelFacts;
use wattle_table::{Column, Declared, Row, describe};
use wattle_timeline::{DeviceFacts, Note, Window};
use wattle_units::Estimate;

use crate::{
    AcceptedFinding, CommonStack, Diagnosis, DiskRow, Finding, IdleIntervals, Region,
    RegionOptions, RuleCoverage, SCHEMA, StackFrame, StackGroup, StackOptions, Subject, ThreadUse,
    UseChart, UseLine,
};

impl Serialize for Diagnosis {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}

/// An estimate as a row.
pub(crate) fn estimate(energy: Option<&Estimate>) -> Option<&dyn Row> {
    energy.map(|it| it as &dyn Row)
}

describe!(
    Diagnosis,
    "diagnosis",
    "Needless energy use in a recording. Words are explained in docs/diagnosis-output.md.",
    [
        Column::text("schema", "name and version of the JSON form", |row: &Diagnosis| &row.schema)
            .words(&[SCHEMA]),
        Column::texts("artifacts", "the recording's input files", |row: &Diagnosis| &row.artifacts),
        Column::object::<DeviceFacts>("device", "the recorded device", |row: &Diagnosis| &row
            .device),
        Column::integer(
            "origin",
            "beginning of the recording, nanoseconds of its clock",
            |row: &Diagnosis| row.origin.value()
        ),
        Column::object::<Window>("window", "the examined stretch of time", |row: &Diagnosis| &row
            .window),
        Column::maybe_object::<ModelFacts>(
            "model",
            "the device model behind energies; absent if there is none",
            |row: &Diagnosis| row.model.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::object::<IdleIntervals>(
            "idle",
            "time in which the app should have done nothing",
            |row: &Diagnosis| &row.idle
        ),
        Column::object::<RegionOptions>(
            "region_options",
            "options with which regions were found",
            |row: &Diagnosis| &row.region_options
        ),
        Column::object::<StackOptions>(
            "stack_options",
            "options with which stacks were compared",
            |row: &Diagnosis| &row.stack_options
        ),
        Column::list::<Subject>(
            "subjects",
            "examined processes, most CPU time first",
            |row: &Diagnosis| &row.subjects
        ),
        Column::list::<ThreadUse>(
            "threads",
            "their threads, most CPU time first",
            |row: &Diagnosis| { &row.threads }
        ),
        Column::list::<Region>("regions", "regions, highest CPU use first", |row: &Diagnosis| {
            &row.regions
        }),
        Column::list::<StackGroup>(
            "groups",
            "regions by common stack, highest mean CPU use first",
            |row: &Diagnosis| &row.groups
        ),
        Column::list::<DiskRow>(
            "disk",
            "disk operations of those threads, in order of time",
            |row: &Diagnosis| &row.disk
        ),
        Column::object::<RuleCoverage>("rules", "how many rules could look", |row: &Diagnosis| {
            &row.rules
        }),
        Column::list::<Finding>(
            "findings",
            "findings, the most severe first",
            |row: &Diagnosis| { &row.findings }
        ),
        Column::list::<AcceptedFinding>(
            "accepted",
            "findings that somebody accepts: not counted",
            |row: &Diagnosis| &row.accepted
        ),
        Column::object::<UseChart>("chart", "CPU use over time", |row: &Diagnosis| &row.chart),
        Column::list::<Note>(
            "notes",
            "data that was lost, guessed or could not be examined",
            |row: &Diagnosis| &row.notes
        ),
    ]
);

describe!(
    RuleCoverage,
    "rules",
    "how many rules could look",
    [
        Column::count("looked", "rules that looked", |row: &RuleCoverage| row.looked.into()),
        Column::count(
            "without_data",
            "rules whose data the recording does not have",
            |row: &RuleCoverage| row.without_data.into()
        ),
        Column::count(
            "without_idle",
            "rules about idle time, where none is known",
            |row: &RuleCoverage| row.without_idle.into()
        ),
    ]
);

describe!(
    IdleIntervals,
    "idle",
    "time in which the app should have done nothing",
    [
        Column::word(
            "source",
            "given by the user, found in the recording, the whole recording as the user asked, or unknown: then all of the recording is looked at, and rules about idle time are not",
            &["given", "found", "whole", "unknown"],
            |row: &IdleIntervals| Some(&row.source)
        ),
        Column::list::<Window>(
            "windows",
            "in order of time, none touching another",
            |row: &IdleIntervals| { &row.windows }
        ),
        Column::list::<Window>(
            "still",
            "those parts of them in which rules about idle time look: nothing was loading, and no picture moved",
            |row: &IdleIntervals| { &row.still }
        ),
        Column::text("why", "a sentence on how they were found", |row: &IdleIntervals| &row.why),
    ]
);

describe!(
    RegionOptions,
    "region_options",
    "options with which regions were found",
    [
        Column::integer(
            "cluster_gap",
            "a cluster ends where the next event is further away, nanoseconds",
            |row: &RegionOptions| row.cluster_gap.value()
        ),
        Column::number(
            "cluster_gap_medians",
            "and further than this many times the thread's median time between events",
            |row: &RegionOptions| row.cluster_gap_medians
        ),
        Column::integer(
            "window",
            "length of the sliding window, nanoseconds",
            |row: &RegionOptions| { row.window.value() }
        ),
        Column::number(
            "overlap",
            "part of a window that the next one covers again",
            |row: &RegionOptions| row.overlap
        ),
        Column::number(
            "thread_factor",
            "least CPU use of a window, in means of the thread",
            |row: &RegionOptions| row.thread_factor
        ),
        Column::number(
            "process_factor",
            "least CPU use of a window, in means of a thread of the process",
            |row: &RegionOptions| row.process_factor
        ),
        Column::number(
            "repetition_factor",
            "least rate of events, in means of the thread",
            |row: &RegionOptions| row.repetition_factor
        ),
        Column::number(
            "single_deviations",
            "a single event is a region from this many standard deviations above the mean on",
            |row: &RegionOptions| row.single_deviations
        ),
        Column::number(
            "single_factor",
            "and from this many times the mean on",
            |row: &RegionOptions| row.single_factor
        ),
        Column::number(
            "least_cpu_use",
            "windows with less CPU use do not qualify by use, 1 is one core",
            |row: &RegionOptions| row.least_cpu_use
        ),
        Column::id(
            "least_events",
            "windows with fewer events do not qualify by use",
            |row: &RegionOptions| row.least_events
        ),
        Column::number(
            "significance",
            "least distance from the events that chance makes, in standard deviations",
            |row: &RegionOptions| row.significance
        ),
        Column::number(
            "hot_cpu_use",
            "a window with this CPU use always qualifies, 1 is one core",
            |row: &RegionOptions| row.hot_cpu_use
        ),
        Column::number(
            "storm_rate",
            "a window with this many events per second always qualifies",
            |row: &RegionOptions| row.storm_rate
        ),
        Column::id(
            "regular_events",
            "successive times between wake-ups that are compared for regularity",
            |row: &RegionOptions| row.regular_events
        ),
        Column::number(
            "regular_share",
            "part of them that must be near their median",
            |row: &RegionOptions| row.regular_share
        ),
        Column::number(
            "regular_tolerance",
            "largest distance from the median, as a part of it",
            |row: &RegionOptions| row.regular_tolerance
        ),
        Column::integer(
            "longest_period",
            "longest median of regular wake-ups, nanoseconds",
            |row: &RegionOptions| row.longest_period.value()
        ),
        Column::integer(
            "single_least",
            "least length of a single event that is a region, nanoseconds",
            |row: &RegionOptions| row.single_least.value()
        ),
        Column::id("most_regions", "number of regions listed", |row: &RegionOptions| row
            .most_regions),
    ]
);

describe!(
    StackOptions,
    "stack_options",
    "options with which stacks were compared",
    [Column::number(
        "majority",
        "part of the stacks that a majority prefix is of",
        |row: &StackOptions| row.majority
    )]
);

describe!(
    Subject,
    "subject",
    "an examined process",
    [
        Column::maybe_id(
            "process",
            "number in the timeline; absent where the recording names no process of a thread",
            |row: &Subject| row.process.map(|it| it.0)
        )
        .optional(),
        Column::id("pid", "the kernel's number", |row: &Subject| row.pid.0),
        Column::maybe_text("name", "its name", |row: &Subject| row.name.as_deref()).optional(),
        Column::maybe_text("package", "its package, if it is of an app", |row: &Subject| {
            row.package.as_deref()
        })
        .optional(),
        Column::maybe_id("uid", "its user id", |row: &Subject| row.uid.map(|it| it.0)).optional(),
        Column::integer(
            "cpu",
            "time of its threads on CPUs in the examined time, nanoseconds",
            |row: &Subject| row.cpu.value()
        ),
        Column::count("events", "events of its threads in that time", |row: &Subject| row.events),
        Column::maybe_object::<Estimate>(
            "energy",
            "energy of its threads in that time; absent where no energy is known",
            |row: &Subject| estimate(row.energy.as_ref())
        )
        .optional(),
    ]
);

describe!(
    ThreadUse,
    "thread",
    "an examined thread",
    [
        Column::id("thread", "number in the timeline", |row: &ThreadUse| row.thread.0),
        Column::id("subject", "its process, an index into subjects", |row: &ThreadUse| row.subject),
        Column::id("tid", "the kernel's number", |row: &ThreadUse| row.tid.0),
        Column::maybe_text("name", "its name", |row: &ThreadUse| row.name.as_deref()).optional(),
        Column::integer("cpu", "time on CPUs, nanoseconds", |row: &ThreadUse| row.cpu.value()),
        Column::number(
            "cpu_use",
            "the same as a part of the time; 1 is one core all the time",
            |row: &ThreadUse| row.cpu_use
        )
        .at_least(0.0),
        Column::count("events", "its events", |row: &ThreadUse| row.events),
        Column::number("events_per_second", "its rate of events", |row: &ThreadUse| {
            row.events_per_second
        }),
        Column::number("wakeups_per_second", "its rate of wake-ups", |row: &ThreadUse| {
            row.wakeups_per_second
        }),
        Column::maybe_object::<Estimate>(
            "energy",
            "its energy in that time; absent where no energy is known",
            |row: &ThreadUse| estimate(row.energy.as_ref())
        )
        .optional(),
    ]
);

describe!(
    StackFrame,
    "frame",
    "a frame of a stack",
    [
        Column::text("text", "module!function, module+0x1a2b or an address", |row: &StackFrame| {
            &row.text
        }),
        Column::maybe_text("source", "file and line", |row: &StackFrame| row.source.as_deref())
            .optional(),
    ]
);

describe!(
    CommonStack,
    "common_stack",
    "frames that the stacks of a region have in common, outermost frame first",
    [
        Column::list::<StackFrame>(
            "strict",
            "frames with which all stacks begin; empty if there is no common stack",
            |row: &CommonStack| &row.strict
        ),
        Column::list::<StackFrame>(
            "majority",
            "frames with which most stacks begin",
            |row: &CommonStack| &row.majority
        ),
        Column::number(
            "majority_share",
            "part of the stacks that begin with all of majority",
            |row: &CommonStack| row.majority_share
        )
        .at_least(0.0),
        Column::count("stacks", "number of stacks", |row: &CommonStack| row.stacks),
        Column::count(
            "switch_stacks",
            "those taken at switches; the others are samples",
            |row: &CommonStack| { row.switch_stacks }
        ),
    ]
);

describe!(
    Region,
    "region",
    "a stretch of time in which a thread was busy again and again",
    [
        Column::id("thread", "its thread, an index into threads", |row: &Region| row.thread),
        Column::object::<Window>("window", "its beginning and end", |row: &Region| &row.window),
        Column::word(
            "kind",
            "criterion by which it was found",
            &["cluster", "single-event"],
            |row: &Region| Some(&row.kind)
        ),
        Column::count("events", "events of the thread in it", |row: &Region| row.events),
        Column::number(
            "share_of_process",
            "its events among all of its process",
            |row: &Region| { row.share_of_process }
        )
        .at_least(0.0),
        Column::number("share_of_machine", "its events among all", |row: &Region| {
            row.share_of_machine
        })
        .at_least(0.0),
        Column::integer("cpu", "time on CPUs, nanoseconds", |row: &Region| row.cpu.value()),
        Column::number("cpu_use", "the same as a part of one core's time", |row: &Region| row
            .cpu_use)
        .at_least(0.0),
        Column::number(
            "cpu_use_of_machine",
            "the same as a part of all cores' time",
            |row: &Region| row.cpu_use_of_machine
        )
        .at_least(0.0),
        Column::maybe_integer(
            "mean_interval",
            "mean time from one event to the next, nanoseconds",
            |row: &Region| row.mean_interval.map(wattle_units::Nanos::value)
        )
        .optional(),
        Column::maybe_number(
            "interval_variation",
            "standard deviation of those times by their mean",
            |row: &Region| row.interval_variation
        )
        .at_least(0.0)
        .optional(),
        Column::maybe_integer(
            "period",
            "time after which most events come again, nanoseconds",
            |row: &Region| row.period.map(wattle_units::Nanos::value)
        )
        .optional(),
        Column::maybe_number(
            "period_share",
            "part of the events that come again after that time",
            |row: &Region| row.period_share
        )
        .at_least(0.0)
        .optional(),
        Column::number("wakeups_per_second", "the thread's rate of wake-ups", |row: &Region| {
            row.wakeups_per_second
        }),
        Column::maybe_object::<Estimate>(
            "energy",
            "energy of the thread in it; absent where no energy is known",
            |row: &Region| estimate(row.energy.as_ref())
        )
        .optional(),
        Column::maybe_number("watts", "the same by time, watts", |row: &Region| row.watts)
            .optional(),
        Column::maybe_object::<Estimate>(
            "saved",
            "potential saving had the thread slept",
            |row: &Region| estimate(row.saved.as_ref())
        )
        .optional(),
        Column::object::<CommonStack>("stack", "common beginning of its stacks", |row: &Region| {
            &row.stack
        }),
        Column::id("group", "its group, an index into groups", |row: &Region| row.group),
    ]
);

describe!(
    StackGroup,
    "group",
    "regions with one common stack",
    [
        Column::list::<StackFrame>(
            "stack",
            "the stack, outermost frame first",
            |row: &StackGroup| { &row.stack }
        ),
        Column::ids(
            "regions",
            "indices into regions, highest CPU use first",
            |row: &StackGroup| &row.regions
        ),
        Column::number("cpu_use", "mean CPU use of the regions", |row: &StackGroup| row.cpu_use)
            .at_least(0.0),
        Column::maybe_object::<Estimate>("energy", "energy of the regions", |row: &StackGroup| {
            estimate(row.energy.as_ref())
        })
        .optional(),
        Column::maybe_object::<Estimate>("saved", "potential saving", |row: &StackGroup| {
            estimate(row.saved.as_ref())
        })
        .optional(),
    ]
);

describe!(
    DiskRow,
    "disk",
    "an operation of a disk",
    [
        Column::id("thread", "its thread, an index into threads", |row: &DiskRow| row.thread),
        Column::text("kind", "Read, Write or Flush", |row: &DiskRow| &row.kind),
        Column::object::<Window>("window", "its beginning and completion", |row: &DiskRow| &row
            .window),
        Column::flag("begin_seen", "whether its beginning was recorded", |row: &DiskRow| {
            row.begin_seen
        }),
        Column::flag("end_seen", "whether its completion was recorded", |row: &DiskRow| row
            .end_seen),
        Column::maybe_integer(
            "service",
            "time that the disk itself took, nanoseconds",
            |row: &DiskRow| row.service.map(wattle_units::Nanos::value)
        )
        .optional(),
        Column::maybe_count("bytes", "size", |row: &DiskRow| row.bytes).optional(),
        Column::maybe_text("path", "the file", |row: &DiskRow| row.path.as_deref()).optional(),
        Column::maybe_id(
            "region",
            "the region that it began in, an index into regions",
            |row: &DiskRow| { row.region }
        )
        .optional(),
    ]
);

describe!(
    UseChart,
    "chart",
    "CPU use over time",
    [
        Column::object::<Window>("window", "the window that the bins cover", |row: &UseChart| &row
            .window),
        Column::id("bins", "number of bins of each line", |row: &UseChart| row.bins),
        Column::list::<UseLine>(
            "lines",
            "first the sum of all threads, then the busiest threads",
            |row: &UseChart| &row.lines
        ),
    ]
);

describe!(
    UseLine,
    "line",
    "CPU use of one thread, or of all",
    [
        Column::maybe_id(
            "thread",
            "an index into threads; absent for the sum of all",
            |row: &UseLine| row.thread
        )
        .optional(),
        Column::singles("cpu_use", "by bin, 1 is one core all the time", |row: &UseLine| &row
            .cpu_use),
    ]
);
