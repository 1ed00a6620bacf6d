//! Signing packages and verifying their signatures: schemes v1 (JAR), v2 and v3 (APK Signing Block).

mod algorithm_id;
mod block_signing;
mod content_digest;
mod jar_digests;
mod jar_manifest;
mod jar_signing;
mod options;
mod pkcs7;
mod signing;

pub use options::SignOptions;
pub use signing::sign;
