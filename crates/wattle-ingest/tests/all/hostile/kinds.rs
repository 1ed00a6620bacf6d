//! Input that is something else, or nothing.

use wattle_ingest::{read_bytes, read_paths};

use super::archive::gzip;
use super::{SMALL, refuse, summary, survive};
use wattle_testdata::requires;

#[test]
fn empty_file() {
    refuse("empty.perfetto-trace", b"", &["empty"]);
    refuse("empty.gz", &gzip(b""), &["empty"]);
}

#[test]
fn files_of_another_kind_are_named() {
    let jpeg = [&b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"[..], &[0; 400]].concat();
    refuse("photo.jpg", &jpeg, &["JPEG"]);
    refuse("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", &["PNG"]);
    refuse("page.html", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", &["HTML"]);
    refuse("notes.txt", b"These are the notes of a meeting, nothing else.\n", &["text"]);
}

/// None of the other formats of the field is taken for a trace: profiles, bytecode, packages, logs, text.
#[requires(data)]
#[test]
fn real_files_of_other_kinds() {
    let root = wattle_testdata::root().unwrap();
    let mut folders = vec![root];
    let (mut tried, mut taken) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let perfetto =
                ["perfetto-trace", "pftrace", "0"].map(|end| name.ends_with(&format!(".{end}")));
            if perfetto.contains(&true) {
                continue;
            }
            tried += 1;
            match survive(&name, &std::fs::read(&path).unwrap()) {
                Ok(_) => taken.push(path),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.lines().count() == 1 && error.len() < 400, "{error}");
                }
            }
        }
    }
    assert!(tried > 150, "{tried} files");
    // Logs, battery statistics, traces of the kernel as text, method traces, sampled stacks and logs of Windows are read for what they are.
    let names = taken.iter().filter_map(|path: &std::path::PathBuf| path.file_name()?.to_str());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    let expected = [
        "LinuxTracepoints-perf.data",
        "SEMISYNTHETIC-cswitch-net45x86.etl.zip",
        "airbus-ShutdownPerfDiagLogger.etl",
        "catapult-android_systrace.html",
        "catapult-android_systrace.txt",
        "catapult-battor-with-systrace.zip",
        "catapult-compressed_atrace_data.txt",
        "catapult-decompressed_atrace_data.txt",
        "chkbugreport-deadlock.txt",
        "emanafa-batstat_mi9.log",
        "emanafa-energy_saving.log",
        "firefox-art-trace-regular.trace.gz",
        "firefox-simpleperf-task-clock.trace.gz",
        "flamegraph-perf-java-stacks-01-collapsed-all.txt",
        "flamegraph-perf-java-stacks-01.txt",
        "linux-perf-data-fibo.compressed2.pipe.data",
        "linux-perf-data-sleep.compressed.data",
        "linux-perf-data-sleep.compressed.pipe.data",
        "linux-perf-data-sleep.compressed2.data",
        "linux-perf-data-sleep.data",
        "ms-AndroidLogcatWSA.log",
        "ms-perf.data.txt",
        "navi_test-MultithreadingTest.startWithSort-2021.txt",
        "navi_test-NavigationTest.child-2021.txt",
        "navi_test-logs-2021.json",
        "navitas-batterystats-1.txt",
        "parser_android-binder_txn_oneway_good.systrace.txt",
        "parser_android-binder_txn_sync_bad_reply.systrace.txt",
        "parser_atrace-bad_print_systrace_list_slices.txt",
        "parser_atrace-cpus_header_removal.systrace.txt",
        "parser_atrace-hex_preempt_count.systrace.txt",
        "parser_atrace-regex_pattern_no_gap_after_irq_flags.systrace.txt",
        "parser_parsing-cgroup_attach_task_post_s_print_systrace.expected",
        "parser_process_tracking-unknown_thread_name_tracking.txt",
        "parser_sched-cpu_frequency_limits_from_systrace.txt",
        "perflib-basic-api10.trace",
        "perflib-basic-special_char.trace",
        "perflib-basic.trace",
        "perflib-exception.trace",
        "perflib-header.trace",
        "perflib-mismatched.trace",
        "perflib-streaming.trace",
        "perfview-SelfDescribingSingleEvent.etl",
        "perfview-net.4.5.x86-2016.etl.zip",
        "perfview-netfx-primitive-types.etl.zip",
        "petra-systrace_example",
        "sawbuck-image_data_32_v1.etl",
        "sawbuck-image_data_64_v2.etl",
        "sawbuck-process_data_32_v3.etl",
        "sawbuck-process_data_64_v2.etl",
        "sawbuck-process_data_64_v3.etl",
        "simpleperf-has_embedded_native_libs_apk_perf.data",
        "simpleperf-perf.data",
        "simpleperf-perf.data.perfscript.txt",
        "simpleperf-perf_b.data",
        "simpleperf-perf_g_fp.data",
        "simpleperf-perf_g_fp.data.perfscript.txt",
        "simpleperf-perf_with_add_counter.data",
        "speedscope-forks.txt",
        "speedscope-simple-with-header.txt",
        "trace-1623058691-1622418866.0.systrace",
        "trace-1623926538-1622418867.0.systrace",
        "trace-1626775333-1614351254.0.systrace",
        "trappy-trace.txt",
        "trappy-trace_surfaceflinger.html",
        "tx-Process.etl",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_file_that_is_not_there() {
    let path = std::path::PathBuf::from("/no/such/folder/trace.perfetto-trace");
    let error = read_paths(&[path]).expect_err("the file is not there").to_string();
    assert!(error.contains("/no/such/folder/trace.perfetto-trace"), "{error}");
}

#[requires(data)]
#[test]
fn paths_and_bytes_give_the_same() {
    let path = wattle_testdata::path(SMALL);
    let bytes = std::fs::read(&path).unwrap();
    let (by_path, by_bytes) = (read_paths(&[path]).unwrap(), read_bytes(SMALL, &bytes).unwrap());
    assert_eq!(summary(&by_path), summary(&by_bytes));
}
