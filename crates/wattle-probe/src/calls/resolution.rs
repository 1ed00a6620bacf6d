//! The method that a call lands in.
//!
//! The runtime searches the class that the call names, its superclasses, then its superinterfaces. What the
//! framework declares is not known here, so the search ends at the first class outside the app. Two questions
//! remain open then and are answered so:
//!
//! - The search leaves the app at `java.lang.Object`: its eleven methods are known. Anything else comes from the
//!   first interface of the framework, interfaces in the order of their declaration, nearest first.
//! - The search leaves the app at another class while an interface of the app declares the method. A class that
//!   is not abstract has an implementation, which can only be the framework's; of an abstract class a subclass in
//!   the app is taken to implement it.
//!
//! `invoke-super` searches from the superclass of the calling class on, unless it names an interface
//! (Dalvik bytecode, `invoke-super`).

use wattle_dex::{AccessFlags, Mutf8};

use super::AppClasses;
use super::call_names::{MethodKey, TypeName};

/// Superclasses, and superinterfaces, that a search visits. Real classes stay below thirty; longer chains are
/// cycles.
const MAX_VISITED: usize = 200;

/// Names of interfaces that a search looks at, those that it has seen before included.
const MAX_NAMED: usize = 1000;

/// Name and signature of what every object and every interface has (`java.lang.Object`).
const OBJECT_METHODS: [(&[u8], &str); 11] = [
    (b"clone", "()Ljava/lang/Object;"),
    (b"equals", "(Ljava/lang/Object;)Z"),
    (b"finalize", "()V"),
    (b"getClass", "()Ljava/lang/Class;"),
    (b"hashCode", "()I"),
    (b"notify", "()V"),
    (b"notifyAll", "()V"),
    (b"toString", "()Ljava/lang/String;"),
    (b"wait", "()V"),
    (b"wait", "(J)V"),
    (b"wait", "(JI)V"),
];

impl AppClasses<'_> {
    /// The method of the framework where a call lands that is no `invoke-super`.
    pub(crate) fn land(&self, named: MethodKey) -> Option<MethodKey> {
        let at = |class| MethodKey { class, ..named };
        let Some(owner) = self.class(named.class) else {
            return self.outside(named);
        };
        // Constructors and initialisers are not inherited.
        if self.declared(named).is_some() || self.name(named).first() == Some(&b'<') {
            return None;
        }
        let end = self.leave(named)?;
        if end == self.object && self.is_objects(named) {
            return Some(at(end));
        }
        match self.superinterface(named) {
            Some(Interface::App(access)) => {
                let must_be_inherited = !owner.is_abstract()
                    && end != self.object
                    && access.contains(AccessFlags::ABSTRACT);
                must_be_inherited.then(|| at(end))
            }
            Some(Interface::Framework(interface)) if end == self.object => Some(at(interface)),
            None if end == self.object => None,
            _ => Some(at(end)),
        }
    }

    /// The method of the framework where an `invoke-super` of a class lands.
    pub(crate) fn land_super(&self, caller: TypeName, named: MethodKey) -> Option<MethodKey> {
        let owner = self.class(named.class);
        if owner.is_some_and(super::app_classes::AppClass::is_interface) {
            return self.land(named);
        }
        let start = self.class(caller)?.superclass?;
        if owner.is_some() {
            return self.land(MethodKey { class: start, ..named });
        }
        let from = MethodKey { class: start, ..named };
        // Where no class outside but `Object` is a superclass, the framework's name is that of an interface.
        let is_interface = named.class != self.object && self.end(start) == Some(self.object);
        (is_interface || self.leave(from).is_some()).then(|| self.outside(named)).flatten()
    }

    /// A call that names a class outside the app.
    fn outside(&self, named: MethodKey) -> Option<MethodKey> {
        let class = match self.names.descriptor(named.class).bytes().first() {
            Some(b'[') => self.object,
            Some(b'L') => named.class,
            _ => return None,
        };
        (class != self.runtime).then_some(MethodKey { class, ..named })
    }

    /// The classes from one on, that of the framework where they end included.
    fn chain(&self, from: TypeName) -> impl Iterator<Item = TypeName> + '_ {
        let next = |&at: &TypeName| self.class(at)?.superclass;
        std::iter::successors(Some(from), next).take(MAX_VISITED)
    }

    /// The first class outside the app; `None` in a cycle.
    fn end(&self, from: TypeName) -> Option<TypeName> {
        self.chain(from).find(|&at| self.class(at).is_none())
    }

    /// The first class outside the app, if none before it declares the method.
    fn leave(&self, named: MethodKey) -> Option<TypeName> {
        let stop = |&class: &TypeName| {
            self.class(class).is_none() || self.declared(MethodKey { class, ..named }).is_some()
        };
        self.chain(named.class).find(stop).filter(|&at| self.class(at).is_none())
    }

    /// The interface of the app that declares a method, else the first one of the framework.
    fn superinterface(&self, named: MethodKey) -> Option<Interface> {
        let mut queue: Vec<TypeName> = Vec::new();
        let mut left = MAX_NAMED;
        let mut push = |queue: &mut Vec<TypeName>, class: TypeName| {
            for interface in self.interfaces(class) {
                if left == 0 || queue.len() >= MAX_VISITED {
                    return;
                }
                left -= 1;
                if !queue.contains(&interface) {
                    queue.push(interface);
                }
            }
        };
        self.chain(named.class).for_each(|class| push(&mut queue, class));
        let mut framework = None;
        let mut next = 0;
        while let Some(&class) = queue.get(next) {
            next += 1;
            if let Some(access) = self.declared(MethodKey { class, ..named }) {
                return Some(Interface::App(access));
            }
            if self.class(class).is_none() {
                framework = framework.or(Some(Interface::Framework(class)));
            }
            push(&mut queue, class);
        }
        framework
    }

    fn name(&self, method: MethodKey) -> &[u8] {
        self.names.method_name(method.name).bytes()
    }

    fn is_objects(&self, method: MethodKey) -> bool {
        let name = Mutf8::new(self.name(method));
        OBJECT_METHODS.iter().any(|&(known, signature)| {
            known == name.bytes() && signature == self.names.signature(method.signature)
        })
    }
}

/// The kinds of declarations of a method besides classes.
enum Interface {
    App(AccessFlags),
    Framework(TypeName),
}
