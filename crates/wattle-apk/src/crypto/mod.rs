//! The parts of signatures: digests, keys, certificates and their encodings.

pub(crate) mod asn1;
mod ber;
mod certificate;
mod debug_key;
mod dsa;
mod hash;
mod jks;
mod pbes2;
mod pem;
mod pkcs12;
mod pkcs12_kdf;
mod private_key;
mod public_key;
mod self_signed;
mod signing_key;

pub use certificate::Certificate;
pub use debug_key::{data_folder, load_or_create_debug_key};
pub use hash::Hash;
pub use private_key::GeneratedKey;
pub use public_key::{KeyAlgorithm, SignatureAlgorithm, SignatureProblem};
pub use signing_key::SigningKey;

pub(crate) use hash::hex;
pub(crate) use public_key::PublicKey;
