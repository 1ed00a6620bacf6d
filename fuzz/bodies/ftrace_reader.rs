//! Any bytes as the kernel's trace in each form of text: reading ends without a panic, what is told holds together, and each event
//! is counted once.

use wattle_ingest::read_bytes;

use crate::timeline;

/// Text before a trace in each form.
const STARTS: [&[u8]; 9] = [
    b"# tracer: nop\n",
    b"# tracer: nop\n#\n#              | |         |   ||||      |         |\n a-1     (    1) [000] d..2 1.000000: sched_switch: prev_comm=a ",
    b"# latency: 4 us, #4/4, CPU#3 | (M:server VP:0, KP:0, SP:0 HP:0 #P:4)\n a-1 [000] .... 1.000000: e: x\n",
    b"cpus=8\n a-1 [000] 1000000000: sched_switch: a:1 [120] S ==> b:2 [120]\n",
    b" a-1 [000] 1.0: tracing_mark_write: B|1|x\n a-1 [000] 2.0: tracing_mark_write: ",
    b"capturing trace... done\nTRACE:\n",
    b"TRACE:\r\r\nx\x9c",
    b"<!DOCTYPE html>\n<title>Android System Trace</title>\n<script class=\"trace-data\" type=\"application/text\">\n",
    b"<html><!-- systrace -->\n<script id=\"viewer-data\" type=\"text/plain\">\n",
];

pub fn run(bytes: &[u8]) {
    for start in STARTS {
        let Ok(timeline) = read_bytes("fuzz", &[start, bytes].concat()) else { continue };
        timeline::check(&timeline);
        for artifact in timeline.quality.artifacts.iter().filter(|it| it.format == "ftrace") {
            let used: u64 =
                artifact.events.iter().filter(|(name, _)| *name != "ps").map(|(_, n)| n).sum();
            assert!(used <= artifact.records, "events are counted twice");
        }
    }
}
