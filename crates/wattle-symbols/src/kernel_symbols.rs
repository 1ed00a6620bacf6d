//! `/proc/kallsyms`: the kernel's functions by address.

/// A line: `ADDRESS TYPE name [module]`.
#[derive(Clone, Debug)]
struct Symbol {
    address: u64,
    /// `None` for data, which ends the function before it.
    name: Option<Box<str>>,
}

/// The functions of a running kernel.
#[derive(Clone, Debug, Default)]
pub struct Kallsyms {
    symbols: Vec<Symbol>,
}

/// The last function has no end: it is not longer than this.
const LONGEST: u64 = 1 << 16;

impl Kallsyms {
    /// Reads a table; `None` where it has no function with an address. They are all 0 where the kernel hides them from who read it
    /// (`kernel.kptr_restrict`).
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let symbol = |line: &str| {
            let mut fields = line.split_ascii_whitespace();
            let address = u64::from_str_radix(fields.next()?, 16).ok()?;
            let kind = fields.next().filter(|it| it.len() == 1)?;
            let name = fields.next()?;
            // ARM's marks of code and data.
            let is_mark = name.starts_with('$');
            let is_code = matches!(kind, "t" | "T" | "w" | "W");
            (address > 0 && !is_mark)
                .then(|| Symbol { address, name: is_code.then(|| name.into()) })
        };
        let mut symbols: Vec<Symbol> = text.lines().filter_map(symbol).collect();
        // The first name of an address stays, functions before data.
        symbols.sort_by_key(|it| (it.address, it.name.is_none()));
        symbols.dedup_by_key(|it| it.address);
        let has_code = symbols.iter().any(|it| it.name.is_some());
        has_code.then_some(Self { symbols })
    }

    /// The function that an address is in.
    pub fn name(&self, address: u64) -> Option<&str> {
        let end = self.symbols.partition_point(|it| it.address <= address);
        let found = self.symbols.get(end.checked_sub(1)?)?;
        let is_last = end == self.symbols.len();
        if is_last && address - found.address >= LONGEST {
            return None;
        }
        found.name.as_deref()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn names_by_address() {
        let table = Kallsyms::parse(
            b"ffffffc010080000 T _text\nffffffc010080000 t $x\nffffffc010081000 t do_idle\nffffffc010081400 D jiffies\nffffffc008000000 t wlan_tx\t[wlan]\n",
        );
        let table = table.unwrap();
        let check = |address, expected| assert_eq!(table.name(address), expected, "{address:x}");
        check(0xffff_ffc0_1008_0010, Some("_text"));
        check(0xffff_ffc0_1008_13ff, Some("do_idle"));
        check(0xffff_ffc0_1008_1400, None);
        check(0xffff_ffc0_0800_0004, Some("wlan_tx"));
        check(0xffff_ffc0_07ff_ffff, None);
        check(u64::MAX, None);
    }

    #[test]
    fn hidden_addresses_are_none() {
        assert!(
            Kallsyms::parse(b"0000000000000000 T _text\n0000000000000000 t do_idle\n").is_none()
        );
        assert!(Kallsyms::parse(b"\xff\xfe what\n").is_none());
    }
}
