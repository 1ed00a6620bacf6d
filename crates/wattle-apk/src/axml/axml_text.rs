//! Binary XML printed as text.

use std::collections::BTreeMap;

use crate::axml::document::{Attribute, BinaryXml, Element, Node};
use crate::{ApkError, XmlProblem};

impl BinaryXml {
    /// The longest text that is printed. A string of a binary file may be used by every element, so a small file can stand
    /// for a text of any length.
    const TEXT_LIMIT: usize = 16 << 20;

    /// The file as XML text, for readers that know only that.
    ///
    /// Values are as in the source where the compiler kept them, else as [`Value`](crate::Value) shows them: resources by
    /// their number (`@0x7f010001`). Characters that XML 1.0 does not allow become U+FFFD. The prefixes of namespaces are
    /// not those of the source, except `android`.
    ///
    /// # Errors
    /// If the text would be longer than 16 MiB, or a name is not allowed in XML.
    pub fn to_text(&self) -> Result<String, ApkError> {
        let mut prefixes = BTreeMap::new();
        collect(&self.root, &mut prefixes);
        let mut printer = Printer { text: String::new(), prefixes };
        printer.push("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")?;
        printer.element(&self.root, true)?;
        printer.push("\n")?;
        Ok(printer.text)
    }
}

/// Gives every namespace a prefix.
fn collect<'x>(element: &'x Element, prefixes: &mut BTreeMap<&'x str, String>) {
    let of_attributes = element.attributes.iter().filter_map(|found| found.namespace.as_deref());
    for uri in of_attributes.chain(element.namespace.as_deref()) {
        let number = prefixes.len();
        prefixes.entry(uri).or_insert_with(|| match uri {
            BinaryXml::ANDROID => "android".to_owned(),
            _ => format!("ns{number}"),
        });
    }
    element.elements().for_each(|child| collect(child, prefixes));
}

struct Printer<'x> {
    text: String,
    prefixes: BTreeMap<&'x str, String>,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) -> Result<(), ApkError> {
        if self.text.len().saturating_add(text.len()) > BinaryXml::TEXT_LIMIT {
            return Err(self.error(XmlProblem::TextLength { limit: BinaryXml::TEXT_LIMIT }));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn error(&self, problem: XmlProblem) -> ApkError {
        ApkError::Xml { offset: self.text.len() as u64, problem }
    }

    // The reader bounds the depth.
    fn element(&mut self, element: &Element, is_root: bool) -> Result<(), ApkError> {
        self.push("<")?;
        self.name(element.namespace.as_deref(), &element.name)?;
        if is_root {
            for (uri, prefix) in self.prefixes.clone() {
                self.push(&format!(" xmlns:{prefix}=\""))?;
                self.escaped(uri)?;
                self.push("\"")?;
            }
        }
        for attribute in &element.attributes {
            self.attribute(attribute)?;
        }
        if element.children.is_empty() {
            return self.push("/>");
        }
        self.push(">")?;
        for child in &element.children {
            match child {
                Node::Element(child) => self.element(child, false)?,
                Node::Text(text) => self.escaped(text)?,
            }
        }
        self.push("</")?;
        self.name(element.namespace.as_deref(), &element.name)?;
        self.push(">")
    }

    fn attribute(&mut self, attribute: &Attribute) -> Result<(), ApkError> {
        self.push(" ")?;
        match attribute.resource.filter(|_| attribute.name.is_empty()) {
            // The number is all that obfuscators leave of a name.
            Some(number) => {
                self.name(attribute.namespace.as_deref(), &format!("_0x{number:08x}"))?;
            }
            None => self.name(attribute.namespace.as_deref(), &attribute.name)?,
        }
        self.push("=\"")?;
        match &attribute.raw {
            Some(raw) => self.escaped(raw)?,
            None => self.escaped(&attribute.value.to_string())?,
        }
        self.push("\"")
    }

    fn name(&mut self, namespace: Option<&str>, name: &str) -> Result<(), ApkError> {
        let starts = |c: char| c.is_alphabetic() || c == '_';
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !name.starts_with(starts) || !name.chars().all(goes_on) {
            let shown: String = name.chars().take(40).collect();
            return Err(self.error(XmlProblem::Name { name: shown }));
        }
        if let Some(prefix) = namespace.and_then(|uri| self.prefixes.get(uri)).cloned() {
            self.push(&prefix)?;
            self.push(":")?;
        }
        self.push(name)
    }

    fn escaped(&mut self, text: &str) -> Result<(), ApkError> {
        let mut plain_from = 0;
        for (at, character) in text.char_indices() {
            let code = match character {
                '<' => "&lt;",
                '>' => "&gt;",
                '&' => "&amp;",
                '"' => "&quot;",
                '\r' => "&#13;",
                '\t' | '\n' => continue,
                '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
                _ => continue,
            };
            self.push(text.get(plain_from..at).unwrap_or_default())?;
            self.push(code)?;
            plain_from = at.saturating_add(character.len_utf8());
        }
        self.push(text.get(plain_from..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Attribute, BinaryXml, Element, Node, Value};

    fn attribute(
        namespace: Option<&str>,
        name: &str,
        value: Value,
        raw: Option<&str>,
    ) -> Attribute {
        let namespace = namespace.map(Arc::from);
        Attribute { namespace, name: name.into(), resource: None, value, raw: raw.map(Arc::from) }
    }

    fn element(name: &str, attributes: Vec<Attribute>, children: Vec<Node>) -> Element {
        Element { name: name.into(), attributes, children, ..Element::default() }
    }

    /// A text that is expected, or a part of the error.
    #[track_caller]
    fn check(root: Element, expected: Result<&str, &str>) {
        match (BinaryXml { root }.to_text(), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.lines().nth(1), Some(expected)),
            (Err(found), Err(part)) => assert!(found.to_string().contains(part), "{found}"),
            (found, expected) => panic!("expected {expected:?}, found {found:?}"),
        }
    }

    #[test]
    fn elements_are_printed_as_they_would_be_written() {
        check(element("a", vec![], vec![]), Ok("<a/>"));
        check(
            element(
                "item",
                vec![
                    attribute(None, "name", Value::String("a<b & \"c\"\u{1}".into()), None),
                    attribute(None, "kept", Value::Float(0.1), Some("0.10")),
                    attribute(
                        Some(BinaryXml::ANDROID),
                        "label",
                        Value::Reference(0x7f01_0002),
                        None,
                    ),
                ],
                vec![
                    Node::Text("1 > 0".into()),
                    Node::Element(element(
                        "b",
                        vec![attribute(Some("u:x"), "y", Value::Boolean(true), None)],
                        vec![],
                    )),
                ],
            ),
            Ok(
                "<item xmlns:android=\"http://schemas.android.com/apk/res/android\" xmlns:ns1=\"u:x\" \
                name=\"a&lt;b &amp; &quot;c&quot;\u{fffd}\" kept=\"0.10\" android:label=\"@0x7f010002\">1 &gt; 0\
                <b ns1:y=\"true\"/></item>",
            ),
        );
    }

    #[test]
    fn hostile_files_are_refused() {
        check(element("a b", vec![], vec![]), Err("a b"));
        check(element("", vec![], vec![]), Err("name"));
        let long: Arc<str> = "x".repeat(1 << 20).into();
        let many = (0..100).map(|_| Node::Text(Arc::clone(&long))).collect();
        check(element("a", vec![], many), Err("16777216"));
    }
}
