//! Headers and descriptors before and after an entry's data.

use crate::little_endian::{Cursor, u32_at};
use crate::{ApkError, EntryProblem};

/// An entry according to the central directory, for comparison with the local header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) crc32: u32,
    pub(crate) compressed_size: u32,
    pub(crate) size: u32,
    pub(crate) flags: u16,
    pub(crate) method: u16,
}

/// `Local file header` (PKWARE APPNOTE 4.3.7), the data behind it and the data descriptor behind that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalHeader<'a> {
    /// Offset in the file.
    pub(crate) offset: usize,
    /// Header, name and extra fields.
    pub(crate) header: &'a [u8],
    /// The extra fields alone.
    pub(crate) extra: &'a [u8],
    /// The data, compressed or stored.
    pub(crate) data: &'a [u8],
    /// The data descriptor; empty when there is none.
    pub(crate) descriptor: &'a [u8],
}

impl<'a> LocalHeader<'a> {
    /// Signature of the header.
    pub(crate) const SIGNATURE: u32 = 0x0403_4b50;
    /// Size without name and extra fields.
    pub(crate) const SIZE: usize = 4 + 5 * 2 + 3 * 4 + 2 * 2;
    /// Offset in the header of the length of the name.
    pub(crate) const NAME_LENGTH_FIELD: usize = 26;
    /// Offset in the header of the length of the extra fields.
    pub(crate) const EXTRA_LENGTH_FIELD: usize = 28;
    /// Flag set when sizes and checksum follow the data instead of standing before it.
    const FLAG_DESCRIPTOR: u16 = 1 << 3;
    const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;

    /// Reads the header at `offset` and compares it with the central directory, as strictly as Android does
    /// (`ZipArchive::FindEntry` of libziparchive) and in two points more: method and encryption.
    pub(crate) fn parse(
        file: &'a [u8],
        offset: usize,
        name: &str,
        central: &Span,
        limit: usize,
    ) -> Result<Self, ApkError> {
        let fail =
            |problem| ApkError::Entry { name: name.to_owned(), offset: offset as u64, problem };
        let available = file.get(offset..limit).unwrap_or_default();
        let mut fields = Cursor::new(available, offset, "a local file header");
        let found = fields.u32()?;
        if found != Self::SIGNATURE {
            return Err(fail(EntryProblem::LocalSignature { found }));
        }
        let _needed = fields.u16()?;
        let flags = fields.u16()?;
        let method = fields.u16()?;
        let _time_and_date = fields.u32()?;
        let crc32 = fields.u32()?;
        let compressed_size = fields.u32()?;
        let size = fields.u32()?;
        let name_length = usize::from(fields.u16()?);
        let extra_length = usize::from(fields.u16()?);
        let local_name = fields.take(name_length)?;
        let extra = fields.take(extra_length)?;

        let differs = |field, local: String, central: String| {
            Err(fail(EntryProblem::LocalDisagrees { field, local, central }))
        };
        if local_name != name.as_bytes() {
            let local = String::from_utf8_lossy(local_name).into_owned();
            return differs("name", format!("{local:?}"), format!("{name:?}"));
        }
        // The UTF-8 flag differs in files of real tools; what matters are encryption and descriptor.
        let telling = Self::FLAG_DESCRIPTOR | 1;
        if (flags ^ central.flags) & telling != 0 {
            return differs("flags", format!("{flags:#06x}"), format!("{:#06x}", central.flags));
        }
        if method != central.method {
            return differs("method", method.to_string(), central.method.to_string());
        }
        let described = flags & Self::FLAG_DESCRIPTOR != 0;
        let sizes = [
            ("CRC-32", crc32, central.crc32),
            ("compressed size", compressed_size, central.compressed_size),
            ("size", size, central.size),
        ];
        for (field, local, central) in sizes {
            if local != central && !(described && local == 0) {
                return differs(field, local.to_string(), central.to_string());
            }
        }

        let header_length = Self::SIZE.saturating_add(name_length).saturating_add(extra_length);
        let header = available.get(..header_length).unwrap_or_default();
        let data = fields.take(central.compressed_size as usize)?;
        let rest = available.get(header_length.saturating_add(data.len())..).unwrap_or_default();
        let descriptor = if described {
            Self::descriptor(rest, central)
                .ok_or_else(|| fail(EntryProblem::DescriptorDisagrees))?
        } else {
            &[]
        };
        Ok(Self { offset, header, extra, data, descriptor })
    }

    /// The `Data descriptor` (APPNOTE 4.3.9) at the start of `rest`, with or without its optional signature.
    fn descriptor(rest: &'a [u8], central: &Span) -> Option<&'a [u8]> {
        let wanted = [central.crc32, central.compressed_size, central.size];
        let fits = |start: usize| {
            wanted.iter().enumerate().all(|(index, &value)| {
                u32_at(rest, start.saturating_add(index.saturating_mul(4))) == Some(value)
            })
        };
        if u32_at(rest, 0) == Some(Self::DESCRIPTOR_SIGNATURE) && fits(4) {
            return rest.get(..16);
        }
        if fits(0) { rest.get(..12) } else { None }
    }

    /// Offset of the entry's end in the file, its data descriptor included.
    pub(crate) const fn end(&self) -> usize {
        self.offset
            .saturating_add(self.header.len())
            .saturating_add(self.data.len())
            .saturating_add(self.descriptor.len())
    }
}
