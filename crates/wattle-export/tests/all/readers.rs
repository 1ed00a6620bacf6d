//! Readers of the formats that share nothing with the writers but the formats' own definitions.

use std::collections::BTreeMap;
use std::io::Read as _;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

/// A field of a protobuf message.
#[derive(Clone, Debug, PartialEq)]
pub enum Proto {
    Varint(u64),
    Bytes(Vec<u8>),
    Fixed64(u64),
    Fixed32(u32),
}

impl Proto {
    pub fn number(&self) -> u64 {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => *value,
            other => panic!("{other:?} is no number"),
        }
    }

    pub fn message(&self) -> Vec<(u32, Self)> {
        let Self::Bytes(bytes) = self else { panic!("{self:?} is no message") };
        proto(bytes)
    }

    pub fn text(&self) -> String {
        let Self::Bytes(bytes) = self else { panic!("{self:?} is no text") };
        String::from_utf8(bytes.clone()).unwrap()
    }

    /// A packed list.
    pub fn numbers(&self) -> Vec<u64> {
        let Self::Bytes(bytes) = self else { panic!("{self:?} is no list") };
        let (mut at, mut numbers) = (0, Vec::new());
        while at < bytes.len() {
            numbers.push(varint(bytes, &mut at));
        }
        numbers
    }
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

/// The wire format once more, so that a defect of the writer's is not mended by its twin.
pub fn proto(bytes: &[u8]) -> Vec<(u32, Proto)> {
    let (mut at, mut fields) = (0, Vec::new());
    while at < bytes.len() {
        let tag = varint(bytes, &mut at);
        let value = match tag & 7 {
            0 => Proto::Varint(varint(bytes, &mut at)),
            1 => {
                at += 8;
                Proto::Fixed64(u64::from_le_bytes(bytes[at - 8..at].try_into().unwrap()))
            }
            2 => {
                let length = varint(bytes, &mut at) as usize;
                at += length;
                Proto::Bytes(bytes[at - length..at].to_vec())
            }
            5 => {
                at += 4;
                Proto::Fixed32(u32::from_le_bytes(bytes[at - 4..at].try_into().unwrap()))
            }
            other => panic!("wire type {other}"),
        };
        fields.push(((tag >> 3) as u32, value));
    }
    fields
}

pub fn all(fields: &[(u32, Proto)], number: u32) -> impl Iterator<Item = &Proto> {
    fields.iter().filter(move |field| field.0 == number).map(|field| &field.1)
}

pub fn one(fields: &[(u32, Proto)], number: u32) -> Option<&Proto> {
    all(fields, number).next()
}

pub fn unzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

/// The sum of each sample type.
pub fn pprof_sums(bytes: &[u8]) -> Vec<i64> {
    let profile = proto(&unzip(bytes));
    let mut sums = vec![0; all(&profile, 1).count()];
    let locations: Vec<u64> =
        all(&profile, 4).map(|location| one(&location.message(), 1).unwrap().number()).collect();
    for sample in all(&profile, 2) {
        let sample = sample.message();
        let values = one(&sample, 2).unwrap().numbers();
        assert_eq!(values.len(), sums.len());
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value as i64;
        }
        let stack = one(&sample, 1).unwrap().numbers();
        assert!(!stack.is_empty(), "a sample without a stack");
        assert!(stack.iter().all(|id| locations.contains(id)), "an unknown location");
    }
    sums
}

/// The sum of all lines, each of which is names and a number.
pub fn folded_sum(bytes: &[u8]) -> i64 {
    let mut sum = 0;
    for line in std::str::from_utf8(bytes).unwrap().lines() {
        let (stack, number) = line.rsplit_once(' ').unwrap();
        assert!(stack.split(';').all(|frame| !frame.trim().is_empty()), "{line:?}");
        sum += number.parse::<i64>().unwrap();
    }
    sum
}

pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn integers(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

pub fn speedscope_sum(bytes: &[u8]) -> i64 {
    let file = json(bytes);
    let frames = file["shared"]["frames"].as_array().unwrap().len() as i64;
    let mut sum = 0;
    for profile in file["profiles"].as_array().unwrap() {
        let weights = integers(&profile["weights"]);
        let stacks = profile["samples"].as_array().unwrap();
        assert_eq!(stacks.len(), weights.len());
        for stack in stacks {
            let stack = integers(stack);
            assert!(!stack.is_empty() && stack.iter().all(|frame| (0..frames).contains(frame)));
        }
        let own: i64 = weights.iter().sum();
        assert_eq!(profile["endValue"].as_i64().unwrap(), own);
        sum += own;
    }
    sum
}

/// The sum of all weights; every index points to a row of its table, and times do not go back.
pub fn firefox_sum(bytes: &[u8]) -> i64 {
    let profile = json(bytes);
    let shared = &profile["shared"];
    let length = |table: &str| shared[table]["length"].as_i64().unwrap();
    for table in
        ["stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"]
    {
        for (name, column) in shared[table].as_object().unwrap() {
            if name != "length" {
                let rows = column.as_array().unwrap().len() as i64;
                assert_eq!(rows, length(table), "{table}.{name}");
            }
        }
    }
    let within = |column: &Value, rows: i64| {
        let ids = column.as_array().unwrap().iter().filter_map(Value::as_i64);
        ids.for_each(|id| assert!((-1..rows).contains(&id), "{id} of {rows}"));
    };
    within(&shared["stackTable"]["frame"], length("frameTable"));
    within(&shared["frameTable"]["func"], length("funcTable"));
    within(&shared["funcTable"]["resource"], length("resourceTable"));
    within(&shared["funcTable"]["source"], length("sources"));
    let strings = shared["stringArray"].as_array().unwrap().len() as i64;
    within(&shared["funcTable"]["name"], strings);
    within(&shared["sources"]["filename"], strings);
    within(&shared["resourceTable"]["name"], strings);
    within(&shared["resourceTable"]["lib"], profile["libs"].as_array().unwrap().len() as i64);
    let categories = profile["meta"]["categories"].as_array().unwrap().len() as i64;
    within(&shared["frameTable"]["category"], categories);
    for (row, prefix) in shared["stackTable"]["prefix"].as_array().unwrap().iter().enumerate() {
        assert!(prefix.as_u64().is_none_or(|prefix| prefix < row as u64), "callers come first");
    }
    let mut sum = 0;
    for thread in profile["threads"].as_array().unwrap() {
        let samples = &thread["samples"];
        within(&samples["stack"], length("stackTable"));
        let times: Vec<f64> =
            samples["time"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(samples["length"].as_u64().unwrap() as usize, times.len());
        assert_eq!(samples["weightType"], "samples");
        let weights = integers(&samples["weight"]);
        assert_eq!(weights.len(), times.len());
        sum += weights.iter().sum::<i64>();
    }
    sum
}

/// The sum of each power counter.
pub fn firefox_counters(bytes: &[u8]) -> Vec<i64> {
    let profile = json(bytes);
    let counters = profile["counters"].as_array().unwrap();
    counters
        .iter()
        .map(|counter| {
            assert_eq!(counter["category"], "power");
            let counts = integers(&counter["samples"]["count"]);
            assert_eq!(counter["samples"]["time"].as_array().unwrap().len(), counts.len());
            counts.iter().sum()
        })
        .collect()
}

/// Name, start, and energy of what was inside so far.
type OpenSlice<'a> = (&'a str, f64, i64);

/// Energies of slices themselves, and of what is in no slice. What ends is what began last, and a total is that of all inside.
pub fn chrome_sum(bytes: &[u8]) -> i64 {
    let trace = json(bytes);
    assert_eq!(trace["otherData"]["energy-unit"], "nanojoules");
    let mut sum = 0;
    let mut rows: BTreeMap<(u64, u64), Vec<OpenSlice<'_>>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let number = |key: &str| event[key].as_u64().unwrap();
        let open = rows.entry((number("pid"), number("tid"))).or_default();
        let time = event["ts"].as_f64();
        match event["ph"].as_str().unwrap() {
            "B" => open.push((event["name"].as_str().unwrap(), time.unwrap(), 0)),
            "E" => {
                let (name, start, inside) = open.pop().unwrap();
                assert_eq!(event["name"], name);
                assert!(start <= time.unwrap());
                let (own, total) = (&event["args"]["self"], &event["args"]["total"]);
                let (own, total) = (own.as_i64().unwrap(), total.as_i64().unwrap());
                assert_eq!(total, own + inside);
                sum += own;
                if let Some(around) = open.last_mut() {
                    around.2 += total;
                }
            }
            "C" => sum += event["args"].get("nJ").map_or(0, |value| value.as_i64().unwrap()),
            "M" => {}
            other => panic!("phase {other}"),
        }
    }
    assert!(rows.values().all(Vec::is_empty), "slices stay open");
    sum
}

/// Energies of slices themselves, and the last value of each counter of what is in no slice. Slices end where they are open.
pub fn perfetto_sum(bytes: &[u8]) -> i64 {
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    let mut counters: BTreeMap<u64, i64> = BTreeMap::new();
    let mut open: BTreeMap<u64, (i64, u64)> = BTreeMap::new();
    let (mut slices, mut from_slices) = (BTreeMap::new(), 0);
    let mut parents: BTreeMap<u64, u64> = BTreeMap::new();
    let mut tracks = std::collections::BTreeSet::new();
    for (number, packet) in proto(bytes) {
        assert_eq!(number, 1);
        let packet = packet.message();
        if let Some(interned) = one(&packet, 12) {
            for entry in all(&interned.message(), 3) {
                let entry = entry.message();
                slices.insert(one(&entry, 1).unwrap().number(), one(&entry, 2).unwrap().text());
            }
        }
        if let Some(track) = one(&packet, 60) {
            let track = track.message();
            let uuid = one(&track, 1).unwrap().number();
            tracks.insert(uuid);
            if let Some(name) = one(&track, 2) {
                names.insert(uuid, name.text());
            }
            if let Some(parent) = one(&track, 5) {
                parents.insert(uuid, parent.number());
            }
        }
        let Some(event) = one(&packet, 11) else { continue };
        let event = event.message();
        let track = one(&event, 11).unwrap().number();
        let time = one(&packet, 8).unwrap().number();
        match one(&event, 9).unwrap().number() {
            1 => open.entry(track).or_insert((0, 0)).0 += 1,
            2 => {
                let (depth, last) = open.get_mut(&track).unwrap();
                *depth -= 1;
                assert!(*depth >= 0 && *last <= time, "an end without a beginning");
                *last = time;
                for annotation in all(&event, 4) {
                    let annotation = annotation.message();
                    let name = one(&annotation, 1).unwrap().number();
                    if slices[&name] == "self_nanojoules" {
                        from_slices += one(&annotation, 4).unwrap().number() as i64;
                    }
                }
            }
            4 => {
                if let Some(value) = one(&event, 30) {
                    counters.insert(track, value.number() as i64);
                }
            }
            _ => {}
        }
    }
    assert!(open.values().all(|(depth, _)| *depth == 0), "slices stay open");
    assert!(parents.values().all(|parent| tracks.contains(parent)), "a parent is missing");
    // A counter of a thread's energy so far is the sum of its slices; what is in none has a counter of its own.
    let in_slices = |name: &str| name.starts_with("energy ") && !is_apart(name);
    let of_threads: i64 =
        counters.iter().filter(|(track, _)| in_slices(&names[track])).map(|(_, sum)| sum).sum();
    assert_eq!(of_threads, from_slices, "counters of threads beside their slices");
    let apart: i64 =
        counters.iter().filter(|(track, _)| is_apart(&names[track])).map(|(_, sum)| sum).sum();
    from_slices + apart
}

fn is_apart(name: &str) -> bool {
    let accounts = ["energy not placed in time", "energy of probes", "energy ["];
    accounts.iter().any(|start| name.starts_with(start))
}

pub fn csv_sum(bytes: &[u8], column: &str) -> f64 {
    let mut reader = csv::Reader::from_reader(bytes);
    let at = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
    let cells = reader.records().map(|record| record.unwrap()[at].to_owned());
    cells.filter(|cell| !cell.is_empty()).map(|cell| cell.parse::<f64>().unwrap()).sum()
}

/// Read row by row, without Arrow.
pub fn parquet_sum(bytes: &[u8], column: &str) -> f64 {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(file.path()).unwrap()).unwrap();
    let mut sum = 0.0;
    for row in reader.get_row_iter(None).unwrap() {
        for (name, field) in row.unwrap().get_column_iter() {
            if let (true, Field::Double(value)) = (name == column, field) {
                sum += value;
            }
        }
    }
    sum
}
