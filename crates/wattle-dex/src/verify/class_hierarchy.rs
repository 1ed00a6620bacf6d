//! The kinds of classes, as far as the file and the platform tell.

use super::facts::Facts;
use super::platform_classes::PlatformClass;
use super::types::Class;
use crate::{AccessFlags, ClassDefItem, Dex, FieldId, Member, MethodId, Mutf8, Section, TypeId};

/// The classes that the file defines, and those of the platform. Others are unknown: nothing is held against them.
#[derive(Debug)]
pub(crate) struct Hierarchy<'d, 'a> {
    dex: &'d Dex<'a>,
    /// Superclass and whether it is an interface, per type.
    classes: Vec<Option<(Option<TypeId>, bool)>>,
    object: Option<TypeId>,
    /// Whether methods and fields that the file defines are static.
    methods: Vec<Option<bool>>,
    fields: Vec<Option<bool>>,
    pub(crate) facts: Facts<'a>,
}

/// Longest chain of superclasses; a longer one is a cycle.
const MAX_DEPTH: u32 = 1000;

impl<'d, 'a> Hierarchy<'d, 'a> {
    pub(crate) fn new(dex: &'d Dex<'a>) -> Self {
        let mut classes = vec![None; dex.count(Section::TYPE_IDS) as usize];
        for class in dex.class_defs().filter_map(|(_, item)| item.ok()) {
            let ClassDefItem { class, superclass, access, .. } = class;
            if let Some(slot) = classes.get_mut(class.0 as usize) {
                *slot = Some((superclass, access.contains(AccessFlags::INTERFACE)));
            }
        }
        let mut methods = vec![None; dex.count(Section::METHOD_IDS) as usize];
        let mut fields = vec![None; dex.count(Section::FIELD_IDS) as usize];
        let set = |table: &mut [Option<bool>], id: u32, access: AccessFlags| {
            if let Some(slot) = table.get_mut(id as usize) {
                *slot = Some(access.contains(AccessFlags::STATIC));
            }
        };
        for class in dex.class_defs().filter_map(|(_, item)| item.ok()) {
            let members = dex.class_data(&class).ok().flatten();
            for member in members.into_iter().flatten().map_while(Result::ok) {
                match member {
                    Member::StaticField(it) | Member::InstanceField(it) => {
                        set(&mut fields, it.field.0, it.access);
                    }
                    Member::DirectMethod(it) | Member::VirtualMethod(it) => {
                        set(&mut methods, it.method.0, it.access);
                    }
                }
            }
        }
        Self {
            dex,
            classes,
            methods,
            fields,
            facts: Facts::from_dex(dex),
            object: dex.find_type(Mutf8::new(b"Ljava/lang/Object;")),
        }
    }

    fn class(&self, ty: TypeId) -> Option<(Option<TypeId>, bool)> {
        self.classes.get(ty.0 as usize).copied().flatten()
    }

    /// Whether a method is static; `None` where the file does not define it.
    pub(crate) fn is_static_method(&self, id: MethodId) -> Option<bool> {
        self.methods.get(id.0 as usize).copied().flatten()
    }

    /// Whether a field is static; `None` where the file does not define it.
    pub(crate) fn is_static_field(&self, id: FieldId) -> Option<bool> {
        self.fields.get(id.0 as usize).copied().flatten()
    }

    /// Whether a type is an interface; `None` where the file does not define it.
    pub(crate) fn is_interface(&self, ty: TypeId) -> Option<bool> {
        self.class(ty).map(|(_, interface)| interface)
    }

    /// Whether the file defines a type.
    pub(crate) fn is_defined(&self, ty: TypeId) -> bool {
        self.class(ty).is_some()
    }

    pub(crate) fn superclass(&self, ty: TypeId) -> Option<TypeId> {
        self.class(ty)?.0
    }

    pub(crate) fn descriptor(&self, ty: TypeId) -> &'a [u8] {
        self.dex.descriptor(ty).map(Mutf8::bytes).unwrap_or_default()
    }

    /// A type by its descriptor; unknown where the file has no such type.
    fn find(&self, descriptor: &[u8]) -> Class {
        self.dex.find_type(Mutf8::new(descriptor)).map_or(Class::Unknown, Class::Of)
    }

    /// Whether a value of one type can stand where another is asked for. True also where it is not known.
    pub(crate) fn may_be(&self, from: TypeId, to: TypeId) -> bool {
        if from == to || Some(to) == self.object {
            return true;
        }
        if self.facts.element(from).is_none() && self.facts.element(to).is_none() {
            return self.class_may_be(from, to);
        }
        self.array_may_be(self.descriptor(from), self.descriptor(to))
    }

    fn class_may_be(&self, from: TypeId, to: TypeId) -> bool {
        // Interfaces are checked when they are called.
        let is_class = match self.class(to) {
            Some((_, is_interface)) => !is_interface,
            None => matches!(
                PlatformClass::of(self.descriptor(to)),
                Some(PlatformClass::Class(_) | PlatformClass::OfUnknown)
            ),
        };
        if !is_class {
            return true;
        }
        let mut at = from;
        for _ in 0..MAX_DEPTH {
            if at == to {
                return true;
            }
            match self.class(at) {
                Some((Some(superclass), _)) => at = superclass,
                // Only `Object` has no superclass; the end of the chain is known exactly there.
                Some((None, _)) => return false,
                None if Some(at) == self.object => return false,
                None => {
                    let descends =
                        PlatformClass::descends(self.descriptor(at), self.descriptor(to));
                    return descends.unwrap_or(true);
                }
            }
        }
        true
    }

    fn array_may_be(&self, source: &[u8], target: &[u8]) -> bool {
        match (source.split_first(), target.split_first()) {
            (Some((b'[', source)), Some((b'[', target))) => {
                if source == target || target == b"Ljava/lang/Object;" {
                    // An array of numbers is no array of objects.
                    return source == target || matches!(source.first(), Some(b'L' | b'['));
                }
                match (self.find(source), self.find(target)) {
                    (Class::Of(source), Class::Of(target)) => {
                        let number = |ty| !matches!(self.descriptor(ty).first(), Some(b'L' | b'['));
                        source == target
                            || !number(source) && !number(target) && self.may_be(source, target)
                    }
                    _ => true,
                }
            }
            (Some((b'[', _)), _) => {
                // Outside the file it may be an interface of arrays.
                matches!(self.find(target), Class::Of(ty) if self.class(ty).is_none_or(|(_, interface)| interface))
                    || self.find(target) == Class::Unknown
            }
            _ => false,
        }
    }

    /// The type where paths with two types meet.
    pub(crate) fn join(&self, a: TypeId, b: TypeId) -> Class {
        let is_array = |ty| self.facts.element(ty).is_some();
        if is_array(a) || is_array(b) {
            return Class::Unknown;
        }
        let chain = |ty: TypeId| {
            let mut at = Some(ty);
            std::iter::from_fn(move || {
                let this = at?;
                at = self.superclass(this);
                Some(this)
            })
            .take(MAX_DEPTH as usize)
        };
        // An interface type says nothing of the class, so it only joins with itself.
        if [a, b].iter().any(|&ty| self.class(ty).is_none_or(|(_, interface)| interface)) {
            return Class::Unknown;
        }
        let common = chain(a).find(|&one| chain(b).any(|other| one == other));
        match common {
            Some(ty) if self.class(ty).is_some() => Class::Of(ty),
            _ => Class::Unknown,
        }
    }

    /// The class definition's problems with its own ancestors.
    pub(crate) fn is_cyclic(&self, ty: TypeId) -> bool {
        let mut at = ty;
        for _ in 0..MAX_DEPTH {
            match self.superclass(at) {
                Some(superclass) if superclass == ty => return true,
                Some(superclass) => at = superclass,
                None => return false,
            }
        }
        true
    }
}
