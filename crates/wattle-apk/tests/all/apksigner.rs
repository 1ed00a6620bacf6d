//! Packages that Android's own tool signed, with all kinds of keys, verified here.

use wattle_apk::{
    Apk, ApkEditor, Compression, KeyAlgorithm, Scheme, SchemeReport, SignOptions, sign, verify_for,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// Name, arguments of `keytool`, and the kind of key that is then in the certificate.
const KEYS: [(&str, &[&str], KeyAlgorithm); 6] = [
    ("rsa1024", &["-keyalg", "RSA", "-keysize", "1024"], KeyAlgorithm::Rsa { bits: 1024 }),
    ("rsa4096", &["-keyalg", "RSA", "-keysize", "4096"], KeyAlgorithm::Rsa { bits: 4096 }),
    ("p256", &["-keyalg", "EC", "-groupname", "secp256r1"], KeyAlgorithm::EcP256),
    ("p384", &["-keyalg", "EC", "-groupname", "secp384r1"], KeyAlgorithm::EcP384),
    ("dsa1024", &["-keyalg", "DSA", "-keysize", "1024"], KeyAlgorithm::Dsa { bits: 1024 }),
    ("dsa2048", &["-keyalg", "DSA", "-keysize", "2048"], KeyAlgorithm::Dsa { bits: 2048 }),
];

#[requires(data, program = "zipalign", program = "keytool", program = "apksigner")]
#[test]
fn packages_signed_by_apksigner_verify() {
    let original = wattle_testdata::path(support::REAL_UNSIGNED);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let aligned = path("aligned.apk");
    let output = support::tool("zipalign", &["4", original.to_str().unwrap(), &aligned]);
    assert!(output.status.success(), "{}", support::printed(&output));
    for (name, arguments, algorithm) in KEYS {
        let store = path(&format!("{name}.p12"));
        let dname = format!("CN={name}");
        let mut generate = vec!["-genkeypair", "-keystore", &store, "-storetype", "PKCS12"];
        generate.extend(["-storepass", "android", "-alias", "a", "-dname", &dname]);
        generate.extend(arguments);
        let output = support::tool("keytool", &generate);
        assert!(output.status.success(), "{name}: {}", support::printed(&output));
        let signed = path(&format!("{name}.apk"));
        let mut sign = vec!["sign", "--ks", &store, "--ks-pass", "pass:android"];
        sign.extend(["--min-sdk-version", "21", "--out", &signed, &aligned]);
        let output = support::tool("apksigner", &sign);
        assert!(output.status.success(), "{name}: {}", support::printed(&output));

        let mut file = std::fs::read(&signed).unwrap();
        let report = verify_for(&file, 21).unwrap();
        let problems: Vec<_> = report.problems().map(|(s, p)| format!("{s}: {p}")).collect();
        assert!(report.is_verified() && problems.is_empty(), "{name}: {problems:?}");
        for scheme in [Scheme::V1, Scheme::V2, Scheme::V3] {
            let report = report.scheme(scheme).unwrap();
            assert!(report.is_valid(), "{name} {scheme}");
            let certificate = report.signers[0].certificate.as_ref().unwrap();
            assert_eq!(certificate.key_algorithm(), algorithm, "{name} {scheme}");
            assert_eq!(certificate.subject(), dname, "{name} {scheme}");
        }
        // The first byte of the first entry's name: every scheme must notice.
        file[30] ^= 1;
        let changed = verify_for(&file, 21);
        assert!(changed.is_err(), "{name}: the local header disagrees");
        file[30] ^= 1;
        // A time in the first local header, which only the schemes over the whole file protect.
        file[10] ^= 1;
        let changed = verify_for(&file, 21).unwrap();
        let valid: Vec<_> = changed.schemes.iter().map(SchemeReport::is_valid).collect();
        assert_eq!(valid, [true, false, false, false], "{name}");
    }
}

#[requires(data, program = "keytool", program = "apksigner")]
#[test]
fn several_signers_and_odd_names_verify() {
    let original = wattle_testdata::path(support::REAL_UNSIGNED);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let stores = ["one Ä.p12", "two Ä.p12"].map(path);
    for (store, alias) in stores.iter().zip(["Ärger & Co", "Zwei"]) {
        let arguments = [
            "-genkeypair",
            "-keystore",
            store,
            "-storetype",
            "PKCS12",
            "-storepass",
            "android",
            "-alias",
            alias,
            "-dname",
            "CN=Ärger, OU=\"a, b\", L=Köln",
            "-keyalg",
            "RSA",
        ];
        let output = support::tool("keytool", &arguments);
        assert!(output.status.success(), "{}", support::printed(&output));
    }
    let signed = path("signed.apk");
    let original = original.to_str().unwrap();
    let arguments = [
        "sign",
        "--ks",
        &stores[0],
        "--ks-pass",
        "pass:android",
        "--next-signer",
        "--ks",
        &stores[1],
        "--ks-pass",
        "pass:android",
        "--v3-signing-enabled",
        "false",
        "--out",
        &signed,
        original,
    ];
    let output = support::tool("apksigner", &arguments);
    assert!(output.status.success(), "{}", support::printed(&output));
    let report = verify_for(&std::fs::read(&signed).unwrap(), 4).unwrap();
    let problems: Vec<_> = report.problems().map(|(s, p)| format!("{s}: {p}")).collect();
    assert!(report.is_verified(), "{problems:?}");
    assert_eq!(report.scheme(Scheme::V1).unwrap().signers.len(), 2);
    assert_eq!(report.scheme(Scheme::V2).unwrap().signers.len(), 2);
}

/// A package signed with scheme v1 alone, with entries added and removed.
fn edited(signed: &[u8], added: &[(&str, Vec<u8>)], removed: &[&str]) -> Vec<u8> {
    let apk = Apk::open(signed).unwrap();
    let mut editor = ApkEditor::new(&apk);
    for (name, content) in added {
        editor.add(name, content.clone(), Compression::Deflated).unwrap();
    }
    for name in removed {
        assert!(editor.remove(name), "{name}");
    }
    editor.finish(SignOptions::for_min_sdk(18).alignment).unwrap()
}

/// Signers of nothing in the package do not count; the others must hold.
#[requires(program = "apksigner")]
#[test]
fn stray_signers_are_judged_as_apksigner_does() {
    let mut options = SignOptions::for_min_sdk(18);
    (options.v1, options.v2, options.v3) = (true, false, false);
    let make =
        |name: &str| sign(&made::unsigned(name, None, 18), &support::ec_key(), &options).unwrap();
    let signed = make("com.example.one");
    let foreign = edited(&make("com.example.two"), &[("assets/other", vec![1])], &[]);
    let foreign = sign(&foreign, &support::ec_key(), &options).unwrap();
    let of = |package: &[u8], name: &str| Apk::open(package).unwrap().read(name).unwrap();
    let (file, block) = (of(&foreign, "META-INF/CERT.SF"), of(&foreign, "META-INF/CERT.EC"));
    let changed_file = [&file[..], b"Name: x\r\n\r\n"].concat();
    let cases: [(&str, Vec<u8>, Option<usize>); 6] = [
        ("as signed", edited(&signed, &[], &[]), Some(0)),
        (
            "a block without its file",
            edited(&signed, &[("META-INF/OLD.RSA", vec![1, 2])], &[]),
            Some(1),
        ),
        (
            "a signer of another package",
            edited(
                &signed,
                &[("META-INF/OLD.SF", file.clone()), ("META-INF/OLD.EC", block.clone())],
                &[],
            ),
            Some(1),
        ),
        (
            "a stray signer whose signature does not hold",
            edited(&signed, &[("META-INF/OLD.SF", changed_file), ("META-INF/OLD.EC", block)], &[]),
            None,
        ),
        ("only a block without its file", edited(&signed, &[], &["META-INF/CERT.SF"]), None),
        ("an entry that nobody signed", edited(&signed, &[("assets/new", vec![3])], &[]), None),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, package, ignored) in cases {
        let path = folder.path().join("case.apk");
        std::fs::write(&path, &package).unwrap();
        let path = path.to_str().unwrap();
        let arguments = ["verify", "--min-sdk-version", "18", "--max-sdk-version", "23", path];
        let output = support::tool("apksigner", &arguments);
        let said = support::printed(&output);
        assert_eq!(output.status.success(), ignored.is_some(), "{name}: {said}");
        let report = verify_for(&package, 18).unwrap();
        let v1 = report.scheme(Scheme::V1).unwrap();
        assert_eq!(v1.is_valid(), ignored.is_some(), "{name}: {:?}", v1.problems);
        if let Some(ignored) = ignored {
            assert_eq!(v1.ignored.len(), ignored, "{name}");
        }
    }
}
