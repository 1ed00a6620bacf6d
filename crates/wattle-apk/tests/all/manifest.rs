//! Manifests of real packages, read and edited, compared with what `aapt` and `aapt2` (Debian) print of them.

use std::fmt::Write as _;

use wattle_apk::{
    Apk, ApkEditor, Attribute, BinaryXml, Compression, Element, Manifest, ManifestEditor, Node,
    Value,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// The tree in the words of `aapt2 dump xmltree`, without line numbers of namespaces.
fn render(element: &Element, indent: usize, out: &mut String) {
    let _ = writeln!(out, "{:indent$}E: {} (line={})", "", element.name, element.line);
    for attribute in &element.attributes {
        let _ = writeln!(out, "{:indent$}  {}", "", render_attribute(attribute));
    }
    for child in &element.children {
        match child {
            Node::Element(element) => render(element, indent + 4, out),
            Node::Text(text) => {
                let _ = writeln!(out, "{:indent$}    T: '{text}'", "");
            }
            _ => panic!("unknown node"),
        }
    }
}

fn render_attribute(attribute: &Attribute) -> String {
    let mut line = "A: ".to_owned();
    if let Some(namespace) = &attribute.namespace {
        let _ = write!(line, "{namespace}:");
    }
    line += &attribute.name;
    if let Some(resource) = attribute.resource {
        let _ = write!(line, "(0x{resource:08x})");
    }
    let _ = match &attribute.value {
        Value::String(text) => write!(line, "=\"{text}\""),
        Value::Hex(value) => write!(line, "=0x{value:08x}"),
        value => write!(line, "={value}"),
    };
    if let Some(raw) = &attribute.raw {
        let _ = write!(line, " (Raw: \"{raw}\")");
    }
    line
}

/// The manifest as `aapt2` prints it, without the lines of namespaces and without indentation of those.
fn xmltree(package: &[u8]) -> Vec<String> {
    let file = support::package_file(package);
    let path = file.path().to_str().unwrap();
    let arguments = ["dump", "xmltree", "--file", "AndroidManifest.xml", path];
    let output = support::tool("aapt2", &arguments);
    assert!(output.status.success(), "{}", support::printed(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("N: "));
    lines.map(str::to_owned).collect()
}

#[requires(program = "aapt2")]
#[test]
fn trees_of_made_packages_are_those_that_aapt2_prints() {
    check_trees(made::packages());
}

#[requires(data, program = "aapt2")]
#[test]
fn trees_are_those_that_aapt2_prints() {
    check_trees(support::real_packages());
}

#[track_caller]
fn check_trees(packages: Vec<(String, Vec<u8>)>) {
    for (name, bytes) in packages {
        let xml = BinaryXml::parse(&Apk::open(&bytes).unwrap().read(Apk::MANIFEST).unwrap());
        let mut own = String::new();
        render(&xml.unwrap().root, 0, &mut own);
        let own: Vec<_> = own.lines().map(str::trim_start).collect();
        let expected = xmltree(&bytes);
        for (own, expected) in own.iter().zip(&expected) {
            assert_eq!(own, expected, "{name}");
        }
        assert_eq!(own.len(), expected.len(), "{name}");
    }
}

/// The words of `aapt dump badging`: `name='value'` after a key.
fn badge(text: &str, key: &str, field: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    let (_, rest) = line.split_once(&format!("{field}'"))?;
    rest.split_once('\'').map(|(value, _)| value.to_owned())
}

#[requires(data, program = "aapt")]
#[test]
fn facts_are_those_that_aapt_prints() {
    let mut compared = 0;
    for (name, bytes) in support::real_packages() {
        let manifest = Apk::open(&bytes).unwrap().manifest().unwrap();
        let file = support::package_file(&bytes);
        let output = support::tool("aapt", &["dump", "badging", file.path().to_str().unwrap()]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(badge(&text, "package:", "name="), Some(manifest.package.clone()), "{name}");
        let code = manifest.version_code.map_or(String::new(), |code| code.to_string());
        assert_eq!(badge(&text, "package:", "versionCode="), Some(code), "{name}");
        let version = manifest.version_name.clone().unwrap_or_default();
        // A resource is looked up by aapt, and left as its number here.
        if !version.starts_with("@0x") {
            assert_eq!(badge(&text, "package:", "versionName="), Some(version), "{name}");
        }
        let level = |level: Option<u32>| level.map(|level| level.to_string());
        assert_eq!(badge(&text, "sdkVersion:", ""), level(manifest.min_sdk), "{name}");
        assert_eq!(badge(&text, "targetSdkVersion:", ""), level(manifest.target_sdk), "{name}");
        assert_eq!(badge(&text, "package:", "split="), manifest.split.clone(), "{name}");
        let app = manifest.application.clone().unwrap_or_default();
        let debuggable = text.lines().any(|line| line == "application-debuggable");
        assert_eq!(debuggable, app.debuggable == Some(true), "{name}");
        // aapt prints nothing more of packages whose resources it cannot resolve.
        if let Some(launched) = badge(&text, "launchable-activity:", "name=") {
            let shown = app.components.iter().find(|component| component.is_launcher);
            assert_eq!(shown.map(|component| component.class.clone()), Some(launched), "{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 18, "launchable activities");
}

#[test]
fn edits_of_made_packages_change_what_they_say_and_nothing_else() {
    for (name, bytes) in made::packages() {
        check_edits(&name, &bytes);
    }
}

#[requires(data)]
#[test]
fn edits_change_what_they_say_and_nothing_else() {
    for (name, bytes) in support::real_packages() {
        check_edits(&name, &bytes);
    }
}

/// Makes both changes; the manifest may differ in nothing else. The edited package, or `None` without an application.
#[track_caller]
fn check_edits(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let apk = Apk::open(bytes).unwrap();
    let original = apk.read(Apk::MANIFEST).unwrap();
    let before = Manifest::parse(&original).unwrap();
    let Some(app) = &before.application else {
        assert!(!before.is_base(), "{name} has no application");
        let error = ManifestEditor::open(&original).unwrap().set_debuggable(true).unwrap_err();
        assert_eq!(error.to_string(), "not an Android manifest: it has no <application> element");
        return None;
    };

    let mut editor = ManifestEditor::open(&original).unwrap();
    assert_eq!(editor.finish(), original, "{name}: no edit, no change");
    let changed = editor.set_debuggable(true).unwrap();
    assert_eq!(changed, app.debuggable != Some(true), "{name}");
    let had = app.profileable.is_some_and(|p| p.shell && p.enabled != Some(false));
    assert_eq!(editor.set_profileable_by_shell().unwrap(), !had, "{name}");
    let edited = editor.finish();
    assert!(!editor.set_debuggable(true).unwrap(), "{name}: a second time");
    assert!(!editor.set_profileable_by_shell().unwrap(), "{name}: a second time");
    assert_eq!(editor.finish(), edited, "{name}: a second time");

    let after = Manifest::parse(&edited).unwrap();
    let mut expected = before.clone();
    let expected_app = expected.application.as_mut().unwrap();
    expected_app.debuggable = Some(true);
    expected_app.profileable = after.application.as_ref().unwrap().profileable;
    assert!(expected_app.profileable.unwrap().shell, "{name}");
    assert_eq!(after, expected, "{name}");
    assert_ids_are_sorted(&BinaryXml::parse(&edited).unwrap().root, name);

    let mut rewritten = ApkEditor::new(&apk);
    rewritten.replace(Apk::MANIFEST, edited, Compression::AsBefore).unwrap();
    Some(rewritten.finish(wattle_apk::Alignment::default()).unwrap())
}

/// `aapt2` sees both changes and no other.
#[requires(data, program = "aapt2")]
#[test]
fn aapt2_sees_the_edits_and_nothing_else() {
    const URI: &str = "http://schemas.android.com/apk/res/android";
    let mut edited = 0;
    for (name, bytes) in support::real_packages() {
        let Some(rewritten) = check_edits(&name, &bytes) else { continue };
        edited += 1;
        let (old, new) = (xmltree(&bytes), xmltree(&rewritten));
        let debuggable = format!("A: {URI}:debuggable(0x0101000f)=true");
        let shell = format!("A: {URI}:shell(0x01010594)=true");
        let is_new = |line: &str| {
            line.starts_with(&debuggable) || line == shell || line.starts_with("E: profileable ")
        };
        let is_old = |line: &str| is_new(line) || line.starts_with(&format!("A: {URI}:debuggable"));
        assert!(new.iter().any(|line| line.starts_with(&debuggable)), "{name}");
        assert!(new.contains(&shell), "{name}");
        let old: Vec<_> = old.iter().filter(|line| !is_old(line)).collect();
        let new: Vec<_> = new.iter().filter(|line| !is_new(line)).collect();
        assert_eq!(new, old, "{name}");
    }
    assert_eq!(edited, 22, "packages with an application");
}

/// Android finds attributes by walking them and its own list side by side.
fn assert_ids_are_sorted(element: &Element, name: &str) {
    let ids: Vec<u32> = element.attributes.iter().filter_map(|a| a.resource).collect();
    assert!(ids.is_sorted(), "{name}: {}: {ids:x?}", element.name);
    element.elements().for_each(|inside| assert_ids_are_sorted(inside, name));
}

#[requires(program = "aapt2")]
#[test]
fn what_forbids_profiling_is_lifted() {
    let manifest = compile(
        r#"<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="a.b">
             <application><meta-data/><profileable/></application></manifest>"#,
    );
    let mut editor = ManifestEditor::open(&manifest).unwrap();
    assert!(editor.set_profileable_by_shell().unwrap());
    let app = Manifest::parse(&editor.finish()).unwrap().application.unwrap();
    assert_eq!(app.profileable.map(|p| (p.shell, p.enabled)), Some((true, None)));
    assert_eq!(app.debuggable, None);

    // A value that is false becomes true in place; turning it off again changes one word.
    assert!(editor.set_debuggable(false).unwrap());
    let off = editor.finish();
    assert!(editor.set_debuggable(true).unwrap());
    let on = editor.finish();
    assert_eq!(off.len(), on.len());
    assert_eq!(off.iter().zip(&on).filter(|(a, b)| a != b).count(), 4);
}

/// A manifest compiled by `aapt2` without the framework's resources.
fn compile(manifest: &str) -> Vec<u8> {
    let package = compile_with(manifest, None);
    Apk::open(&package).unwrap().read(Apk::MANIFEST).unwrap()
}

/// A package of this manifest and one resource of type XML.
fn compile_with(manifest: &str, xml: Option<&str>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("AndroidManifest.xml"), manifest).unwrap();
    let mut link =
        vec!["link", "--manifest"].into_iter().map(str::to_owned).collect::<Vec<String>>();
    link.extend([path("AndroidManifest.xml"), "-o".to_owned(), path("out.apk")]);
    if let Some(xml) = xml {
        std::fs::create_dir_all(path("res/xml")).unwrap();
        std::fs::write(path("res/xml/power_profile.xml"), xml).unwrap();
        let compile = ["compile", "-o", &path("out.flata"), "--dir", &path("res")];
        let output = support::tool("aapt2", &compile);
        assert!(output.status.success(), "{}", support::printed(&output));
        link.push(path("out.flata"));
    }
    let link: Vec<&str> = link.iter().map(String::as_str).collect();
    let output = support::tool("aapt2", &link);
    assert!(output.status.success(), "{}", support::printed(&output));
    std::fs::read(path("out.apk")).unwrap()
}

#[requires(program = "aapt2")]
#[test]
fn other_binary_xml_is_read() {
    let package = compile_with(
        r#"<manifest package="a.b"/>"#,
        Some(
            r#"<device name="Android">
                 <item name="screen.on">0.1</item>
                 <array name="cpu.clusters.cores"><value>4</value><value>2</value></array>
               </device>"#,
        ),
    );
    let file = Apk::open(&package).unwrap().read("res/xml/power_profile.xml").unwrap();
    assert!(BinaryXml::is_binary(&file));
    let device = BinaryXml::parse(&file).unwrap().root;
    assert_eq!(&*device.name, "device");
    assert_eq!(device.attribute("name").and_then(Value::as_str), Some("Android"));
    let item = device.named("item").next().unwrap();
    assert_eq!(item.attribute("name").and_then(Value::as_str), Some("screen.on"));
    assert_eq!(item.text(), "0.1");
    let cores: Vec<_> = device.named("array").flat_map(|array| array.named("value")).collect();
    assert_eq!(cores.iter().map(|value| value.text()).collect::<Vec<_>>(), ["4", "2"]);
}
