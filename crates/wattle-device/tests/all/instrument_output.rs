//! The raw status stream of `am instrument`, in texts written after its documented format (AOSP's `Instrument.java` writes
//! it, `InstrumentationResultParser` of AOSP's ddmlib reads it).

use crate::recorded::TWO_TESTS;
use proptest::prelude::*;
use wattle_device::scenario::{InstrumentOutput, RunEnd};
use wattle_recording::Outcome;

/// Reads a text in pieces; piece n comes at time n.
fn read(text: &[u8], piece: usize) -> RunEnd {
    let mut parser = InstrumentOutput::new();
    let mut now = 0;
    for bytes in text.chunks(piece.max(1)) {
        now += 1;
        parser.push(bytes, now, &mut |_| {});
    }
    parser.finish(now + 1)
}

/// Checks the tests (`name outcome`), the verdict and a part of its reason; however the text is cut.
#[track_caller]
fn check(text: &str, tests: &[(&str, Outcome)], outcome: Outcome, reason: &str) -> RunEnd {
    for piece in [1, 7, 64, text.len().max(1)] {
        let end = read(text.as_bytes(), piece);
        let found: Vec<(String, Outcome)> = end
            .tests
            .iter()
            .map(|test| (format!("{}#{}", test.class, test.method), test.outcome))
            .collect();
        let expected: Vec<(String, Outcome)> =
            tests.iter().map(|(name, outcome)| ((*name).to_owned(), *outcome)).collect();
        assert_eq!(found, expected, "pieces of {piece}");
        let (verdict, message) = end.verdict();
        assert_eq!(verdict, outcome, "{message:?}");
        assert_eq!(message.is_none(), outcome == Outcome::Passed, "{message:?}");
        let message = message.unwrap_or_default();
        assert!(message.contains(reason), "{message}");
    }
    read(text.as_bytes(), text.len().max(1))
}

/// The status of a test, up to a code.
fn status(class: &str, test: &str, of: u32, more: &str, code: i32) -> String {
    format!(
        "INSTRUMENTATION_STATUS: class={class}\nINSTRUMENTATION_STATUS: test={test}\n\
         INSTRUMENTATION_STATUS: numtests={of}\n{more}INSTRUMENTATION_STATUS_CODE: {code}\n"
    )
}

const END: &str =
    "INSTRUMENTATION_RESULT: stream=\n\nTime: 0.02\n\nOK\n\nINSTRUMENTATION_CODE: -1\n";

#[test]
fn a_run_that_passes() {
    let tests =
        [("com.foo.BarTest#one", Outcome::Passed), ("com.foo.BarTest#two", Outcome::Passed)];
    let end = check(TWO_TESTS, &tests, Outcome::Passed, "");
    assert_eq!((end.announced, end.code, end.over), (Some(2), Some(-1), true));
    // With the line breaks of a terminal it is the same.
    check(&TWO_TESTS.replace('\n', "\r\n"), &tests, Outcome::Passed, "");
}

#[test]
fn times_are_those_at_which_the_codes_came() {
    let text = status("a.B", "c", 1, "", 1) + &status("a.B", "c", 1, "", 0) + END;
    let code = |nth: usize| {
        let at = text.match_indices("STATUS_CODE").nth(nth).expect("a code").0;
        // The byte of the line's end, counted from 1.
        at + text.get(at..).and_then(|rest| rest.find('\n')).expect("an end") + 1
    };
    let end = read(text.as_bytes(), 1);
    let test = &end.tests[0];
    assert_eq!((test.start_host_ns, test.end_host_ns), (code(0) as i64, code(1) as i64));
}

#[test]
fn every_code_has_its_outcome() {
    for (code, outcome) in [
        (0, Outcome::Passed),
        (-1, Outcome::Failed),
        (-2, Outcome::Failed),
        (-3, Outcome::Skipped),
        (-4, Outcome::Skipped),
    ] {
        let other = status("a.B", "d", 2, "", 1) + &status("a.B", "d", 2, "", 0);
        let text = status("a.B", "c", 2, "", 1) + &status("a.B", "c", 2, "", code) + &other + END;
        let verdict = if outcome == Outcome::Failed { outcome } else { Outcome::Passed };
        let reason = if verdict == Outcome::Failed { "1 of 2 tests failed" } else { "" };
        check(&text, &[("a.B#c", outcome), ("a.B#d", Outcome::Passed)], verdict, reason);
    }
}

#[test]
fn stack_traces_of_many_lines_are_kept() {
    let stack = "INSTRUMENTATION_STATUS: stack=java.lang.AssertionError: x=1\n\tat a.B.c(B.java:7)\n\nCaused by: y\n";
    let text = status("a.B", "c", 1, "", 1) + &status("a.B", "c", 1, stack, -2) + END;
    let end = check(&text, &[("a.B#c", Outcome::Failed)], Outcome::Failed, "a.B#c");
    let expected = "java.lang.AssertionError: x=1\n\tat a.B.c(B.java:7)\n\nCaused by: y";
    assert_eq!(end.tests[0].message.as_deref(), Some(expected));
}

#[test]
fn codes_in_between_end_nothing() {
    let measured = "INSTRUMENTATION_STATUS: currentiterations=1\nINSTRUMENTATION_STATUS_CODE: 2\n";
    let text = status("a.B", "c", 1, "", 1) + measured + &status("a.B", "c", 1, "", 0) + END;
    check(&text, &[("a.B#c", Outcome::Passed)], Outcome::Passed, "");
    let again = status("a.B", "c", 1, "", 1) + &status("a.B", "c", 1, "", 2);
    check(
        &(again + &status("a.B", "c", 1, "", 0) + END),
        &[("a.B#c", Outcome::Passed)],
        Outcome::Passed,
        "",
    );
}

#[test]
fn a_process_that_crashes() {
    let text = status("a.B", "c", 2, "", 1)
        + "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";
    check(
        &text,
        &[("a.B#c", Outcome::Crashed)],
        Outcome::Crashed,
        "crashed (in a.B#c): Process crashed.",
    );
    let text = "INSTRUMENTATION_RESULT: shortMsg=java.lang.RuntimeException\n\
                INSTRUMENTATION_RESULT: longMsg=java.lang.RuntimeException: Unable to instantiate\n\
                INSTRUMENTATION_CODE: 0\n";
    check(text, &[], Outcome::Crashed, "Unable to instantiate");
}

#[test]
fn a_system_that_crashes() {
    for text in [
        "INSTRUMENTATION_ABORTED: System has crashed.\n",
        "onError: commandError=false message=INSTRUMENTATION_ABORTED: System has crashed.\n",
    ] {
        let text = status("a.B", "c", 1, "", 1) + text;
        let reason = "System has crashed";
        check(&text, &[("a.B#c", Outcome::Crashed)], Outcome::Crashed, reason);
    }
}

#[test]
fn a_runner_that_is_not_there() {
    let text = "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{a.test/R}\n\
                INSTRUMENTATION_STATUS: id=ActivityManagerService\n\
                INSTRUMENTATION_STATUS_CODE: -1\n\
                android.util.AndroidException: INSTRUMENTATION_FAILED: a.test/R\n\
                \tat com.android.commands.am.Instrument.run(Instrument.java:519)\n";
    check(text, &[], Outcome::Failed, "Unable to find instrumentation info");
    // Another stream may run into the line of the code.
    let text = text.replace("CODE: -1\n", "CODE: -1at com.android.commands.am.Am.run\n");
    check(&text, &[], Outcome::Failed, "Unable to find instrumentation info");
    let text = "INSTRUMENTATION_FAILED: a.test/R\n";
    check(text, &[], Outcome::Failed, "INSTRUMENTATION_FAILED: a.test/R");
    let text = "usage: am [subcommand] [options]\nError: Bad component name: x\n";
    check(text, &[], Outcome::Interrupted, "Bad component name");
}

#[test]
fn runs_without_tests_have_failed() {
    check("", &[], Outcome::Interrupted, "before INSTRUMENTATION_CODE");
    check(END, &[], Outcome::Failed, "no test ran");
    let text = "INSTRUMENTATION_RESULT: stream=Fatal exception when running tests\n\
                java.lang.IllegalArgumentException: Ambiguous arguments\nINSTRUMENTATION_CODE: -1\n";
    check(text, &[], Outcome::Failed, "Ambiguous arguments");
    let skipped = status("a.B", "c", 1, "", -3) + END;
    check(&skipped, &[("a.B#c", Outcome::Skipped)], Outcome::Failed, "all were skipped");
}

#[test]
fn fewer_tests_than_announced_are_a_failure() {
    let text = status("a.B", "c", 3, "", 1) + &status("a.B", "c", 3, "", 0) + END;
    let tests = [("a.B#c", Outcome::Passed)];
    check(&text, &tests, Outcome::Failed, "3 tests were announced, 1 came");
    let text = status("a.B", "c", 1, "", 1) + &status("a.B", "c", 1, "", 0);
    let cancelled = text + "INSTRUMENTATION_CODE: 0\n";
    check(&cancelled, &tests, Outcome::Failed, "expected INSTRUMENTATION_CODE -1, found 0");
}

#[test]
fn tests_that_end_without_beginning_and_begin_without_end() {
    let text = status("a.B", "c", 2, "", 1)
        + &status("a.B", "d", 2, "", 1)
        + &status("a.B", "d", 2, "", 0)
        + END;
    let tests = [("a.B#c", Outcome::Interrupted), ("a.B#d", Outcome::Passed)];
    check(&text, &tests, Outcome::Crashed, "1 tests began and never ended");
    let text =
        status("a.B", "null", 1, "INSTRUMENTATION_STATUS: stack=in @BeforeClass\n", -2) + END;
    check(&text, &[("a.B#null", Outcome::Failed)], Outcome::Failed, "a.B#null");
}

#[test]
fn output_cut_off_anywhere_never_passes() {
    let text = TWO_TESTS.as_bytes();
    let last = TWO_TESTS.find("INSTRUMENTATION_CODE: -1").expect("the end");
    let needed = last + "INSTRUMENTATION_CODE: -1".len();
    let mut most = 0;
    for cut in 0..=text.len() {
        let end = read(&text[..cut], 64);
        let (outcome, _) = end.verdict();
        assert_eq!(outcome == Outcome::Passed, cut >= needed, "cut at {cut}: {outcome:?}");
        // What was known is never forgotten.
        assert!(end.tests.len() >= most, "cut at {cut}");
        most = end.tests.len();
    }
    assert_eq!(most, 2);
}

#[test]
fn what_is_too_long_is_counted() {
    let long = format!("INSTRUMENTATION_STATUS: stack={}\n", "x".repeat(200_000));
    let many = "\tat a.B.c\n".repeat(20_000);
    let text = status("a.B", "c", 1, "", 1) + &status("a.B", "c", 1, &(long + &many), -2) + END;
    let end = read(text.as_bytes(), 4096);
    let kept = end.tests[0].message.as_ref().expect("a stack").len() as u64;
    assert!(kept <= 70_000, "{kept}");
    assert!(end.dropped_bytes >= 200_000 + 100_000, "{}", end.dropped_bytes);
}

/// Lines that look like the format, for a fuzzer to put together.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("INSTRUMENTATION_STATUS: class=a.B".to_owned()),
        Just("INSTRUMENTATION_STATUS: test=c".to_owned()),
        Just("INSTRUMENTATION_STATUS: test=d".to_owned()),
        Just("INSTRUMENTATION_STATUS: stack=e".to_owned()),
        Just("INSTRUMENTATION_STATUS: Error=f".to_owned()),
        "INSTRUMENTATION_STATUS: numtests=[0-9]{0,12}",
        "INSTRUMENTATION_STATUS_CODE: -?[0-9]{0,12}",
        "INSTRUMENTATION_RESULT: (stream|shortMsg)?=?.{0,10}",
        "INSTRUMENTATION_CODE: -?[0-9]{0,3}",
        "INSTRUMENTATION_(FAILED|ABORTED): .{0,10}",
        "\\PC{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), piece in 1_usize..50) {
        let _ = read(&bytes, piece).verdict();
    }

    #[test]
    fn cutting_changes_nothing(lines in proptest::collection::vec(line(), 0..40), piece in 1_usize..50) {
        let text = lines.join("\n");
        let (mut whole, mut cut) = (read(text.as_bytes(), text.len()), read(text.as_bytes(), piece));
        prop_assert_eq!(whole.verdict(), cut.verdict());
        for end in [&mut whole, &mut cut] {
            for test in &mut end.tests {
                prop_assert!(test.start_host_ns <= test.end_host_ns);
                test.start_host_ns = 0;
                test.end_host_ns = 0;
            }
        }
        prop_assert_eq!(whole, cut);
    }
}
