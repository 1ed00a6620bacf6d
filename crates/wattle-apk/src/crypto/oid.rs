//! Object identifiers, encoded as DER has them (the content of an OBJECT IDENTIFIER).

/// `rsaEncryption` 1.2.840.113549.1.1.1
pub(crate) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
/// `md5WithRSAEncryption` … `sha512WithRSAEncryption` are 1.2.840.113549.1.1.x
pub(crate) const PKCS1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1];
/// `id-ecPublicKey` 1.2.840.10045.2.1
pub(crate) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
/// `prime256v1` 1.2.840.10045.3.1.7
pub(crate) const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
/// `secp384r1` 1.3.132.0.34
pub(crate) const P384: &[u8] = &[0x2b, 0x81, 0x04, 0, 0x22];
/// `secp521r1` 1.3.132.0.35
pub(crate) const P521: &[u8] = &[0x2b, 0x81, 0x04, 0, 0x23];
/// `ecdsa-with-SHA1` 1.2.840.10045.4.1
pub(crate) const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1];
/// `ecdsa-with-SHA256` 1.2.840.10045.4.3.2
pub(crate) const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
/// `ecdsa-with-SHA384` 1.2.840.10045.4.3.3
pub(crate) const ECDSA_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3];
/// `ecdsa-with-SHA512` 1.2.840.10045.4.3.4
pub(crate) const ECDSA_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 4];
/// `id-dsa` 1.2.840.10040.4.1
pub(crate) const DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1];
/// `id-dsa-with-sha1` 1.2.840.10040.4.3
pub(crate) const DSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 4, 3];
/// `id-dsa-with-sha256` 2.16.840.1.101.3.4.3.2
pub(crate) const DSA_SHA256: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 2];

/// `md5` 1.2.840.113549.2.5
pub(crate) const MD5: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 2, 5];
/// `sha1` 1.3.14.3.2.26
pub(crate) const SHA1: &[u8] = &[0x2b, 0x0e, 3, 2, 0x1a];
/// `sha256` 2.16.840.1.101.3.4.2.1
pub(crate) const SHA256: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
/// `sha384` 2.16.840.1.101.3.4.2.2
pub(crate) const SHA384: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2];
/// `sha512` 2.16.840.1.101.3.4.2.3
pub(crate) const SHA512: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3];

/// `id-data` 1.2.840.113549.1.7.1
pub(crate) const DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1];
/// `id-signedData` 1.2.840.113549.1.7.2
pub(crate) const SIGNED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2];
/// `id-encryptedData` 1.2.840.113549.1.7.6
pub(crate) const ENCRYPTED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 6];
/// `id-messageDigest` 1.2.840.113549.1.9.4
pub(crate) const MESSAGE_DIGEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4];
/// `friendlyName` 1.2.840.113549.1.9.20
pub(crate) const FRIENDLY_NAME: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x14];
/// `x509Certificate` 1.2.840.113549.1.9.22.1
pub(crate) const X509_CERTIFICATE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x16, 1];
/// Bags of PKCS#12 are 1.2.840.113549.1.12.10.1.x
pub(crate) const KEY_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 10, 1, 1];
/// `pkcs8ShroudedKeyBag`
pub(crate) const SHROUDED_KEY_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 10, 1, 2];
/// `certBag`
pub(crate) const CERT_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 10, 1, 3];
/// `pbeWithSHAAnd3-KeyTripleDES-CBC` 1.2.840.113549.1.12.1.3
pub(crate) const PBE_SHA1_3DES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 1, 3];
/// `pbeWithSHAAnd40BitRC2-CBC` 1.2.840.113549.1.12.1.6
pub(crate) const PBE_SHA1_RC2_40: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 12, 1, 6];
/// `id-PBES2` 1.2.840.113549.1.5.13
pub(crate) const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13];

/// `countryName` 2.5.4.6
pub(crate) const COUNTRY: &[u8] = &[0x55, 4, 6];
/// `organizationName` 2.5.4.10
pub(crate) const ORGANIZATION: &[u8] = &[0x55, 4, 10];
/// `commonName` 2.5.4.3
pub(crate) const COMMON_NAME: &[u8] = &[0x55, 4, 3];
/// `subjectKeyIdentifier` 2.5.29.14
pub(crate) const SUBJECT_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 14];

/// The identifier in the usual notation, for messages.
pub(crate) fn dotted(oid: &[u8]) -> String {
    let mut parts: Vec<u64> = Vec::new();
    let mut value = 0_u64;
    for byte in oid {
        value = value.wrapping_shl(7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if parts.is_empty() {
                let first = (value / 40).min(2);
                parts.extend([first, value.wrapping_sub(first * 40)]);
            } else {
                parts.push(value);
            }
            value = 0;
        }
    }
    let parts: Vec<String> = parts.iter().map(u64::to_string).collect();
    parts.join(".")
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_print_as_registered() {
        assert_eq!(super::dotted(super::SHA256), "2.16.840.1.101.3.4.2.1");
        assert_eq!(super::dotted(super::RSA), "1.2.840.113549.1.1.1");
        assert_eq!(super::dotted(super::SHROUDED_KEY_BAG), "1.2.840.113549.1.12.10.1.2");
        assert_eq!(super::dotted(super::P384), "1.3.132.0.34");
    }
}
