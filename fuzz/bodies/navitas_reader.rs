//! Any bytes as logs of Navitas: reading ends without a panic, callers come before their callees, and tests end after they begin.

use wattle_ingest::read_bytes;

pub fn run(bytes: &[u8]) {
    let starts = [
        &b""[..],
        b"{\"tests\":[{\"testName\":\"A.b\",\"logs\":",
        b"0.0 11-17 00:11:53.728\n05-27 22:18:13.213 7 7 D TEST    : Entry a.B.c TimeInStates ",
        b"time,thread_id,enter/exit,method_name\n",
    ];
    for start in starts {
        let Ok(timeline) = read_bytes("A.b.txt", &[start, bytes].concat()) else { continue };
        for (index, call) in timeline.code.clocked_calls.iter().enumerate() {
            assert!(call.caller.is_none_or(|caller| (caller as usize) < index));
            assert!(call.window.start <= call.window.end);
        }
        for test in &timeline.code.tests {
            assert!(test.window.start <= test.window.end);
        }
        for counter in &timeline.system.counters {
            assert!(counter.time.is_sorted());
            assert!(counter.value.iter().all(|value| value.is_finite()));
        }
    }
}
