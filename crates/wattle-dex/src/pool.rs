//! Strings, types, signatures, fields and methods while a file is edited.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use crate::{
    CallSiteId, Dex, DexError, FieldId, FieldRef, MethodHandle, MethodHandleId, MethodId,
    MethodRef, Mutf8, ProtoId, Result, Section, StringId, TypeId, Value, encode_mutf8,
};

/// The identifier tables of a file that is edited: those of the source, and what was added.
///
/// Numbers of the source stay valid; what is added gets the numbers that follow. The written file has its
/// own, sorted numbers: they are made when it is written.
#[derive(Clone, Debug, Default)]
pub struct Pool<'a> {
    base: Option<Dex<'a>>,
    strings: Added<Vec<u8>>,
    types: Added<StringId>,
    protos: Added<NewProto>,
    fields: Added<FieldRef>,
    methods: Added<MethodRef>,
    handles: Added<MethodHandle>,
    call_sites: Added<Vec<Value>>,
    /// The place where the last string stands or would stand in the source's table: those that are asked for one after the
    /// other are often neighbours.
    near: u32,
    /// Entries of the source that somebody asked for: pruning keeps them.
    asked: Vec<(Section, u32)>,
}

/// A signature that was added.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NewProto {
    pub(crate) shorty: StringId,
    pub(crate) return_type: TypeId,
    pub(crate) parameters: Vec<TypeId>,
}

#[derive(Clone, Debug)]
struct Added<T> {
    base: u32,
    items: Vec<T>,
    /// Positions in `items` by their hash: a map would hold every item a second time.
    index: HashTable<u32>,
}

impl<T> Default for Added<T> {
    fn default() -> Self {
        Self { base: 0, items: Vec::new(), index: HashTable::new() }
    }
}

impl<T: Eq + Hash> Added<T> {
    fn new(dex: &Dex<'_>, section: Section) -> Self {
        Self { base: dex.count(section), ..Self::default() }
    }

    fn add(&mut self, item: T) -> u32 {
        let items = &self.items;
        let hash = |item: &T| FxBuildHasher.hash_one(item);
        let entry = self.index.entry(
            hash(&item),
            |&at| items.get(at as usize) == Some(&item),
            |&at| items.get(at as usize).map_or(0, hash),
        );
        match entry {
            Entry::Occupied(known) => self.base + *known.get(),
            Entry::Vacant(slot) => {
                let at = items.len() as u32;
                slot.insert(at);
                self.items.push(item);
                self.base + at
            }
        }
    }

    fn get(&self, id: u32) -> Option<&T> {
        self.items.get(id.checked_sub(self.base)? as usize)
    }
}

/// Splits `(params)return` into descriptors.
pub(crate) fn split_signature(signature: &str) -> Option<(Vec<&str>, &str)> {
    let (mut rest, return_type) = signature.strip_prefix('(')?.split_once(')')?;
    let mut parameters = Vec::new();
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let arrays = rest.len() - element.len();
        let length = arrays + if element.starts_with('L') { element.find(';')? + 1 } else { 1 };
        let (first, after) = rest.split_at_checked(length)?;
        parameters.push(first);
        rest = after;
    }
    Some((parameters, return_type))
}

fn shorty_letter(descriptor: &str) -> char {
    match descriptor.chars().next() {
        Some('[') | None => 'L',
        Some(letter) => letter,
    }
}

impl<'a> Pool<'a> {
    /// An empty pool, for a file that is made from nothing.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn from_dex(dex: &Dex<'a>) -> Self {
        Self {
            strings: Added::new(dex, Section::STRING_IDS),
            types: Added::new(dex, Section::TYPE_IDS),
            protos: Added::new(dex, Section::PROTO_IDS),
            fields: Added::new(dex, Section::FIELD_IDS),
            methods: Added::new(dex, Section::METHOD_IDS),
            handles: Added::new(dex, Section::METHOD_HANDLES),
            call_sites: Added::new(dex, Section::CALL_SITE_IDS),
            asked: Vec::new(),
            near: 0,
            base: Some(dex.clone()),
        }
    }

    pub(crate) fn base(&self) -> Option<&Dex<'a>> {
        self.base.as_ref()
    }

    /// Number of entries of the source and of added ones.
    pub(crate) fn sizes(&self, section: Section) -> (u32, u32) {
        let added = match section {
            Section::STRING_IDS => (self.strings.base, self.strings.items.len()),
            Section::TYPE_IDS => (self.types.base, self.types.items.len()),
            Section::PROTO_IDS => (self.protos.base, self.protos.items.len()),
            Section::FIELD_IDS => (self.fields.base, self.fields.items.len()),
            Section::METHOD_IDS => (self.methods.base, self.methods.items.len()),
            Section::METHOD_HANDLES => (self.handles.base, self.handles.items.len()),
            Section::CALL_SITE_IDS => (self.call_sites.base, self.call_sites.items.len()),
            _ => (0, 0),
        };
        (added.0, added.1 as u32)
    }

    /// Number of entries of a table, added ones included.
    pub fn count(&self, section: Section) -> u32 {
        let (base, added) = self.sizes(section);
        base + added
    }

    /// The number of a string; it is added where it is missing.
    pub fn string(&mut self, text: &str) -> StringId {
        self.string_bytes(Cow::Owned(encode_mutf8(text)))
    }

    /// The number of a string in modified UTF-8.
    pub fn string_bytes(&mut self, bytes: Cow<'_, [u8]>) -> StringId {
        let place = self.base.as_ref().map(|dex| dex.string_near(Mutf8::new(&bytes), self.near));
        self.near = place.map_or(0, |place| place.unwrap_or_else(|before| before));
        let found = self.asked_for(Section::STRING_IDS, place.and_then(std::result::Result::ok));
        StringId(found.unwrap_or_else(|| self.strings.add(bytes.into_owned())))
    }

    /// The number of a type by its descriptor.
    pub fn ty(&mut self, descriptor: &str) -> TypeId {
        let string = self.string(descriptor);
        self.type_of_string(string)
    }

    pub(crate) fn type_of_string(&mut self, string: StringId) -> TypeId {
        let found = self.base.as_ref().filter(|_| string.0 < self.strings.base).and_then(|dex| {
            dex.search(Section::TYPE_IDS, |id| Some(dex.type_string(TypeId(id)).ok()?.cmp(&string)))
        });
        let found = self.asked_for(Section::TYPE_IDS, found);
        TypeId(found.unwrap_or_else(|| self.types.add(string)))
    }

    /// The number of a signature such as `(ILjava/lang/String;)V`.
    pub fn proto(&mut self, signature: &str) -> Result<ProtoId> {
        let (parameters, return_type) =
            split_signature(signature).ok_or_else(|| DexError::Edit {
                subject: "signature",
                expected: "descriptors in parentheses, then one".into(),
                found: signature.into(),
            })?;
        let letters: String =
            std::iter::once(&return_type).chain(&parameters).map(|ty| shorty_letter(ty)).collect();
        let shorty = self.string(&letters);
        let return_type = self.ty(return_type);
        let parameters = parameters.into_iter().map(|parameter| self.ty(parameter)).collect();
        Ok(self.new_proto(NewProto { shorty, return_type, parameters }))
    }

    pub(crate) fn new_proto(&mut self, proto: NewProto) -> ProtoId {
        let found = self.base.as_ref().and_then(|dex| {
            dex.search(Section::PROTO_IDS, |id| {
                let item = dex.proto(ProtoId(id)).ok()?;
                let parameters = dex.type_list(item.parameters_off).ok()?;
                Some(
                    item.return_type
                        .cmp(&proto.return_type)
                        .then_with(|| parameters.iter().cmp(proto.parameters.iter().copied())),
                )
            })
        });
        let found = self.asked_for(Section::PROTO_IDS, found);
        ProtoId(found.unwrap_or_else(|| self.protos.add(proto)))
    }

    /// The number of a field.
    pub fn field(&mut self, class: &str, name: &str, ty: &str) -> FieldId {
        let field = FieldRef { class: self.ty(class), name: self.string(name), ty: self.ty(ty) };
        self.field_ref(field)
    }

    /// The number of a field by the numbers of its parts.
    pub fn field_ref(&mut self, field: FieldRef) -> FieldId {
        let found = self.base.as_ref().and_then(|dex| {
            dex.search(Section::FIELD_IDS, |id| Some(dex.field(FieldId(id)).ok()?.cmp(&field)))
        });
        let found = self.asked_for(Section::FIELD_IDS, found);
        FieldId(found.unwrap_or_else(|| self.fields.add(field)))
    }

    /// The number of a method, its signature such as `(ILjava/lang/String;)V`.
    pub fn method(&mut self, class: &str, name: &str, signature: &str) -> Result<MethodId> {
        let proto = self.proto(signature)?;
        let method = MethodRef { class: self.ty(class), name: self.string(name), proto };
        Ok(self.method_ref(method))
    }

    /// The number of a method by the numbers of its parts.
    pub fn method_ref(&mut self, method: MethodRef) -> MethodId {
        let found = self.base.as_ref().and_then(|dex| {
            dex.search(Section::METHOD_IDS, |id| Some(dex.method(MethodId(id)).ok()?.cmp(&method)))
        });
        let found = self.asked_for(Section::METHOD_IDS, found);
        MethodId(found.unwrap_or_else(|| self.methods.add(method)))
    }

    /// The number of a method handle.
    pub fn method_handle(&mut self, handle: MethodHandle) -> MethodHandleId {
        let base = self.base.as_ref();
        let found = base.and_then(|dex| {
            (0..self.handles.base)
                .find(|&id| dex.method_handle(MethodHandleId(id)).is_ok_and(|it| it == handle))
        });
        let found = self.asked_for(Section::METHOD_HANDLES, found);
        MethodHandleId(found.unwrap_or_else(|| self.handles.add(handle)))
    }

    /// The number of a call site: its method handle, name, signature and further arguments.
    pub fn call_site(&mut self, values: Vec<Value>) -> CallSiteId {
        CallSiteId(self.call_sites.add(values))
    }

    /// The bytes of a string.
    pub fn string_at(&self, id: StringId) -> Result<Mutf8<'_>> {
        match (self.strings.get(id.0), &self.base) {
            (Some(bytes), _) => Ok(Mutf8::new(bytes)),
            (None, Some(dex)) => dex.string(id),
            (None, None) => Err(self.missing(StringId::POOL, id.0)),
        }
    }

    /// The string of a type's descriptor.
    pub fn type_string(&self, id: TypeId) -> Result<StringId> {
        match (self.types.get(id.0), &self.base) {
            (Some(string), _) => Ok(*string),
            (None, Some(dex)) => dex.type_string(id),
            (None, None) => Err(self.missing(TypeId::POOL, id.0)),
        }
    }

    /// A type's descriptor.
    pub fn descriptor(&self, id: TypeId) -> Result<Mutf8<'_>> {
        self.string_at(self.type_string(id)?)
    }

    /// Return type and parameters of a signature.
    pub fn proto_types(&self, id: ProtoId) -> Result<(TypeId, Vec<TypeId>)> {
        match (self.protos.get(id.0), &self.base) {
            (Some(proto), _) => Ok((proto.return_type, proto.parameters.clone())),
            (None, Some(dex)) => {
                Ok((dex.proto(id)?.return_type, dex.parameters(id)?.iter().collect()))
            }
            (None, None) => Err(self.missing(ProtoId::POOL, id.0)),
        }
    }

    /// The short form of a signature.
    pub(crate) fn shorty(&self, id: ProtoId) -> Result<StringId> {
        match (self.protos.get(id.0), &self.base) {
            (Some(proto), _) => Ok(proto.shorty),
            (None, Some(dex)) => Ok(dex.proto(id)?.shorty),
            (None, None) => Err(self.missing(ProtoId::POOL, id.0)),
        }
    }

    /// The parts of a field reference.
    pub fn field_at(&self, id: FieldId) -> Result<FieldRef> {
        match (self.fields.get(id.0), &self.base) {
            (Some(field), _) => Ok(*field),
            (None, Some(dex)) => dex.field(id),
            (None, None) => Err(self.missing(FieldId::POOL, id.0)),
        }
    }

    /// The parts of a method reference.
    pub fn method_at(&self, id: MethodId) -> Result<MethodRef> {
        match (self.methods.get(id.0), &self.base) {
            (Some(method), _) => Ok(*method),
            (None, Some(dex)) => dex.method(id),
            (None, None) => Err(self.missing(MethodId::POOL, id.0)),
        }
    }

    /// A method handle.
    pub fn handle_at(&self, id: MethodHandleId) -> Result<MethodHandle> {
        match (self.handles.get(id.0), &self.base) {
            (Some(handle), _) => Ok(*handle),
            (None, Some(dex)) => dex.method_handle(id),
            (None, None) => Err(self.missing(MethodHandleId::POOL, id.0)),
        }
    }

    /// The values of a call site.
    pub fn call_site_at(&self, id: CallSiteId) -> Result<Vec<Value>> {
        match (self.call_sites.get(id.0), &self.base) {
            (Some(values), _) => Ok(values.clone()),
            (None, Some(dex)) => dex.encoded_array(dex.call_site_off(id)?),
            (None, None) => Err(self.missing(CallSiteId::POOL, id.0)),
        }
    }

    /// Notes an entry of the source that was asked for.
    fn asked_for(&mut self, section: Section, found: Option<u32>) -> Option<u32> {
        self.asked.extend(found.map(|id| (section, id)));
        found
    }

    /// Entries of the source that somebody asked for, possibly several times.
    pub(crate) fn asked(&self) -> &[(Section, u32)] {
        &self.asked
    }

    pub(crate) fn added_call_sites(&self) -> &[Vec<Value>] {
        &self.call_sites.items
    }

    pub(crate) fn added_strings(&self) -> &[Vec<u8>] {
        &self.strings.items
    }

    /// Words (registers) that a call's arguments take, without `this`.
    pub fn argument_words(&self, id: ProtoId) -> Result<u32> {
        let mut words = 0;
        for parameter in self.proto_types(id)?.1 {
            words += if matches!(self.descriptor(parameter)?.bytes(), b"J" | b"D") { 2 } else { 1 };
        }
        Ok(words)
    }

    fn missing(&self, pool: Section, found: u32) -> DexError {
        DexError::Index { section: pool, offset: 0, pool, limit: self.count(pool), found }
    }
}
