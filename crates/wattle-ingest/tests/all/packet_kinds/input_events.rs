//! Input events (`AndroidInputEvent`).

use super::{artifact, moments, read};
use crate::traces::Trace;

#[test]
fn input_becomes_moments_of_the_device() {
    let event = |trace: Trace, time, kind: u32| {
        trace.at(time, 112, |extensions| {
            extensions.message(5, |input| input.message(kind, |event| event.fixed32(1, 77)));
        })
    };
    let trace = event(event(event(event(Trace::default(), 10, 1), 12, 5), 20, 4), 30, 99);
    // Before it was a part of the extensions, and another part of them.
    let trace = trace.at(40, 106, |input| input.message(2, |_| {}));
    let timeline = read(trace.at(50, 112, |extensions| extensions.message(7, |_| {})));
    let expected = [("motion", 10), ("dispatch to a window", 12), ("key", 20), ("motion", 40)];
    assert_eq!(moments(&timeline, "Input events"), expected);
    let unread = &artifact(&timeline).unread;
    assert_eq!(unread.get("android_input_event of an unknown kind"), Some(&1));
    assert_eq!(unread.get("winscope_extensions field 7"), Some(&1));
}
