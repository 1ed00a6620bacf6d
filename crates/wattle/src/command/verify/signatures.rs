//! Signatures of packages.

use wattle_apk::{Scheme, VerificationReport, verify_for};

use super::member::Member;
use super::verdict::{Finding, Judged, SchemeVerdict, Signatures};

/// Verifies the signatures of one package for platforms from an API level on.
pub fn check(member: &Member, min_sdk: u32, unsigned: bool, judged: &mut Judged) {
    let file = member.name.as_str();
    let report = match verify_for(&member.bytes, min_sdk) {
        Ok(report) => report,
        Err(error) => {
            judged.defects.push(Finding::new(
                "signature",
                file,
                "a package that can be read",
                error.to_string(),
            ));
            return;
        }
    };
    let deciding = report.deciding();
    findings(file, &report, &deciding, unsigned, judged);
    let certificate = report.certificate();
    judged.signatures.push(Signatures {
        file: file.to_owned(),
        verified: report.is_signed() && report.is_verified(),
        certificate: certificate.map(|certificate| certificate.subject().to_owned()),
        certificate_sha256: certificate.map(wattle_apk::Certificate::sha256),
        schemes: report
            .schemes
            .iter()
            .map(|scheme| SchemeVerdict {
                scheme: scheme.scheme.to_string(),
                present: scheme.present,
                valid: scheme.is_valid(),
                deciding: report.is_signed() && deciding.contains(&scheme.scheme),
            })
            .collect(),
    });
}

fn findings(
    file: &str,
    report: &VerificationReport,
    deciding: &[Scheme],
    unsigned: bool,
    judged: &mut Judged,
) {
    if let Some(problem) = &report.signing_block_problem {
        let expected = "an APK Signing Block that can be read";
        judged.defects.push(Finding::new("signature", file, expected, problem.as_str()));
    } else if !report.is_signed() {
        let expected = "a signature: without one Android does not install it";
        let finding = Finding::new("not-signed", file, expected, "not signed");
        if unsigned {
            judged.notes.push(finding);
        } else {
            judged.defects.push(finding);
        }
        return;
    }
    for (scheme, problem) in report.problems() {
        let expected = format!("a valid signature of scheme {scheme}");
        let finding = Finding::new("signature", file, expected, problem.to_string());
        if deciding.contains(&scheme) || scheme == Scheme::V31 {
            judged.defects.push(finding);
        } else {
            judged.notes.push(finding);
        }
    }
    for block in report.schemes.iter().flat_map(|scheme| &scheme.ignored) {
        let expected = "signature blocks that sign this package";
        let found = "it signs nothing here: Android does not look at it";
        judged.notes.push(Finding::new("signature", file, expected, found).of_entry(Some(block)));
    }
    for scheme in deciding {
        if report.scheme(*scheme).is_none_or(|report| !report.present) {
            let expected = format!(
                "a signature of scheme {scheme} for platforms from API level {} on",
                report.min_sdk
            );
            judged.defects.push(Finding::new("signature", file, expected, "none"));
        }
    }
}

/// All packages of one app carry the same certificate, or Android refuses to install them together.
pub fn check_one_signer(judged: &mut Judged) {
    let mut signers = judged
        .signatures
        .iter()
        .filter_map(|it| Some((it.file.as_str(), it.certificate_sha256.as_deref()?)));
    let Some((first, certificate)) = signers.next() else { return };
    let others: Vec<_> = signers
        .filter(|(_, other)| *other != certificate)
        .map(|(file, other)| {
            let expected = format!("the certificate of {first}, SHA-256 {certificate}");
            Finding::new("signer", file, expected, format!("SHA-256 {other}"))
        })
        .collect();
    judged.defects.extend(others);
}
