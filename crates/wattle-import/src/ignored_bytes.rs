//! Bytes of an input file that its reader stepped over.

use wattle_timeline::{ArtifactQuality, Note, Severity};

/// Bytes of records that were not used because no reader knows their kind, or because they are damaged or too long. Events that are
/// known and have no effect on energy are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgnoredBytes {
    ignored: u64,
    /// By how much the records are longer than the file, because it is packed.
    unpacked: u64,
}

impl IgnoredBytes {
    /// A record of so many bytes was not used.
    #[inline]
    pub fn add(&mut self, bytes: u64) {
        self.ignored = self.ignored.saturating_add(bytes);
    }

    /// So many bytes of the file are `unpacked` bytes of records.
    pub fn unpack(&mut self, packed: u64, unpacked: u64) {
        self.unpacked = self.unpacked.saturating_add(unpacked.saturating_sub(packed));
    }

    /// Writes the number into the quality of the file, whose size is set; more than 1 % is a warning.
    pub fn apply(self, quality: &mut ArtifactQuality) {
        if self.ignored == 0 {
            return;
        }
        // In bytes of the file as it is.
        let whole = u128::from(quality.bytes) + u128::from(self.unpacked);
        let ignored = u128::from(self.ignored) * u128::from(quality.bytes) / whole.max(1);
        let ignored = u64::try_from(ignored).unwrap_or(u64::MAX).clamp(1, quality.bytes.max(1));
        quality.ignored_bytes = Some(ignored);
        if let Some(share) = quality.ignored_share() {
            let text = format!(
                "{ignored} of {} bytes ({:.0} %) are records of kinds that are not read, or damaged: not used",
                quality.bytes,
                share * 100.0
            );
            quality.notes.push(Note::new(Severity::Warning, "ignored-bytes", text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        bytes: u64,
        packed: Option<(u64, u64)>,
        ignored: &[u64],
        expected: (Option<u64>, bool),
    ) {
        let mut found = IgnoredBytes::default();
        for bytes in ignored {
            found.add(*bytes);
        }
        if let Some((packed, unpacked)) = packed {
            found.unpack(packed, unpacked);
        }
        let mut quality = ArtifactQuality { bytes, ..ArtifactQuality::default() };
        found.apply(&mut quality);
        assert_eq!((quality.ignored_bytes, !quality.notes.is_empty()), expected);
    }

    #[test]
    fn more_than_one_percent_is_a_warning() {
        check(1_000, None, &[], (None, false));
        check(1_000, None, &[4, 6], (Some(10), false));
        check(1_000, None, &[11], (Some(11), true));
        check(1_000, Some((50, 9_050)), &[80], (Some(8), false));
        check(1_000, Some((50, 9_050)), &[800], (Some(80), true));
        check(0, None, &[u64::MAX, u64::MAX], (Some(1), true));
        check(500, None, &[u64::MAX, u64::MAX], (Some(500), true));
        check(u64::MAX, Some((0, u64::MAX)), &[1], (Some(1), false));
    }
}
