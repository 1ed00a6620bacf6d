//! Checking DSA signatures (FIPS 186-4), which old packages have. There is no signing with DSA.

use rsa::BigUint;

use crate::ApkError;
use crate::crypto::der::{Der, tag};

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
    pub(super) fn parse(parameters: &mut Der<'_>, key: &[u8]) -> Result<Self, ApkError> {
        let unusable = parameters.error("DSA parameters of a usual size");
        let mut numbers = parameters.sequence("Dss-Parms")?;
        let mut number = || integer(&mut numbers);
        let (prime, order, generator) = (number()?, number()?, number()?);
        let public = integer(&mut Der::new(key, "a public key"))?;
        let one = BigUint::from(1_u8);
        let sound = prime.bits() <= Self::MOST_PRIME_BITS
            && order.bits() <= Self::MOST_ORDER_BITS
            && [&prime, &order, &generator, &public].iter().all(|number| **number > one)
            && generator < prime
            && public < prime;
        if sound { Ok(Self { prime, order, generator, public }) } else { Err(unusable) }
    }

    pub(super) fn bits(&self) -> usize {
        self.prime.bits()
    }

    /// Whether `signature` (`Dss-Sig-Value`) is this key's for the digest (FIPS 186-4, 4.7).
    pub(super) fn verify(&self, digest: &[u8], signature: &[u8]) -> bool {
        let numbers = Der::new(signature, "a DSA signature").sequence("Dss-Sig-Value");
        let numbers =
            numbers.and_then(|mut numbers| Ok((integer(&mut numbers)?, integer(&mut numbers)?)));
        let Ok((r, s)) = numbers else { return false };
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

fn integer(from: &mut Der<'_>) -> Result<BigUint, ApkError> {
    Ok(BigUint::from_bytes_be(from.expect(tag::INTEGER, "an INTEGER")?.content))
}
