//! Resolution of calls, through the classes that an app defines.
//!
//! Written from what `docs/instrument.md` promises, not from the program: a call counts for the first class outside of the app that
//! its search for the method reaches, and for none where a class of the app has the method.

use super::code::{ABSTRACT, Call, Disassembly, INTERFACE, Method};

const OBJECT: &str = "Ljava/lang/Object;";

/// Methods of every object (`java.lang.Object`).
const OF_EVERY_OBJECT: [&str; 11] = [
    "clone()Ljava/lang/Object;",
    "equals(Ljava/lang/Object;)Z",
    "finalize()V",
    "getClass()Ljava/lang/Class;",
    "hashCode()I",
    "notify()V",
    "notifyAll()V",
    "toString()Ljava/lang/String;",
    "wait()V",
    "wait(J)V",
    "wait(JI)V",
];

/// Prefixes of the classes that the documentation names as spending energy; they include `android.os.Trace`, which
/// never gets probes.
const WANTED: [&str; 14] = [
    "android.",
    "com.android.",
    "dalvik.",
    "java.io.",
    "java.net.",
    "java.nio.",
    "java.security.",
    "java.sql.",
    "java.util.jar.",
    "java.util.zip.",
    "javax.crypto.",
    "javax.microedition.khronos.",
    "javax.net.",
    "org.apache.http.",
];

/// Whether calls of a class get probes by default; by its name with dots.
pub fn is_wanted(class: &str) -> bool {
    class != "android.os.Trace" && WANTED.iter().any(|prefix| class.starts_with(prefix))
}

/// `La/b/C$D;` as `a.b.C$D`.
pub fn dotted(descriptor: &str) -> String {
    let inner = descriptor.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
    inner.unwrap_or(descriptor).replace('/', ".")
}

impl Disassembly {
    /// The descriptor of the class outside of the app where a call lands.
    pub fn landing(&self, caller: &Method, call: &Call) -> Option<String> {
        if call.class.starts_with('[') {
            return Some(OBJECT.to_owned());
        }
        let method = call.name.clone() + &call.descriptor;
        let named = self.classes.get(&call.class);
        if call.kind == "super" && named.is_none_or(|it| it.access & INTERFACE == 0) {
            // What counts is what the superclass of the caller has.
            let superclass = self.classes[&caller.class].superclass.clone()?;
            if named.is_some() {
                return self.search(&superclass, &method);
            }
            // A default method of an interface of the framework is called past all superclasses.
            let (end, found) = self.climb(&superclass, &method);
            let is_interface = call.class != OBJECT && end == OBJECT;
            return (is_interface || !found).then(|| call.class.clone());
        }
        match named {
            None => Some(call.class.clone()),
            // Constructors are not inherited.
            Some(_) if call.name.starts_with('<') => None,
            Some(_) => self.search(&call.class, &method),
        }
    }

    /// The first superclass outside of the app, itself included, and whether one before it has the method.
    fn climb(&self, class: &str, method: &str) -> (String, bool) {
        let (mut at, mut found) = (class.to_owned(), false);
        while let Some(class) = self.classes.get(&at) {
            found |= class.methods.contains_key(method);
            at = class.superclass.clone().expect("only Object has no superclass");
        }
        (at, found)
    }

    fn search(&self, from: &str, method: &str) -> Option<String> {
        let (end, found) = self.climb(from, method);
        if found || end == from {
            return (!found).then_some(end);
        }
        if end == OBJECT && OF_EVERY_OBJECT.contains(&method) {
            return Some(end);
        }
        let interfaces = self.interfaces(from);
        let declared = interfaces.iter().find_map(|it| self.classes.get(it)?.methods.get(method));
        if let Some(access) = declared {
            // An object of this very class has the method from somewhere: the framework's superclass.
            let inherits = end != OBJECT
                && access & ABSTRACT != 0
                && self.classes[from].access & ABSTRACT == 0;
            return inherits.then_some(end);
        }
        if end != OBJECT {
            return Some(end);
        }
        interfaces.into_iter().find(|it| !self.classes.contains_key(it))
    }

    /// All interfaces of a class and its superclasses in the app, those that others extend behind them.
    fn interfaces(&self, class: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut at = class;
        while let Some(class) = self.classes.get(at) {
            all.extend(class.interfaces.iter().cloned());
            at = class.superclass.as_deref().unwrap_or(OBJECT);
        }
        let mut next = 0;
        while let Some(interface) = all.get(next) {
            let more = self.classes.get(interface).map(|it| it.interfaces.clone());
            for one in more.unwrap_or_default() {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            next += 1;
        }
        all
    }
}

impl Disassembly {
    /// Whether a class, what it extends or what it implements has a method.
    pub fn has(&self, class: &str, method: &str) -> bool {
        let mut all = vec![class];
        let mut next = 0;
        while let Some(&name) = all.get(next) {
            next += 1;
            let Some(class) = self.classes.get(name) else { continue };
            if class.methods.contains_key(method) {
                return true;
            }
            let more = class.superclass.iter().chain(&class.interfaces).map(String::as_str);
            all.extend(more.collect::<Vec<_>>());
        }
        false
    }
}
