//! Archives written by hand, honest and otherwise.

use std::io::Write as _;

/// One file in a ZIP archive, as its headers describe it.
pub struct Entry {
    /// Its name, whatever it says.
    pub name: String,
    /// General purpose flags; bit 0 is encryption.
    pub flags: u16,
    /// 0 stored, 8 deflated.
    pub method: u16,
    /// CRC-32 of the content.
    pub crc: u32,
    /// The content as stored.
    pub data: Vec<u8>,
    /// Its claimed size, unpacked.
    pub size: u32,
}

impl Entry {
    /// An honest entry, deflated.
    pub fn deflated(name: &str, content: &[u8]) -> Self {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let (size, data) = (content.len() as u32, encoder.finish().unwrap());
        Self { name: name.to_owned(), flags: 0, method: 8, crc: crc.sum(), data, size }
    }

    /// An honest entry, stored.
    pub fn stored(name: &str, content: &[u8]) -> Self {
        let deflated = Self::deflated(name, content);
        Self { method: 0, data: content.to_vec(), ..deflated }
    }
}

/// A ZIP archive of the entries: local headers and data, central directory, end record.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = file.len() as u32;
        // Version 2.0, flags, method, DOS time and date, CRC, both sizes, name length, extra length.
        let mut common = Vec::new();
        common.extend(20_u16.to_le_bytes());
        common.extend(entry.flags.to_le_bytes());
        common.extend(entry.method.to_le_bytes());
        common.extend([0, 0, 0x21, 0x58]);
        common.extend(entry.crc.to_le_bytes());
        common.extend((entry.data.len() as u32).to_le_bytes());
        common.extend(entry.size.to_le_bytes());
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(entry.name.as_bytes());
        file.extend(&entry.data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        // Comment length, disk, internal and external attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (start, length) = (file.len() as u32, directory.len() as u32);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend((entries.len() as u16).to_le_bytes());
    file.extend((entries.len() as u16).to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A gzip file of the content.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Deflated copies of a block of 16 MiB, as many as asked for: a flushed piece of a stream ends on a
/// byte, so that copies of it are one stream. Needs no time to write, whatever it unpacks to.
pub fn bomb(block: &[u8], copies: usize) -> Vec<u8> {
    let mut piece = Vec::with_capacity(1 << 20);
    let mut compress = flate2::Compress::new(flate2::Compression::best(), false);
    compress.compress_vec(block, &mut piece, flate2::FlushCompress::Full).unwrap();
    let mut stream = piece.repeat(copies);
    // A last, empty block.
    stream.extend([0x03, 0x00]);
    stream
}
