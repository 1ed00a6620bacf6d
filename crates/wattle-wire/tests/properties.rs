//! Properties of cursor and writer over generated messages and over arbitrary bytes.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use proptest::prelude::*;
use wattle_wire::{Defect, Fields, Value, Writer, unzigzag, zigzag};

/// A message as data.
#[derive(Clone, Debug)]
enum Node {
    Varint(u64),
    Sint(i64),
    Double(u64),
    Float(u32),
    Bytes(Vec<u8>),
    Message(Vec<(u32, Node)>),
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![1u32..20, 1u32..(1 << 29)]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Node::Varint),
        any::<i64>().prop_map(Node::Sint),
        any::<u64>().prop_map(Node::Double),
        any::<u32>().prop_map(Node::Float),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Node::Bytes),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        prop::collection::vec((number(), inner), 0..8).prop_map(Node::Message)
    })
}

fn message() -> impl Strategy<Value = Vec<(u32, Node)>> {
    prop::collection::vec((number(), node()), 0..8)
}

fn write(writer: &mut Writer, message: &[(u32, Node)]) {
    for (number, node) in message {
        match node {
            Node::Varint(value) => writer.varint(*number, *value),
            Node::Sint(value) => writer.sint(*number, *value),
            Node::Double(value) => writer.fixed64(*number, *value),
            Node::Float(value) => writer.fixed32(*number, *value),
            Node::Bytes(value) => writer.bytes(*number, value),
            Node::Message(inner) => writer.message(*number, |w| write(w, inner)),
        }
    }
}

fn encoded(message: &[(u32, Node)]) -> Vec<u8> {
    let mut writer = Writer::new();
    write(&mut writer, message);
    writer.into_bytes()
}

fn assert_reads_as(bytes: &[u8], message: &[(u32, Node)]) {
    let fields: Vec<_> = Fields::new(bytes).collect::<Result<_, _>>().unwrap();
    assert_eq!(fields.len(), message.len());
    for (field, (number, node)) in fields.iter().zip(message) {
        assert_eq!(field.number, *number);
        match node {
            Node::Varint(value) => assert_eq!(field.value, Value::Varint(*value)),
            Node::Sint(value) => assert_eq!(field.value.sint(), *value),
            Node::Double(value) => assert_eq!(field.value, Value::I64(*value)),
            Node::Float(value) => assert_eq!(field.value, Value::I32(*value)),
            Node::Bytes(value) => assert_eq!(field.value, Value::Len(value)),
            Node::Message(inner) => assert_reads_as(field.value.bytes(), inner),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(message in message()) {
        assert_reads_as(&encoded(&message), &message);
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_always_end(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        // Every field takes at least two bytes, and at most one error ends the cursor.
        let results: Vec<_> = Fields::new(&bytes).collect();
        prop_assert!(results.len() <= bytes.len() / 2 + 1);
        let errors = results.iter().filter(|r| r.is_err()).count();
        prop_assert!(errors <= 1);
        prop_assert!(errors == 0 || results.last().unwrap().is_err());
    }

    #[test]
    fn a_cut_message_gives_its_whole_fields_and_the_offset_of_the_cut_one(
        message in message(),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = encoded(&message);
        // Starts of the top-level fields, from lengths of messages with one field each.
        let mut starts = vec![0];
        for field in &message {
            let length = encoded(std::slice::from_ref(field)).len();
            starts.push(starts.last().unwrap() + length);
        }
        let cut = cut.index(bytes.len() + 1);
        let whole = starts.iter().filter(|start| **start > 0 && **start <= cut).count();
        let results: Vec<_> = Fields::new(&bytes[..cut]).collect();
        prop_assert_eq!(results.iter().filter(|r| r.is_ok()).count(), whole);
        if let Some(Err(error)) = results.last() {
            prop_assert_eq!(error.offset, starts[whole] as u64);
            let cut_defect = matches!(error.defect, Defect::Truncated | Defect::Length { .. });
            prop_assert!(cut_defect, "{}", error);
        } else {
            prop_assert_eq!(cut, starts[whole]);
        }
    }

    #[test]
    fn packed_numbers_are_read_back(values in prop::collection::vec(any::<u64>(), 0..200)) {
        let mut writer = Writer::new();
        writer.packed(7, values.iter().copied());
        let value = Fields::find(writer.as_bytes(), 7).unwrap();
        prop_assert_eq!(value.varints().collect::<Vec<_>>(), values);
    }

    #[test]
    fn zigzag_round_trips(value in any::<i64>()) {
        prop_assert_eq!(unzigzag(zigzag(value)), value);
    }
}
