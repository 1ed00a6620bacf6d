//! Event logs of Windows that are damaged on purpose: the body of the fuzz target on bytes of every kind.

use crate::etl_reader;
use proptest::prelude::*;
use wattle_testdata::requires;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_in_a_log_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        etl_reader::run(&bytes);
    }

    #[test]
    fn small_numbers_in_a_log_do_no_harm(bytes in prop::collection::vec(0_u8..24, 0..3000)) {
        etl_reader::run(&bytes);
    }
}

/// A real log whose sizes, offsets, times and numbers of CPUs are the largest there are.
#[requires(data)]
#[test]
fn greedy_headers_do_no_harm() {
    let log = wattle_testdata::bytes("etl/sawbuck-image_data_32_v1.etl");
    for at in (0..72 + 48).chain(65_536..65_536 + 72 + 48) {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = log.clone();
            bytes[at] = value;
            etl_reader::run_file(&bytes);
            bytes[at..at + 4].fill(value);
            etl_reader::run_file(&bytes);
        }
    }
}
