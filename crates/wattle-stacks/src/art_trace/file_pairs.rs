//! Traces of two files: `NAME.key` with threads and methods, `NAME.data` with the records (dmtrace before Android 1.5).

use super::trace_file::{MethodTrace, Part};

/// Gives records the keys of their pair: those of the same name, or the only ones that are left. The keys' own entry stays, empty.
pub(super) fn join(traces: &mut [MethodTrace]) {
    let of = |traces: &[MethodTrace], part: Part| -> Vec<usize> {
        (0..traces.len())
            .filter(|index| traces.get(*index).is_some_and(|it| it.part() == part))
            .collect()
    };
    let (mut keys, mut data) = (of(traces, Part::Keys), of(traces, Part::Data));
    let mut pairs = Vec::new();
    data.retain(|records| {
        let name = traces.get(*records).map(|trace| &trace.name);
        let same = keys.iter().position(|key| traces.get(*key).map(|trace| &trace.name) == name);
        if let Some(at) = same {
            pairs.push((keys.remove(at), *records));
        }
        same.is_none()
    });
    if let (&[key], &[records]) = (&*keys, &*data) {
        pairs.push((key, records));
    }
    for (key, records) in pairs {
        let Some(trace) = traces.get_mut(key) else { continue };
        let (keys, methods) =
            (std::mem::take(&mut trace.keys), std::mem::take(&mut trace.log.methods));
        if let Some(trace) = traces.get_mut(records) {
            trace.keys = keys;
            trace.log.methods.take_lines(&methods);
        }
    }
}
