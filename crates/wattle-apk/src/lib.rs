//! Android packages: reading, editing, aligning, signing and verifying them without unpacking them.
//!
//! An [`Apk`] is a view of a package's bytes: opening it checks the archive's structure, reading an entry checks
//! its content. An [`ApkEditor`] replaces, adds and removes entries and leaves all others bit for bit as they
//! are. [`sign`] and [`sign_edited`] sign with the schemes v1, v2 and v3; [`verify`] says scheme by scheme what holds and why the
//! rest does not. A [`Manifest`] is read, and changed in place by a [`ManifestEditor`]; [`BinaryXml`] reads any
//! other binary XML. An [`ApkSet`] is a base package with its splits, as files or in one archive.
//!
//! Nothing here knows bytecode: code is an entry like any other.
//!
//! ```
//! use wattle_apk::{Apk, ApkEditor, ApkError, Compression, ManifestEditor, SignOptions, SigningKey, sign_edited};
//!
//! /// The package with new code, profileable, signed for all platforms it installs on.
//! fn traced(package: &[u8], code: &[u8], key: &SigningKey) -> Result<Vec<u8>, ApkError> {
//!     let apk = Apk::open(package)?;
//!     let mut manifest = ManifestEditor::open(&apk.read(Apk::MANIFEST)?)?;
//!     manifest.set_profileable_by_shell()?;
//!     let mut editor = ApkEditor::new(&apk);
//!     editor.replace("classes.dex", code, Compression::AsBefore)?;
//!     editor.replace(Apk::MANIFEST, manifest.finish(), Compression::AsBefore)?;
//!     for lost in editor.drop_invalid() {
//!         eprintln!("dropped: {lost}");
//!     }
//!     let options = SignOptions::for_apk(&apk);
//!     sign_edited(editor, key, &options)
//! }
//! ```
//!
//! # Quirks of real packages
//!
//! - AGP and `zipflinger` leave padding before the first entry and between entries: it belongs to no entry and
//!   goes when the package is rewritten.
//! - The order of entries and the order of the central directory differ in packages of incremental builds: both
//!   are kept.
//! - Packages exist whose announced sizes are wrong (redex's test package): such an entry can be kept and
//!   replaced, but not read, and a JAR signature over it cannot be made.
//! - The issuer in a PKCS#7 block may use another kind of string than the certificate does: names are compared
//!   as text.
//! - Resource obfuscators empty the names of attributes: attributes are found by the number of their resource.

mod axml;
mod crypto;
mod error;
mod leftover;
mod little_endian;
mod set;
mod signature;
mod zip;

pub use axml::{
    Application, Attribute, BinaryXml, Component, ComponentKind, Element, Instrumentation,
    Manifest, ManifestDefect, ManifestEditor, Node, Profileable, Value,
};
pub use crypto::{
    Certificate, GeneratedKey, Hash, KeyAlgorithm, SignatureAlgorithm, SignatureProblem,
    SigningKey, data_folder, load_or_create_debug_key,
};
pub use error::{
    ApkError, ArchiveProblem, EntryProblem, KeyProblem, ManifestProblem, SetProblem,
    SigningBlockProblem, XmlProblem,
};
pub use leftover::{Leftover, invalid_beside};
pub use set::{ApkSet, SetMember, WrittenSet};
pub use signature::{
    Scheme, SchemeReport, SignOptions, SignerReport, VerificationProblem, VerificationReport, sign,
    sign_edited, verify, verify_for,
};
pub use zip::{
    Alignment, Apk, ApkEditor, Compression, Entry, Method, PackedContent, PageSize, ReadLimit,
    SigningBlock, SigningBlockPart,
};
