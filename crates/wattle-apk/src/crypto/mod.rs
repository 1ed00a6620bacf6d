//! What signatures are made of: digests, keys, certificates and their encodings.

mod certificate;
mod debug_key;
mod der;
mod dsa;
mod hash;
pub(crate) mod oid;
mod pbes2;
mod pem;
mod pkcs12;
mod pkcs12_kdf;
mod public_key;
mod self_signed;
mod signing_key;

pub use certificate::Certificate;
pub use debug_key::{data_folder, load_or_create_debug_key};
pub use hash::Hash;
pub use public_key::{KeyAlgorithm, SignatureAlgorithm, SignatureProblem};
pub use signing_key::{GeneratedKey, SigningKey};

pub(crate) use der::{Der, tag, tlv};

pub(crate) use hash::hex;
pub(crate) use public_key::PublicKey;
