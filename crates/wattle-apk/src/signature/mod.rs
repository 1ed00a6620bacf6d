//! Signing packages and verifying their signatures: schemes v1 (JAR), v2 and v3 (APK Signing Block).

mod algorithm_id;
mod block_signing;
mod block_verification;
mod content_digest;
mod entry_hash;
mod jar_digests;
mod jar_manifest;
mod jar_signing;
mod jar_verification;
mod lineage;
mod pkcs7;
mod signing;
mod signing_options;
mod verification_report;
mod verifying;
mod verity;

pub use signing::{sign, sign_edited};
pub use signing_options::SignOptions;
pub use verification_report::{
    Scheme, SchemeReport, SignerReport, VerificationProblem, VerificationReport,
};
pub use verifying::{verify, verify_for};
