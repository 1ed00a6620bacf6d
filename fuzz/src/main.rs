//! All fuzz targets in one program: `cargo xtask fuzz`. `$WATTLE_FUZZ_TARGET` names the one that runs.

#![no_main]

#[path = "../bodies/apk_archive.rs"]
mod apk_archive;
#[path = "../bodies/apk_manifest.rs"]
mod apk_manifest;
#[path = "../bodies/apk_signatures.rs"]
mod apk_signatures;
#[path = "../bodies/art_trace_reader.rs"]
mod art_trace_reader;
#[path = "../bodies/batterystats_reader.rs"]
mod batterystats_reader;
#[path = "../bodies/counters_reader.rs"]
mod counters_reader;
#[path = "../bodies/dex_reader.rs"]
mod dex_reader;
#[path = "../bodies/dex_verifier.rs"]
mod dex_verifier;
#[path = "../bodies/dex_writer.rs"]
mod dex_writer;
#[path = "../bodies/etl_reader.rs"]
mod etl_reader;
#[path = "../bodies/ftrace_reader.rs"]
mod ftrace_reader;
#[path = "../bodies/logcat_reader.rs"]
mod logcat_reader;
#[path = "../bodies/meter_reader.rs"]
mod meter_reader;
#[path = "../bodies/navitas_reader.rs"]
mod navitas_reader;
#[path = "../bodies/oat_reader.rs"]
mod oat_reader;
#[path = "../bodies/perf_data_reader.rs"]
mod perf_data_reader;
#[path = "../bodies/perfetto_reader.rs"]
mod perfetto_reader;
#[path = "../bodies/probes_reader.rs"]
mod probes_reader;
#[path = "../bodies/proc_reader.rs"]
mod proc_reader;
#[path = "../bodies/stack_texts_reader.rs"]
mod stack_texts_reader;
#[path = "../bodies/symbols.rs"]
mod symbols;
#[path = "../bodies/timeline.rs"]
mod timeline;
#[path = "../bodies/trace_dat_reader.rs"]
mod trace_dat_reader;
#[path = "../bodies/wire_cursor.rs"]
mod wire_cursor;

mod mutators;
#[allow(dead_code, reason = "the seeds are for `cargo xtask fuzz`")]
mod target_list;

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use target_list::{TARGETS, Target};
use wattle_random::SplitMix64;

type Body = fn(&[u8]);

/// The target of this run, and its body.
fn chosen() -> (Target, Body) {
    static CHOSEN: OnceLock<(Target, Body)> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("WATTLE_FUZZ_TARGET").unwrap_or_default();
        let target = TARGETS.iter().find(|target| target.name == name);
        let target = target.unwrap_or_else(|| panic!("no target {name:?}: $WATTLE_FUZZ_TARGET"));
        (*target, body(target.name))
    })
}

fn body(name: &str) -> Body {
    match name {
        "apk_archive" => apk_archive::run,
        "apk_manifest" => apk_manifest::run,
        "apk_signatures" => apk_signatures::run,
        "art_trace_reader" => art_trace_reader::run,
        "batterystats_reader" => batterystats_reader::run,
        "counters_reader" => counters_reader::run,
        "dex_reader" => dex_reader::run,
        "dex_verifier" => dex_verifier::run,
        "dex_writer" => dex_writer::run,
        "etl_reader" => etl_reader::run,
        "ftrace_reader" => ftrace_reader::run,
        "logcat_reader" => logcat_reader::run,
        "meter_reader" => meter_reader::run,
        "navitas_reader" => navitas_reader::run,
        "oat_reader" => oat_reader::run,
        "perf_data_reader" => perf_data_reader::run,
        "perfetto_reader" => perfetto_reader::run,
        "probes_reader" => probes_reader::run,
        "proc_reader" => proc_reader::run,
        "stack_texts_reader" => stack_texts_reader::run,
        "symbols" => symbols::run,
        "trace_dat_reader" => trace_dat_reader::run,
        "wire_cursor" => wire_cursor::run,
        other => panic!("the target {other} has no body"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let (_, body) = chosen();
    body(bytes);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let (target, _) = chosen();
    let mut random = SplitMix64::new(u64::from(seed));
    // What coverage and comparisons have taught the engine, in parts, too.
    let mut plain = |part: &mut Vec<u8>| {
        let size = part.len();
        part.resize((size + size / 4 + 32).min(max_size.max(size)), 0);
        let most = part.len();
        let new = fuzzer_mutate(part, size, most);
        part.truncate(new);
    };
    let mut mutator = mutators::Mutator { random: &mut random, plain: &mut plain };
    match mutator.mutated(target.structure, &data[..size]) {
        Some(new) if new.len() <= max_size && new != data[..size] => {
            data[..new.len()].copy_from_slice(&new);
            new.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});
