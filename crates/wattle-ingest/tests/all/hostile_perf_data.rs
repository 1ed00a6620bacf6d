//! Damaged and malicious files of perf and simpleperf: never a panic, a hang or memory without bound.

use crate::perf_data_reader;
use crate::perf_data_writer as writer;
use proptest::prelude::*;
use wattle_testdata::requires;
use writer::{Form, Writer};

fn form() -> impl Strategy<Value = Form> {
    let writers =
        [Writer::Perf, Writer::Simpleperf1, Writer::Simpleperf2, Writer::SimpleperfRecords];
    (any::<bool>(), any::<bool>(), prop::sample::select(writers.to_vec()))
        .prop_map(|(is_big, is_pipe, writer)| Form { is_big, is_pipe, writer })
}

type Place = (prop::sample::Index, u8);

fn damage(bytes: &mut Vec<u8>, places: &[Place], cut: Option<prop::sample::Index>) {
    for (at, value) in places {
        let at = at.index(bytes.len());
        bytes[at] = *value;
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damaged_files_never_panic(
        form in form(),
        places in prop::collection::vec(any::<Place>(), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = writer::story(form);
        perf_data_reader::run_file(&bytes);
        damage(&mut bytes, &places, cut);
        perf_data_reader::run_file(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..1_000)) {
        perf_data_reader::run(&bytes);
    }
}

/// A size declared in one place must not cost more than the file's own length.
#[test]
fn greedy_claims() {
    for is_pipe in [false, true] {
        let file = writer::story(Form { is_big: false, is_pipe, writer: Writer::Simpleperf1 });
        for at in (8..file.len()).step_by(4) {
            for fill in [0xff, 0x7f] {
                let mut greedy = file.clone();
                let end = (at + 4).min(greedy.len());
                greedy[at..end].fill(fill);
                perf_data_reader::run_file(&greedy);
            }
        }
    }
}

/// Real files with bytes changed here and there, packed ones included.
#[requires(data)]
#[test]
fn damaged_real_files_never_panic() {
    let names = [
        "linux-perf-data-sleep.compressed.data",
        "linux-perf-data-sleep.compressed2.data",
        "linux-perf-data-sleep.compressed.pipe.data",
        "simpleperf-perf_g_fp.data",
    ];
    for name in names {
        let whole = wattle_testdata::bytes(&format!("perfdata/{name}"));
        // A walk over the file with a step that reaches heads, tables and packed pieces alike.
        let mut seed = 1_u64;
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..6 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let at = (seed >> 33) as usize % bytes.len();
                bytes[at] = (seed >> 20) as u8;
            }
            perf_data_reader::run_file(&bytes);
        }
    }
}
