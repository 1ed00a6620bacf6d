//! Verifying signatures of scheme v1.

use std::collections::{BTreeMap, BTreeSet};

use base64ct::{Base64, Encoding};

use crate::ApkError;
use crate::crypto::{Hash, SignatureAlgorithm};
use crate::signature::block_verification::StrippingCheck;
use crate::signature::jar_digests::digests;
use crate::signature::jar_manifest::{MANIFEST, Section, needs_digest, sections};
use crate::signature::pkcs7::{self, MOST_SIGNERS, SignerInfo};
use crate::signature::verification_report::{
    Scheme, SchemeReport, SignerReport, VerificationProblem,
};
use crate::zip::{Apk, Entry, EntryContent};

/// Checks the JAR signature of a package.
pub(super) fn verify(apk: &Apk<'_>, min_sdk: u32, stripping: StrippingCheck) -> SchemeReport {
    let mut report = SchemeReport::absent(Scheme::V1);
    let blocks: Vec<&str> =
        apk.entries().iter().map(Entry::name).filter(|name| is_signature_block(name)).collect();
    if blocks.is_empty() {
        return report;
    }
    report.present = true;
    let manifest = match apk.entry(MANIFEST).map(|_| apk.read(MANIFEST)) {
        Some(Ok(manifest)) => manifest,
        Some(Err(error)) => {
            report.problems.push(VerificationProblem::EntryUnreadable(error.to_string()));
            return report;
        }
        None => {
            report.problems.push(VerificationProblem::NoManifest);
            return report;
        }
    };
    let manifest = JarManifest::parse(&manifest, MANIFEST, &mut report.problems);
    if blocks.len() > MOST_SIGNERS {
        report.problems.push(VerificationProblem::TooManySigners);
        return report;
    }
    let signed = SignedPackage { apk, manifest: &manifest, min_sdk, stripping };
    let mut files = Vec::new();
    for block in blocks {
        match signed.check_signer(block, &mut report.problems) {
            Ok(Some(file)) => files.push(file),
            Ok(None) => report.ignored.push(block.to_owned()),
            Err(error) => report.problems.push(VerificationProblem::malformed(&error)),
        }
    }
    if files.is_empty() {
        if report.problems.is_empty() {
            report.problems.push(VerificationProblem::NoSigner);
        }
        return report;
    }
    let used = check_coverage(apk, &manifest, &files, &mut report.problems);
    for (at, file) in files.into_iter().enumerate() {
        if used.contains(&at) {
            report.signers.extend(file.signers);
        } else {
            report.ignored.push(file.block);
        }
    }
    check_entries(apk, &manifest, &mut report.problems);
    report
}

/// A signature file that was checked.
struct SignatureFile {
    /// Name of its signature block.
    block: String,
    /// The entries that it lists.
    entries: BTreeSet<String>,
    signers: Vec<SignerReport>,
}

/// Checks that the same signature files list all entries; returns the places of those files. The others sign nothing, and neither Android
/// nor apksigner looks at them (apksig `V1SchemeVerifier.verifyJarEntriesAgainstManifestAndSigners`).
fn check_coverage(
    apk: &Apk<'_>,
    manifest: &JarManifest<'_>,
    files: &[SignatureFile],
    problems: &mut Vec<VerificationProblem>,
) -> BTreeSet<usize> {
    let mut all: Option<BTreeSet<usize>> = None;
    for entry in apk.entries().iter().map(Entry::name) {
        // What the manifest does not list is told with the digests.
        if !needs_digest(entry) || !manifest.entries.contains_key(entry) {
            continue;
        }
        let listing = files.iter().enumerate().filter(|(_, file)| file.entries.contains(entry));
        let listing: BTreeSet<usize> = listing.map(|(at, _)| at).collect();
        if listing.is_empty() {
            let blocks: Vec<&str> = files.iter().map(|file| file.block.as_str()).collect();
            let (entry, file) = (entry.to_owned(), blocks.join(", "));
            problems.push(VerificationProblem::EntryNotListed { entry, file });
        } else if all.get_or_insert_with(|| listing.clone()) != &listing {
            problems.push(VerificationProblem::EntrySigners { entry: entry.to_owned() });
        }
    }
    all.unwrap_or_default()
}

fn is_signature_block(name: &str) -> bool {
    let file = name.strip_prefix("META-INF/").filter(|file| !file.contains('/'));
    let upper = file.map(str::to_ascii_uppercase).unwrap_or_default();
    [".RSA", ".DSA", ".EC"].iter().any(|suffix| upper.ends_with(suffix))
}

/// A manifest or signature file, by entry.
struct JarManifest<'a> {
    bytes: &'a [u8],
    main: Option<Section<'a>>,
    entries: BTreeMap<String, Section<'a>>,
}

impl<'a> JarManifest<'a> {
    fn parse(bytes: &'a [u8], file: &str, problems: &mut Vec<VerificationProblem>) -> Self {
        let mut main = None;
        let mut entries = BTreeMap::new();
        for (index, section) in sections(bytes).into_iter().enumerate() {
            let Some(entry) = section.name().map(str::to_owned) else {
                if index == 0 {
                    main = Some(section);
                }
                continue;
            };
            if entries.insert(entry.clone(), section).is_some() {
                let file = file.to_owned();
                problems.push(VerificationProblem::DuplicateSection { file, entry });
            }
        }
        Self { bytes, main, entries }
    }
}

/// The digests that a section states, with names such as `SHA-256-Digest` and the given ending.
fn stated(section: &Section<'_>, ending: &str) -> Vec<(Hash, Option<Vec<u8>>)> {
    let hashes = Hash::STRONGEST_FIRST.into_iter();
    let found = hashes.filter_map(|hash| {
        let names = [hash.jar_name(), hash.name()];
        let value = names.iter().find_map(|name| section.get(&format!("{name}-Digest{ending}")))?;
        Some((hash, Base64::decode_vec(value.trim()).ok()))
    });
    found.collect()
}

/// Whether the digests are stated, and all are those of these bytes.
fn agrees(stated: &[(Hash, Option<Vec<u8>>)], bytes: &[u8]) -> bool {
    !stated.is_empty()
        && stated.iter().all(|(hash, digest)| {
            digest.as_deref().is_some_and(|digest| hash.digest(&[bytes]) == digest)
        })
}

/// A package and its manifest, and what its signers are held against.
struct SignedPackage<'p> {
    apk: &'p Apk<'p>,
    manifest: &'p JarManifest<'p>,
    min_sdk: u32,
    stripping: StrippingCheck,
}

impl SignedPackage<'_> {
    /// Checks the signers of one signature block; an error is a structure that cannot be read. `None` for a block that signs nothing
    /// here: its signature file is missing, malformed, or lists entries of another package (apksig `V1SchemeVerifier.Signer`,
    /// `setIgnored`).
    fn check_signer(
        &self,
        block: &str,
        problems: &mut Vec<VerificationProblem>,
    ) -> Result<Option<SignatureFile>, ApkError> {
        let Self { apk, manifest, min_sdk, stripping } = *self;
        let stem = block.rsplit_once('.').map_or(block, |(stem, _)| stem);
        let file = format!("{stem}.SF");
        if apk.entry(&file).is_none() {
            return Ok(None);
        }
        let signature_file = apk.read(&file)?;
        let signers = pkcs7::parse(&apk.read(block)?)?;
        if signers.is_empty() {
            problems.push(VerificationProblem::NoSigner);
        }
        let mut reports = Vec::new();
        for signer in signers {
            check_signature(&signer, &signature_file, block, min_sdk, problems);
            reports.push(SignerReport {
                file: Some(block.to_owned()),
                algorithms: vec![signer.algorithm],
                certificate: Some(signer.certificate),
                ..SignerReport::default()
            });
        }

        let mut malformed = Vec::new();
        let signed = JarManifest::parse(&signature_file, &file, &mut malformed);
        let main = signed.main.as_ref();
        if !malformed.is_empty() || main.is_none_or(|main| main.get("Signature-Version").is_none())
        {
            return Ok(None);
        }
        if let Some(newer) = main.and_then(|main| main.get("X-Android-APK-Signed")) {
            for scheme in newer.split(',').filter_map(|id| id.trim().parse::<u32>().ok()) {
                if scheme == 2 && !stripping.v2 || scheme == 3 && !stripping.v3 {
                    problems.push(VerificationProblem::Stripped { scheme });
                }
            }
        }
        let whole = main.map(|main| stated(main, "-Manifest")).unwrap_or_default();
        let whole_agrees = agrees(&whole, manifest.bytes);
        if !whole_agrees {
            // The main section alone, and then each section, may be signed when entries were added by others.
            let own =
                main.map(|main| stated(main, "-Manifest-Main-Attributes")).unwrap_or_default();
            let main_bytes = manifest.main.as_ref().map_or(&[][..], |main| main.bytes);
            if !own.is_empty() && !agrees(&own, main_bytes) {
                problems.push(VerificationProblem::ManifestDigest { file: file.clone() });
            }
        }
        if !whole_agrees {
            let listed = |entry: &String| manifest.entries.get(entry);
            if signed.entries.keys().any(|entry| listed(entry).is_none()) {
                return Ok(None);
            }
            let is_changed = |(entry, own): (&String, &Section<'_>)| {
                listed(entry).is_some_and(|section| !agrees(&stated(own, ""), section.bytes))
            };
            if signed.entries.iter().any(is_changed) {
                problems.push(VerificationProblem::ManifestDigest { file });
            }
        }
        let entries = signed.entries.into_keys().collect();
        Ok(Some(SignatureFile { block: block.to_owned(), entries, signers: reports }))
    }
}

fn check_signature(
    signer: &SignerInfo,
    signature_file: &[u8],
    block: &str,
    min_sdk: u32,
    problems: &mut Vec<VerificationProblem>,
) {
    let since = known_since(signer.algorithm);
    if min_sdk < since {
        problems.push(VerificationProblem::AlgorithmTooNew {
            file: block.to_owned(),
            algorithm: signer.algorithm.to_string(),
            since,
            min_sdk,
        });
    }
    let invalid = |problem| VerificationProblem::Signature { signer: block.to_owned(), problem };
    let signed: &[u8] = match &signer.attributes {
        None => signature_file,
        Some((attributes, digest)) => {
            if signer.algorithm.hash().digest(&[signature_file]) != *digest {
                problems.push(invalid(crate::SignatureProblem::Invalid));
            }
            attributes
        }
    };
    let key = signer.certificate.public_key();
    if let Err(problem) = key.verify(signer.algorithm, &[signed], &signer.signature) {
        problems.push(invalid(problem));
    }
}

/// First API level that knows the algorithm in JAR signatures (apksig `V1SchemeVerifier`, its table).
const fn known_since(algorithm: SignatureAlgorithm) -> u32 {
    match algorithm {
        SignatureAlgorithm::RsaPkcs1(Hash::Md5 | Hash::Sha1)
        | SignatureAlgorithm::Dsa(Hash::Sha1) => 1,
        SignatureAlgorithm::RsaPkcs1(_) | SignatureAlgorithm::Ecdsa(_) => 18,
        SignatureAlgorithm::Dsa(_) | SignatureAlgorithm::RsaPss(_) => 21,
    }
}

fn check_entries(
    apk: &Apk<'_>,
    manifest: &JarManifest<'_>,
    problems: &mut Vec<VerificationProblem>,
) {
    let mut expected = Vec::new();
    let mut work = Vec::new();
    for entry in apk.entries() {
        let stated: Vec<(Hash, Vec<u8>)> = manifest
            .entries
            .get(entry.name())
            .map(|section| stated(section, ""))
            .unwrap_or_default()
            .into_iter()
            .map(|(hash, digest)| (hash, digest.unwrap_or_default()))
            .collect();
        if !stated.is_empty() {
            work.push((EntryContent::Kept(entry), stated.iter().map(|(hash, _)| *hash).collect()));
            expected.push((entry, stated));
        } else if needs_digest(entry.name()) {
            let (entry, file) = (entry.name().to_owned(), MANIFEST.to_owned());
            problems.push(VerificationProblem::EntryNotListed { entry, file });
        }
    }
    for ((entry, expected), found) in expected.iter().zip(digests(&work)) {
        match found {
            Err(error) => problems.push(VerificationProblem::EntryUnreadable(error.to_string())),
            Ok(found) => {
                let wrong =
                    expected.iter().zip(&found).find(|((_, digest), found)| digest != *found);
                if let Some(((hash, _), _)) = wrong {
                    let (entry, hash) = (entry.name().to_owned(), hash.name());
                    problems.push(VerificationProblem::EntryDigest { entry, hash });
                }
            }
        }
    }
    let names: BTreeSet<&str> = apk.entries().iter().map(Entry::name).collect();
    for entry in manifest.entries.keys() {
        if !names.contains(entry.as_str()) && needs_digest(entry) {
            problems.push(VerificationProblem::EntryMissing { entry: entry.clone() });
        }
    }
}
