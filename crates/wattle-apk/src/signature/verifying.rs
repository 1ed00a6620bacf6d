//! Verifying the signatures of a package.

use crate::ApkError;
use crate::signature::block_verification::{self, StrippingCheck};
use crate::signature::content_digest::Content;
use crate::signature::jar_verification;
use crate::signature::verification_report::{Scheme, SchemeReport, VerificationReport};
use crate::zip::{Apk, SigningBlock};

/// Verifies all signatures of a package, for the platforms that its manifest asks for.
///
/// Schemes v1, v2, v3 and v3.1 are checked whenever they are there, also where a newer one would decide, so
/// that every defect has its reason. An error says that the archive itself cannot be read.
pub fn verify(apk: &[u8]) -> Result<VerificationReport, ApkError> {
    let apk = Apk::open(apk)?;
    let min_sdk = apk.manifest().ok().and_then(|manifest| manifest.min_sdk).unwrap_or(1);
    Ok(verify_opened(&apk, min_sdk))
}

/// Verifies all signatures of a package for platforms from this API level on.
pub fn verify_for(apk: &[u8], min_sdk: u32) -> Result<VerificationReport, ApkError> {
    Ok(verify_opened(&Apk::open(apk)?, min_sdk))
}

fn verify_opened(apk: &Apk<'_>, min_sdk: u32) -> VerificationReport {
    let part = |id| apk.signing_block().and_then(|block| block.part(id));
    let stripping = StrippingCheck {
        v2: part(SigningBlock::V2).is_some(),
        v3: part(SigningBlock::V3).is_some(),
    };
    let content = Content::from_apk(apk);
    let block = |scheme, id| match part(id) {
        Some(part) => block_verification::verify(scheme, part, &content, stripping),
        None => SchemeReport::absent(scheme),
    };
    let known = [SigningBlock::V2, SigningBlock::V3, SigningBlock::V31];
    let parts = apk.signing_block().map(SigningBlock::parts).unwrap_or_default();
    VerificationReport {
        min_sdk,
        schemes: vec![
            jar_verification::verify(apk, min_sdk, stripping),
            block(Scheme::V2, SigningBlock::V2),
            block(Scheme::V3, SigningBlock::V3),
            block(Scheme::V31, SigningBlock::V31),
        ],
        signing_block_problem: apk.signing_block_problem().map(str::to_owned),
        other_parts: parts.iter().map(|part| part.id).filter(|id| !known.contains(id)).collect(),
    }
}
