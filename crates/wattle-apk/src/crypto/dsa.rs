//! Checking DSA signatures (FIPS 186-4), which old packages have. There is no signing with DSA.

use der::Sequence;
use der::asn1::AnyRef;
use rsa::BigUint;

use crate::ApkError;
use crate::crypto::asn1::{self, malformed, unsigned};

/// `Dss-Parms` (RFC 3279, 2.3.2).
#[derive(Sequence)]
struct Parameters<'a> {
    prime: AnyRef<'a>,
    order: AnyRef<'a>,
    generator: AnyRef<'a>,
}

/// `Dss-Sig-Value` (RFC 3279, 2.2.2).
#[derive(Sequence)]
struct Signature<'a> {
    r: AnyRef<'a>,
    s: AnyRef<'a>,
}

/// A DSA public key.
#[derive(Debug, Clone)]
pub(crate) struct DsaKey {
    prime: BigUint,
    order: BigUint,
    generator: BigUint,
    public: BigUint,
}

impl DsaKey {
    /// Larger than any key in use, small enough to compute with.
    const MOST_PRIME_BITS: usize = 4096;
    const MOST_ORDER_BITS: usize = 512;

    /// Reads the parameters of the algorithm and the key (RFC 3279, 2.3.2).
    pub(super) fn parse(parameters: Option<AnyRef<'_>>, key: &[u8]) -> Result<Self, ApkError> {
        const WHAT: &str = "a DSA public key";
        let unusable = || ApkError::Unusable {
            what: WHAT,
            problem: "its parameters are not sound".to_owned(),
        };
        let failed = |error| malformed(WHAT, error);
        let parameters: Parameters<'_> =
            parameters.ok_or_else(unusable)?.decode_as().map_err(failed)?;
        let prime = unsigned(parameters.prime).map_err(failed)?;
        let order = unsigned(parameters.order).map_err(failed)?;
        let generator = unsigned(parameters.generator).map_err(failed)?;
        let key = asn1::to_der(key, WHAT)?;
        let public = unsigned(asn1::read(&key, WHAT)?).map_err(failed)?;
        let one = BigUint::from(1_u8);
        let sound = prime.bits() <= Self::MOST_PRIME_BITS
            && order.bits() <= Self::MOST_ORDER_BITS
            && [&prime, &order, &generator, &public].iter().all(|number| **number > one)
            && generator < prime
            && public < prime;
        if sound { Ok(Self { prime, order, generator, public }) } else { Err(unusable()) }
    }

    pub(super) fn bits(&self) -> usize {
        self.prime.bits()
    }

    /// Whether `signature` (`Dss-Sig-Value`) is this key's for the digest (FIPS 186-4, 4.7).
    pub(super) fn verify(&self, digest: &[u8], signature: &[u8]) -> bool {
        let Some((r, s)) = numbers(signature) else { return false };
        let zero = BigUint::from(0_u8);
        if r == zero || s == zero || r >= self.order || s >= self.order {
            return false;
        }
        let (p, q) = (&self.prime, &self.order);
        // The inverse by Fermat: q is prime, and where it is not, no signature holds.
        let w = s.modpow(&(q - BigUint::from(2_u8)), q);
        let leftmost = digest.get(..digest.len().min(q.bits().div_ceil(8))).unwrap_or_default();
        let z = BigUint::from_bytes_be(leftmost);
        let (u1, u2) = ((z * &w) % q, (&r * &w) % q);
        let v = (self.generator.modpow(&u1, p) * self.public.modpow(&u2, p)) % p % q;
        v == r
    }
}

/// The two numbers of a `Dss-Sig-Value`.
fn numbers(signature: &[u8]) -> Option<(BigUint, BigUint)> {
    let der = asn1::to_der(signature, "a DSA signature").ok()?;
    let Signature { r, s } = asn1::read(&der, "a DSA signature").ok()?;
    Some((unsigned(r).ok()?, unsigned(s).ok()?))
}
