//! Facts that code asks of the identifier tables again and again, looked up once.

use super::types::{Class, Kind};
use crate::{Dex, MethodId, Mutf8, Opcode, ProtoId, Section, TypeId, TypeList};

/// The role that a method's name gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Any other.
    Plain,
    /// `<init>`.
    Constructor,
    /// `<clinit>`.
    Initialiser,
}

/// A signature as code sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProtoFacts<'a> {
    pub(crate) types: TypeList<'a>,
    pub(crate) result: TypeId,
    /// Registers that the parameters take; `None` where one is no type.
    pub(crate) words: Option<u32>,
}

/// Answers by the numbers of types, signatures and methods.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    /// The kind of each type; `None` where the descriptor is no type's.
    kinds: Vec<Option<Kind>>,
    /// Of each array type the kind of its elements, where they have one, and their class.
    elements: Vec<Option<(Option<Kind>, Class)>>,
    roles: Vec<Role>,
    /// The class and the signature that each method names; `None` where it cannot be read.
    methods: Vec<Option<(TypeId, ProtoId)>>,
    /// `None` where a signature cannot be read.
    protos: Vec<Option<ProtoFacts<'a>>>,
    /// `java.lang.String`.
    pub(crate) string: Class,
    /// `java.lang.Class`.
    pub(crate) class: Class,
    /// `java.lang.invoke.MethodHandle`.
    pub(crate) method_handle: Class,
    /// `java.lang.invoke.MethodType`.
    pub(crate) method_type: Class,
}

impl<'a> Facts<'a> {
    pub(crate) fn from_dex(dex: &Dex<'a>) -> Self {
        let find = |descriptor: &[u8]| {
            dex.find_type(Mutf8::new(descriptor)).map_or(Class::Unknown, Class::Of)
        };
        let count = dex.count(Section::TYPE_IDS);
        let mut kinds = Vec::with_capacity(count as usize);
        let mut elements = Vec::with_capacity(count as usize);
        for id in 0..count {
            let descriptor = dex.descriptor(TypeId(id)).map(Mutf8::bytes).unwrap_or_default();
            kinds.push(Kind::of_descriptor(descriptor));
            let element = descriptor.strip_prefix(b"[");
            elements.push(element.map(|it| (Kind::of_descriptor(it), find(it))));
        }
        let role = |id: u32| match dex.method(MethodId(id)).and_then(|it| dex.string(it.name)) {
            Ok(name) if name.bytes() == b"<init>" => Role::Constructor,
            Ok(name) if name.bytes() == b"<clinit>" => Role::Initialiser,
            _ => Role::Plain,
        };
        let protos = (0..dex.count(Section::PROTO_IDS)).map(|id| proto(dex, &kinds, ProtoId(id)));
        let protos = protos.collect();
        Self {
            kinds,
            elements,
            roles: (0..dex.count(Section::METHOD_IDS)).map(role).collect(),
            methods: (0..dex.count(Section::METHOD_IDS))
                .map(|id| dex.method(MethodId(id)).ok().map(|it| (it.class, it.proto)))
                .collect(),
            protos,
            string: find(b"Ljava/lang/String;"),
            class: find(b"Ljava/lang/Class;"),
            method_handle: find(b"Ljava/lang/invoke/MethodHandle;"),
            method_type: find(b"Ljava/lang/invoke/MethodType;"),
        }
    }

    /// The kind of a type; `None` where there is no such type or its descriptor is no type's.
    #[inline]
    pub(crate) fn kind(&self, ty: TypeId) -> Option<Kind> {
        self.kinds.get(ty.0 as usize).copied().flatten()
    }

    /// The kind, where it is one, and the class of an array's elements; `None` for other types.
    #[inline]
    pub(crate) fn element(&self, array: TypeId) -> Option<(Option<Kind>, Class)> {
        self.elements.get(array.0 as usize).copied().flatten()
    }

    /// Whether a type surely is one that an opcode can name.
    pub(crate) fn can_name(&self, opcode: Opcode, ty: TypeId) -> bool {
        let is_array = || self.element(ty).is_some();
        match (opcode, self.kind(ty)) {
            (_, None) => false,
            (Opcode::NEW_INSTANCE, Some(kind)) => kind == Kind::Reference && !is_array(),
            (
                Opcode::NEW_ARRAY | Opcode::FILLED_NEW_ARRAY | Opcode::FILLED_NEW_ARRAY_RANGE,
                Some(_),
            ) => is_array(),
            (Opcode::CHECK_CAST | Opcode::INSTANCE_OF, Some(kind)) => kind == Kind::Reference,
            _ => true,
        }
    }

    /// The class and the signature that a method names; `None` where it cannot be read.
    #[inline]
    pub(crate) fn method(&self, method: MethodId) -> Option<(TypeId, ProtoId)> {
        self.methods.get(method.0 as usize).copied().flatten()
    }

    /// A signature; `None` where it cannot be read.
    #[inline]
    pub(crate) fn proto(&self, proto: ProtoId) -> Option<ProtoFacts<'a>> {
        self.protos.get(proto.0 as usize).copied().flatten()
    }

    /// The role that a method's name gives it.
    #[inline]
    pub(crate) fn role(&self, method: MethodId) -> Role {
        self.roles.get(method.0 as usize).copied().unwrap_or(Role::Plain)
    }
}

fn proto<'a>(dex: &Dex<'a>, kinds: &[Option<Kind>], id: ProtoId) -> Option<ProtoFacts<'a>> {
    let item = dex.proto(id).ok()?;
    let types = dex.type_list(item.parameters_off).ok()?;
    let width = |ty: TypeId| {
        let kind = kinds.get(ty.0 as usize).copied().flatten()?;
        Some(if kind.is_wide() { 2 } else { 1 })
    };
    let words = types.iter().map(width).sum();
    Some(ProtoFacts { types, result: item.return_type, words })
}
