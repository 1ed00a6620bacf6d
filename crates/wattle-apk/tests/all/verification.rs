//! Signatures of real packages, compared with what `apksigner` 0.9 (Debian) said of them.

use wattle_apk::{
    Apk, ApkEditor, ApkError, Compression, EntryProblem, Scheme, SignOptions, VerificationProblem,
    sign, verify, verify_for,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// Name, API level asked for (0: the manifest's), schemes with a valid signature, whether it verifies in all,
/// SHA-256 of the certificate. From `apksigner verify --verbose --print-certs`; where it did not check a scheme
/// because a newer one decides, from the same with `--min-sdk-version`/`--max-sdk-version`.
const EXPECTED: &[(&str, &[Scheme], bool, &str)] = &[
    (
        "androguard-TestActivity.apk",
        &[Scheme::V1],
        true,
        "6f5c31608f1f9e285eb6343c7c8af07de81c1fb2148b5349bec906444144576d",
    ),
    (
        "androguard-a2dp.Vol_137.apk",
        &[Scheme::V1],
        true,
        "1e3bf46f964d494c9094cbf1a7ebec99b63d4acf6ae7519287d94faf5ea6871b",
    ),
    (
        "androguard-androidTest-3dex.apk",
        &[Scheme::V2],
        true,
        "2bf57a1fd01f14aef231dc55f2c3e405e48adacfd432a2c9f237a21e91b709fa",
    ),
    (
        "androguard-app-prod-debug.apk",
        &[Scheme::V1, Scheme::V2],
        true,
        "5e29b0ae637411e251bd8deb235d4fa812e7ab79a6a69f3ea0b7324bdca6a390",
    ),
    (
        "appium-settings-debug-9dex.apk",
        &[Scheme::V2],
        true,
        "680dbbc39ab0944796c811b636ace510c8e551317087036cebab0751b0a6190c",
    ),
    (
        "appium-uiautomator2-server-androidTest-4dex.apk",
        &[Scheme::V1, Scheme::V2, Scheme::V3],
        true,
        "a40da80a59d170caa950cf15c18c454d47a39b26989d8b640ecd745ba71bf5dc",
    ),
    (
        "droidbotApp.apk",
        &[Scheme::V1, Scheme::V2],
        true,
        "6d100013c5ec601cc38de983e0b313ad125e1d01f4486c1c2098b0687cd91c3a",
    ),
    (
        "fdroid-com.politedroid_3.apk",
        &[Scheme::V1],
        true,
        "32a23624c201b949f085996ba5ed53d40f703aca4989476949cae891022e0ed6",
    ),
    (
        "fdroid-org.dyndns.fules.ck_20.apk",
        &[Scheme::V1],
        true,
        "9326a2cc1a2f148202bc7837a0af3b81200bd37fd359c9e13a2296a71d342056",
    ),
    ("fdroid-urzip-release-unsigned.apk", &[], false, ""),
    (
        "fdroid-v1.v2.sig_1020.apk",
        &[Scheme::V1, Scheme::V2],
        true,
        "32a23624c201b949f085996ba5ed53d40f703aca4989476949cae891022e0ed6",
    ),
    ("nowinandroid-release-b227394536.apk", &[], false, ""),
    ("redex-test.apk", &[], false, ""),
    (
        "tools-base-minsdk24-v2signed.apk",
        &[Scheme::V1, Scheme::V2],
        true,
        "8d6b7296ee5cf39652795be49f1ce92871771276cf224ff52acbfc3e8c809044",
    ),
    ("tools-base-parserTest-app.apk", &[], false, ""),
    (
        "uiautomator2-app-uiautomator.apk",
        &[Scheme::V1, Scheme::V2],
        true,
        "7aca838927a60989e47856b863e1e772f1d6974534e3241fdc09dae561300860",
    ),
    (
        "apksig/golden-aligned-v1v2v3-lineage-out.apk",
        &[Scheme::V1, Scheme::V2, Scheme::V3],
        true,
        "681b0e56a796350c08647352a4db800cc44b2adc8f4c72fa350bd05d4d50264d",
    ),
    (
        "apksig/golden-unaligned-v1v2v3-lineage-out.apk",
        &[Scheme::V1, Scheme::V2, Scheme::V3],
        true,
        "681b0e56a796350c08647352a4db800cc44b2adc8f4c72fa350bd05d4d50264d",
    ),
    (
        "apksig/v1-only-max-sized-eocd-comment.apk",
        &[Scheme::V1],
        true,
        "fb5dbd3c669af9fc236c6991e6387b7f11ff0590997f22d0f5c74ff40e04fca8",
    ),
    (
        "apksig/v1v2v3-with-rsa-2048-lineage-3-signers.apk",
        &[Scheme::V1, Scheme::V2, Scheme::V3],
        true,
        "bb77a72efc60e66501ab75953af735874f82cfe52a70d035186a01b3482180f3",
    ),
    ("apksig/v3-only-with-rsa-pkcs1-sha256-8192.apk", &[Scheme::V3], false, ""),
    ("splits/tools-base-simple.apk", &[Scheme::V2, Scheme::V3], false, ""),
    ("splits/tools-base-split.apk", &[Scheme::V2, Scheme::V3], false, ""),
    ("splits/tools-base-split2.apk", &[Scheme::V2, Scheme::V3], false, ""),
];

#[requires(data)]
#[test]
fn signatures_of_real_packages_are_judged_as_apksigner_does() {
    for (name, bytes) in support::real_packages() {
        let (_, schemes, verified, certificate) = EXPECTED
            .iter()
            .find(|row| row.0 == name)
            .unwrap_or_else(|| panic!("{name} has no expected result"));
        let report = verify(&bytes).unwrap();
        let valid: Vec<Scheme> =
            report.schemes.iter().filter(|s| s.is_valid()).map(|s| s.scheme).collect();
        let problems: Vec<_> = report.problems().map(|(s, p)| format!("{s}: {p}")).collect();
        assert_eq!(valid, *schemes, "{name}: {problems:?}");
        assert_eq!(report.is_verified(), *verified, "{name}: {problems:?}");
        if *verified {
            assert_eq!(report.certificate().unwrap().sha256(), *certificate, "{name}");
        }
        // The lineage samples were rotated once or twice (their file names; apksigner lineage --in).
        let lineage = report.scheme(Scheme::V3).and_then(|v3| v3.signers.first());
        let lineage = lineage.map_or(0, |signer| signer.lineage.len());
        let rotated = match name.as_str() {
            "apksig/golden-aligned-v1v2v3-lineage-out.apk"
            | "apksig/golden-unaligned-v1v2v3-lineage-out.apk" => 2,
            "apksig/v1v2v3-with-rsa-2048-lineage-3-signers.apk" => 3,
            _ => 0,
        };
        assert_eq!(lineage, rotated, "{name}");
    }
}

/// Reasons that the report gives, in words.
#[track_caller]
fn check_reasons(file: &[u8], min_sdk: u32, wanted: &[&str]) {
    let report = verify_for(file, min_sdk).unwrap();
    let reasons: Vec<String> = report.problems().map(|(s, p)| format!("{s}: {p}")).collect();
    let all = reasons.join("\n");
    for wanted in wanted {
        assert!(all.contains(wanted), "{wanted:?} not in:\n{all}");
    }
    assert_eq!(report.is_verified(), wanted.is_empty(), "{all}");
}

fn signed(options: SignOptions) -> Vec<u8> {
    let file = made::unsigned("com.example.verified", None, options.min_sdk);
    sign(&file, &support::ec_key(), &options).unwrap()
}

#[test]
fn every_kind_of_tampering_has_its_reason() {
    let mut all = SignOptions::for_min_sdk(18);
    all.v1 = true;
    let file = signed(all);
    check_reasons(&file, 18, &[]);

    // A byte of an entry's name in the central directory and in its local header: the file is another one.
    let apk = Apk::open(&file).unwrap();
    let mut changed = file.clone();
    let place = apk.entry("classes.dex").unwrap().data_offset() + 100;
    changed[place] ^= 1;
    check_reasons(
        &changed,
        18,
        &[
            "v1: ZIP entry \"classes.dex\"",
            "v2: the package was changed",
            "v3: the package was changed",
        ],
    );

    // An entry replaced, added, removed, the signing block gone: both kinds of stripping protection speak.
    let rewrite = |edit: &dyn Fn(&mut ApkEditor<'_>)| {
        let mut editor = ApkEditor::new(&apk);
        edit(&mut editor);
        editor.finish(all.alignment).unwrap()
    };
    let stripped = ["v1: it says that the package is also signed with scheme v2", "scheme v3"];
    check_reasons(&rewrite(&|_| {}), 18, &stripped);
    let replaced = rewrite(&|editor| {
        editor.replace("classes.dex", &b"dex"[..], Compression::AsBefore).unwrap();
    });
    check_reasons(
        &replaced,
        18,
        &["classes.dex was changed after it was signed (SHA-256 differs)"],
    );
    let added = rewrite(&|editor| {
        editor.add("classes2.dex", &b"dex"[..], Compression::Stored).unwrap();
    });
    check_reasons(&added, 18, &["classes2.dex has no digest in META-INF/MANIFEST.MF"]);
    let removed = rewrite(&|editor| assert!(editor.remove("classes.dex")));
    check_reasons(&removed, 18, &["classes.dex was signed, but is missing"]);
    let manifest = apk.read("META-INF/MANIFEST.MF").unwrap();
    let other = String::from_utf8(manifest).unwrap().replace("Created-By", "Treated-By");
    let other = rewrite(&|editor| {
        editor
            .replace("META-INF/MANIFEST.MF", other.clone().into_bytes(), Compression::AsBefore)
            .unwrap();
    });
    // The sections are still right, so only the signed digest of the whole file differs; Android accepts that.
    check_reasons(&other, 18, &["also signed with scheme v2"]);
    let signature = apk.read("META-INF/CERT.SF").unwrap();
    let text = String::from_utf8(signature).unwrap().replace("X-Android-APK-Signed", "Y");
    let resigned = rewrite(&|editor| {
        editor
            .replace("META-INF/CERT.SF", text.clone().into_bytes(), Compression::AsBefore)
            .unwrap();
    });
    check_reasons(&resigned, 18, &["META-INF/CERT.EC: the signature does not verify"]);
    check_reasons(
        &rewrite(&|editor| assert!(editor.remove("META-INF/CERT.SF"))),
        18,
        &["v1: there is no signer in it"],
    );
    check_reasons(
        &rewrite(&|editor| assert!(editor.remove("META-INF/MANIFEST.MF"))),
        18,
        &["META-INF/MANIFEST.MF is missing"],
    );
}

#[test]
fn v3_cannot_be_taken_away_from_v2() {
    let file = signed(SignOptions::for_min_sdk(24));
    let apk = Apk::open(&file).unwrap();
    let block = apk.signing_block().unwrap();
    assert_eq!(block.parts().len(), 2);
    // The part's number changed to one that nobody knows: the signatures do not cover the block itself.
    let part = block.parts()[1];
    let mut changed = file.clone();
    changed[part.offset - 4..part.offset].copy_from_slice(&1_u32.to_le_bytes());
    check_reasons(&changed, 24, &["v2: it says that the package is also signed with scheme v3"]);
    assert_eq!(verify_for(&changed, 24).unwrap().other_parts, [1]);

    // And a bit of each signature.
    for part in block.parts() {
        let mut changed = file.clone();
        // Signature before the public key at the end of the signer.
        let place = part.offset + part.content.len() - 120;
        changed[place] ^= 1;
        check_reasons(&changed, 24, &["the signature does not verify"]);
    }
}

#[test]
fn platforms_decide_which_scheme_counts() {
    let mut v2_only = SignOptions::for_min_sdk(24);
    v2_only.v3 = false;
    let file = signed(v2_only);
    assert!(verify_for(&file, 24).unwrap().is_verified());
    assert!(!verify_for(&file, 23).unwrap().is_verified());
    let mut v3_only = SignOptions::for_min_sdk(28);
    v3_only.v2 = false;
    let file = signed(v3_only);
    assert!(verify_for(&file, 28).unwrap().is_verified());
    assert!(!verify_for(&file, 27).unwrap().is_verified());
    let report = verify_for(&file, 28).unwrap();
    assert_eq!(report.scheme(Scheme::V3).unwrap().signers[0].platforms, Some((28, 0x7fff_ffff)));
}

/// SHA-256 in a JAR signature is known from Android 4.3, as `apksigner` says of the split packages.
#[requires(data)]
#[test]
fn old_platforms_do_not_know_new_digests() {
    let file = wattle_testdata::bytes("apk/splits/tools-base-simple.apk");
    assert!(verify_for(&file, 18).unwrap().is_verified());
    check_reasons(&file, 1, &["known from API level 18, the package runs from 1"]);
}

#[requires(data)]
#[test]
fn an_unreadable_entry_is_named() {
    let file = wattle_testdata::bytes("apk/redex-test.apk");
    let error = Apk::open(&file).unwrap().read("classes.dex").unwrap_err();
    // apksigner: "Unexpected size of uncompressed data of classes.dex. Expected: 597924 bytes, actual: 597970".
    assert!(
        matches!(
            &error,
            ApkError::Entry { name, offset: 786, problem: EntryProblem::Size { expected: 597_924, .. } }
                if name == "classes.dex"
        ),
        "{error}"
    );
    let report = verify(&file).unwrap();
    let only: Vec<_> = report.problems().collect();
    assert!(
        matches!(only[..], [(Scheme::V1, VerificationProblem::EntryUnreadable(_))]),
        "{only:?}"
    );
}
