//! `wattle verify` as its users run it: the real program on real packages, and on damaged ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Run, list, wattle};
use serde_json::Value;
use wattle_apk::{
    Alignment, Apk, ApkEditor, Compression, GeneratedKey, SignOptions, SigningKey, sign,
};
use wattle_dex::{Body, ClassIndex, Dex, DexFile, Opcode, Section, seal};
use wattle_testdata::requires;

/// A folder for files that are made here.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("folder"))
    }

    fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("file");
        path.to_str().expect("UTF-8").to_owned()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn verify(arguments: &[&str]) -> Run {
    let run = wattle([&["verify"], arguments].concat());
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

/// The verdict as JSON, held against its schema, and the exit code that belongs to it.
#[track_caller]
fn verdict(arguments: &[&str]) -> Value {
    let run = verify(&[arguments, &["--json", "-"]].concat());
    let verdict: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr));
    check_schema(&verdict);
    let clean = verdict["clean"].as_bool().expect("clean");
    assert_eq!(run.code, Some(i32::from(!clean)), "{}", run.stderr);
    assert_eq!(verdict["defects"] == 0, clean);
    verdict
}

#[track_caller]
fn check_schema(verdict: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/verify-1.schema.json");
    let schema = std::fs::read_to_string(&file).expect("the schema is in the repository");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<_> = validator
        .iter_errors(verdict)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// `rule found` of all defects or notes.
fn findings(verdict: &Value, key: &str) -> Vec<String> {
    let subjects = list(verdict, "/subjects").iter();
    subjects
        .flat_map(|subject| list(subject, &format!("/{key}")))
        .map(|finding| {
            let of = |key: &str| finding[key].as_str().unwrap_or("").to_owned();
            format!("{} {}", of("rule"), of("found"))
        })
        .collect()
}

#[track_caller]
fn check_defects(verdict: &Value, expected: &[&str]) {
    let found = findings(verdict, "defects");
    let fit = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
    assert!(fit, "expected {expected:?}, found {found:#?}");
}

#[track_caller]
fn data(name: &str) -> PathBuf {
    wattle_testdata::path(name)
}

/// The files of a folder of the real data with this ending.
#[track_caller]
fn files(folder: &str, count: usize, ending: &str) -> Vec<PathBuf> {
    wattle_testdata::files(folder, count, |name| name.ends_with(ending))
}

#[requires(data)]
#[test]
fn every_real_dex_file_is_clean() {
    for path in files("dex", 8, ".dex") {
        let verdict = verdict(&[text(&path)]);
        check_defects(&verdict, &[]);
        assert_eq!(verdict["subjects"][0]["kind"], "dex");
        assert!(verdict["methods"].as_u64().expect("methods") > 0, "{}", path.display());
    }
}

/// Defects of real packages; all others are clean.
const DEFECTS: [(&str, &[&str]); 7] = [
    ("fdroid-urzip-release-unsigned.apk", &["not-signed"]),
    ("nowinandroid-release-b227394536.apk", &["not-signed"]),
    ("tools-base-parserTest-app.apk", &["not-signed"]),
    // Redex's own test package announces a wrong length of its code.
    ("redex-test.apk", &["readable ZIP entry \"classes.dex\"", "signature ZIP entry"]),
    // From API level 23, which does not know scheme v3, and signed with v3 only.
    ("v3-only-with-rsa-pkcs1-sha256-8192.apk", &["signature none"]),
    // For API level 1 by its manifest, which did not know SHA-256 in v1.
    ("tools-base-simple.apk", &["signature META-INF/ANDROIDD.RSA: RSA PKCS#1 v1.5 with SHA-256"]),
    ("tools-base-split.apk", &["signature META-INF/ANDROIDD.RSA: RSA PKCS#1 v1.5 with SHA-256"]),
];

/// The verdict of Android's own tool on the signatures.
fn apksigner(path: &Path) -> bool {
    let output = Command::new("apksigner").arg("verify").arg(path).output().expect("apksigner");
    output.status.success()
}

#[requires(data, program = "apksigner")]
#[test]
fn real_packages_are_judged_as_androids_tool_judges_them() {
    let mut paths = files("apk", 16, ".apk");
    paths.extend(files("apk/apksig", 5, ".apk"));
    paths.extend(files("apk/splits", 3, ".apk"));
    for path in paths {
        let name = path.file_name().expect("name").to_str().expect("UTF-8");
        let verdict = verdict(&[text(&path)]);
        let same = name.replace("split2", "split");
        let expected = DEFECTS.iter().find(|(it, _)| *it == same).map_or(&[][..], |(_, it)| *it);
        check_defects(&verdict, expected);
        let verified = &verdict["subjects"][0]["signatures"][0]["verified"];
        let theirs = apksigner(&path);
        assert_eq!(verified.as_bool(), Some(theirs), "{name}: apksigner says {theirs}");
    }
}

#[requires(data)]
#[test]
fn a_bundle_is_refused_with_what_to_do() {
    for path in files("apk", 1, ".aab") {
        let run = verify(&[text(&path)]);
        assert_eq!(run.code, Some(3));
        assert!(run.stderr.contains("bundletool build-apks"), "{}", run.stderr);
    }
}

#[requires(data)]
#[test]
fn unsigned_packages_are_defects_unless_asked_otherwise() {
    let path = data("apk/fdroid-urzip-release-unsigned.apk");
    let run = verify(&[text(&path)]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("not signed"), "{}", run.stdout);
    assert!(run.stderr.ends_with(": 1 defect\n"), "{}", run.stderr);
    check_defects(&verdict(&[text(&path)]), &["not-signed"]);
    let allowed = verdict(&[text(&path), "--unsigned"]);
    check_defects(&allowed, &[]);
    assert!(findings(&allowed, "notes").contains(&"not-signed not signed".to_owned()));
    check_defects(&verdict(&[text(&path), "--code-only"]), &[]);
    let strict = verdict(&[text(&path), "--strict", "--unsigned"]);
    check_defects(&strict, &["not-signed", "alignment 1343"]);
}

#[requires(data)]
#[test]
fn splits_are_one_app() {
    let paths =
        ["simple", "split", "split2"].map(|it| data(&format!("apk/splits/tools-base-{it}.apk")));
    let [base, one, two] = paths.each_ref().map(|path| text(path));
    // From API level 18 on the signature of scheme v1 is one that platforms know.
    let verdict = verdict(&[two, base, one, "--min-sdk", "18"]);
    check_defects(&verdict, &[]);
    let subject = &verdict["subjects"][0];
    assert_eq!(list(&verdict, "/subjects").len(), 1);
    assert_eq!((&subject["kind"], &subject["name"]), (&"set".into(), &base.into()));
    assert_eq!(list(subject, "/signatures").len(), 3);
    assert_eq!(list(subject, "/code").len(), 3);
    // The same split twice cannot be installed.
    let folder = Folder::new();
    let again = folder.file("again.apk", &std::fs::read(one).expect("split"));
    let verdict = self::verdict(&[base, one, &again, "--min-sdk", "18"]);
    assert_eq!(findings(&verdict, "defects").len(), 1);
    assert!(findings(&verdict, "defects")[0].starts_with("set "), "{verdict:#}");
    // One of them signed by somebody else.
    let key = key();
    let other = sign(&std::fs::read(one).expect("split"), &key, &SignOptions::default());
    let other = folder.file("other.apk", &other.expect("signed"));
    let verdict = self::verdict(&[base, &other, "--min-sdk", "18"]);
    check_defects(&verdict, &["signer SHA-256"]);
}

#[requires(data)]
#[test]
fn archives_of_packages_are_one_app() {
    let names = ["simple", "split", "split2"].map(|it| format!("apk/splits/tools-base-{it}.apk"));
    let first = wattle_testdata::bytes(&names[0]);
    let empty = Apk::open(&first).expect("package");
    let mut editor = ApkEditor::new(&empty);
    for entry in empty.entries() {
        editor.remove(entry.name());
    }
    for name in &names {
        let bytes = wattle_testdata::bytes(name);
        let name = name.rsplit('/').next().expect("name");
        editor.add(name, bytes, Compression::Stored).expect("free");
    }
    editor.add("tools-base-simple.apk.idsig", &b"?"[..], Compression::Stored).expect("free");
    let archive = editor.finish(Alignment::default()).expect("written");
    let folder = Folder::new();
    let verdict = verdict(&[&folder.file("app.apks", &archive), "--min-sdk", "18"]);
    check_defects(&verdict, &[]);
    assert_eq!(verdict["subjects"][0]["kind"], "set");
    assert_eq!(list(&verdict, "/subjects/0/signatures").len(), 3);
    assert!(findings(&verdict, "notes").iter().any(|it| it.starts_with("beside v4 signature")));
}

#[test]
fn names_in_a_file_cannot_write_over_the_terminal() {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let object = pool.ty("Ljava/lang/Object;");
    let name = "L\u{1b}[2Jx\n;";
    let ty = pool.ty(name);
    let access = wattle_dex::AccessFlags::PUBLIC;
    let mut class = wattle_dex::Class::new(ty, Some(object), access);
    let id = pool.method(name, "m", "()V").expect("method");
    class.virtual_methods.push(wattle_dex::Method { id, access, body: Body::None });
    file.add_class(class);
    let folder = Folder::new();
    let run = verify(&[&folder.file("x.dex", &file.write().expect("file"))]);
    assert_eq!(run.code, Some(1), "a method without code that is not abstract");
    assert!(run.stdout.contains("[2Jx"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    assert!(!run.stdout.lines().any(|line| line.starts_with(';')), "{}", run.stdout);
}

#[requires(data)]
#[test]
fn several_inputs_are_judged_each() {
    let (clean, unsigned, dex) = (
        data("apk/androguard-TestActivity.apk"),
        data("apk/fdroid-urzip-release-unsigned.apk"),
        data("dex/dex039.dex"),
    );
    let arguments = [text(&dex), text(&clean), text(&unsigned)];
    let verdict = verdict(&arguments);
    let names: Vec<_> = list(&verdict, "/subjects").iter().map(|it| it["name"].as_str()).collect();
    assert_eq!(names, arguments.map(Some));
    check_defects(&verdict, &["not-signed"]);
}

/// A real file with code, and the offset of the code of one of its methods.
fn code() -> (Vec<u8>, String, usize) {
    let bytes = wattle_testdata::bytes("dex/redex-integ-classes.dex");
    let dex = Dex::parse(&bytes).expect("a sound file");
    let found = (0..dex.count(Section::CLASS_DEFS)).find_map(|index| {
        let class = dex.class(ClassIndex(index)).expect("class");
        class.methods().find_map(|method| {
            let Body::Source(at) = method.body else { return None };
            let code = dex.code(at).expect("code");
            let (_, first) = code.instructions().next()?.ok()?;
            let name = dex.method_name(method.id).expect("name");
            (first.opcode == Opcode::INVOKE_DIRECT).then_some((name, at as usize + 16))
        })
    });
    let (name, at) = found.expect("a constructor");
    (bytes, name, at)
}

#[requires(data)]
#[test]
fn damaged_code_is_named_with_its_place() {
    let (mut bytes, method, at) = code();
    let folder = Folder::new();
    // The first instruction calls with a register that the method does not have: v15 in place of the object.
    bytes[at + 4] |= 0x0f;
    let path = folder.file("stale.dex", &bytes);
    let stale = verdict(&[&path]);
    assert!(findings(&stale, "defects").iter().any(|it| it.starts_with("checksum ")), "{stale:#}");
    seal(&mut bytes);
    let path = folder.file("flow.dex", &bytes);
    let flow = verdict(&[&path]);
    let defects = list(&flow, "/subjects/0/defects");
    assert_eq!(defects.len(), 1, "{flow:#}");
    assert_eq!(
        (&defects[0]["method"], &defects[0]["address"]),
        (&method.as_str().into(), &0.into())
    );
    assert_eq!(defects[0]["class"], method.split("->").next().expect("class"));
    let run = verify(&[&path]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains(&format!("{method}, address 0x0000: expected")), "{}", run.stdout);
}

#[requires(data)]
#[test]
fn the_terminal_lists_some_and_json_all() {
    let mut bytes = wattle_testdata::bytes("dex/redex-integ-classes.dex");
    let dex = Dex::parse(&bytes).expect("a sound file");
    let mut places = Vec::new();
    for index in 0..40 {
        for method in dex.class(ClassIndex(index)).expect("class").methods() {
            if let Body::Source(at) = method.body {
                places.push(at as usize + 16);
            }
        }
    }
    for &at in &places {
        // An opcode that does not exist.
        bytes[at] = 0x3e;
    }
    seal(&mut bytes);
    let folder = Folder::new();
    let path = folder.file("bad.dex", &bytes);
    let count = verdict(&[&path])["defects"].as_u64().expect("defects") as usize;
    assert!(count > 30, "{count}");
    let run = verify(&[&path, "--top", "3"]);
    assert_eq!(run.stdout.matches("\n  defect ").count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains(&format!("and {} more defects", count - 3)), "{}", run.stdout);
    let json = folder.0.path().join("verdict.json");
    let run = verify(&[&path, "--quiet", "--json", text(&json)]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    let written: Value =
        serde_json::from_slice(&std::fs::read(&json).expect("verdict")).expect("JSON");
    check_schema(&written);
    assert_eq!(list(&written, "/subjects/0/defects").len(), count);
}

/// A key that every platform understands.
fn key() -> SigningKey {
    let kind = GeneratedKey::Rsa2048;
    SigningKey::generate(kind, "Test", std::time::SystemTime::now()).expect("key")
}

/// A real package with one more class, signed with a key made here.
fn signed(change: impl FnOnce(&mut ApkEditor<'_>)) -> Vec<u8> {
    let bytes = wattle_testdata::bytes("apk/fdroid-urzip-release-unsigned.apk");
    let apk = Apk::open(&bytes).expect("package");
    let mut editor = ApkEditor::new(&apk);
    change(&mut editor);
    let written = editor.finish(Alignment::default()).expect("written");
    let options = SignOptions::for_apk(&apk);
    sign(&written, &key(), &options).expect("signed")
}

#[requires(data)]
#[test]
fn a_package_signed_again_is_clean_and_a_tampered_one_is_not() {
    let mut package = signed(|_| ());
    let folder = Folder::new();
    let verdict = verdict(&[&folder.file("signed.apk", &package), "--strict"]);
    check_defects(&verdict, &[]);
    let apk = Apk::open(&package).expect("package");
    let entry = apk.entry("resources.arsc").expect("resources");
    let at = entry.data_offset();
    drop(apk);
    package[at] ^= 1;
    let verdict = self::verdict(&[&folder.file("tampered.apk", &package)]);
    let found = findings(&verdict, "defects");
    assert!(found.iter().any(|it| it.contains("changed after it was signed")), "{found:#?}");
    assert_eq!(verdict["subjects"][0]["signatures"][0]["verified"], false);
}

/// A file of its own with one class that calls `wattle.probe.Probe`.
fn caller(method: &str) -> Vec<u8> {
    use wattle_dex::{AccessFlags, Class, CodeBuilder, Method};
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let probe = pool.method("Lwattle/probe/Probe;", method, "(I)V").expect("method");
    let id = pool.method("Lprobed/Main;", "run", "()V").expect("method");
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("Lprobed/Main;"), Some(object), AccessFlags::PUBLIC);
    let mut code = CodeBuilder::new(1, 0);
    code.const_int(0, 1).invoke(Opcode::INVOKE_STATIC, probe, &[0]).return_void();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let body = Body::Code(Box::new(code.finish().expect("code")));
    class.direct_methods.push(Method { id, access, body });
    file.add_class(class);
    file.write().expect("file")
}

/// The class that it calls, with `enter(I)V`.
fn runtime() -> Vec<u8> {
    use wattle_dex::{AccessFlags, Class, CodeBuilder, Method};
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let id = pool.method("Lwattle/probe/Probe;", "enter", "(I)V").expect("method");
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("Lwattle/probe/Probe;"), Some(object), AccessFlags::PUBLIC);
    let mut code = CodeBuilder::new(1, 1);
    code.return_void();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let body = Body::Code(Box::new(code.finish().expect("code")));
    class.direct_methods.push(Method { id, access, body });
    file.add_class(class);
    file.write().expect("file")
}

#[track_caller]
fn check_probes(method: &str, with_runtime: bool, expected: &[&str]) {
    let package = signed(|editor| {
        editor.add("classes2.dex", caller(method), Compression::Deflated).expect("free");
        if with_runtime {
            editor.add("classes3.dex", runtime(), Compression::Deflated).expect("free");
        }
    });
    let folder = Folder::new();
    check_defects(&verdict(&[&folder.file("probed.apk", &package)]), expected);
}

#[requires(data)]
#[test]
fn probes_without_their_runtime_are_found() {
    check_probes("enter", true, &[]);
    check_probes("exit", true, &["missing-method none"]);
    check_probes("enter", false, &["missing-method none"]);
}

#[requires(data)]
#[test]
fn archives_with_code_need_no_signature() {
    let bytes = wattle_testdata::bytes("apk/fdroid-urzip-release-unsigned.apk");
    let apk = Apk::open(&bytes).expect("package");
    let mut editor = ApkEditor::new(&apk);
    editor.remove(Apk::MANIFEST);
    editor.add("classes3.dex", runtime(), Compression::Stored).expect("free");
    let written = editor.finish(Alignment::default()).expect("written");
    let folder = Folder::new();
    let verdict = verdict(&[&folder.file("x.jar", &written)]);
    check_defects(&verdict, &[]);
    assert_eq!(verdict["subjects"][0]["kind"], "archive");
    assert_eq!(findings(&verdict, "notes"), ["unloaded-code a file never loaded"]);
}

/// Cannot be judged: code 3 and one line that says why.
#[track_caller]
fn check_unreadable(name: &str, content: &[u8], said: &str) {
    let folder = Folder::new();
    let run = verify(&[&folder.file(name, content)]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{name}: {}", run.stderr);
    assert_eq!(run.stderr.trim_end().lines().count(), 1, "{name}: {}", run.stderr);
    assert!(run.stderr.contains(said) && run.stderr.contains(name), "{name}: {}", run.stderr);
}

/// Begins as what it should be and is damaged: code 1, and the reason.
#[track_caller]
fn check_damaged(name: &str, content: &[u8], rule: &str) {
    let folder = Folder::new();
    let verdict = verdict(&[&folder.file(name, content)]);
    assert!(findings(&verdict, "defects").iter().any(|it| it.starts_with(rule)), "{verdict:#}");
}

#[test]
fn what_is_neither_code_nor_package_cannot_be_judged() {
    check_unreadable("empty.apk", b"", "empty");
    check_unreadable("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", "neither a Dalvik executable");
    check_unreadable("Main.class", b"\xca\xfe\xba\xbe\x00\x00\x00\x34", "found ca fe ba be");
    let empty = [&b"PK\x05\x06"[..], &[0; 18]].concat();
    check_unreadable("empty.zip", &empty, "without code");
    let folder = Folder::new();
    let run = verify(&[text(folder.0.path())]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("it is a folder"), "{}", run.stderr);
    let run = verify(&["no/such.apk"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("no/such.apk: No such file"), "{}", run.stderr);
}

#[test]
fn damaged_files_are_defects() {
    check_damaged("a.dex", b"dex\n035\0", "readable");
    check_damaged("a.dex", &[&b"dex\n036\0"[..], &[0; 200]].concat(), "readable");
    check_damaged("a.apk", b"PK\x03\x04 and then nothing", "archive");
}

#[requires(data)]
#[test]
fn damaged_real_files_are_defects() {
    let bytes = wattle_testdata::bytes("apk/androguard-TestActivity.apk");
    check_damaged("half.apk", &bytes[..bytes.len() / 2], "archive");
    // Lengths of 4 GiB are announced for every entry: nothing is allocated for them.
    let mut huge = bytes;
    let starts: Vec<usize> =
        (0..huge.len() - 46).filter(|&at| huge[at..].starts_with(b"PK\x01\x02")).collect();
    assert_eq!(starts.len(), 10, "entries of the central directory");
    for at in starts {
        huge[at + 24..at + 28].copy_from_slice(&[0xfe, 0xff, 0xff, 0xff]);
    }
    check_damaged("huge.apk", &huge, "archive");
    let bytes = wattle_testdata::bytes("dex/dex039.dex");
    for percent in [10, 50, 99] {
        check_damaged("part.dex", &bytes[..bytes.len() * percent / 100], "");
    }
}

#[track_caller]
fn check_usage(arguments: &[&str], said: &str) {
    let run = verify(arguments);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

#[test]
fn wrong_usage_is_code_2() {
    check_usage(&[], "FILE");
    check_usage(&["x.apk", "--min-sdk", "0"], "--min-sdk");
    check_usage(&["x.apk", "--code-only", "--unsigned"], "cannot be used with");
    let run = wattle(["--help"]);
    assert!(run.stdout.contains("  1    check failed"), "{}", run.stdout);
}

#[requires(data)]
#[test]
fn a_verdict_that_cannot_be_written_is_the_environments_fault() {
    let path = data("dex/dex039.dex");
    let run = verify(&[text(&path), "--json", "/no/such/folder/verdict.json"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
}

/// Code whose runtime class lies in another file is one program with it.
#[requires(data)]
#[test]
fn several_dex_files_are_one_program() {
    let input = data("dex/redex-integ-classes.dex");
    let folder = tempfile::tempdir().expect("folder");
    let traced = folder.path().join("traced.dex");
    let run = wattle(["instrument", text(&input), "--output", text(&traced), "--quiet", "--all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let runtime = folder.path().join("traced-runtime.dex");
    let together = verdict(&[text(&traced), text(&runtime)]);
    check_defects(&together, &[]);
    assert_eq!(list(&together, "/subjects").len(), 1);
    let alone = wattle(["verify", "--json", "-", text(&traced)]);
    assert_eq!(alone.code, Some(1), "{}", alone.stdout);
    assert!(alone.stdout.contains("Lwattle/probe/Probe;"), "{}", alone.stdout);
}

/// A package with bytes in front of it, and its offsets moved by as many.
fn behind(front: &[u8], package: &[u8]) -> Vec<u8> {
    let mut whole = [front, package].concat();
    let moved = |bytes: &mut [u8], at: usize| {
        let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
        let offset = u32::from_le_bytes(word) as usize + front.len();
        bytes[at..at + 4].copy_from_slice(&(offset as u32).to_le_bytes());
        offset
    };
    let end = whole.windows(4).rposition(|word| word == b"PK\x05\x06").expect("an end record");
    let mut at = moved(&mut whole, end + 16);
    while whole[at..].starts_with(b"PK\x01\x02") {
        moved(&mut whole, at + 42);
        let length = |at: usize| usize::from(u16::from_le_bytes([whole[at], whole[at + 1]]));
        at += 46 + length(at + 28) + length(at + 30) + length(at + 32);
    }
    whole
}

#[requires(data)]
#[test]
fn code_in_front_of_a_package_is_a_defect() {
    let folder = Folder::new();
    let code = wattle_testdata::bytes("dex/smali-accessorTest.dex");
    let package = wattle_testdata::bytes("apk/fdroid-v1.v2.sig_1020.apk");
    let janus = behind(&code, &package);
    assert!(Apk::open(&janus).is_ok_and(|apk| apk.entries().len() > 3));
    let verdict = verdict(&[&folder.file("janus.apk", &janus)]);
    let defects = findings(&verdict, "defects");
    assert!(defects.iter().any(|it| it.starts_with("code-before-package ")), "{defects:?}");
}
