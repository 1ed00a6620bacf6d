//! A protobuf message as a tree of named fields, for messages that programs read and people, too.

use std::fmt::Write as _;

use wattle_wire::Writer;

/// A field: its number and name in the message's definition, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigField {
    number: u32,
    name: &'static str,
    value: ConfigValue,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ConfigValue {
    Number(u64),
    Flag(bool),
    /// A number of an enumeration and its word.
    Word(u64, &'static str),
    Text(String),
    Message(Vec<ConfigField>),
}

impl ConfigField {
    pub(super) const fn number(number: u32, name: &'static str, value: u64) -> Self {
        Self { number, name, value: ConfigValue::Number(value) }
    }

    pub(super) const fn flag(number: u32, name: &'static str) -> Self {
        Self { number, name, value: ConfigValue::Flag(true) }
    }

    pub(super) const fn word(
        number: u32,
        name: &'static str,
        value: u64,
        word: &'static str,
    ) -> Self {
        Self { number, name, value: ConfigValue::Word(value, word) }
    }

    pub(super) fn text(number: u32, name: &'static str, text: &str) -> Self {
        Self { number, name, value: ConfigValue::Text(text.to_owned()) }
    }

    pub(super) const fn message(number: u32, name: &'static str, fields: Vec<Self>) -> Self {
        Self { number, name, value: ConfigValue::Message(fields) }
    }
}

/// The message in binary.
pub(super) fn to_bytes(fields: &[ConfigField]) -> Vec<u8> {
    fn write(fields: &[ConfigField], to: &mut Writer) {
        for ConfigField { number, value, .. } in fields {
            match value {
                ConfigValue::Number(value) | ConfigValue::Word(value, _) => {
                    to.varint(*number, *value);
                }
                ConfigValue::Flag(value) => to.bool(*number, *value),
                ConfigValue::Text(text) => to.string(*number, text),
                ConfigValue::Message(fields) => to.message(*number, |inner| write(fields, inner)),
            }
        }
    }
    let mut out = Writer::new();
    write(fields, &mut out);
    out.into_bytes()
}

/// The message in protobuf's text format, which `perfetto --txt` reads, too.
pub(super) fn to_text(fields: &[ConfigField]) -> String {
    fn write(fields: &[ConfigField], depth: usize, to: &mut String) {
        let indent = "  ".repeat(depth);
        for ConfigField { name, value, .. } in fields {
            // Writing to a String does not fail.
            let _ = match value {
                ConfigValue::Number(value) => writeln!(to, "{indent}{name}: {value}"),
                ConfigValue::Flag(value) => writeln!(to, "{indent}{name}: {value}"),
                ConfigValue::Word(_, word) => writeln!(to, "{indent}{name}: {word}"),
                ConfigValue::Text(text) => writeln!(to, "{indent}{name}: \"{}\"", escaped(text)),
                ConfigValue::Message(fields) => {
                    let _ = writeln!(to, "{indent}{name} {{");
                    write(fields, depth + 1, to);
                    writeln!(to, "{indent}}}")
                }
            };
        }
    }
    let mut text = String::new();
    write(fields, 0, &mut text);
    text
}

/// The text between quotes: bytes that mean something else there are octal.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => safe.extend(['\\', char::from(byte)]),
            b' '..=b'~' => safe.push(char::from(byte)),
            _ => {
                let _ = write!(safe, "\\{byte:03o}");
            }
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let fields = [
            ConfigField::message(
                1,
                "buffers",
                vec![
                    ConfigField::number(1, "size_kb", 300),
                    ConfigField::word(4, "fill_policy", 1, "RING_BUFFER"),
                ],
            ),
            ConfigField::flag(8, "write_into_file"),
            ConfigField::text(11, "name", "a\"ü\n"),
        ];
        let text = "buffers {\n  size_kb: 300\n  fill_policy: RING_BUFFER\n}\nwrite_into_file: true\nname: \"a\\\"\\303\\274\\012\"\n";
        assert_eq!(to_text(&fields), text);
        let bytes = [
            &[0x0a, 5, 0x08, 0xac, 0x02, 0x20, 0x01, 0x40, 0x01, 0x5a, 5][..],
            "a\"ü\n".as_bytes(),
        ];
        assert_eq!(to_bytes(&fields), bytes.concat());
    }
}
