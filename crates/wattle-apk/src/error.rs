//! Errors of packages, with the place of each.

use std::path::PathBuf;

/// Why an Android package could not be read, edited, signed or verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApkError {
    /// No end-of-central-directory record was found.
    #[error(
        "no ZIP archive, or one that is cut off: this file of {length} bytes does not end with an end-of-central-directory record"
    )]
    NotAnArchive {
        /// Size of the file.
        length: u64,
    },
    /// An Android App Bundle, which is not installable.
    #[error(
        "this is an Android App Bundle (.aab), which no device can install; make APKs from it with \
         `bundletool build-apks --bundle=app.aab --output=app.apks` and give the .apks"
    )]
    Bundle,
    /// The file ends, or a structure ends, before a field does.
    #[error("{what} is cut short at byte {offset}: {expected} bytes expected, {found} found")]
    Truncated {
        /// The structure that was being read.
        what: &'static str,
        /// Offset in the file.
        offset: u64,
        /// Bytes that the field needs.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The archive as a whole is malformed.
    #[error("malformed ZIP archive at byte {offset}: {problem}")]
    Archive {
        /// Offset in the file.
        offset: u64,
        /// The problem.
        problem: ArchiveProblem,
    },
    /// One entry is malformed.
    #[error("ZIP entry {name:?} at byte {offset}: {problem}")]
    Entry {
        /// The entry's name.
        name: String,
        /// Offset of its header (or of its record in the central directory) in the file.
        offset: u64,
        /// The problem.
        problem: EntryProblem,
    },
    /// An entry that was asked for is not in the archive.
    #[error("there is no ZIP entry {name:?}")]
    NoSuchEntry {
        /// The name asked for.
        name: String,
    },
    /// An entry that is to be added is in the archive already.
    #[error("there is a ZIP entry {name:?} already")]
    EntryExists {
        /// The name of the entry.
        name: String,
    },
    /// The result would not fit the limits of a ZIP archive without Zip64, which Android cannot install.
    #[error(
        "the archive would have {entries} entries and {bytes} bytes; 65535 entries and 4 GiB is the most"
    )]
    TooLarge {
        /// Entries it would have.
        entries: usize,
        /// Bytes it would have.
        bytes: u64,
    },
    /// A binary XML file (the manifest or a resource) is malformed.
    #[error("malformed binary XML at byte {offset}: {problem}")]
    Xml {
        /// Offset in the XML file.
        offset: u64,
        /// The problem.
        problem: XmlProblem,
    },
    /// The binary XML is sound, but not a manifest.
    #[error("not an Android manifest: {0}")]
    Manifest(ManifestProblem),
    /// The APK Signing Block is malformed.
    #[error("malformed APK Signing Block at byte {offset}: {problem}")]
    SigningBlock {
        /// Offset in the file.
        offset: u64,
        /// The problem.
        problem: SigningBlockProblem,
    },
    /// A DER structure (certificate, key, PKCS#7, PKCS#12) is malformed.
    #[error("malformed {what} at byte {offset} of its DER encoding: {problem}")]
    Der {
        /// The structure that was being read.
        what: &'static str,
        /// The place in the structure.
        offset: u64,
        /// The problem, as expected and found.
        problem: String,
    },
    /// A DER structure is sound, but its content cannot be used.
    #[error("unusable {what}: {problem}")]
    Unusable {
        /// The structure.
        what: &'static str,
        /// The problem, as expected and found.
        problem: String,
    },
    /// A signing key cannot be used.
    #[error("signing key: {0}")]
    Key(KeyProblem),
    /// Several packages do not make a set.
    #[error("these packages do not belong together: {0}")]
    Set(SetProblem),
    /// A file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// One member of a set could not be read.
    #[error("{member}: {source}")]
    Member {
        /// Name of the file or of the archive's entry.
        member: String,
        /// The problem with it.
        source: Box<ApkError>,
    },
}

/// Problems of an archive as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// Zip64 records; Android does not install such packages.
    #[error("it uses Zip64, which Android does not install and which is not supported")]
    Zip64,
    /// The archive is spread over several files.
    #[error(
        "it is one of several disks of a split archive (disk {disk}, {here} of {total} entries here)"
    )]
    MultiDisk {
        /// Number of this disk.
        disk: u16,
        /// Entries on this disk.
        here: u16,
        /// Entries in all.
        total: u16,
    },
    /// The central directory does not lie before its end record.
    #[error("the central directory should lie at {start}..{end}, but its end record is at {limit}")]
    DirectoryOutside {
        /// Offset of the directory's start.
        start: u64,
        /// Offset of its end.
        end: u64,
        /// Offset of the end record.
        limit: u64,
    },
    /// A record does not begin with its signature.
    #[error(
        "{expected:#010x} expected as signature of a central directory record, {found:#010x} found"
    )]
    RecordSignature {
        /// The signature of such a record.
        expected: u32,
        /// The signature found.
        found: u32,
    },
    /// The central directory has more bytes than its records.
    #[error(
        "the central directory is {extra} bytes longer than its {records} records: entries may be hidden there"
    )]
    DirectoryTail {
        /// Bytes behind the last record.
        extra: u64,
        /// Records that the end record announces.
        records: u16,
    },
}

/// Problems of one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryProblem {
    /// The name is not UTF-8, which Android requires.
    #[error("its name is not valid UTF-8")]
    NameNotUtf8,
    /// The name leaves the archive's root, is absolute, empty, or has control characters.
    #[error("its name is not a plain relative path: {reason}")]
    Path {
        /// The reason why it is dangerous.
        reason: &'static str,
    },
    /// Another entry has the same name.
    #[error("the archive has two entries of this name, the other one's record is at byte {other}")]
    Duplicate {
        /// Offset of the other record.
        other: u64,
    },
    /// The encryption flag is set.
    #[error("it claims to be encrypted (flags {flags:#06x}); Android cannot read such entries")]
    Encrypted {
        /// The general purpose flags.
        flags: u16,
    },
    /// The compression method is neither stored nor deflated.
    #[error("compression method {method}; Android reads only 0 (stored) and 8 (deflated)")]
    Method {
        /// The method's number.
        method: u16,
    },
    /// The local header does not begin with its signature.
    #[error("no local header there ({found:#010x} found)")]
    LocalSignature {
        /// The signature found.
        found: u32,
    },
    /// Local header and central directory disagree.
    #[error("its local header says {field} {local}, the central directory says {central}")]
    LocalDisagrees {
        /// The field.
        field: &'static str,
        /// The value in the local header.
        local: String,
        /// The value in the central directory.
        central: String,
    },
    /// The data descriptor does not repeat what the central directory says.
    #[error("its data descriptor does not agree with the central directory")]
    DescriptorDisagrees,
    /// Two entries share bytes, or an entry reaches into the central directory.
    #[error("its data ends at byte {end}, but {next:?} begins at byte {start}")]
    Overlap {
        /// Offset of the end of the entry's data.
        end: u64,
        /// The next structure.
        next: String,
        /// Offset of its start.
        start: u64,
    },
    /// A stored entry has two sizes.
    #[error("it is stored, yet has {compressed} bytes compressed and {uncompressed} uncompressed")]
    StoredSizes {
        /// Size in the archive.
        compressed: u64,
        /// Size when read.
        uncompressed: u64,
    },
    /// More is claimed than deflate can pack, or than the caller allows.
    #[error(
        "{uncompressed} bytes are claimed to come out of {compressed}: more than {limit} allowed"
    )]
    Bomb {
        /// Size in the archive.
        compressed: u64,
        /// Size when read.
        uncompressed: u64,
        /// The most that is allowed.
        limit: u64,
    },
    /// The bytes that a run may unpack are used up.
    #[error(
        "it unpacks to {asked} bytes, and {left} are left of the {most} that one run may unpack"
    )]
    Budget {
        /// Size when read.
        asked: u64,
        /// The rest of the budget.
        left: u64,
        /// The whole budget.
        most: u64,
    },
    /// The compressed data is not a valid deflate stream.
    #[error("its compressed data is broken after {produced} bytes of output")]
    Inflate {
        /// Bytes that could be read.
        produced: u64,
    },
    /// The size when read is not the one announced.
    #[error("{expected} bytes announced, {found} came out")]
    Size {
        /// Announced.
        expected: u64,
        /// Read; if more than announced, up to where reading was given up.
        found: u64,
    },
    /// The checksum does not fit the content.
    #[error("CRC-32 {expected:#010x} announced, {found:#010x} computed")]
    Crc {
        /// Announced.
        expected: u32,
        /// Computed.
        found: u32,
    },
}

/// Problems of a binary XML file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmlProblem {
    /// It does not begin as binary XML does.
    #[error("chunk type {found:#06x} where {expected:#06x} ({name}) is expected")]
    Chunk {
        /// Type that should be there.
        expected: u16,
        /// Its name in the format (`ResourceTypes.h`).
        name: &'static str,
        /// Type that is there.
        found: u16,
    },
    /// A chunk's header or size cannot be.
    #[error(
        "chunk type {kind:#06x}: header of {header} and size of {size} bytes, {available} available"
    )]
    ChunkSize {
        /// Type of the chunk.
        kind: u16,
        /// Size of its header.
        header: u16,
        /// Size of it all.
        size: u32,
        /// Bytes there are.
        available: u64,
    },
    /// Printed as text, it would be longer than any real file is.
    #[error("its text is longer than {limit} bytes")]
    TextLength {
        /// The limit, in bytes.
        limit: usize,
    },
    /// An element or attribute is called what cannot be written as XML.
    #[error("{name:?} is no name that XML allows")]
    Name {
        /// The beginning of the name.
        name: String,
    },
    /// An element or text comes before the string pool.
    #[error("no string pool before the first element")]
    NoStringPool,
    /// A string index is outside the pool.
    #[error("string {index} of a pool of {count}")]
    StringIndex {
        /// The index.
        index: u32,
        /// Strings in the pool.
        count: u32,
    },
    /// A string's bytes are outside the pool, or not its encoding.
    #[error("string {index} cannot be decoded")]
    String {
        /// The index.
        index: u32,
    },
    /// The string pool's offsets do not fit into it.
    #[error(
        "a string pool of {strings} strings and {styles} styles does not fit into {size} bytes"
    )]
    PoolSize {
        /// Strings announced.
        strings: u32,
        /// Styles announced.
        styles: u32,
        /// Size of the chunk.
        size: u32,
    },
    /// Styled strings: entries cannot be inserted before them.
    #[error(
        "the string pool has {styles} styled strings, which a manifest never has: it cannot be edited"
    )]
    StyledStrings {
        /// Styles announced.
        styles: u32,
    },
    /// An element's attributes do not fit into its chunk.
    #[error("{count} attributes of {size} bytes each do not fit into the element")]
    Attributes {
        /// Attributes announced.
        count: u16,
        /// Size of one.
        size: u16,
    },
    /// Elements are not properly nested.
    #[error("{0}")]
    Nesting(&'static str),
    /// Elements are nested deeper than any real file.
    #[error("elements are nested more than {limit} deep")]
    Depth {
        /// The most that is read.
        limit: usize,
    },
}

/// Why a binary XML file is not a manifest, or cannot be edited as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The outermost element is another one.
    #[error("its root element is <{found}>, not <manifest>")]
    Root {
        /// The outermost element.
        found: String,
    },
    /// There is no package name.
    #[error("it has no package name")]
    NoPackage,
    /// There is no `<application>` to edit.
    #[error("it has no <application> element")]
    NoApplication,
}

/// Problems of an APK Signing Block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SigningBlockProblem {
    /// The two sizes of the block differ.
    #[error("it says {start} bytes at its start and {end} at its end")]
    Sizes {
        /// At its start.
        start: u64,
        /// At its end.
        end: u64,
    },
    /// A part does not fit.
    #[error("a part of {size} bytes does not fit into the {available} that are left")]
    PartSize {
        /// Size announced.
        size: u64,
        /// Bytes there are.
        available: u64,
    },
}

/// Why a key cannot sign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyProblem {
    /// No private key was found.
    #[error(
        "no private key in it (PEM: PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY; or a key store in PKCS#12 or JKS)"
    )]
    NoKey,
    /// No certificate was found.
    #[error("no certificate of the private key in it (PEM: CERTIFICATE)")]
    NoCertificate,
    /// The key is encrypted and no password was given.
    #[error("it is encrypted, and no password was given")]
    PasswordNeeded,
    /// The password is wrong.
    #[error("the password is wrong")]
    WrongPassword,
    /// Base64 inside a PEM block is broken.
    #[error("the PEM block {label:?} is broken")]
    Pem {
        /// The label of the block.
        label: String,
    },
    /// Neither RSA nor EC on P-256.
    #[error("{0} is not supported; RSA keys and EC keys on P-256 are")]
    Algorithm(String),
    /// The encryption of the key store is not known.
    #[error(
        "its encryption ({0}) is not supported; convert it with `openssl pkcs12` or `keytool -importkeystore`"
    )]
    Encryption(String),
    /// A Java key store in the format JCEKS.
    #[error(
        "a JCEKS key store is not supported; convert it with `keytool -importkeystore -srckeystore FILE \
         -destkeystore key.p12 -deststoretype pkcs12`"
    )]
    JavaKeyStore,
    /// Several keys, and none was chosen.
    #[error("it holds several keys ({0}); name one")]
    Ambiguous(String),
    /// The alias that was asked for is not there.
    #[error("it holds no key named {0:?}")]
    NoAlias(String),
    /// EC signatures are not understood by old platforms.
    #[error(
        "EC keys sign JAR signatures (v1) only from API level 18, the package runs from {min_sdk}: use an RSA key"
    )]
    EcTooOld {
        /// Lowest platform of the package.
        min_sdk: u32,
    },
    /// No signature scheme was asked for.
    #[error("no signature scheme was chosen")]
    NoScheme,
    /// The RSA key is too short or otherwise refused by the arithmetic.
    #[error("signing failed: {0}")]
    Signing(String),
    /// The key does not belong to the certificate.
    #[error("the private key does not belong to the certificate")]
    Mismatch,
}

/// Why packages do not make a set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetProblem {
    /// Nothing was given.
    #[error("there is no package at all")]
    Empty,
    /// No base package.
    #[error("all of them are splits, the base package is missing")]
    NoBase,
    /// Two base packages.
    #[error("{first} and {second} are both base packages")]
    TwoBases {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// Two splits of one name.
    #[error("{first} and {second} are both the split {split:?}")]
    SameSplit {
        /// One.
        first: String,
        /// The other.
        second: String,
        /// Their split name.
        split: String,
    },
    /// Packages of several apps.
    #[error("{first} is {first_package}, {second} is {second_package}")]
    Packages {
        /// One.
        first: String,
        /// Its package name.
        first_package: String,
        /// The other.
        second: String,
        /// Its package name.
        second_package: String,
    },
    /// Packages of several versions.
    #[error("{first} has version code {first_code}, {second} has {second_code}")]
    Versions {
        /// One.
        first: String,
        /// Its version code.
        first_code: u64,
        /// The other.
        second: String,
        /// Its version code.
        second_code: u64,
    },
    /// An archive of packages is to be opened beside others.
    #[error("{archive} is a set of its own and cannot be combined with other files")]
    ArchiveAmongFiles {
        /// The archive.
        archive: String,
    },
}
