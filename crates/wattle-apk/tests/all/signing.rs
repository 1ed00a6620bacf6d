//! Packages are signed so that Android's own tools accept them.

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkError, Compression, KeyProblem, PackedContent, SignOptions,
    SigningKey, sign, sign_edited, verify_for,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// Whether `apksigner` accepts the file for these platforms, by the schemes that were asked for.
#[track_caller]
fn check_apksigner(name: &str, signed: &[u8], options: SignOptions) {
    let file = support::package_file(signed);
    let min_sdk = options.min_sdk.to_string();
    let path = file.path().to_str().unwrap();
    let arguments = ["verify", "--verbose", "--min-sdk-version", &min_sdk, path];
    let output = support::tool("apksigner", &arguments);
    let text = support::printed(&output);
    assert!(output.status.success(), "{name}: {text}");
    // It reports only the schemes that decide on some platform of the range.
    let schemes = [
        (options.v1 && options.min_sdk < 24, "Verified using v1 scheme (JAR signing)"),
        (options.v2 && options.min_sdk < 28, "Verified using v2 scheme (APK Signature Scheme v2)"),
        (options.v3, "Verified using v3 scheme (APK Signature Scheme v3)"),
    ];
    for (expected, scheme) in schemes {
        assert!(!expected || text.contains(&format!("{scheme}: true")), "{name}: {text}");
    }
    // Warnings about META-INF files that v1 does not protect are about the packages themselves.
    let warnings = text.lines().filter(|line| line.starts_with("WARNING"));
    let own: Vec<_> =
        warnings.filter(|line| !line.contains("not protected by signature")).collect();
    assert!(own.is_empty(), "{name}: {own:?}");
}

/// Signed by us, and accepted by our own verification.
#[track_caller]
fn check_signed(name: &str, bytes: &[u8], key: &SigningKey, options: SignOptions) -> Vec<u8> {
    let signed = sign(bytes, key, &options).unwrap();
    let report = verify_for(&signed, options.min_sdk).unwrap();
    let problems: Vec<_> = report.problems().map(|(s, p)| format!("{s}: {p}")).collect();
    assert!(report.is_verified() && problems.is_empty(), "{name}: {problems:?}");
    let valid: Vec<_> = report.schemes.iter().map(wattle_apk::SchemeReport::is_valid).collect();
    assert_eq!(valid, [options.v1, options.v2, options.v3, false], "{name}");
    assert_eq!(report.certificate(), Some(key.certificate()), "{name}");
    signed
}

/// The package with new code of the same size, as a rewriter would make it.
fn with_new_code(bytes: &[u8]) -> Vec<u8> {
    let apk = Apk::open(bytes).unwrap();
    let mut editor = ApkEditor::new(&apk);
    editor.drop_invalid();
    if let Some(entry) = apk.entry("classes.dex") {
        let code: Vec<u8> = (0..entry.size()).map(|i| (i % 251) as u8).collect();
        editor.replace("classes.dex", code, Compression::AsBefore).unwrap();
    }
    editor.finish(Alignment::default()).unwrap()
}

#[test]
fn every_made_package_is_signed_for_its_platforms() {
    for (name, bytes) in made::packages() {
        let rewritten = with_new_code(&bytes);
        let options = SignOptions::for_apk(&Apk::open(&rewritten).unwrap());
        check_signed(&name, &rewritten, support::rsa_key(), options);
    }
}

#[requires(data, program = "apksigner")]
#[test]
fn every_real_package_is_signed_for_its_platforms() {
    for (name, bytes) in support::real_packages() {
        let rewritten = with_new_code(&bytes);
        let options = SignOptions::for_apk(&Apk::open(&rewritten).unwrap());
        let signed = check_signed(&name, &rewritten, support::rsa_key(), options);
        check_apksigner(&name, &signed, options);
    }
}

#[test]
fn all_combinations_of_schemes_and_keys_verify() {
    let bytes = made::unsigned("com.example.signed", None, 18);
    check_combinations(&bytes, |_, _, _| ());
}

#[requires(data, program = "apksigner")]
#[test]
fn all_combinations_of_schemes_and_keys_are_accepted() {
    let bytes = wattle_testdata::bytes("apk/fdroid-org.dyndns.fules.ck_20.apk");
    check_combinations(&bytes, check_apksigner);
}

#[track_caller]
fn check_combinations(bytes: &[u8], judge: impl Fn(&str, &[u8], SignOptions)) {
    let keys = [(support::rsa_key().clone(), [18, 24]), (support::ec_key(), [18, 28])];
    for (key, levels) in &keys {
        for min_sdk in *levels {
            for schemes in 1..8 {
                let mut options = SignOptions::for_min_sdk(min_sdk);
                (options.v1, options.v2, options.v3) =
                    (schemes & 1 != 0, schemes & 2 != 0, schemes & 4 != 0);
                // What these platforms cannot do without.
                let missing =
                    (min_sdk < 24 && !options.v1) || (min_sdk < 28 && !options.v1 && !options.v2);
                let name = format!("{key:?} {options:?}");
                if missing {
                    let signed = sign(bytes, key, &options).unwrap();
                    assert!(!verify_for(&signed, min_sdk).unwrap().is_verified(), "{name}");
                } else {
                    judge(&name, &check_signed(&name, bytes, key, options), options);
                }
            }
        }
    }
}

#[test]
fn impossible_wishes_are_refused() {
    let bytes = made::unsigned("com.example.signed", None, 17);
    let old = sign(&bytes, &support::ec_key(), &SignOptions::for_min_sdk(17)).unwrap_err();
    assert!(matches!(old, ApkError::Key(KeyProblem::EcTooOld { min_sdk: 17 })), "{old}");
    let mut none = SignOptions::default();
    (none.v1, none.v2, none.v3) = (false, false, false);
    let none = sign(&bytes, &support::ec_key(), &none).unwrap_err();
    assert!(matches!(none, ApkError::Key(KeyProblem::NoScheme)), "{none}");
}

#[test]
fn signing_made_packages_while_editing_gives_the_same_bytes() {
    check_signing_while_editing(made::packages());
}

#[requires(data)]
#[test]
fn signing_while_editing_gives_the_same_bytes() {
    let names = ["apk/androguard-a2dp.Vol_137.apk", support::REAL_UNSIGNED];
    let packages = names.map(|name| (name.to_owned(), wattle_testdata::bytes(name)));
    check_signing_while_editing(packages.into());
}

#[track_caller]
fn check_signing_while_editing(packages: Vec<(String, Vec<u8>)>) {
    let key = support::ec_key();
    for (name, bytes) in packages {
        let apk = Apk::open(&bytes).unwrap();
        let mut editor = ApkEditor::new(&apk);
        let code = apk.read("classes.dex").unwrap();
        editor
            .replace("classes.dex", [&code[..], b"more"].concat(), Compression::AsBefore)
            .unwrap();
        editor.add("classes2.dex", code.as_slice(), Compression::Deflated).unwrap();
        editor.add("META-INF/OLD.SF", &b"stale"[..], Compression::Stored).unwrap();
        editor.add("META-INF/services/x", &b"kept"[..], Compression::Stored).unwrap();
        assert!(editor.remove("resources.arsc"), "{name}");
        for min_sdk in [18, 24] {
            let options = SignOptions::for_min_sdk(min_sdk);
            let expected =
                sign(&editor.finish(options.alignment).unwrap(), &key, &options).unwrap();
            let found = sign_edited(editor.clone(), &key, &options).unwrap();
            assert!(found == expected, "{name}, API level {min_sdk}");
            for hash in [None, options.entry_hash(&key)] {
                let packed = PackedContent::deflate(&code, Compression::Deflated, hash, 1).unwrap();
                let mut ahead = editor.clone();
                ahead.replace_packed("classes2.dex", packed).unwrap();
                let found = sign_edited(ahead, &key, &options).unwrap();
                assert!(found == expected, "{name}, API level {min_sdk}, {hash:?}");
            }
            assert!(verify_for(&found, min_sdk).unwrap().is_verified(), "{name}");
        }
    }
}
