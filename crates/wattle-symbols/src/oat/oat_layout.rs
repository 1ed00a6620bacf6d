//! Differences of the structures of OAT files between versions (AOSP, `art/runtime/oat_file.cc` and `oat.h`, `oat/` since 2023).

use super::OatError;

/// The place of the size of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeSize {
    /// The four bytes before the code, the highest bit apart.
    Before,
    /// The same for stubs; for other methods the four bytes are the distance to its `CodeInfo`, which has the size.
    BeforeOrInfo,
    /// In its `CodeInfo`, whose distance is before the code.
    Info,
}

/// The structures of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OatLayout {
    /// Whether a class with compiled methods says how many methods it has; it says how long its bitmap is otherwise.
    pub(super) has_method_count: bool,
    /// Numbers at the end of an executable's record, from the offset of the class list on: lookup table, layout, mappings of `.bss`. Versions that are
    /// not in the table above have this many or one more.
    pub(super) last_numbers: usize,
    /// Whether there may be one more.
    pub(super) may_have_more: bool,
    /// The place of the size of code.
    pub(super) code_size: CodeSize,
}

impl OatLayout {
    /// Of the version in a header, such as `239\0`.
    pub(super) fn new(version: [u8; 4]) -> Result<Self, OatError> {
        let text = String::from_utf8_lossy(&version);
        let text = text.trim_end_matches('\0');
        let known = || OatError::Version { found: text.escape_debug().to_string() };
        let version: u32 = text.parse().map_err(|_| known())?;
        if !(138..=275).contains(&version) {
            return Err(known());
        }
        Ok(Self {
            has_method_count: version >= 194,
            last_numbers: if version >= 186 { 8 } else { 6 },
            may_have_more: version >= 240,
            code_size: match version {
                ..192 => CodeSize::Before,
                192..239 => CodeSize::BeforeOrInfo,
                _ => CodeSize::Info,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(OatLayout::new(*b"183\0").unwrap().code_size, CodeSize::Before);
        assert_eq!(OatLayout::new(*b"239\0").unwrap().code_size, CodeSize::Info);
        for unknown in [*b"079\0", *b"999\0", *b"\xff\xfe1\0", *b"23\n\0"] {
            assert!(matches!(OatLayout::new(unknown), Err(OatError::Version { .. })));
        }
    }
}
