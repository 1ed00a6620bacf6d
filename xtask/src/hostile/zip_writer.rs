//! Archives that a well-behaved program would not write: each field as asked for.

/// An entry, with what its headers claim.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    pub name: Vec<u8>,
    /// 0 stored, 8 deflated.
    pub method: u16,
    pub data: Vec<u8>,
    /// CRC-32 of the unpacked data.
    pub crc: u32,
    /// Claimed size of the unpacked data.
    pub size: u32,
    /// Offset of the local header that the directory claims, in place of the real one.
    pub offset: Option<u32>,
}

impl ZipEntry {
    pub fn stored(name: &str, data: &[u8]) -> Self {
        let (crc, size) = (crc_of(data), data.len() as u32);
        Self { name: name.into(), method: 0, data: data.to_vec(), crc, size, offset: None }
    }

    pub fn deflated(name: &str, data: &[u8]) -> Self {
        let packed = deflate(data);
        let (crc, size) = (crc_of(data), data.len() as u32);
        Self { name: name.into(), method: 8, data: packed, crc, size, offset: None }
    }

    /// The same content under another name.
    pub fn renamed(&self, name: &str) -> Self {
        Self { name: name.into(), ..self.clone() }
    }
}

/// CRC-32 as in archives.
pub fn crc_of(data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    crc.sum()
}

/// Deflated, without any frame.
pub fn deflate(data: &[u8]) -> Vec<u8> {
    use std::io::Read as _;
    let mut packed = Vec::new();
    let mut encoder = flate2::read::DeflateEncoder::new(data, flate2::Compression::fast());
    // Reading from memory does not fail.
    let _ = encoder.read_to_end(&mut packed);
    packed
}

/// An archive of the entries.
pub fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let at = archive.len() as u32;
        let sizes = |to: &mut Vec<u8>| {
            to.extend(entry.method.to_le_bytes());
            to.extend([0, 0, 0x21, 0]);
            to.extend(entry.crc.to_le_bytes());
            to.extend((entry.data.len() as u32).to_le_bytes());
            to.extend(entry.size.to_le_bytes());
            to.extend((entry.name.len() as u16).to_le_bytes());
        };
        if entry.offset.is_none() {
            archive.extend(b"PK\x03\x04\x14\0\0\0");
            sizes(&mut archive);
            archive.extend([0, 0]);
            archive.extend(&entry.name);
            archive.extend(&entry.data);
        }
        directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0");
        sizes(&mut directory);
        directory.extend([0; 12]);
        directory.extend(entry.offset.unwrap_or(at).to_le_bytes());
        directory.extend(&entry.name);
    }
    let at = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend((entries.len() as u16).to_le_bytes());
    archive.extend((entries.len() as u16).to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(at.to_le_bytes());
    archive.extend([0, 0]);
    archive
}
