//! Writes one input of `cargo xtask bench`, of any size:
//!
//! ```text
//! bench_inputs NAME SCALE OUT          a generated input; the sizes of all are in proportion to SCALE
//! bench_inputs repeat TRACE TIMES OUT  a Perfetto trace so many times over
//! ```

mod code;
mod logs;
mod machines;
mod methods;
mod rails;
#[path = "../../../wattle/benches/repeat.rs"]
mod repeat;
mod samples;

use std::error::Error;

/// An input by name: its bytes at a scale.
type Writer = fn(u64) -> Result<Vec<u8>, Box<dyn Error>>;

const WRITERS: &[(&str, Writer)] = &[
    ("scheduler", machines::scheduler),
    ("windows", machines::windows),
    ("ftrace", machines::ftrace),
    ("rails", |scale| Ok(rails::trace(scale))),
    ("methods", |scale| Ok(methods::trace(scale))),
    ("perf-data", |scale| Ok(samples::perf_data(scale))),
    ("perf-script", |scale| Ok(samples::perf_script(scale).into_bytes())),
    ("folded", |scale| Ok(samples::folded(scale).into_bytes())),
    ("simpleperf", |scale| Ok(samples::simpleperf(scale))),
    ("logcat", |scale| Ok(logs::logcat(scale).into_bytes())),
    ("batterystats", |scale| Ok(logs::batterystats(scale).into_bytes())),
    ("bugreport", |scale| Ok(logs::bugreport(scale).into_bytes())),
    ("dex", |scale| Ok(code::dex(scale))),
];

/// Time from one copy of a repeated trace to the next, as in docs/performance.md.
const PERIOD: u64 = 2_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (bytes, out) = match words[..] {
        ["repeat", trace, times, out] => {
            (repeat::repeat(&std::fs::read(trace)?, times.parse()?, PERIOD), out)
        }
        [name, scale, out] => {
            let writer = WRITERS.iter().find(|(known, _)| *known == name);
            let (_, write) = writer.ok_or_else(|| format!("no input {name}"))?;
            (write(scale.parse()?)?, out)
        }
        _ => return Err("expected NAME SCALE OUT, or repeat TRACE TIMES OUT".into()),
    };
    std::fs::write(out, bytes)?;
    Ok(())
}
