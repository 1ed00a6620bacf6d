//! Leftovers that describe or sign a package as it was before somebody changed it.

use wattle_apk::{Apk, Leftover, SigningBlock};

use super::verdict::{Finding, Judged};

/// Notes what is left of an earlier state of the package.
pub fn check(file: &str, apk: &Apk<'_>, judged: &mut Judged) {
    let parts = apk.signing_block().map(SigningBlock::parts).unwrap_or_default();
    let is_stamped = parts.iter().any(|part| {
        matches!(part.id, SigningBlock::SOURCE_STAMP_V1 | SigningBlock::SOURCE_STAMP_V2)
    });
    for leftover in apk.invalid_after_rewriting() {
        if let Leftover::SourceStampCertificate { entry } = &leftover
            && !is_stamped
        {
            let finding = Finding::new(
                "leftover",
                file,
                "a source stamp's signature beside its certificate",
                "none: the package was signed again without it",
            );
            judged.notes.push(finding.of_entry(Some(entry)));
        }
    }
}

/// Notes what lies beside the packages and holds only for the bytes it was made for.
pub fn note_beside(beside: &[Leftover], judged: &mut Judged) {
    for leftover in beside {
        let Some(file) = leftover.file() else { continue };
        let expected = "a file made for this package (content not checked)";
        judged.notes.push(Finding::new("beside", file, expected, leftover.to_string()));
    }
}
