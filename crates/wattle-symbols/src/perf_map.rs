//! `perf-PID.map`: what a just-in-time compiler says where its code is (`tools/perf/Documentation/jit-interface.txt`).

use std::path::Path;

use crate::dotted_name::java_name;
use crate::jit_dump::{self, CodePlace};

/// A line: `START SIZE name`, numbers in hexadecimal.
#[derive(Clone, Debug)]
struct Compiled {
    start: u64,
    size: u64,
    /// Position in the file: later lines replace earlier ones.
    at: usize,
    name: Box<str>,
}

/// The code that a process compiled while it ran.
#[derive(Clone, Debug, Default)]
pub struct PerfMap {
    functions: Vec<Compiled>,
}

/// Code that was replaced stays in the file: so many lines before an address are looked at.
const REPLACED: usize = 32;

impl PerfMap {
    /// Whether a file is called as such a map is.
    pub fn is_name(path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let pid = name.strip_prefix("perf-").and_then(|it| it.strip_suffix(".map"));
        pid.is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|it| it.is_ascii_digit()))
    }

    /// Reads a map; lines that are none are left out.
    pub fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let function = |(at, line): (usize, &str)| {
            let mut fields = line.trim_end().splitn(3, ' ');
            let mut number = || {
                let digits = fields.next()?;
                u64::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).ok()
            };
            let (start, size) = (number()?, number()?);
            let name = fields.next().filter(|name| !name.is_empty())?;
            Some(Compiled { start, size, at, name: java_name(name).into() })
        };
        let mut functions: Vec<_> = text.lines().enumerate().filter_map(function).collect();
        functions.sort_by_key(|it| (it.start, it.at));
        Self { functions }
    }

    /// Reads the dump of a just-in-time compiler (`jit-PID.dump`).
    pub fn from_jit_dump(bytes: &[u8]) -> Self {
        let places = jit_dump::code_places(bytes);
        let function = |(at, it): (usize, &CodePlace<'_>)| Compiled {
            start: it.start,
            size: it.size,
            at,
            name: java_name(it.name).into(),
        };
        let mut functions: Vec<_> = places.iter().enumerate().map(function).collect();
        functions.sort_by_key(|it| (it.start, it.at));
        Self { functions }
    }

    /// Whether it has no line.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The function that was compiled last to where an address is.
    pub fn name(&self, address: u64) -> Option<&str> {
        let end = self.functions.partition_point(|it| it.start <= address);
        let before = self.functions.get(..end)?.iter().rev().take(REPLACED);
        let found = before.filter(|it| address - it.start < it.size).max_by_key(|it| it.at)?;
        Some(&found.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_address() {
        let map = PerfMap::parse(
            b"7f00 10 Lcom/x/Main;::run\n0x7f10 8 void com.x.Main.go(int)\nnonsense\n7f04 4 later one\n7fff\n",
        );
        let check = |address, expected| assert_eq!(map.name(address), expected, "{address:x}");
        check(0x7eff, None);
        check(0x7f00, Some("com.x.Main.run"));
        check(0x7f05, Some("later one"));
        check(0x7f09, Some("com.x.Main.run"));
        check(0x7f10, Some("com.x.Main.go"));
        check(0x7f18, None);
        check(u64::MAX, None);
    }

    #[test]
    fn names_of_maps() {
        let check =
            |name: &str, is: bool| assert_eq!(PerfMap::is_name(Path::new(name)), is, "{name}");
        check("/tmp/perf-123.map", true);
        check("perf-.map", false);
        check("perf-12a.map", false);
        check("perf.map", false);
    }
}
