//! Whether two packages have the same signer, before one of them is sent.

use wattle_apk::VerificationReport;

/// A comparison of the signers of an installed app and a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignerMatch {
    /// They are the same.
    Same,
    /// They are not.
    Different,
    /// Only Android can tell.
    Unknown,
}

/// The signers of `dumpsys package`: `PackageSignatures{9fe380d [53ea108d]}` until Android 8, `PackageSignatures{9122424
/// version:2, signatures:[bbb2e2d2], past signatures:[]}` since. Each is `Arrays.hashCode` of the certificate in hexadecimal
/// digits (`Signature.hashCode`); what stands before it is no property of the signer.
pub(crate) fn signers(text: &str) -> Vec<u32> {
    let list = text.find("signatures:[").or_else(|| text.find('[')).and_then(|at| text.get(at..));
    let list = list.and_then(|list| list.split_once('[')?.1.split_once(']'));
    let Some((list, _)) = list else { return Vec::new() };
    list.split([',', ' ']).filter_map(|hash| u32::from_str_radix(hash, 16).ok()).collect()
}

/// `java.util.Arrays.hashCode(byte[])`.
pub(crate) fn java_hash(bytes: &[u8]) -> u32 {
    let step =
        |hash: i32, byte: &u8| hash.wrapping_mul(31).wrapping_add(i32::from(byte.cast_signed()));
    bytes.iter().fold(1, step).cast_unsigned()
}

/// Compares the signers of an installed app with those of a package.
///
/// 32 bits are no proof for a judge, but Android has the last word in any case: it refuses what does not fit.
pub(crate) fn compare(installed: &[u32], given: &VerificationReport) -> SignerMatch {
    let hashes: Vec<u32> = given
        .schemes
        .iter()
        .flat_map(|scheme| &scheme.signers)
        .filter_map(|signer| signer.certificate.as_ref())
        .map(|certificate| java_hash(certificate.der()))
        .collect();
    if installed.is_empty() || hashes.is_empty() {
        return SignerMatch::Unknown;
    }
    // A package whose schemes name several signers may have changed its key, which only Android can follow.
    let Some((first, rest)) = hashes.split_first() else { return SignerMatch::Unknown };
    if installed.len() > 1 || rest.iter().any(|hash| hash != first) {
        return SignerMatch::Unknown;
    }
    if installed.first() == Some(first) { SignerMatch::Same } else { SignerMatch::Different }
}

#[cfg(test)]
mod tests {
    use super::{java_hash, signers};

    #[test]
    fn hashes_are_javas() {
        // By the definition: 31 × hash + byte, from 1, in 32 bits with sign. 30817 is what Java prints for {1, 2, 3}.
        for (bytes, hash) in [
            (&[][..], 1),
            (&[1, 2, 3][..], 30817),
            (&[0xff][..], 30),
            (&[0x80, 0x80][..], 961 - 128 * 32),
        ] {
            let expected: i32 = hash;
            assert_eq!(java_hash(bytes), expected.cast_unsigned(), "{bytes:?}");
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[u32]) {
        assert_eq!(signers(text), expected, "{text}");
    }

    #[test]
    fn signers_are_found_in_every_version() {
        check("PackageSignatures{9fe380d [53ea108d]}", &[0x53ea_108d]);
        check("PackageSignatures{1 [a, b]}", &[0xa, 0xb]);
        check(
            "PackageSignatures{f5d7c81 version:2, signatures:[b4addb29], past signatures:[]}",
            &[0xb4ad_db29],
        );
        check(
            "PackageSignatures{1 version:3, signatures:[1, 2], past signatures:[3 flags: 1f]}",
            &[1, 2],
        );
        check("PackageSignatures{1 version:0, signatures:[], past signatures:[]}", &[]);
        check("PackageSignatures{9fe380d ", &[]);
        check("", &[]);
    }
}
