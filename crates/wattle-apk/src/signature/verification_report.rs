//! The report of a package's verification.

use std::fmt;

use crate::crypto::{Certificate, SignatureAlgorithm, SignatureProblem};
use crate::signature::signing_options::SignOptions;

/// A signature scheme of Android.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// JAR signature.
    V1,
    /// APK Signature Scheme v2, from Android 7.0.
    V2,
    /// APK Signature Scheme v3, from Android 9.
    V3,
    /// APK Signature Scheme v3.1, from Android 13, for packages with a rotated key.
    V31,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V31 => "v3.1",
        })
    }
}

/// Everything that was found out about a package's signatures.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VerificationReport {
    /// The lowest API level that counts: the manifest's, or the one that was asked for.
    pub min_sdk: u32,
    /// One report a scheme, in the order v1, v2, v3, v3.1; also of schemes that are not there.
    pub schemes: Vec<SchemeReport>,
    /// Why the APK Signing Block could not be read at all.
    pub signing_block_problem: Option<String>,
    /// Parts of the APK Signing Block that are no signature of a known scheme, by their number.
    pub other_parts: Vec<u32>,
}

impl VerificationReport {
    /// The report on one scheme.
    pub fn scheme(&self, scheme: Scheme) -> Option<&SchemeReport> {
        self.schemes.iter().find(|report| report.scheme == scheme)
    }

    /// Whether every platform from [`min_sdk`](Self::min_sdk) on would accept the package.
    pub fn is_verified(&self) -> bool {
        let v31 = self.scheme(Scheme::V31).is_none_or(|v31| !v31.present || v31.is_valid());
        self.signing_block_problem.is_none()
            && v31
            && self
                .deciding()
                .iter()
                .all(|&scheme| self.scheme(scheme).is_some_and(SchemeReport::is_valid))
    }

    /// The schemes that decide, one for each range of platforms: the newest there is that the platform knows.
    pub fn deciding(&self) -> Vec<Scheme> {
        let present =
            |scheme| self.scheme(scheme).is_some_and(|report: &SchemeReport| report.present);
        let newest_of = |schemes: &[Scheme]| {
            schemes.iter().copied().find(|&scheme| present(scheme)).unwrap_or(Scheme::V1)
        };
        let mut deciding = Vec::new();
        if self.min_sdk < SignOptions::V2_SINCE {
            deciding.push(Scheme::V1);
        }
        if self.min_sdk < SignOptions::V3_SINCE {
            deciding.push(newest_of(&[Scheme::V2]));
        }
        deciding.push(newest_of(&[Scheme::V3, Scheme::V2]));
        deciding.sort_unstable();
        deciding.dedup();
        deciding
    }

    /// Whether there is any signature at all.
    pub fn is_signed(&self) -> bool {
        self.schemes.iter().any(|report| report.present)
    }

    /// All that is wrong, with the scheme it is about.
    pub fn problems(&self) -> impl Iterator<Item = (Scheme, &VerificationProblem)> {
        self.schemes
            .iter()
            .flat_map(|report| report.problems.iter().map(|problem| (report.scheme, problem)))
    }

    /// The certificate that the newest platforms take as the app's identity.
    pub fn certificate(&self) -> Option<&Certificate> {
        let newest = self.schemes.iter().rev().find(|report| report.is_valid())?;
        newest.signers.last()?.certificate.as_ref()
    }
}

/// The result of checking one scheme.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SchemeReport {
    /// The scheme.
    pub scheme: Scheme,
    /// Whether there is a signature of it.
    pub present: bool,
    /// The signers, as far as they could be read.
    pub signers: Vec<SignerReport>,
    /// Problems; none when the signature is valid.
    pub problems: Vec<VerificationProblem>,
    /// Signature blocks that sign nothing, by name (v1): nobody looks at them.
    pub ignored: Vec<String>,
}

impl SchemeReport {
    pub(super) const fn absent(scheme: Scheme) -> Self {
        Self {
            scheme,
            present: false,
            signers: Vec::new(),
            problems: Vec::new(),
            ignored: Vec::new(),
        }
    }

    /// Whether there is a signature and nothing wrong with it.
    pub const fn is_valid(&self) -> bool {
        self.present && self.problems.is_empty()
    }
}

/// One signer.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SignerReport {
    /// Name of the signature block file (v1).
    pub file: Option<String>,
    /// The certificate, if it could be read.
    pub certificate: Option<Certificate>,
    /// The algorithms of the signatures that were checked.
    pub algorithms: Vec<SignatureAlgorithm>,
    /// First and last API level that it is for (v3).
    pub platforms: Option<(u32, u32)>,
    /// The certificates that this one replaced, the oldest first, itself last (v3, rotated keys).
    pub lineage: Vec<Certificate>,
}

/// A problem of a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerificationProblem {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Malformed(String),
    /// There is no signer.
    #[error("there is no signer in it")]
    NoSigner,
    /// There are more signers than Android's tools allow.
    #[error("there are more than ten signers")]
    TooManySigners,
    /// A signer has no certificate.
    #[error("a signer has no certificate")]
    NoCertificate,
    /// A signature does not hold.
    #[error("{signer}: {problem}")]
    Signature {
        /// Subject of the certificate, or the file.
        signer: String,
        /// Why not.
        problem: SignatureProblem,
    },
    /// None of a signer's algorithms can be checked.
    #[error("{signer}: none of its signature algorithms is known ({ids})")]
    NoKnownAlgorithm {
        /// Subject of the certificate.
        signer: String,
        /// The numbers of the algorithms.
        ids: String,
    },
    /// The public key is not the certificate's.
    #[error("{signer}: the key that signed is not the one of the certificate")]
    KeyMismatch {
        /// Subject of the certificate.
        signer: String,
    },
    /// Digests and signatures are of different algorithms.
    #[error("{signer}: digests are of the algorithms {digests}, signatures of {signatures}")]
    AlgorithmsDiffer {
        /// Subject of the certificate.
        signer: String,
        /// Numbers of the digests.
        digests: String,
        /// Numbers of the signatures.
        signatures: String,
    },
    /// The content of the package is not the one that was signed.
    #[error(
        "the package was changed after it was signed: {hash} is {found}, {expected} was signed"
    )]
    ContentDigest {
        /// Digest algorithm.
        hash: &'static str,
        /// The digest that was signed, in hexadecimal digits.
        expected: String,
        /// The digest that was computed.
        found: String,
    },
    /// A newer signature was taken away.
    #[error(
        "it says that the package is also signed with scheme v{scheme}, whose signature is missing: it was stripped"
    )]
    Stripped {
        /// Number of the scheme.
        scheme: u32,
    },
    /// A signer's range of platforms is not what it signed, or overlaps another's.
    #[error("the platforms of the signers ({0}) are contradictory")]
    Platforms(String),
    /// The chain of certificates of a rotated key is broken.
    #[error("the proof of rotation is broken at certificate {index}: {reason}")]
    Lineage {
        /// Number of the certificate, from 0.
        index: usize,
        /// Why.
        reason: String,
    },
    /// There is no JAR manifest.
    #[error("META-INF/MANIFEST.MF is missing")]
    NoManifest,
    /// The manifest is not the one that was signed.
    #[error("META-INF/MANIFEST.MF was changed after {file} was made")]
    ManifestDigest {
        /// Name of the signature file.
        file: String,
    },
    /// The manifest has two sections of one name.
    #[error("{file} has two sections for {entry}")]
    DuplicateSection {
        /// Name of the file.
        file: String,
        /// Name of the entry.
        entry: String,
    },
    /// The content of an entry is not the one that was signed.
    #[error("{entry} was changed after it was signed ({hash} differs)")]
    EntryDigest {
        /// Name of the entry.
        entry: String,
        /// Digest algorithm.
        hash: &'static str,
    },
    /// The manifest has no usable digest of an entry.
    #[error("{entry} has no digest in {file}: it was added after signing")]
    EntryNotListed {
        /// Name of the entry.
        entry: String,
        /// Name of the file.
        file: String,
    },
    /// An entry has other signers than the entries before it.
    #[error("{entry} is signed by other signers than the entries before it")]
    EntrySigners {
        /// Name of the entry.
        entry: String,
    },
    /// An entry of the manifest is not in the package.
    #[error("{entry} was signed, but is missing")]
    EntryMissing {
        /// Name of the entry.
        entry: String,
    },
    /// An entry cannot be read.
    #[error("{0}")]
    EntryUnreadable(String),
    /// Old platforms do not know the algorithm.
    #[error("{file}: {algorithm} is known from API level {since}, the package runs from {min_sdk}")]
    AlgorithmTooNew {
        /// Name of the signature block.
        file: String,
        /// The algorithm.
        algorithm: String,
        /// First API level that knows it.
        since: u32,
        /// Lowest API level of the package.
        min_sdk: u32,
    },
}

impl VerificationProblem {
    pub(super) fn malformed(error: &crate::ApkError) -> Self {
        Self::Malformed(error.to_string())
    }
}
