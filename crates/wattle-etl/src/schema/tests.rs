//! Schemas that the tests write, whole and damaged.

use proptest::prelude::*;
use wattle_timeline::TimelineBuilder;
use wattle_units::BootNanos;

use super::field_value::{Field, Value};
use super::modern_events::ModernEvents;
use super::schemas::Schemas;
use crate::event_record::{EventKind, EventRecord, Guid};

const PROVIDER: Guid = Guid::new(1, 2, 3, 4, 5);
const METADATA: Guid = Guid::new(0xbbcc_f6c1, 0x6cd1, 0x48c4, 0x80ff, 0x8394_82e3_7671);

fn record<'a>(extended: &'a [u8], payload: &'a [u8]) -> EventRecord<'a> {
    EventRecord {
        kind: EventKind::Modern,
        provider: PROVIDER,
        id: 0,
        version: 0,
        opcode: 0,
        channel: 11,
        level: 4,
        task: 0,
        keyword: 0,
        pid: Some(7),
        tid: Some(8),
        activity: Guid::NONE,
        cpu: 0,
        time: 0,
        pointer_size: 8,
        extended,
        payload,
        offset: 0,
    }
}

/// An extended data item.
fn item(kind: u16, data: &[u8], is_last: bool) -> Vec<u8> {
    let mut bytes = vec![0; 8 + data.len().next_multiple_of(8)];
    bytes[2..4].copy_from_slice(&kind.to_le_bytes());
    bytes[4] = u8::from(!is_last);
    bytes[6..8].copy_from_slice(&(data.len() as u16).to_le_bytes());
    bytes[8..8 + data.len()].copy_from_slice(data);
    bytes
}

/// Provider `Program`, event `name`, fields as they are.
fn extended(name: &str, fields: &[u8]) -> Vec<u8> {
    let with_size = |rest: &[u8]| [&(rest.len() as u16 + 2).to_le_bytes()[..], rest].concat();
    let schema = with_size(&[&[0x80, 0][..], name.as_bytes(), &[0], fields].concat());
    [item(12, &with_size(b"Program\0"), false), item(11, &schema, true)].concat()
}

/// Arrays of both kinds, a structure in a structure, counted and plain texts, and numbers that are something else.
const FIELDS: &[u8] =
    b"fixed\0\x26\x02\0variable\0\x48outer\0\x98\x02inner\0\xd8\x01text\0\x16flag\0\x84\x03\
    address\0\x88\x08bytes\0\x0esid\0\x13port\0\x86\x07";
const PAYLOAD: &[u8] =
    b"\x01\0\x02\0\x01\0\xff\xff\xff\xff\x02\0\x02\0a\0\x04\0b\0c\0\x01\x7f\0\0\x01\
    \x03\0xyz\x01\x02\0\0\0\0\0\x05\x20\0\0\0\x21\x02\0\0\x1f\x90";

#[test]
fn all_forms_of_fields_are_decoded() {
    let extended = extended("Fields", FIELDS);
    let described = Schemas::default().describe(&record(&extended, PAYLOAD));
    assert_eq!(described.name.whole(), "Program/Fields");
    let fields = described.fields.unwrap();
    let shown: Vec<String> = fields.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
    assert_eq!(
        shown,
        [
            "fixed=[1, 2]",
            "variable=[4294967295]",
            "outer={inner: [{text: a}, {text: bc}], flag: true}",
            "address=127.0.0.1",
            "bytes=78797a",
            "sid=S-1-5-32-545",
            "port=8080",
        ]
    );
}

/// Cut anywhere, a schema gives the fields before the cut, and a payload the values before it.
#[test]
fn what_is_cut_gives_what_comes_before() {
    let whole = extended("Fields", FIELDS);
    let all = Schemas::default().describe(&record(&whole, PAYLOAD)).fields.unwrap();
    let check = |extended: &[u8], payload: &[u8]| {
        let fields = Schemas::default().describe(&record(extended, payload)).fields;
        let fields: Vec<Field> = fields.unwrap_or_default();
        assert!(fields.len() <= all.len());
        let names = fields.iter().zip(&all).filter(|(one, other)| one.name == other.name);
        assert_eq!(names.count(), fields.len());
    };
    for end in 0..PAYLOAD.len() {
        check(&whole, &PAYLOAD[..end]);
    }
    for end in 0..whole.len() {
        check(&whole[..end], PAYLOAD);
    }
    for end in 0..FIELDS.len() {
        check(&extended("Fields", &FIELDS[..end]), PAYLOAD);
    }
}

/// `EventSource`'s manifest in two parts, after the event that it is about.
#[test]
fn a_manifest_in_parts_names_events_and_values() {
    let text = r#"<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
        <provider name="Source" guid="{00000001-0002-0003-0004-000000000005}"><events>
        <event value="3" version="1" task="Work" opcode="win:Start" template="WorkArgs"/></events>
        <templates><template tid="WorkArgs"><data name="kind" inType="win:UInt32" map="Kind"/>
        <data name="size" inType="win:UInt32"/><data name="data" inType="win:Binary" length="size"/>
        <data name="text" inType="win:UnicodeString"/></template></templates>
        <maps><bitMap name="Kind"><map value="0x1" message="$(string.one)"/><map value="0x4" message="$(string.four)"/></bitMap></maps>
        </provider></events></instrumentation><localization><resources culture="en-US"><stringTable>
        <string id="one" value="One"/><string id="four" value="Four"/></stringTable></resources></localization>
        </instrumentationManifest>"#;
    let part =
        |number: u8, text: &str| [&[1, 0, 0, 0x5b, 2, 0, number, 0][..], text.as_bytes()].concat();
    let (first, second) = text.split_at(text.len() / 2);
    let payload = b"\x05\0\0\0\x02\0\0\0\xab\xcdh\0i\0\0\0";
    let event = EventRecord { id: 3, version: 1, ..record(&[], payload) };
    let mut schemas = Schemas::default();
    let number = schemas.number(&event);
    assert_eq!(schemas.name(number).whole(), format!("{PROVIDER}/3"));
    for bytes in [part(0, first), part(1, second)] {
        assert!(schemas.learn(&EventRecord { id: 0xfffe, ..record(&[], &bytes) }));
    }
    assert_eq!(schemas.name(number).whole(), "Source/Work/Start");
    assert_eq!(schemas.name(number).activity(), "Work");
    let fields = schemas.describe(&event).fields.unwrap();
    let shown: Vec<String> = fields.iter().map(|it| it.value.to_string()).collect();
    assert_eq!(shown, ["One|Four", "2", "abcd", "hi"]);
    // Parts in another order are none.
    let mut schemas = Schemas::default();
    for bytes in [part(1, second), part(0, first)] {
        schemas.learn(&EventRecord { id: 0xfffe, ..record(&[], &bytes) });
    }
    assert_eq!(schemas.describe(&event).fields, None);
}

/// Starts and stops that nest are slices; what does not is an instant, and so is what belongs to another activity or thread.
#[test]
fn pairs_that_nest_are_slices() {
    let one = Guid::new(9, 0, 0, 0, 1);
    let two = Guid::new(9, 0, 0, 0, 2);
    let none = Guid::NONE;
    let check = |events: &[(u32, &str, u8, Guid)], expected: &[&str]| {
        let mut modern = ModernEvents::default();
        for (index, (tid, name, opcode, activity)) in events.iter().enumerate() {
            let extended = extended(name, &[]);
            let record = record(&extended, &[]);
            let event =
                EventRecord { tid: Some(*tid), opcode: *opcode, activity: *activity, ..record };
            assert!(modern.event(&event, BootNanos::new(index as i64 * 10)));
        }
        let mut builder = TimelineBuilder::new();
        builder.extend_to(BootNanos::new(1000));
        modern.finish(&mut builder, &mut wattle_timeline::ArtifactQuality::default());
        let timeline = builder.finish();
        let slices = &timeline.code.slices;
        let shown = (0..slices.len()).filter_map(|index| slices.get(index)).map(|it| {
            let name = timeline.names.get(it.name).strip_prefix("Program/").unwrap();
            let length = it.end.value() - it.start.value();
            format!("{name} {}+{length}", it.start.value())
        });
        let mut found: Vec<String> = shown.collect();
        found.sort();
        assert_eq!(found, expected);
    };
    let nested = [
        (8, "AStart", 1, none),
        (8, "BStart", 1, none),
        (8, "C", 0, none),
        (8, "BStop", 2, none),
        (8, "AStop", 2, none),
    ];
    check(&nested, &["A 0+40", "B 10+20", "C 20+0"]);
    // B ends after A did: it has no stop inside of A.
    let crossed = [
        (8, "AStart", 1, none),
        (8, "BStart", 1, none),
        (8, "AStop", 2, none),
        (8, "BStop", 2, none),
    ];
    check(&crossed, &["A 0+20", "BStart 10+0", "BStop 30+0"]);
    check(&[(8, "AStart", 1, one), (9, "AStop", 2, one)], &["AStart 0+0", "AStop 10+0"]);
    check(&[(8, "AStart", 1, one), (8, "AStop", 2, two)], &["AStart 0+0", "AStop 10+0"]);
    check(
        &[(8, "AStart", 1, one), (8, "AStop", 2, one), (9, "AStart", 1, none)],
        &["A 0+10", "AStart 20+0"],
    );
    check(&[(8, "AStop", 2, none), (8, "AStart", 1, none)], &["AStart 10+0", "AStop 0+0"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_schema_is_too_strange(fields in prop::collection::vec(any::<u8>(), 0..80), payload in prop::collection::vec(any::<u8>(), 0..200), opcode: u8) {
        let mut schemas = Schemas::default();
        let extended = extended("X", &fields);
        schemas.describe(&record(&extended, &payload));
        schemas.describe(&record(&fields, &payload));
        // The same bytes as everything else that describes events.
        let classic = EventRecord { kind: EventKind::Classic, provider: METADATA, ..record(&[], &payload) };
        for opcode in [32, 33, opcode] {
            schemas.learn(&EventRecord { opcode, ..classic });
        }
        let chunk = [&[1, 0, 0, 0x5b, 1, 0, 0, 0][..], &payload].concat();
        schemas.learn(&EventRecord { id: 0xfffe, ..record(&[], &chunk) });
        schemas.describe(&record(&[], &payload));
    }

    /// A description of an event with a few bytes changed, and the event that it describes.
    #[test]
    fn no_description_is_too_strange(changes in prop::collection::vec((100_usize..400, any::<u8>()), 0..12)) {
        let mut info = vec![0_u8; 400];
        info[..16].copy_from_slice(&[1, 0, 0, 0, 2, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 5]);
        info[100] = 8;
        info[104] = 6;
        for index in 0..8 {
            info[112 + index * 24 + 4] = 200;
            info[112 + index * 24 + 8] = [1, 8, 14, 24, 15, 300_u16.to_le_bytes()[0], 6, 2][index];
        }
        for (at, value) in changes {
            info[at] = value;
        }
        let mut schemas = Schemas::default();
        let classic = EventRecord { kind: EventKind::Classic, provider: METADATA, opcode: 32, ..record(&[], &info) };
        schemas.learn(&classic);
        let payload = vec![b'a'; 400];
        let fields = schemas.describe(&record(&[], &payload)).fields;
        prop_assert!(fields.is_some());
        prop_assert!(fields.into_iter().flatten().all(|it| it.value != Value::Null || it.name.len() < 9999));
    }
}
