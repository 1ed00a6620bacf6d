//! The fuzz targets, and the form of their inputs. Read by this program and by `cargo xtask fuzz`.

/// The parts that a mutator takes an input apart into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Structure {
    Bytes,
    /// Binary XML of Android.
    Axml,
    Dex,
    Etl,
    PerfData,
    /// Protobuf messages within each other.
    Protobuf,
    /// Entries, and what is in them.
    Zip,
}

/// A body in `fuzz/bodies/`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of its file.
    pub name: &'static str,
    pub structure: Structure,
    /// Folders of real recordings, or beginnings of their paths, whose small files are its first inputs.
    pub seeds: &'static [&'static str],
}

const fn target(
    name: &'static str,
    structure: Structure,
    seeds: &'static [&'static str],
) -> Target {
    Target { name, structure, seeds }
}

pub const TARGETS: &[Target] = &[
    target("apk_archive", Structure::Zip, &["apk", "etl"]),
    target("apk_manifest", Structure::Axml, &["apk"]),
    target("apk_signatures", Structure::Zip, &["apk"]),
    target("art_trace_reader", Structure::Bytes, &["art_trace"]),
    target("batterystats_reader", Structure::Bytes, &["batterystats", "bugreport"]),
    target("counters_reader", Structure::Bytes, &["navitas_logs"]),
    target("dex_reader", Structure::Dex, &["dex"]),
    target("dex_verifier", Structure::Dex, &["dex"]),
    target("dex_writer", Structure::Dex, &["dex"]),
    target("etl_reader", Structure::Etl, &["etl"]),
    target("ftrace_reader", Structure::Bytes, &["systrace"]),
    target("logcat_reader", Structure::Bytes, &["logcat", "navitas_logs"]),
    target("meter_reader", Structure::Bytes, &["power_meter"]),
    target("navitas_reader", Structure::Bytes, &["navitas_logs"]),
    target("oat_reader", Structure::Bytes, &["dex"]),
    target("perf_data_reader", Structure::PerfData, &["perfdata"]),
    target("perfetto_reader", Structure::Protobuf, &["perfetto"]),
    target("probes_reader", Structure::Bytes, &["logcat"]),
    target("proc_reader", Structure::Bytes, &["navitas_logs", "batterystats"]),
    target("stack_texts_reader", Structure::Bytes, &["perf_script"]),
    target("symbols", Structure::Bytes, &["perfdata", "dex"]),
    target("trace_dat_reader", Structure::Bytes, &["systrace"]),
    target("wire_cursor", Structure::Protobuf, &["perfetto"]),
];
