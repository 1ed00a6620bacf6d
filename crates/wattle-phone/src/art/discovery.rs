//! Tests of a package, as its code declares them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wattle_apk::Apk;
use wattle_dex::{AccessFlags, Annotation, Dex, Value};

use super::ArtError;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestMethod {
    /// Its class, named as `some.pack.Class`.
    pub class: String,
    /// Its method.
    pub method: String,
    /// Whether it is marked not to be run (`@Ignore`). It can be run all the same.
    pub ignored: bool,
    /// The class that the method stands in.
    declared_in: String,
    /// Methods to be called around it, with the classes that declare them; those before it first.
    calls: Vec<(String, String)>,
    /// The number of them before it.
    before: usize,
    /// The exception that it has to throw.
    expected: Option<String>,
}

impl TestMethod {
    /// A test with nothing to be called around it.
    pub fn new(class: &str, method: &str) -> Self {
        Self {
            class: class.to_owned(),
            method: method.to_owned(),
            ignored: false,
            declared_in: class.to_owned(),
            calls: Vec::new(),
            before: 0,
            expected: None,
        }
    }

    /// `class#method`, as `am instrument -e class` takes it and events name it.
    pub fn name(&self) -> String {
        format!("{}#{}", self.class, self.method)
    }

    /// The argument of the runner.
    pub(super) fn argument(&self) -> String {
        let own = (self.declared_in.clone(), self.method.clone());
        let (before, after) = self.calls.split_at(self.before.min(self.calls.len()));
        let around = before.iter().chain(std::iter::once(&own)).chain(after);
        let calls: Vec<String> =
            around.map(|(class, method)| format!("\t{class}#{method}")).collect();
        // The runner counts from the name on.
        let first_after = 4 + before.len() + 1;
        let expected = self.expected.as_deref().unwrap_or_default();
        format!("{}\t{}\t{first_after}\t{expected}{}", self.name(), self.class, calls.concat())
    }
}

/// A method of a class that takes and returns nothing.
#[derive(Clone, Debug)]
struct PlainMethod {
    name: String,
    access: AccessFlags,
    /// Names of its annotations, and the `expected` of the one that makes it a test.
    annotations: Vec<String>,
    expected: Option<String>,
}

#[derive(Clone, Debug)]
struct TestClass {
    access: AccessFlags,
    superclass: Option<String>,
    ignored: bool,
    methods: Vec<PlainMethod>,
}

type Classes = BTreeMap<String, TestClass>;

/// The tests of a package: methods without arguments that JUnit 4 knows by `@Test`, or JUnit 3 and runners like it by a
/// name that begins with `test`, in classes that are not abstract. Methods around them are `setUp` and `tearDown`, or
/// those of `@Before…` and `@After…`, which are all called for each test. Classes that they extend may be in the other
/// packages. In order of classes and of the methods in them.
///
/// # Errors
///
/// When a package or its code cannot be read.
pub fn test_methods(package: &Path, others: &[PathBuf]) -> Result<Vec<TestMethod>, ArtError> {
    let mut classes = Classes::new();
    for other in others {
        read(other, &mut classes)?;
    }
    let mut own = Classes::new();
    read(package, &mut own)?;
    let names: Vec<String> = own.keys().cloned().collect();
    classes.extend(own);
    Ok(names.iter().flat_map(|name| tests_of(name, &classes)).collect())
}

fn read(package: &Path, classes: &mut Classes) -> Result<(), ArtError> {
    let bytes = std::fs::read(package).map_err(ArtError::io(package.display().to_string()))?;
    // Code that is in no package, as compilers write it.
    if bytes.starts_with(b"dex\n") {
        return read_code(&bytes, classes);
    }
    let wrong = |source| ArtError::Package { path: package.to_owned(), source: Box::new(source) };
    let apk = Apk::open(&bytes).map_err(wrong)?;
    for entry in apk.code_entries() {
        let code = apk.read(entry.name()).map_err(wrong)?;
        read_code(&code, classes)?;
    }
    Ok(())
}

fn read_code(code: &[u8], classes: &mut Classes) -> Result<(), ArtError> {
    let dex = Dex::parse(code)?;
    for (_, class) in dex.class_defs() {
        let class = class?;
        let annotations = dex.annotations(class.annotations_off)?;
        let mut methods = Vec::new();
        for member in dex.class_data(&class)?.into_iter().flatten() {
            let Some(item) = member?.method() else { continue };
            let id = dex.method(item.method)?;
            let is_plain = dex.parameters(id.proto)?.is_empty()
                && dex.descriptor_str(dex.proto(id.proto)?.return_type)? == "V";
            if !is_plain {
                continue;
            }
            let own: &[Annotation] = annotations
                .methods
                .iter()
                .find(|(method, _)| *method == item.method)
                .map_or(&[], |(_, own)| own);
            methods.push(PlainMethod {
                name: dex.string(id.name)?.to_string(),
                access: item.access,
                annotations: names(&dex, own)?,
                expected: expected(&dex, own)?,
            });
        }
        let found = TestClass {
            access: class.access,
            superclass: class.superclass.map(|ty| name(&dex, ty)).transpose()?,
            ignored: names(&dex, &annotations.class)?.iter().any(|name| name == IGNORE),
            methods,
        };
        // As the runtime does, the first of two classes of one name counts.
        classes.entry(name(&dex, class.class)?).or_insert(found);
    }
    Ok(())
}

const TEST: &str = "org.junit.Test";
const IGNORE: &str = "org.junit.Ignore";
/// In the order that is turned round.
const BEFORE: [&str; 2] = ["org.junit.Before", "org.junit.BeforeClass"];
const AFTER: [&str; 2] = ["org.junit.After", "org.junit.AfterClass"];

/// `Lsome/pack/Class;` as `some.pack.Class`.
fn name(dex: &Dex<'_>, ty: wattle_dex::TypeId) -> Result<String, ArtError> {
    let descriptor = dex.descriptor_str(ty)?;
    Ok(descriptor.trim_start_matches('L').trim_end_matches(';').replace('/', "."))
}

fn names(dex: &Dex<'_>, annotations: &[Annotation]) -> Result<Vec<String>, ArtError> {
    annotations.iter().map(|annotation| name(dex, annotation.annotation.ty)).collect()
}

fn expected(dex: &Dex<'_>, annotations: &[Annotation]) -> Result<Option<String>, ArtError> {
    for annotation in annotations.iter().map(|it| &it.annotation) {
        if name(dex, annotation.ty)? != TEST {
            continue;
        }
        for (element, value) in &annotation.elements {
            if let Value::Type(ty) = value
                && dex.string(*element)?.to_string() == "expected"
            {
                let class = name(dex, *ty)?;
                // JUnit's own way to say that nothing is expected.
                return Ok(Some(class).filter(|class| class != "org.junit.Test$None"));
            }
        }
    }
    Ok(None)
}

/// A class and those that it extends, as far as they are known; itself first.
fn lineage<'a>(name: &str, classes: &'a Classes) -> Vec<(&'a str, &'a TestClass)> {
    let mut all: Vec<(&str, &TestClass)> = Vec::new();
    let mut next = classes.get_key_value(name);
    while let Some((name, class)) = next {
        // Classes that extend each other are no classes, but files can hold them.
        if all.iter().any(|(known, _)| known == name) {
            break;
        }
        all.push((name, class));
        next = class.superclass.as_ref().and_then(|name| classes.get_key_value(name));
    }
    all
}

fn tests_of(name: &str, classes: &Classes) -> Vec<TestMethod> {
    let lineage = lineage(name, classes);
    let Some((_, class)) = lineage.first() else { return Vec::new() };
    let makes = class.methods.iter().any(|method| method.name == "<init>");
    if class.access.contains(AccessFlags::ABSTRACT) || !makes {
        return Vec::new();
    }
    let around = |wanted: &dyn Fn(&PlainMethod) -> bool| -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for (class, declared) in &lineage {
            for method in declared.methods.iter().filter(|method| wanted(method)) {
                // One that overrides another is the other, too.
                if !found.iter().any(|(_, known)| *known == method.name) {
                    found.push(((*class).to_owned(), method.name.clone()));
                }
            }
        }
        found
    };
    let mut tests = Vec::new();
    for (declared_in, declared) in &lineage {
        for method in &declared.methods {
            let is_new = tests.iter().all(|test: &TestMethod| test.method != method.name);
            if !is_new || !is_test(method) {
                continue;
            }
            let is_marked = method.annotations.iter().any(|it| it == TEST);
            let marked = |marks: [&str; 2]| {
                let mut all: Vec<(String, String)> = Vec::new();
                for mark in marks {
                    all.extend(around(&|method| method.annotations.iter().any(|it| it == mark)));
                }
                all
            };
            let (mut before, after) = if is_marked {
                (marked(BEFORE), marked(AFTER))
            } else {
                (around(&|it| it.name == "setUp"), around(&|it| it.name == "tearDown"))
            };
            // What a superclass prepares comes first.
            before.reverse();
            tests.push(TestMethod {
                class: name.to_owned(),
                method: method.name.clone(),
                ignored: declared.ignored
                    || class.ignored
                    || method.annotations.iter().any(|it| it == IGNORE),
                before: before.len(),
                declared_in: (*declared_in).to_owned(),
                calls: before.into_iter().chain(after).collect(),
                expected: method.expected.clone(),
            });
        }
    }
    tests
}

fn is_test(method: &PlainMethod) -> bool {
    let is_marked = method.annotations.iter().any(|it| it == TEST);
    let is_named = method.name.starts_with("test");
    let is_own = method.access.contains(AccessFlags::PUBLIC)
        && !method.access.contains(AccessFlags::STATIC)
        && !method.access.contains(AccessFlags::ABSTRACT);
    is_own && (is_marked || is_named)
}
