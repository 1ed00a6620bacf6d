//! The file of the sink `file` (`docs/probe-formats.md`).

use super::record_buffer::Buffer;
use crate::rooted_folder::RootedFolder;

/// Four clocks: `nanoTime`, wall clock in milliseconds, boot time, `nanoTime` again.
pub(super) type Reading = [i64; 4];

/// A file that is made when there is something to write.
#[derive(Debug)]
pub(super) struct ProbeFile {
    rooted: RootedFolder,
    path: String,
    begun: bool,
    written: u64,
}

impl ProbeFile {
    pub(super) const fn new(rooted: RootedFolder, path: String) -> Self {
        Self { rooted, path, begun: false, written: 0 }
    }

    /// Writes the header, once.
    pub(super) fn begin(&mut self, pid: u32, map: &[u8; 32], reading: Reading, name: &str) {
        if self.begun {
            return;
        }
        self.begun = true;
        let mut header = b"WTLPROBE".to_vec();
        header.extend(1_u16.to_le_bytes());
        // Where the header ends is known only then.
        header.extend(0_u16.to_le_bytes());
        header.extend(pid.to_le_bytes());
        header.extend(map);
        header.extend(reading.iter().flat_map(|number| number.to_le_bytes()));
        text(&mut header, name);
        text(&mut header, name);
        let length = (header.len() as u16).to_le_bytes();
        if let Some(place) = header.get_mut(10..12) {
            place.copy_from_slice(&length);
        }
        self.append(&header);
    }

    /// Writes the clocks.
    pub(super) fn clocks(&mut self, reading: Reading) {
        let content: Vec<u8> = reading.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.block(*b"CLCK", &content);
    }

    /// Writes what a thread has recorded, or counts it as lost where there is no room.
    pub(super) fn events(&mut self, tid: u32, buffer: &mut Buffer, room: u64) {
        let records = std::mem::take(&mut buffer.records);
        let Some(first) = records.first() else { return };
        if room < 4096 {
            buffer.lost += records.len() as u32;
            return;
        }
        let mut content = Vec::new();
        for word in [tid, buffer.serial, buffer.block, records.len() as u32, buffer.lost] {
            content.extend(word.to_le_bytes());
        }
        content.extend(first.at.to_le_bytes());
        text(&mut content, &buffer.name);
        let mut last = first.at;
        for record in &records {
            varint(&mut content, u64::from(record.id) << 3 | u64::from(record.kind));
            varint(&mut content, u64::try_from(record.at - last).unwrap_or_default());
            last = record.at;
        }
        buffer.block += 1;
        self.block(*b"EVTS", &content);
    }

    fn block(&mut self, kind: [u8; 4], content: &[u8]) {
        let mut block = kind.to_vec();
        block.extend((content.len() as u32).to_le_bytes());
        block.extend(crc32(content).to_le_bytes());
        block.extend_from_slice(content);
        self.append(&block);
    }

    fn append(&mut self, bytes: &[u8]) {
        // A file that the host cannot keep is one that the app could not write.
        if self.rooted.append(&self.path, bytes).is_ok() {
            self.written += bytes.len() as u64;
        }
    }
}

/// At most 255 bytes with their number before them.
fn text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes().get(..text.len().min(255)).unwrap_or_default();
    out.extend((bytes.len() as u16).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// CRC-32 as zip has it (reflected polynomial `EDB88320`).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the catalogue of CRC algorithms (CRC-32/ISO-HDLC).
    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
