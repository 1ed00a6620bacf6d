//! Names as people wrote them.

use std::borrow::Cow;
use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

use crate::msvc_name::msvc_name;

/// Longer names are cut off by nobody: they stay as the linker has them.
const MOST_MANGLED: usize = 4096;
/// A mangled name can stand for one that is exponentially longer.
const MOST_READABLE: usize = 8192;
/// Deeper names are left as they are.
const DEPTH: u32 = 96;

/// A symbol's name in its readable form: Rust (legacy and v0) without the hash, C++ (Itanium and Microsoft) without parameters and
/// result. What is neither, or too long, stays as it is.
pub fn demangle(symbol: &str) -> Cow<'_, str> {
    let symbol = without_copy_mark(symbol);
    if symbol.len() > MOST_MANGLED {
        return Cow::Borrowed(symbol);
    }
    let readable = match symbol.as_bytes() {
        [b'_', b'R', ..] | [b'_', b'_', b'R', ..] => rust(symbol),
        [b'_', b'Z', ..] | [b'_', b'_', b'Z', ..] | [b'_', b'_', b'_', b'Z', ..] => {
            rust(symbol).or_else(|| cpp(symbol))
        }
        [b'?', ..] => msvc_name(symbol),
        _ => None,
    };
    readable.map_or(Cow::Borrowed(symbol), Cow::Owned)
}

/// A name without what tells copies of local functions apart: `.llvm.NUMBER` of thin LTO, `$HASH` of 32 digits of Clang's promoted
/// symbols.
fn without_copy_mark(symbol: &str) -> &str {
    let symbol = symbol.split(".llvm.").next().unwrap_or(symbol);
    match symbol.rsplit_once('$') {
        Some((name, hash))
            if name.starts_with("_Z")
                && hash.len() == 32
                && hash.bytes().all(|it| it.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => symbol,
    }
}

fn rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut text = Bounded::default();
    write!(text, "{name:#}").ok()?;
    Some(text.0)
}

fn cpp(symbol: &str) -> Option<String> {
    if let Some((what, function)) = thunk(symbol) {
        return Some(format!("{what} to {}", cpp(&format!("_Z{function}"))?));
    }
    let parse = ParseOptions::default().recursion_limit(DEPTH);
    let options = DemangleOptions::new().no_params().no_return_type().recursion_limit(DEPTH);
    let name = Symbol::new_with_options(symbol, &parse).ok()?;
    let mut text = Bounded::default();
    name.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// The function that an entry of a class's virtual table adjusts `this` for (`call-offset` of the Itanium C++ ABI), as it is mangled.
fn thunk(symbol: &str) -> Option<(&'static str, &str)> {
    fn offset(text: &str) -> Option<&str> {
        let digits = text.strip_prefix('n').unwrap_or(text);
        let rest = digits.trim_start_matches(|it: char| it.is_ascii_digit());
        rest.strip_prefix('_').filter(|_| rest.len() < digits.len())
    }
    match symbol.strip_prefix("_ZTh") {
        Some(rest) => Some(("non-virtual thunk", offset(rest)?)),
        None => Some(("virtual thunk", offset(offset(symbol.strip_prefix("_ZTv")?)?)?)),
    }
}

/// Text up to a length; what is longer is an error.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MOST_READABLE {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(symbol: &str, expected: &str) {
        assert_eq!(demangle(symbol), expected, "{symbol}");
    }

    #[test]
    fn forms() {
        // The examples of RFC 2603 and of the Itanium C++ ABI, and what compilers write.
        check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
        check("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
        check("_ZN3art6Thread3RunEv", "art::Thread::Run");
        check(
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "std::vector<int, std::allocator<int> >::push_back",
        );
        check("_ZN3art6Thread3RunEv.llvm.1234567", "art::Thread::Run");
        check("_ZThn152_N3art5SpaceD1Ev", "non-virtual thunk to art::Space::~Space");
        check("_ZTv0_n24_N3art5SpaceD1Ev", "virtual thunk to art::Space::~Space");
        check(
            "_ZN12_GLOBAL__N_119FrontBufferedStream4readEPvm$8f1c1c36362eb42cefaa8ed6ceaf4bc1",
            "(anonymous namespace)::FrontBufferedStream::read",
        );
        check("main$8f1c1c36362eb42cefaa8ed6ceaf4bc1", "main$8f1c1c36362eb42cefaa8ed6ceaf4bc1");
        check("_Z5alphav", "alpha");
        // LLVM's and Microsoft's own examples.
        check("?x@ns@@3HA", "ns::x");
        check("?run@Task@app@@QEAAXXZ", "app::Task::run");
        check("??_0klass@@QAEHH@Z", "klass::operator/=");
        check("??2@YAPAXI@Z", "operator new");
        check("??", "??");
        check("?", "?");
        check("[unknown]", "[unknown]");
        check("main", "main");
        check("_start", "_start");
        check("_Z", "_Z");
        check("", "");
    }

    #[test]
    fn a_name_that_would_be_endless_stays() {
        // Each `S_` pair doubles what stands before it.
        let mut symbol = String::from("_Z1fI1A1BE");
        for level in 0..40 {
            let _ = write!(symbol, "IS{level}_S{level}_E");
        }
        assert!(demangle(&symbol).len() <= MOST_READABLE);
        assert_eq!(demangle(&"_Z".repeat(9000)), "_Z".repeat(9000));
    }

    #[test]
    fn a_decorated_name_is_as_deep_as_there_is_room() {
        let levels = [
            "PEA", "PA", "QA", "AEAPEA", "V?$A@", "?$A@", "P6AX", "??A@", "?1??", "Y0", "U", "$$Q",
        ];
        for level in levels {
            for length in [128_usize, 1024, 2048, 4096, 4097] {
                for start in ["?f@@YAX", "?f@@3", "?", "??$f@"] {
                    let count = (length - start.len() - 2) / level.len();
                    let _ = demangle(&format!("{start}{}HZ", level.repeat(count)));
                }
            }
        }
        let long = format!("?f@@YAX{}HZ", "PEA".repeat(9000));
        assert_eq!(demangle(&long), long);
        let arguments = format!("?f@app@@YAX{}@Z", "PEAH".repeat(100));
        assert_eq!(demangle(&arguments), "app::f");
    }

    proptest! {
        #[test]
        fn anything_is_survived(tail in "[A-Za-z0-9_.$@?]{0,64}", start in prop::sample::select(vec!["_Z", "_R", "_ZN", "_RNv", "?", "??", "?f@@", ""])) {
            let _ = demangle(&format!("{start}{tail}"));
        }
    }
}
