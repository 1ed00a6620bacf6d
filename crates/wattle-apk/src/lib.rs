//! Android packages: reading, editing, aligning, signing and verifying them without unpacking them.
//!
//! An [`Apk`] is a view of a package's bytes: opening it checks the archive's structure, reading an entry checks
//! its content. An [`ApkEditor`] replaces, adds and removes entries and leaves all others bit for bit as they
//! are.

mod axml;
mod bytes;
mod crypto;
mod error;
mod leftover;
mod set;
mod signature;
mod zip;

pub use axml::{
    Application, Attribute, BinaryXml, Component, ComponentKind, Element, Instrumentation,
    Manifest, ManifestEditor, Node, Profileable, Value,
};
pub use crypto::{
    Certificate, GeneratedKey, Hash, KeyAlgorithm, SignatureAlgorithm, SignatureProblem,
    SigningKey, data_folder, load_or_create_debug_key,
};
pub use error::{
    ApkError, ArchiveProblem, EntryProblem, KeyProblem, ManifestProblem, SetProblem,
    SigningBlockProblem, XmlProblem,
};
pub use leftover::{Leftover, idsig_beside};
pub use set::{ApkSet, SetMember, WrittenSet};
pub use signature::{
    Scheme, SchemeReport, SignOptions, SignerReport, VerificationProblem, VerificationReport, sign,
    verify, verify_for,
};
pub use zip::{
    Alignment, Apk, ApkEditor, Compression, Entry, Method, PageSize, ReadLimit, SigningBlock,
    SigningBlockPart,
};
