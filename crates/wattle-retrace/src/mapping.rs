//! Names and lines before a shrinker changed them.

use proguard::ProguardRecord;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::Alternatives;
use crate::retrace::{MappedMethod, Retrace};

/// A `mapping.txt` of R8 or ProGuard, indexed by the names in the package.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    classes: FxHashMap<String, MappedClass>,
    /// Source files by original names.
    sources: FxHashMap<String, String>,
}

/// A class of a mapping.
#[derive(Clone, Debug, Default)]
struct MappedClass {
    original: String,
    source: Option<String>,
    /// By the name in the package, in the order of the file.
    methods: FxHashMap<String, Vec<MappedMethod>>,
}

/// Comments of R8 that help to find a name, see "Additional information appended as comments" of its `doc/retrace.md`.
#[derive(Deserialize)]
#[serde(tag = "id", rename_all = "camelCase")]
enum Comment {
    /// `# {"id":"sourceFile","fileName":"Main.java"}`, below a class.
    #[serde(rename_all = "camelCase")]
    SourceFile { file_name: String },
    /// `# {"id":"com.android.tools.r8.synthesized"}`, below what the compiler made.
    #[serde(rename = "com.android.tools.r8.synthesized")]
    Synthesized {},
}

impl Comment {
    fn from_line(line: &[u8]) -> Option<Self> {
        let comment = line.trim_ascii().strip_prefix(b"#")?.trim_ascii();
        serde_json::from_slice(comment).ok()
    }
}

impl Mapping {
    /// Reads a mapping; `None` where it names no class, so is none.
    pub fn parse(text: &[u8]) -> Option<Self> {
        // Editors put a byte order mark in front, which would belong to the first class's name.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut mapping = Self::default();
        let mut class = MappedClass::default();
        let (mut name, mut method) = (String::new(), String::new());
        for line in text.split(|&byte| byte == b'\n') {
            match Comment::from_line(line) {
                Some(Comment::SourceFile { file_name }) => class.source = Some(file_name),
                Some(Comment::Synthesized {}) => {
                    let last = class.methods.get_mut(&method).and_then(|lines| lines.last_mut());
                    if let Some(last) = last {
                        last.is_synthesized = true;
                    }
                }
                None => {}
            }
            let Ok(record) = ProguardRecord::try_parse(line) else { continue };
            match record {
                ProguardRecord::Class { original, obfuscated } => {
                    let done = std::mem::take(&mut class);
                    mapping.add(std::mem::replace(&mut name, obfuscated.to_owned()), done);
                    original.clone_into(&mut class.original);
                    method.clear();
                }
                ProguardRecord::Method {
                    ty,
                    original,
                    obfuscated,
                    arguments,
                    original_class,
                    line_mapping,
                } => {
                    class.methods.entry(obfuscated.to_owned()).or_default().push(MappedMethod {
                        original: original.to_owned(),
                        holder: original_class.map(str::to_owned),
                        arguments: arguments.to_owned(),
                        returns: ty.to_owned(),
                        lines: line_mapping,
                        is_synthesized: false,
                    });
                    obfuscated.clone_into(&mut method);
                }
                ProguardRecord::Field { .. } => method.clear(),
                _ => {}
            }
        }
        mapping.add(name, class);
        (!mapping.classes.is_empty()).then_some(mapping)
    }

    fn add(&mut self, name: String, class: MappedClass) {
        if !name.is_empty() {
            if let Some(source) = &class.source {
                self.sources.insert(class.original.clone(), source.clone());
            }
            self.classes.insert(name, class);
        }
    }

    /// The original name of a class, both as Java writes them.
    pub fn class<'m>(&'m self, class: &'m str) -> &'m str {
        self.classes.get(class).map_or(class, |it| it.original.as_str())
    }

    /// The source file of a class.
    pub fn source(&self, class: &str) -> Option<&str> {
        self.classes.get(class)?.source.as_deref()
    }

    /// The lines of a method, by its class, name and signature (`(I)V`) in the package.
    pub fn retrace(&self, class: &str, name: &str, signature: &str) -> Option<Retrace<'_>> {
        let class = self.classes.get(class)?;
        let lines = class.methods.get(name)?;
        let (arguments, returns) = self.java_signature(signature);
        Some(Retrace::new(&class.original, lines, &arguments, &returns))
    }

    /// The candidates for a method, by its class, its name and, where that is known, its line in the package.
    pub fn alternatives(&self, class: &str, name: &str, line: Option<u32>) -> Alternatives<'_> {
        let Some(class) = self.classes.get(class) else { return Alternatives::default() };
        let lines = class.methods.get(name).map(Vec::as_slice).unwrap_or_default();
        Alternatives::new(&class.original, lines, line)
    }

    /// Whether it knows a class of the package.
    pub fn has_class(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether it has no class; one that was read has some.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The source file of a class by its original name.
    pub fn source_of_original(&self, original: &str) -> Option<&str> {
        self.sources.get(original).map(String::as_str)
    }

    /// A signature as a mapping writes it, with original names: arguments and the type returned.
    fn java_signature(&self, signature: &str) -> (String, String) {
        let inner = signature.strip_prefix('(').unwrap_or(signature);
        let (mut rest, returns) = inner.split_once(')').unwrap_or((inner, ""));
        let mut arguments = Vec::new();
        while !rest.is_empty() {
            let dimensions = rest.len() - rest.trim_start_matches('[').len();
            let end = match rest.as_bytes().get(dimensions) {
                Some(b'L') => rest.find(';').map_or(rest.len(), |at| at + 1),
                _ => (dimensions + 1).min(rest.len()),
            };
            let (one, after) = rest.split_at(end);
            arguments.push(self.java_type(one));
            rest = after;
        }
        (arguments.join(","), self.java_type(returns))
    }

    fn java_type(&self, descriptor: &str) -> String {
        let element = descriptor.trim_start_matches('[');
        let mut text = match element {
            "V" => "void".to_owned(),
            "Z" => "boolean".to_owned(),
            "B" => "byte".to_owned(),
            "S" => "short".to_owned(),
            "C" => "char".to_owned(),
            "I" => "int".to_owned(),
            "J" => "long".to_owned(),
            "F" => "float".to_owned(),
            "D" => "double".to_owned(),
            _ => {
                let class = element.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
                self.class(&class.unwrap_or(element).replace('/', ".")).to_owned()
            }
        };
        for _ in 0..descriptor.len() - element.len() {
            text.push_str("[]");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::Mapping;

    const TEXT: &str = "\
# compiler: R8
com.example.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    int count -> a
    1:3:void run(com.example.Other,int[]):20:22 -> a
    4:4:java.lang.String helper():40:40 -> b
    4:4:void work(long):31 -> b
    com.example.Other plain() -> c
com.example.Other -> a.b:
";

    #[test]
    fn classes_and_sources() {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        assert_eq!(mapping.class("a.a"), "com.example.Main");
        assert_eq!(mapping.class("a.c"), "a.c");
        assert_eq!(mapping.source("a.a"), Some("Main.java"));
        assert_eq!(mapping.source("a.b"), None);
    }

    #[track_caller]
    fn check(method: (&str, &str, Option<u32>), expected: Option<(&str, Option<u32>)>) {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let retrace = mapping.retrace("a.a", method.0, method.1);
        let found = retrace.and_then(|retrace| retrace.at(method.2));
        assert_eq!(found.map(|it| (it.name, it.line)), expected, "{method:?}");
    }

    #[test]
    fn methods_by_signature() {
        check(("a", "(La/b;[I)V", Some(2)), Some(("run", Some(21))));
        check(("a", "(La/b;[I)V", Some(1)), Some(("run", Some(20))));
        check(("c", "()La/b;", None), Some(("plain", None)));
        check(("d", "()V", None), None);
    }

    #[test]
    fn what_was_inlined_is_not_the_method() {
        check(("b", "(J)V", Some(4)), Some(("work", Some(31))));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_name() {
        let mapping = Mapping::parse("\u{feff}com.example.Main -> a.a:\n".as_bytes()).unwrap();
        assert_eq!(mapping.class("a.a"), "com.example.Main");
    }

    #[test]
    fn a_text_without_classes_is_no_mapping() {
        assert!(Mapping::parse(b"hello\nworld\n").is_none());
    }
}
