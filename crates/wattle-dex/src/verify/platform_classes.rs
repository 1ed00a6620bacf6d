//! Superclasses of Android's public classes.
//!
//! The table holds what API levels 21 to 37 declare; `cargo xtask platform-classes` writes it. Hidden classes are not in it, and
//! nothing is said of them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

const TABLE: &str = include_str!("platform_classes.txt");

/// Longest chain of superclasses.
const MAX_DEPTH: usize = 64;

/// A class that Android defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlatformClass {
    Interface,
    /// With its superclass: the name without `L` and `;`.
    Class(&'static str),
    /// Its superclass is not known.
    OfUnknown,
    /// `java.lang.Object`.
    Root,
}

static CLASSES: LazyLock<FxHashMap<(&str, &str), PlatformClass>> = LazyLock::new(|| {
    let mut classes = FxHashMap::default();
    let mut package = "";
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some(named) = line.strip_suffix('/') {
            package = named;
            continue;
        }
        let (name, class) = match line.split_once(' ') {
            Some((name, "!")) => (name, PlatformClass::Interface),
            Some((name, "?")) => (name, PlatformClass::OfUnknown),
            Some((name, superclass)) => (name, PlatformClass::Class(superclass)),
            None if (package, line) == ("java/lang", "Object") => (line, PlatformClass::Root),
            None => (line, PlatformClass::Class("java/lang/Object")),
        };
        classes.insert((package, name), class);
    }
    classes
});

impl PlatformClass {
    /// By its descriptor; `None` where Android's public classes have none of this name.
    pub(crate) fn of(descriptor: &[u8]) -> Option<Self> {
        Self::named(class_name(descriptor)?)
    }

    fn named(name: &str) -> Option<Self> {
        CLASSES.get(&name.rsplit_once('/')?).copied()
    }

    /// Whether a class is another or a subclass of it, by descriptors; `None` where that is not known. The kinds of an interface are
    /// itself and `java.lang.Object`.
    pub(crate) fn descends(from: &[u8], to: &[u8]) -> Option<bool> {
        let (mut at, to) = (class_name(from)?, class_name(to)?);
        for _ in 0..MAX_DEPTH {
            if at == to {
                return Some(true);
            }
            match Self::named(at)? {
                Self::Class(superclass) => at = superclass,
                Self::Interface => at = "java/lang/Object",
                Self::OfUnknown => return None,
                Self::Root => return Some(false),
            }
        }
        None
    }
}

/// The name of a class without `L` and `;`.
fn class_name(descriptor: &[u8]) -> Option<&str> {
    std::str::from_utf8(descriptor.strip_prefix(b"L")?.strip_suffix(b";")?).ok()
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, PlatformClass};

    /// By the reference of the API: `true` and `false` are what Java's `instanceof` allows.
    #[test]
    fn known_kinds() {
        let cases = [
            ("android/app/Activity", "android/content/Context", Some(true)),
            ("android/app/Activity", "android/view/View", Some(false)),
            ("android/widget/Button", "android/view/View", Some(true)),
            ("android/view/View", "android/widget/Button", Some(false)),
            ("java/util/List", "java/util/ArrayList", Some(false)),
            ("java/io/IOException", "java/lang/Throwable", Some(true)),
            ("java/util/concurrent/TimeUnit", "java/lang/Enum", Some(true)),
            ("android/net/wifi/SupplicantState", "java/lang/Enum", None),
            ("java/lang/String", "java/lang/Object", Some(true)),
            ("java/lang/Object", "java/lang/String", Some(false)),
            ("com/example/Main", "java/lang/String", None),
        ];
        for (from, to, expected) in cases {
            let [from, to] = [from, to].map(|name| format!("L{name};"));
            let found = PlatformClass::descends(from.as_bytes(), to.as_bytes());
            assert_eq!(found, expected, "{from} {to}");
        }
        let kind = |name: &str| PlatformClass::of(format!("L{name};").as_bytes());
        assert_eq!(kind("java/io/Serializable"), Some(PlatformClass::Interface));
        assert_eq!(kind("android/view/View$OnClickListener"), Some(PlatformClass::Interface));
        assert_eq!(kind("android/view/ViewRootImpl"), None);
    }

    #[test]
    fn every_chain_ends() {
        assert!(CLASSES.len() > 6_000, "{}", CLASSES.len());
        for (package, name) in CLASSES.keys() {
            let descriptor = format!("L{package}/{name};");
            let is_object = PlatformClass::descends(descriptor.as_bytes(), b"Ljava/lang/Object;");
            assert!(is_object != Some(false), "{descriptor}");
        }
    }
}
