//! Names and fields of events of real logs of Windows, held against what others read in them.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use wattle_ingest::{EtlEvent, EtlValue, etl_events, read_bytes};
use wattle_testdata::requires;

/// A log, unpacked where it lies in a `.zip`.
#[track_caller]
fn log(name: &str) -> Vec<u8> {
    let bytes = wattle_testdata::bytes(&format!("etl/{name}"));
    if bytes.get(..2) != Some(b"PK") {
        return bytes;
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let index = (0..archive.len())
        .find(|it| archive.by_index(*it).unwrap().name().unwrap().ends_with(".etl"));
    let mut log = Vec::new();
    archive.by_index(index.unwrap()).unwrap().read_to_end(&mut log).unwrap();
    log
}

fn events(log: &[u8]) -> Vec<EtlEvent> {
    let mut events = Vec::new();
    etl_events(log, &mut |event| events.push(event));
    events
}

/// Returns the baseline's text of a field, in the form that [`shown`] gives.
fn expected(name: &str, text: &str) -> String {
    match name {
        "boolean_type" => text.to_lowercase(),
        // The event's own schema has no sign here; PerfView shows one all the same.
        "int64_type" => text.parse::<i64>().unwrap().cast_unsigned().to_string(),
        // The provider calls these numbers characters.
        "char_type" => char::from(text.parse::<u8>().unwrap()).to_string(),
        "guid_type" => text.trim_end_matches("...").to_owned(),
        // 21/09/09 14:59:35.79...; of a SYSTEMTIME the milliseconds are cut to a tenth that is not there.
        "file_time_type" | "system_time_type" => {
            let (date, time) = text.split_once(' ').unwrap();
            let digits = if name == "file_time_type" { 11 } else { 8 };
            format!("20{}T{}", date.replace('/', "-"), &time[..digits])
        }
        _ => text.to_owned(),
    }
}

/// Five TraceLogging events with a field of each type, as PerfView prints them.
#[requires(data)]
#[test]
fn every_field_is_as_perfview_reads_it() {
    let log = log("perfview-netfx-primitive-types.etl.zip");
    let baseline = wattle_testdata::bytes("etl/perfview-netfx-primitive-types.baseline.txt");
    let baseline = String::from_utf8(baseline).unwrap();
    let events = events(&log);
    let start = events[0].time;
    let mut found = events.iter().filter(|event| event.provider == "solar_system");
    let mut fields = 0;
    for line in
        baseline.lines().filter(|line| line.contains("solar_system/") && line.starts_with("EVENT"))
    {
        let event = found.next().unwrap();
        let (head, rest) = line["EVENT ".len()..].split_once(": ").unwrap();
        let millis: f64 = head.replace(',', "").parse().unwrap();
        let since = (event.time.value() - start.value()) as f64 / 1e6;
        assert!((since - millis).abs() < 0.000_51, "{since} {millis}");
        let (name, rest) = rest.split_once(' ').unwrap();
        assert_eq!(format!("{}/{}", event.provider, event.event), name);
        let parts: BTreeMap<&str, &str> =
            rest.split("; ").filter_map(|it| it.trim_end_matches(';').split_once('=')).collect();
        assert_eq!(event.pid.unwrap().to_string(), parts["PID"]);
        assert_eq!(event.tid.unwrap().to_string(), parts["TID"]);
        assert_eq!(event.cpu.to_string(), parts["ProceNum"]);
        for field in event.fields.as_ref().unwrap() {
            let wanted = expected(&field.name, parts[field.name.as_str()]);
            let shown = field.value.to_string();
            assert!(shown.starts_with(&wanted), "{}: {shown} instead of {wanted}", field.name);
            if !field.name.ends_with("time_type") && field.name != "guid_type" {
                assert_eq!(shown, wanted, "{}", field.name);
            }
            fields += 1;
        }
        let numbers = parts.keys().filter(|it| it.ends_with("_type")).count();
        assert_eq!(event.fields.as_ref().unwrap().len(), numbers);
    }
    assert_eq!((found.count(), fields), (0, 60));
}

/// The one event of its own of a compressed log.
#[requires(data)]
#[test]
fn a_describing_event_of_a_compressed_log_is_read() {
    let log = log("perfview-SelfDescribingSingleEvent.etl");
    let events = events(&log);
    let found: Vec<_> = events.iter().filter(|it| it.fields.is_some()).collect();
    let [event] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((event.provider.as_str(), event.event.as_str()), ("MySource", "TestEvent"));
    let fields = event.fields.as_ref().unwrap();
    assert_eq!(fields.len(), 1);
    assert_eq!(
        (fields[0].name.as_str(), fields[0].value.to_string().as_str()),
        ("a", "{b: Hello, c: World!}")
    );
}

/// Providers of all logs and how many events each has, by an independent reader.
#[requires(data)]
#[test]
fn events_of_each_provider_are_counted() {
    let expected = wattle_testdata::bytes("etl/EXPECTED_COUNTS.json");
    let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
    let mut providers = 0;
    let logs = expected["files"].as_object().unwrap();
    assert_eq!(logs.len(), 11);
    for (file, expected) in logs {
        let name = file.split('!').next().unwrap();
        let timeline = read_bytes(name, &log(name)).unwrap();
        let artifact = &timeline.quality.artifacts[0];
        for (provider, count) in expected["manifest_or_tracelogging_events"].as_object().unwrap() {
            let provider = match provider.as_str() {
                "FrameworkEventSource" => "System.Diagnostics.Eventing.FrameworkEventSource",
                "a8a71ac1-040f-54a2-07ca-00a89b5ab761" => "PerfView",
                "d3dd3dd4-aac2-4e2a-8dd4-a8fb61b77615" => "solar_system",
                "a61ea624-4944-55fc-c2a8-37838829438d" => "MySource",
                "1c95126e-7eea-49a9-a3fe-a378b03ddb4d" => "Microsoft-Windows-DNS-Client",
                other => other,
            };
            let all = artifact.events.iter().chain(&artifact.unread);
            let of_provider = all.filter(|(name, _)| name.starts_with(&format!("{provider}/")));
            let sum: u64 = of_provider.map(|(_, count)| count).sum();
            assert_eq!(sum, count.as_u64().unwrap(), "{file}: {provider}");
            providers += 1;
        }
    }
    assert!(providers >= 12, "{providers}");
}

/// Names of PerfView's own events by the manifest that lies in the log as text.
#[requires(data)]
#[test]
fn events_of_a_manifest_in_the_log_have_its_names() {
    let log = log("perfview-net.4.5.x86-2016.etl.zip");
    let start = memchr::memmem::find(&log, br#"<provider name="PerfView""#).unwrap();
    let end = start + memchr::memmem::find(&log[start..], b"</provider>").unwrap();
    let text = String::from_utf8_lossy(&log[start..end]);
    let attribute = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!(" {name}=\""))?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    let named: Vec<(String, String)> = text
        .lines()
        .filter(|line| line.trim_start().starts_with("<event "))
        .filter_map(|line| {
            let task = attribute(line, "task")?;
            let opcode = attribute(line, "opcode").map(|it| it.replace("win:", "/"));
            Some((task, opcode.unwrap_or_default()))
        })
        .collect();
    assert!(named.len() > 10);
    let timeline = read_bytes("log.etl", &log).unwrap();
    let names = timeline.quality.artifacts[0].events.keys();
    let names: Vec<_> = names.filter_map(|it| it.strip_prefix("PerfView/")).collect();
    for name in names.iter().filter(|it| **it != "ManifestData") {
        assert!(named.iter().any(|(task, opcode)| format!("{task}{opcode}") == *name), "{name}");
    }
    assert!(
        names.contains(&"ProviderEnableParameters") && names.contains(&"Tracing/Start"),
        "{names:?}"
    );
    let numbers =
        |it: &EtlEvent| it.provider == "PerfView" && it.event == "ProviderEnableParameters";
    let described: Vec<_> = events(&log).into_iter().filter(numbers).collect();
    assert_eq!(described.len(), 28);
    for event in &described {
        let fields = event.fields.as_ref().unwrap();
        assert!(matches!(&fields[0].value, EtlValue::Text(name) if !name.is_empty()), "{event:?}");
    }
}

/// Images are identified by what merging the log added, checked where the build of a file is known from elsewhere: the symbol server
/// has Windows 7's `ntkrnlmp.pdb` by this GUID and age.
#[requires(data)]
#[test]
fn images_have_ids() {
    let log = log("perfview-net.4.5.x86-2016.etl.zip");
    let timeline = read_bytes("log.etl", &log).unwrap();
    let ids = |file: &str| -> Vec<&str> {
        let ids = timeline.code.samples.build_ids.iter();
        let of_file = ids.filter(|(mapping, _)| timeline.names.get(*mapping).ends_with(file));
        of_file.map(|(_, id)| timeline.names.get(*id)).collect()
    };
    // Bytes of the log: 86c7bc56, 00c05e00; 662bead798820e4a8697620f5571b7bf, 02000000.
    let kernel = ids("ntoskrnl.exe");
    for id in ["56bcc786005ec000", "d7ea2b6682984a0e8697620f5571b7bf00000002"] {
        assert!(kernel.contains(&id), "{kernel:?}");
    }
    let facts = events(&log).into_iter().filter(|it| it.provider == "KernelTraceControl/ImageId");
    let debug_data = facts.filter(|it| it.event == "36" && it.fields.is_some()).count();
    assert_eq!(debug_data, 5544);
}
