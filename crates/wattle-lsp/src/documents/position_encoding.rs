//! Units in which positions in lines are counted.

/// Units in which positions in lines are counted, as client and server agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    Utf16,
    /// Characters.
    Utf32,
}

impl PositionEncoding {
    /// The name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The best of those that a client offers: bytes, which need no counting.
    pub fn choose<'n>(offered: impl IntoIterator<Item = &'n str>) -> Self {
        let mut chosen = Self::Utf16;
        for name in offered {
            match name {
                "utf-8" => return Self::Utf8,
                "utf-32" => chosen = Self::Utf32,
                _ => {}
            }
        }
        chosen
    }

    const fn width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// The units of a text.
    pub fn length(self, text: &str) -> u32 {
        match self {
            Self::Utf8 => text.len() as u32,
            _ => text.chars().map(|letter| self.width(letter)).sum::<usize>() as u32,
        }
    }

    /// The byte of a line at which a number of units ends, at most the line's end, never in the middle of a character.
    pub fn offset(self, line: &str, units: u32) -> usize {
        let mut left = units as usize;
        for (at, letter) in line.char_indices() {
            let width = self.width(letter);
            if left < width {
                return at;
            }
            left -= width;
        }
        line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_end_at_characters() {
        let line = "aé😀b";
        for (encoding, expected) in [
            (PositionEncoding::Utf8, [0, 1, 1, 3, 3, 3, 3, 7, 8, 8]),
            (PositionEncoding::Utf16, [0, 1, 3, 3, 7, 8, 8, 8, 8, 8]),
            (PositionEncoding::Utf32, [0, 1, 3, 7, 8, 8, 8, 8, 8, 8]),
        ] {
            let found: Vec<usize> = (0..10).map(|units| encoding.offset(line, units)).collect();
            assert_eq!(found, expected, "{encoding:?}");
            let whole = encoding.length(line);
            assert_eq!(encoding.offset(line, whole), line.len());
        }
        assert_eq!(PositionEncoding::choose(["utf-16", "utf-8"]), PositionEncoding::Utf8);
        assert_eq!(PositionEncoding::choose([]), PositionEncoding::Utf16);
    }
}
