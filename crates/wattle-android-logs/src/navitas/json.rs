//! `logs.json`: all tests of a module. Forms of 2020 to 2022: `logs` is an object of arrays by component, an array of the records of
//! the CPU, or an object whose `wifi` and `bluetooth` are one figure each.

use std::collections::BTreeMap;

use serde_json::Value;
use wattle_timeline::TimelineBuilder;

use super::readings::Readings;
use super::test_log::{CallRecord, Lost, Radio, Residual, Room, TestLog};

const MILLISECOND: i64 = 1_000_000;

/// Whether a JSON text is of Navitas by its first bytes.
pub(super) fn is_json(head: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    let marks: [&[u8]; 5] =
        [b"\"testName\"", b"\"cpuTimeInStates\"", b"\"methodName\"", b"\"bluetooth\"", b"\"wifi\""];
    has(b"\"tests\"") && has(b"\"logs\"") && marks.iter().any(|mark| has(mark))
}

/// Reads the tests. `Err`: it is no JSON, or not of this form, and why.
pub(super) fn read(
    text: &[u8],
    lost: &mut Lost,
    builder: &mut TimelineBuilder,
) -> Result<(Vec<TestLog>, Option<String>), String> {
    let (value, damage): (Value, _) = match serde_json::from_slice(text) {
        Ok(value) => (value, None),
        Err(error) => {
            let mended = closed(text);
            let value = serde_json::from_slice(&mended).map_err(|_| error.to_string())?;
            (value, Some(error.to_string()))
        }
    };
    let tests = value.get("tests").and_then(Value::as_array);
    let tests = tests.ok_or_else(|| "there is no array `tests`".to_owned())?;
    let mut room = Room::default();
    let mut logs = Vec::new();
    for test in tests {
        let name = test.get("testName").and_then(Value::as_str).unwrap_or("(no name)");
        let mut log = TestLog { name: name.to_owned(), ..TestLog::default() };
        match test.get("logs") {
            Some(Value::Array(records)) => calls(records, &mut log, lost, &mut room, builder),
            Some(Value::Object(components)) => {
                for (component, value) in components {
                    let records =
                        value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    match component.as_str() {
                        "cpu" => calls(records, &mut log, lost, &mut room, builder),
                        "wifi" => residuals(Radio::Wifi, records, &mut log, lost),
                        "bluetooth" => residuals(Radio::Bluetooth, records, &mut log, lost),
                        "gpu" => gpu(records, &mut log, lost),
                        _ => lost.others += records.len() as u64,
                    }
                }
            }
            _ => lost.calls += 1,
        }
        logs.push(log);
    }
    Ok((logs, damage))
}

/// A text that breaks off, cut behind the last object or array that is complete, with all that is open closed.
fn closed(text: &[u8]) -> Vec<u8> {
    let mut open = Vec::new();
    let (mut is_string, mut is_escaped) = (false, false);
    let mut whole: (usize, Vec<u8>) = (0, Vec::new());
    for (at, byte) in text.iter().enumerate() {
        if is_string {
            (is_string, is_escaped) = (is_escaped || *byte != b'"', !is_escaped && *byte == b'\\');
            continue;
        }
        match byte {
            b'"' => is_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(*byte) {
                    break;
                }
                // Only a few are ever open: the copy is short.
                if open.len() < 64 {
                    whole.0 = at + 1;
                    whole.1.clone_from(&open);
                }
            }
            _ => {}
        }
    }
    let mut mended = text.get(..whole.0).unwrap_or_default().to_owned();
    mended.extend(whole.1.into_iter().rev());
    mended
}

fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::String(text) => super::profiling_output::decimal(text),
        value => value.as_f64(),
    }
}

fn whole(value: Option<&Value>) -> Option<i64> {
    let value = value?;
    value.as_i64().or_else(|| value.as_f64().map(|value| value as i64))
}

fn calls(
    records: &[Value],
    log: &mut TestLog,
    lost: &mut Lost,
    room: &mut Room,
    builder: &mut TimelineBuilder,
) {
    for value in records {
        match call(value, builder) {
            Some(record) if room.take(record.readings.as_ref()) => log.calls.push(record),
            Some(_) => lost.refused += 1,
            None => lost.calls += 1,
        }
    }
}

fn call(value: &Value, builder: &mut TimelineBuilder) -> Option<CallRecord> {
    let header = value.get("header")?;
    let name = header.get("methodName")?.as_str()?;
    let is_entry = header.get("isEntry")?.as_bool()?;
    let id = |key: &str| whole(header.get(key)).and_then(|id| u32::try_from(id).ok());
    let pid = id("processID").or_else(|| id("threadID"))?;
    let tid = id("threadID").unwrap_or(pid);
    let body = value.get("body").and_then(Value::as_array);
    let of = |name: &str| {
        body?.iter().find(|part| part.get("component").and_then(Value::as_str) == Some(name))
    };
    let states = of("cpuTimeInStates").and_then(|part| part.get("details")?.as_array());
    let readings = states.map(|cpus| {
        let mut readings = Readings::default();
        for cpu in cpus {
            let Some(number) = whole(cpu.get("kernel")).and_then(|n| u32::try_from(n).ok()) else {
                continue;
            };
            let clocks = cpu.get("details").and_then(Value::as_array);
            readings.offline += u32::from(clocks.is_none_or(Vec::is_empty));
            for clock in clocks.into_iter().flatten() {
                let kilohertz = whole(clock.get("frequency")).and_then(|n| u32::try_from(n).ok());
                let ticks = whole(clock.get("timestamp")).and_then(|n| u64::try_from(n).ok());
                if let (Some(kilohertz), Some(ticks)) = (kilohertz, ticks) {
                    readings.push(number, kilohertz, ticks);
                }
            }
        }
        readings.settle();
        readings.brightness =
            Some(of("brightness").and_then(|part| whole(part.get("details"))).unwrap_or_default());
        readings
    });
    Some(CallRecord {
        owner: Some((pid, tid)).filter(|owner| *owner != (0, 0)),
        time: whole(header.get("timestamp")).map(|ms| ms.saturating_mul(MILLISECOND)),
        is_entry,
        name: builder.names.intern(&name.replace('/', ".")),
        readings,
    })
}

/// When a sample was read, and how often its sampler reads.
fn sampled(value: &Value, log: &mut TestLog) -> Option<i64> {
    let header = value.get("header")?;
    if let Some(hertz) = number(header.get("frequency")).filter(|hertz| *hertz > 0.0) {
        log.rate(hertz);
    }
    let time = whole(header.get("timestamp"))?.saturating_mul(MILLISECOND);
    log.sampled_at(time);
    Some(time)
}

fn residuals(radio: Radio, records: &[Value], log: &mut TestLog, lost: &mut Lost) {
    for value in records {
        let time = sampled(value, log);
        let body = value.get("body").unwrap_or(value);
        let common = number(body.get("common"));
        let (Some(common), Some(figures)) = (common, body.as_object()) else {
            lost.empty_samples += 1;
            continue;
        };
        let named = figures.iter().filter(|(name, _)| *name != "common");
        let parts: BTreeMap<String, f64> =
            named.filter_map(|(name, value)| Some((name.clone(), number(Some(value))?))).collect();
        log.residuals.push(Residual { radio, time, common, parts });
    }
}

fn gpu(records: &[Value], log: &mut TestLog, lost: &mut Lost) {
    for value in records {
        let time = sampled(value, log);
        let level =
            value.get("body").and_then(|body| number(body.get("gpu").or(body.get("common"))));
        match (time, level) {
            (Some(time), Some(level)) => log.gpu.push((time, level)),
            _ => lost.empty_samples += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(closed(text.as_bytes())).unwrap(), expected);
    }

    #[test]
    fn what_breaks_off_is_closed_behind_what_is_whole() {
        check(r#"{"a":[{"b":1},{"c":"#, r#"{"a":[{"b":1}]}"#);
        check(r#"{"a":[{"b":"}\"]"},{"c"#, r#"{"a":[{"b":"}\"]"}]}"#);
        check(r#"{"a":[[1],[2]"#, r#"{"a":[[1],[2]]}"#);
        check(r#"{"a"#, "");
    }
}
