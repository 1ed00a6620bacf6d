//! Keys as OpenSSL and `keytool` write them, and the debug key.

use std::path::Path;

use wattle_apk::{
    ApkError, GeneratedKey, KeyAlgorithm, KeyProblem, SignOptions, SigningKey,
    load_or_create_debug_key, sign, verify_for,
};
use wattle_testdata::requires;

use crate::support::{self, made};

/// Runs commands of the shell in a folder.
#[track_caller]
fn shell(folder: &Path, script: &str) {
    let script = format!("set -e; cd '{}'; {script}", folder.display());
    let output = support::tool("sh", &["-c", &script]);
    assert!(output.status.success(), "{script}: {}", support::printed(&output));
}

/// The key signs, and what it signed verifies under its certificate.
#[track_caller]
fn check_signs(key: &SigningKey) {
    let bytes = made::unsigned("com.example.keys", None, 18);
    let signed = sign(&bytes, key, &SignOptions::for_min_sdk(18)).unwrap();
    let report = verify_for(&signed, 18).unwrap();
    assert!(report.is_verified());
    assert_eq!(report.certificate(), Some(key.certificate()));
    let file = support::package_file(&signed);
    let arguments =
        ["verify", "--print-certs", "--min-sdk-version", "18", file.path().to_str().unwrap()];
    let output = support::tool("apksigner", &arguments);
    let text = support::printed(&output);
    let sha256 = key.certificate().sha256();
    assert!(output.status.success() && text.contains(&sha256), "{text}");
}

#[requires(program = "openssl", program = "apksigner")]
#[test]
fn pem_keys_of_openssl_are_read() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa.pem -out rsa.crt -subj /O=Ex/CN=Rsa -days 9
         openssl req -x509 -newkey rsa:4096 -nodes -keyout big.pem -out big.crt -subj /CN=Big -days 9
         openssl rsa -in rsa.pem -traditional -out rsa1.pem
         openssl pkcs8 -topk8 -in rsa.pem -passout pass:secret -out rsa-encrypted.pem
         openssl ecparam -name prime256v1 -genkey -out ec1.pem
         openssl req -x509 -new -key ec1.pem -out ec.crt -subj /CN=Ec -days 9
         openssl pkcs8 -topk8 -nocrypt -in ec1.pem -out ec.pem
         openssl pkcs8 -topk8 -nocrypt -in rsa.pem -outform der -out rsa.pk8
         openssl pkcs8 -topk8 -in rsa.pem -passout pass:secret -outform der -out rsa-encrypted.pk8
         openssl pkcs8 -topk8 -in rsa.pem -passout pass:secret -scrypt -out rsa-scrypt.pem
         openssl x509 -in ec.crt -outform der -out ec.der
         openssl ecparam -name secp384r1 -genkey -noout -out p384.pem",
    );
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    for (key, certificate, password, algorithm) in [
        ("rsa.pem", "rsa.crt", None, KeyAlgorithm::Rsa { bits: 2048 }),
        ("big.pem", "big.crt", None, KeyAlgorithm::Rsa { bits: 4096 }),
        ("rsa1.pem", "rsa.crt", None, KeyAlgorithm::Rsa { bits: 2048 }),
        ("rsa-encrypted.pem", "rsa.crt", Some("secret"), KeyAlgorithm::Rsa { bits: 2048 }),
        ("rsa.pk8", "rsa.crt", None, KeyAlgorithm::Rsa { bits: 2048 }),
        ("rsa-encrypted.pk8", "rsa.crt", Some("secret"), KeyAlgorithm::Rsa { bits: 2048 }),
        ("rsa-scrypt.pem", "rsa.crt", Some("secret"), KeyAlgorithm::Rsa { bits: 2048 }),
        ("ec1.pem", "ec.crt", None, KeyAlgorithm::EcP256),
        ("ec.pem", "ec.crt", None, KeyAlgorithm::EcP256),
        ("ec.pem", "ec.der", None, KeyAlgorithm::EcP256),
    ] {
        let read_key =
            SigningKey::parse(&read(key), Some(&read(certificate)), password, None).unwrap();
        assert_eq!(read_key.algorithm(), algorithm, "{key}");
        check_signs(&read_key);
    }
    let fails = |key: &str, certificate: Option<&str>, password: Option<&str>| {
        let certificate = certificate.map(read);
        match SigningKey::parse(&read(key), certificate.as_deref(), password, None) {
            Err(ApkError::Key(problem)) => problem,
            other => panic!("{key}: {other:?}"),
        }
    };
    assert_eq!(fails("rsa.pem", None, None), KeyProblem::NoCertificate);
    assert_eq!(fails("rsa.crt", None, None), KeyProblem::NoKey);
    assert_eq!(fails("rsa.pem", Some("ec.crt"), None), KeyProblem::Mismatch);
    assert_eq!(fails("rsa-encrypted.pem", Some("rsa.crt"), None), KeyProblem::PasswordNeeded);
    // So many that some of them leave valid padding by chance.
    for password in (0..600).map(|nth| format!("public {nth}")) {
        let wrong = fails("rsa-encrypted.pem", Some("rsa.crt"), Some(&password));
        assert_eq!(wrong, KeyProblem::WrongPassword, "{password}");
    }
    assert!(matches!(fails("p384.pem", Some("ec.crt"), None), KeyProblem::Algorithm(_)));
}

#[requires(program = "openssl", program = "apksigner")]
#[test]
fn key_stores_of_openssl_are_read() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa.pem -out rsa.crt -subj /CN=Store -days 9
         openssl pkcs12 -export -inkey rsa.pem -in rsa.crt -passout pass:secret -out new.p12 -name mine
         openssl pkcs12 -export -inkey rsa.pem -in rsa.crt -passout pass:secret -out sha1.p12 \
           -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1
         openssl pkcs12 -export -inkey rsa.pem -in rsa.crt -passout pass:secret -out plain.p12 \
           -keypbe NONE -certpbe NONE -nomaciter
         openssl pkcs12 -export -legacy -inkey rsa.pem -in rsa.crt -passout pass:secret -out old.p12",
    );
    for name in ["new.p12", "sha1.p12", "plain.p12", "old.p12"] {
        let store = std::fs::read(folder.path().join(name)).unwrap();
        let key = SigningKey::parse(&store, None, Some("secret"), None).unwrap();
        assert_eq!(key.certificate().subject(), "CN=Store", "{name}");
        check_signs(&key);
        let wrong = SigningKey::parse(&store, None, Some("Secret"), None).unwrap_err();
        assert!(matches!(wrong, ApkError::Key(KeyProblem::WrongPassword)), "{name}: {wrong}");
        let none = SigningKey::parse(&store, None, None, None).unwrap_err();
        assert!(matches!(none, ApkError::Key(KeyProblem::PasswordNeeded)), "{name}: {none}");
    }
}

#[requires(program = "keytool", program = "apksigner")]
#[test]
fn key_stores_of_keytool_are_read() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        "gen() { keytool -genkeypair -keystore $1 -storetype $2 -storepass android -alias $3 -dname CN=$3 $4 $5 $6 $7; }
         gen one.p12 PKCS12 first -keyalg RSA -keysize 2048 2>&1
         gen two.p12 PKCS12 first -keyalg RSA -keysize 2048 2>&1
         gen two.p12 PKCS12 second -keyalg EC -groupname secp256r1 2>&1
         gen old.jks JKS first -keyalg RSA -keysize 2048 2>&1
         gen old.jks JKS second -keyalg EC -groupname secp256r1 2>&1
         gen other.jceks JCEKS first -keyalg RSA -keysize 2048 2>&1",
    );
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let open = |name: &str, alias| SigningKey::from_key_store(&read(name), "android", alias);
    check_signs(&open("one.p12", None).unwrap());
    let second = open("two.p12", Some("SECOND")).unwrap();
    assert_eq!(second.certificate().subject(), "CN=second");
    assert_eq!(second.algorithm(), KeyAlgorithm::EcP256);
    check_signs(&second);
    let ambiguous = open("two.p12", None).unwrap_err().to_string();
    assert!(ambiguous.contains("several keys") && ambiguous.contains("second"), "{ambiguous}");
    assert!(matches!(
        open("two.p12", Some("third")),
        Err(ApkError::Key(KeyProblem::NoAlias(alias))) if alias == "third"
    ));
    let old = open("old.jks", Some("first")).unwrap();
    assert_eq!(old.certificate().subject(), "CN=first");
    check_signs(&old);
    check_signs(&open("old.jks", Some("second")).unwrap());
    assert!(matches!(open("other.jceks", None), Err(ApkError::Key(KeyProblem::JavaKeyStore))));
    let wrong = SigningKey::from_key_store(&read("old.jks"), "Android", None);
    assert!(matches!(wrong, Err(ApkError::Key(KeyProblem::WrongPassword))));
}

#[requires(program = "keytool")]
#[test]
fn a_java_key_store_that_is_cut_or_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        "keytool -genkeypair -keystore old.jks -storetype JKS -storepass android -alias first -dname CN=first \
         -keyalg EC -groupname secp256r1 2>&1",
    );
    let store = std::fs::read(folder.path().join("old.jks")).unwrap();
    SigningKey::from_key_store(&store, "android", None).unwrap();
    for length in 0..store.len() {
        assert!(SigningKey::from_key_store(&store[..length], "android", None).is_err(), "{length}");
    }
    for place in 0..store.len() {
        let mut changed = store.clone();
        changed[place] ^= 0x40;
        assert!(SigningKey::from_key_store(&changed, "android", None).is_err(), "{place}");
    }
}

#[requires(program = "openssl")]
#[test]
fn the_certificate_is_what_openssl_reads() {
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("key.pem");
    std::fs::write(&pem, support::rsa_key().to_pem().unwrap()).unwrap();
    let path = pem.to_str().unwrap();
    let arguments =
        ["x509", "-in", path, "-noout", "-subject", "-dates", "-fingerprint", "-sha256"];
    let output = support::tool("openssl", &arguments);
    let text = support::printed(&output);
    assert!(text.contains("C = US, O = Android, CN = Test"), "{text}");
    assert!(text.contains("notBefore=Sep 21 14:13:20 2026 GMT"), "{text}");
    assert!(text.contains("notAfter=Sep 13 14:13:20 2056 GMT"), "{text}");
    let fingerprint = text.split("Fingerprint=").nth(1).unwrap().trim().replace(':', "");
    let own = support::rsa_key().certificate().sha256();
    assert_eq!(fingerprint.to_lowercase(), own);
    assert_eq!(support::rsa_key().certificate().subject(), "CN=Test, O=Android, C=US");
    // A self-signed certificate verifies under itself.
    let arguments = ["verify", "-check_ss_sig", "-no_check_time", "-CAfile", path, path];
    let verified = support::tool("openssl", &arguments);
    assert!(verified.status.success(), "{}", support::printed(&verified));
}

#[test]
fn the_debug_key_is_made_once_and_kept_private() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("not/there/yet");
    let load = |kind| load_or_create_debug_key(&folder, kind, support::now()).unwrap();
    let first = load(GeneratedKey::EcP256);
    assert_eq!(first.certificate(), load(GeneratedKey::EcP256).certificate());
    assert_ne!(first.certificate(), load(GeneratedKey::Rsa2048).certificate());
    let names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    #[cfg(unix)]
    for name in names {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    std::fs::write(folder.join("debug-ec.pem"), "nonsense").unwrap();
    let broken = load_or_create_debug_key(&folder, GeneratedKey::EcP256, support::now());
    assert!(matches!(broken, Err(ApkError::Key(KeyProblem::NoKey))));
}
