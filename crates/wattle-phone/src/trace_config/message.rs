//! Messages of protobuf, binary or as text.

use wattle_wire::{Fields, Value};

/// A field of a message by number and by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name(pub(super) u32, pub(super) &'static str);

/// A value in one of both forms.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Number(u64),
    Text(String),
    Message(Message),
}

/// A message in one of both forms.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    Binary(Vec<u8>),
    Text(Vec<(String, Field)>),
}

impl Message {
    pub(super) fn all(&self, name: Name) -> Vec<Field> {
        match self {
            Self::Text(fields) => fields
                .iter()
                .filter(|(field, _)| field == name.1)
                .map(|(_, value)| value.clone())
                .collect(),
            // What follows broken framing is not there, as for the service.
            Self::Binary(bytes) => Fields::new(bytes)
                .map_while(Result::ok)
                .filter(|field| field.number == name.0)
                .map(|field| match field.value {
                    Value::Varint(number) => Field::Number(number),
                    other => Field::Message(Self::Binary(other.bytes().to_vec())),
                })
                .collect(),
        }
    }

    pub(super) fn messages(&self, name: Name) -> Vec<Self> {
        let messages = self.all(name).into_iter();
        messages
            .filter_map(
                |field| if let Field::Message(message) = field { Some(message) } else { None },
            )
            .collect()
    }

    pub(super) fn number(&self, name: Name) -> Option<u64> {
        self.all(name).into_iter().rev().find_map(|field| match field {
            Field::Number(number) => Some(number),
            _ => None,
        })
    }

    pub(super) fn texts(&self, name: Name) -> Vec<String> {
        let text = |field| match field {
            Field::Text(text) => Some(text),
            Field::Message(Self::Binary(bytes)) => String::from_utf8(bytes).ok(),
            _ => None,
        };
        self.all(name).into_iter().filter_map(text).collect()
    }
}
