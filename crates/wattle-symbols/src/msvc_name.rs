//! Names that Microsoft's C++ compiler decorates.

use msvc_demangler::DemangleFlags;

/// Longer names stay as the linker has them.
const MOST: usize = 4096;
/// With arguments of templates every part of the name has to be read, types that contain types: that is done up to this length, and
/// with so few types of functions, each of which can repeat all types before it.
const MOST_TEMPLATE: usize = 1024;
const MOST_FUNCTION_TYPES: usize = 2;
/// Stack for the deepest nesting of types in that length, with room to spare: a level has two characters or more and was measured to
/// take 20 KB at most, without optimisation.
const STACK: usize = 64 << 20;
/// Longer ones are left as they are.
const MOST_READABLE: usize = 8192;

/// A decorated name in its readable form, without parameters and result; `None` of what is none, or takes too long.
pub(crate) fn msvc_name(symbol: &str) -> Option<String> {
    if !symbol.starts_with('?') || symbol.len() > MOST {
        return None;
    }
    match Form::new(symbol) {
        Form::Plain(name) => read(&name),
        Form::Nested => nested(symbol),
        Form::Endless => None,
    }
}

fn read(symbol: &str) -> Option<String> {
    let flags = DemangleFlags::NAME_ONLY | DemangleFlags::NO_CLASS_TYPE;
    let readable = msvc_demangler::demangle(symbol, flags).ok()?;
    (!readable.is_empty() && readable.len() <= MOST_READABLE).then_some(readable)
}

/// Reads a name with types in it on a stack that is large enough.
fn nested(symbol: &str) -> Option<String> {
    let symbol = symbol.to_owned();
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(move || read(&symbol)).ok()?.join().ok()?
}

/// The part of a symbol that has to be read for its name.
enum Form {
    /// The name alone, with a type that says nothing: what it takes and returns is not shown.
    Plain(String),
    /// All of it, because types are part of the name.
    Nested,
    /// Reading it could take long.
    Endless,
}

impl Form {
    fn new(symbol: &str) -> Self {
        let after = symbol.get(1..).unwrap_or_default();
        // Operators and their like begin with another `?`; any further one has types behind it: templates (`?$`), what is local to a
        // function (`?1??f@@YAXXZ@`), conversions (`?B`).
        let plain = after.strip_prefix('?').unwrap_or(after);
        let name = after.split_once("@@").map(|(name, _)| name);
        let is_plain = |name: &&str| {
            let name = name.strip_prefix('?').unwrap_or(name);
            let is_conversion = plain.len() < after.len() && plain.starts_with('B');
            !name.contains('?') && !is_conversion
        };
        if let Some(name) = name.filter(|it| is_plain(it) && it.is_ascii()) {
            return Self::Plain(format!("?{name}@@YAXXZ"));
        }
        let functions = symbol.bytes().filter(|it| matches!(it, b'6' | b'8')).count();
        let is_short = symbol.len() <= MOST_TEMPLATE && symbol.is_ascii();
        if is_short && functions <= MOST_FUNCTION_TYPES { Self::Nested } else { Self::Endless }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::demangle;

    #[track_caller]
    fn check(symbol: &str, expected: &str) {
        assert_eq!(demangle(symbol), expected, "{symbol}");
    }

    #[test]
    fn forms() {
        // As `undname` writes them without arguments, which is what `llvm-undname` says, too.
        check("?f@@YAXXZ", "f");
        check("?run@Engine@game@@QEAAXH@Z", "game::Engine::run");
        check("??0klass@@QEAAHH@Z", "klass::klass");
        check("??1klass@@UEAA@XZ", "klass::~klass");
        check("??_Gklass@@UEAAPEAXI@Z", "klass::`scalar deleting destructor'");
        check("??Bklass@@QEAAHXZ", "klass::operator int");
        check(
            "?push@?$vector@HV?$allocator@H@std@@@std@@QEAAXH@Z",
            "std::vector<int,std::allocator<int> >::push",
        );
        check("?f@?A0xdeadbeef@ns@@YAXXZ", "ns::`anonymous namespace'::f");
        check("main", "main");
        check("_ZN3art6Thread3RunEv", "art::Thread::Run");
        check("?", "?");
        check("?@@", "?@@");
        check("", "");
    }

    #[test]
    fn types_that_repeat_types_are_not_followed() {
        let mut symbol = "?f@?$A@P6AXPEAX@Z".to_owned();
        for _ in 0..9 {
            symbol.push_str("P6AX0000000000@Z");
        }
        symbol.push_str("@@YAXXZ");
        assert_eq!(demangle(&symbol), symbol);
        // Deep, and short enough to be read.
        let symbol = format!("?f@?$A@{}H@@YAXXZ", "PEA".repeat(330));
        assert!(demangle(&symbol).len() <= MOST_READABLE);
        let symbol = format!("?f@?$A@{}H@@YAXXZ", "AA".repeat(500));
        assert!(demangle(&symbol).len() <= MOST_READABLE);
        let symbol = format!("?f@{}H{}@YAXXZ", "?$A@V".repeat(200), "@".repeat(20));
        assert!(demangle(&symbol).len() <= MOST_READABLE);
    }

    proptest! {
        #[test]
        fn anything_is_survived(tail in "[A-Za-z0-9_?@$]{0,96}", start in prop::sample::select(vec!["?", "??", "?f@?$", "??_", "?f@@"])) {
            let _ = demangle(&format!("{start}{tail}"));
        }
    }
}
