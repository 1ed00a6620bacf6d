//! Functions of one file by their addresses.

/// Symbols that are kept of one recording.
pub(super) const MAX_SYMBOLS: usize = 1 << 24;

#[derive(Clone, Copy, Debug)]
struct Symbol {
    start: u64,
    /// The first address behind it; `start` where its length is not known.
    end: u64,
    name_at: usize,
    name_len: u32,
}

/// Functions, found by address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    rows: Vec<Symbol>,
    names: Vec<u8>,
    is_sorted: bool,
}

impl Symbols {
    /// Adds a function; a length of 0 is up to the next one.
    pub(super) fn add(&mut self, start: u64, len: u64, name: &[u8]) {
        if self.rows.len() >= MAX_SYMBOLS || name.is_empty() {
            return;
        }
        let (name_at, name_len) = (self.names.len(), name.len() as u32);
        self.names.extend_from_slice(name);
        self.rows.push(Symbol { start, end: start.saturating_add(len), name_at, name_len });
        self.is_sorted = false;
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Brings them into order, which [`Self::find`] needs.
    pub(super) fn sort(&mut self) {
        if !self.is_sorted {
            // Of several at one address the first stays in front.
            self.rows.sort_by_key(|symbol| symbol.start);
            self.rows.dedup_by_key(|symbol| symbol.start);
            self.is_sorted = true;
        }
    }

    /// The function at an address.
    pub fn find(&self, address: u64) -> Option<&[u8]> {
        let after = self.rows.partition_point(|symbol| symbol.start <= address);
        let symbol = self.rows.get(after.checked_sub(1)?)?;
        let is_in = symbol.end == symbol.start || address < symbol.end;
        is_in.then(|| self.names.get(symbol.name_at..symbol.name_at + symbol.name_len as usize))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_reaches_to_its_end_or_to_the_next() {
        let mut symbols = Symbols::default();
        for (start, len, name) in
            [(100, 10, "b"), (50, 0, "a"), (100, 5, "other"), (200, 0, "last")]
        {
            symbols.add(start, len, name.as_bytes());
        }
        symbols.sort();
        let check = |address, expected: Option<&str>| {
            assert_eq!(symbols.find(address), expected.map(str::as_bytes), "{address}");
        };
        check(49, None);
        check(50, Some("a"));
        check(99, Some("a"));
        check(109, Some("b"));
        check(110, None);
        check(u64::MAX, Some("last"));
    }
}
