//! Manifests that can be read, but that Android refuses to install.
//!
//! The rules are those of AOSP's package parser (`ParsingPackageUtils`, `ParsedComponentUtils` and
//! `FrameworkParsingPackageUtils.validateName`).

use std::fmt;

use super::attribute_value::Value;
use super::document::{BinaryXml, Element};
use super::manifest_attribute as attribute;

/// A reason why Android does not install the package of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestDefect {
    /// A sentence part: what Android asks for.
    pub expected: &'static str,
    /// The place and what stands there.
    pub found: String,
}

/// Elements that must have a name (`android:name`).
const NAMED: [&str; 8] = [
    "activity",
    "activity-alias",
    "service",
    "receiver",
    "provider",
    "instrumentation",
    "permission",
    "meta-data",
];
/// Components that other apps may start through an intent filter.
const EXPORTABLE: [&str; 4] = ["activity", "activity-alias", "service", "receiver"];
/// From this target level on, `android:exported` must be said where there is an intent filter.
const EXPORTED_SINCE: i64 = 31;
/// Longest name of a package (`FrameworkParsingPackageUtils.MAX_FILE_NAME_SIZE`).
const LONGEST_NAME: usize = 223;

/// All defects of a manifest whose root is `<manifest>`, in the order of the file. Values that are resources are not judged.
pub(super) fn defects(xml: &BinaryXml) -> Vec<ManifestDefect> {
    let root = &xml.root;
    let mut found = Defects(Vec::new());
    let text = |name| root.attribute(name).and_then(Value::as_str);
    if let Some(package) = text("package").filter(|package| *package != "android")
        && (!is_name(package, true) || package.len() > LONGEST_NAME)
    {
        let expected =
            "a package name of two or more parts with dots between, of letters, digits and _";
        found.add(expected, format!("{package:?}"));
    }
    let split = text("split");
    if let Some(split) = split
        && !is_name(split, false)
    {
        found.add("a split name of letters, digits, _ and dots", format!("{split:?}"));
    }
    let is_empty = root.named("application").next().is_none()
        && root.named("instrumentation").next().is_none();
    if is_empty && split.is_none() {
        found.add("an <application> or <instrumentation>", "neither");
    }
    let target = |id, name| {
        let uses = root.named("uses-sdk");
        uses.filter_map(|uses| uses.android(id, name)?.as_integer()).last()
    };
    let target = target(attribute::TARGET_SDK_VERSION, "targetSdkVersion")
        .or_else(|| target(attribute::MIN_SDK_VERSION, "minSdkVersion"));
    let asks_exported = target.is_some_and(|level| level >= EXPORTED_SINCE);
    for inside in root.elements() {
        found.name(inside);
        if &*inside.name != "application" {
            continue;
        }
        found.process(inside);
        for component in inside.elements() {
            found.name(component);
            found.component(inside, component, asks_exported);
            component.named("meta-data").for_each(|data| found.name(data));
        }
    }
    found.0
}

struct Defects(Vec<ManifestDefect>);

impl Defects {
    fn add(&mut self, expected: &'static str, found: impl Into<String>) {
        self.0.push(ManifestDefect { expected, found: found.into() });
    }

    fn name(&mut self, element: &Element) {
        if NAMED.contains(&&*element.name) && is_without(element, attribute::NAME, "name") {
            self.add("android:name", format!("{} without it", Place(element)));
        }
    }

    fn process(&mut self, element: &Element) {
        let process = element.android(attribute::PROCESS, "process").and_then(Value::as_str);
        let Some(process) = process.filter(|process| !process.is_empty()) else { return };
        let is_right = match process.strip_prefix(':') {
            Some(own) => is_name(own, false),
            None => process == "system" || is_name(process, true),
        };
        if !is_right {
            let expected = "a process name such as :remote or com.example.process";
            self.add(expected, format!("{process:?} of {}", Place(element)));
        }
    }

    fn component(&mut self, application: &Element, element: &Element, asks_exported: bool) {
        let kind = &*element.name;
        self.process(element);
        if kind == "provider" && is_without(element, attribute::AUTHORITIES, "authorities") {
            self.add("android:authorities", format!("{} without it", Place(element)));
        }
        if kind == "activity-alias" {
            let target = element.android(attribute::TARGET_ACTIVITY, "targetActivity");
            let is_activity = |target: &Value| {
                let named = |it: &Element| it.android(attribute::NAME, "name").cloned();
                target.as_str().is_none_or(|target| {
                    let simple = simple_name(target);
                    application
                        .named("activity")
                        .filter_map(named)
                        .any(|name| name.as_str().is_none_or(|name| simple_name(name) == simple))
                })
            };
            if !target.is_some_and(is_activity) {
                let expected = "an android:targetActivity that the manifest declares";
                let target = target.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                self.add(expected, format!("{target} in {}", Place(element)));
            }
        }
        if asks_exported
            && EXPORTABLE.contains(&kind)
            && element.named("intent-filter").next().is_some()
            && element.android(attribute::EXPORTED, "exported").is_none()
        {
            let expected =
                "android:exported where there is an intent filter (target level 31 and later)";
            self.add(expected, format!("{} without it", Place(element)));
        }
    }
}

/// Whether an attribute is missing or an empty text.
fn is_without(element: &Element, id: u32, name: &str) -> bool {
    element.android(id, name).is_none_or(|value| value.as_str() == Some(""))
}

/// A class's name behind the last dot: enough to find it among the activities, however its package is written.
fn simple_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// Whether a name has parts of letters, digits and `_`, each beginning with a letter, with dots between.
fn is_name(name: &str, asks_dot: bool) -> bool {
    let mut at_front = true;
    for sign in name.chars() {
        match sign {
            'a'..='z' | 'A'..='Z' => at_front = false,
            '0'..='9' | '_' if !at_front => {}
            '.' => at_front = true,
            _ => return false,
        }
    }
    !asks_dot || name.contains('.')
}

/// An element in words: `<activity> .Main, line 12`.
struct Place<'e>(&'e Element);

impl fmt::Display for Place<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "<{}>", self.0.name)?;
        if let Some(name) = self.0.android(attribute::NAME, "name") {
            write!(to, " {name}")?;
        }
        write!(to, " in line {}", self.0.line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{Attribute, BinaryXml, Element, Node};
    use super::{Value, attribute, defects};

    fn element(name: &str, attributes: &[(u32, &str, Value)], inside: Vec<Element>) -> Element {
        let attributes = attributes.iter().map(|(resource, name, value)| Attribute {
            namespace: (*resource != 0).then(|| BinaryXml::ANDROID.into()),
            name: (*name).into(),
            resource: (*resource != 0).then_some(*resource),
            value: value.clone(),
            raw: None,
        });
        Element {
            name: name.into(),
            line: 3,
            attributes: attributes.collect(),
            children: inside.into_iter().map(Node::Element).collect(),
            ..Element::default()
        }
    }

    fn text(text: &str) -> Value {
        Value::String(text.into())
    }

    fn named(name: &str, of: &str, inside: Vec<Element>) -> Element {
        element(name, &[(attribute::NAME, "name", text(of))], inside)
    }

    /// Checks what is found in a manifest of this package for this target level, with these components.
    #[track_caller]
    fn check(package: &str, target: i32, components: Vec<Element>, expected: &[&str]) {
        let target = [(attribute::TARGET_SDK_VERSION, "targetSdkVersion", Value::Integer(target))];
        let inside =
            vec![element("uses-sdk", &target, vec![]), element("application", &[], components)];
        let root = element("manifest", &[(0, "package", text(package))], inside);
        let found: Vec<String> =
            defects(&BinaryXml { root }).into_iter().map(|it| it.found).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_of_packages() {
        check("com.example.app_2", 34, vec![], &[]);
        check("android", 34, vec![], &[]);
        for wrong in ["app", "com.example.2app", "com.exämple", "com.example.a-b", "com..2", ""] {
            check(wrong, 34, vec![], &[&format!("{wrong:?}")]);
        }
    }

    #[test]
    fn components() {
        let main = named("activity", ".Main", vec![]);
        let filter = || vec![element("intent-filter", &[], vec![])];
        let alias = |target: &str| {
            let target = (attribute::TARGET_ACTIVITY, "targetActivity", text(target));
            element("activity-alias", &[(attribute::NAME, "name", text("Other")), target], vec![])
        };
        check("a.b", 34, vec![main.clone(), alias("a.b.Main")], &[]);
        check("a.b", 34, vec![main, alias("Gone")], &["Gone in <activity-alias> Other in line 3"]);
        check(
            "a.b",
            34,
            vec![element("service", &[], vec![])],
            &["<service> in line 3 without it"],
        );
        check(
            "a.b",
            34,
            vec![named("provider", "P", vec![])],
            &["<provider> P in line 3 without it"],
        );
        let open = || named("receiver", "R", filter());
        check("a.b", 34, vec![open()], &["<receiver> R in line 3 without it"]);
        check("a.b", 30, vec![open()], &[]);
        let process = |name: &str| {
            let process = (attribute::PROCESS, "process", text(name));
            element("service", &[(attribute::NAME, "name", text("S")), process], vec![])
        };
        for right in [":remote", "com.example.other", "system"] {
            check("a.b", 34, vec![process(right)], &[]);
        }
        check("a.b", 34, vec![process("remote")], &["\"remote\" of <service> S in line 3"]);
        let data = element("meta-data", &[], vec![]);
        let service = named("service", "S", vec![data]);
        check("a.b", 34, vec![service], &["<meta-data> in line 3 without it"]);
    }

    #[test]
    fn an_app_or_a_test() {
        let package = [(0, "package", text("a.b"))];
        let found =
            |inside| defects(&BinaryXml { root: element("manifest", &package, inside) }).len();
        assert_eq!(found(vec![]), 1);
        assert_eq!(found(vec![named("instrumentation", "I", vec![])]), 0);
        let split = [(0, "package", text("a.b")), (0, "split", text("config.de"))];
        let split = BinaryXml { root: element("manifest", &split, vec![]) };
        assert_eq!(defects(&split), []);
    }
}
