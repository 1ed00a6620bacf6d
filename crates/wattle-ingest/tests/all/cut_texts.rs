//! Texts and pages that end where no tool ends them.

use wattle_ingest::read_bytes;
use wattle_timeline::Severity;

/// Checks the notes on the end of an input.
#[track_caller]
fn check(text: &str, expected: Option<(&str, Severity)>) {
    let timeline = read_bytes("a", text.as_bytes()).expect("it can be read");
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let of_ends = notes.filter(|note| note.code.ends_with("-cut"));
    let found: Vec<_> = of_ends.map(|note| (note.code.as_str(), note.severity)).collect();
    match expected {
        None => assert_eq!(found, [], "{text}"),
        Some(expected) => assert!(found.contains(&expected), "{found:?} of {text}"),
    }
}

const EVENT: &str = "  a-7 [001] d..2 100.000001: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120\n";

#[test]
fn texts_that_end_inside_of_a_line() {
    let cut = |text: &str| text[..text.len() - 30].to_owned();
    let trace = format!("# tracer: nop\n#\n{EVENT}{EVENT}");
    check(&trace, None);
    // What stands behind the last line and is no text is no line.
    check(&format!("{trace}        "), None);
    check(&cut(&trace), Some(("line-cut", Severity::Warning)));
    let script = "a 7 [001] 100.000001: 1000 cycles:\n\t401000 run (/usr/bin/a)\n\t401100 main (/usr/bin/a)\n\n";
    check(script, None);
    check(script.trim_end(), Some(("line-cut", Severity::Warning)));
    let statistics = "9,0,i,vers,11,116,K,L\n9,0,i,uid,10001,com.example\n9,0,l,bt,0,100000,90000,100000,90000,0,1000,900\n";
    check(statistics, None);
    check(&cut(statistics), Some(("line-cut", Severity::Error)));
}

#[test]
fn pages_that_end_before_their_end() {
    let viewer = "// the viewer\n".repeat(100);
    let page = format!(
        "<!DOCTYPE html>\n<html>\n<body>\n{viewer}<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n{EVENT}{EVENT}  </script>\n</body>\n</html>\n"
    );
    check(&page, None);
    check(page.trim_end(), None);
    for end in ["</html>", "</body>", "  </script>", "next_comm=b"] {
        let at = page.rfind(end).expect("it is there");
        check(&page[..at], Some(("page-cut", Severity::Error)));
    }
}
