//! Descriptions of events, as the kernel gives them (`events/*/*/format`).
//!
//! ```text
//! name: sched_switch
//! ID: 314
//! format:
//!     field:unsigned short common_type;  offset:0;  size:2;  signed:0;
//!     …
//!     field:char prev_comm[16];  offset:8;  size:16;  signed:0;
//! ```

/// Kind of a field's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A number, with or without a sign.
    Number {
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// Characters in place.
    Characters,
    /// Characters from here to the end of the record.
    Rest,
    /// Offset, from the record's beginning, and number of characters that are elsewhere in the record.
    Elsewhere,
    /// The same, counted from behind the field.
    ElsewhereBehind,
    /// The address of a text in the kernel.
    Address,
}

/// A field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its place in a record.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
    /// Its type.
    pub kind: FieldKind,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// Its number in this recording.
    pub id: u16,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// Fields of one event that are kept.
const MAX_FIELDS: usize = 256;

impl Format {
    /// Reads a description; `None` without a name and a number.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let (mut name, mut id) = (None, None);
        let mut fields = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(found) = line.strip_prefix("name:") {
                name = Some(found.trim().to_owned());
            } else if let Some(found) = line.strip_prefix("ID:") {
                id = found.trim().parse().ok();
            } else if let Some(found) = line.strip_prefix("field:") {
                if fields.len() < MAX_FIELDS {
                    fields.extend(field(found));
                }
            } else if line.starts_with("print fmt:") {
                break;
            }
        }
        Some(Self { name: name?, id: id?, fields })
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// `unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;`
fn field(text: &str) -> Option<Field> {
    let mut parts = text.split(';').map(str::trim);
    let declaration = parts.next()?;
    let (mut offset, mut size, mut is_signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", value)) => offset = value.parse().ok(),
            Some(("size", value)) => size = value.parse().ok(),
            Some(("signed", value)) => is_signed = value == "1",
            _ => {}
        }
    }
    let (offset, size): (usize, usize) = (offset?, size?);
    let last = declaration.split_whitespace().next_back()?;
    let name = last.split('[').next()?.trim_start_matches('*').to_owned();
    let is_characters = declaration.contains("char");
    let kind = if declaration.starts_with("__data_loc") {
        FieldKind::Elsewhere
    } else if declaration.starts_with("__rel_loc") {
        FieldKind::ElsewhereBehind
    } else if last.ends_with(']') && is_characters {
        if size == 0 { FieldKind::Rest } else { FieldKind::Characters }
    } else if declaration.contains('*') && is_characters {
        FieldKind::Address
    } else {
        FieldKind::Number { is_signed }
    };
    Some(Field { name, offset, size, kind })
}

/// Layout of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    /// Bytes of the kernel's `long`.
    pub long: usize,
    /// Offset of the events.
    pub data: usize,
}

impl Default for PageLayout {
    fn default() -> Self {
        Self { long: 8, data: 16 }
    }
}

impl PageLayout {
    /// Reads the description of a page (`events/header_page`); what it leaves open is as on a machine of 64 bits.
    pub fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut layout = Self::default();
        for line in text.lines() {
            let Some(field) = line.trim().strip_prefix("field:").and_then(field) else { continue };
            match field.name.as_str() {
                "commit" if matches!(field.size, 4 | 8) => layout.long = field.size,
                "data" if field.offset >= 8 + layout.long => layout.data = field.offset,
                _ => {}
            }
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_events_and_pages() {
        let text = b"name: x\nID: 99\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
            \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
            \tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n\
            \tfield:__rel_loc char[] rel;\toffset:28;\tsize:4;\tsigned:0;\n\
            \tfield:const char * action;\toffset:32;\tsize:8;\tsigned:0;\n\tfield:char buf[];\toffset:40;\tsize:0;\tsigned:0;\n\
            \nprint fmt: \"field:int no; offset:1; size:1;\"\n";
        let format = Format::parse(text).expect("a description");
        let found: Vec<_> =
            format.fields.iter().map(|f| (f.name.as_str(), f.offset, f.size, f.kind)).collect();
        let number = |is_signed| FieldKind::Number { is_signed };
        let expected = [
            ("common_type", 0, 2, number(false)),
            ("common_pid", 4, 4, number(true)),
            ("comm", 8, 16, FieldKind::Characters),
            ("name", 24, 4, FieldKind::Elsewhere),
            ("rel", 28, 4, FieldKind::ElsewhereBehind),
            ("action", 32, 8, FieldKind::Address),
            ("buf", 40, 0, FieldKind::Rest),
        ];
        assert_eq!((format.name.as_str(), format.id, found.as_slice()), ("x", 99, &expected[..]));
        assert_eq!(Format::parse(b"name: x\n"), None);
        let page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
        assert_eq!(PageLayout::parse(page), PageLayout { long: 4, data: 12 });
    }
}
