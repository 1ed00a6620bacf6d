//! Numbers for what has a name, the same in all files of an app.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use wattle_dex::{Dex, MethodId, Mutf8, ProtoId, Result, Section, StringId, TypeId};

/// A type of any file of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeName(pub(crate) u32);

/// A method's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MethodName(u32);

/// A method's parameters and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signature(u32);

/// A method as a call names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MethodKey {
    pub(crate) class: TypeName,
    pub(crate) name: MethodName,
    pub(crate) signature: Signature,
}

/// Values in the order of their numbers.
#[derive(Debug)]
struct Numbered<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: T) -> u32 {
        let next = self.values.len() as u32;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}

/// The types and methods that one file names.
#[derive(Debug)]
pub(crate) struct FileNames {
    types: Vec<TypeName>,
    methods: Vec<MethodKey>,
}

impl FileNames {
    pub(crate) fn ty(&self, id: TypeId) -> Option<TypeName> {
        self.types.get(id.0 as usize).copied()
    }

    pub(crate) fn method(&self, id: MethodId) -> Option<MethodKey> {
        self.methods.get(id.0 as usize).copied()
    }

    pub(crate) fn methods(&self) -> &[MethodKey] {
        &self.methods
    }
}

/// Every name of all files, borrowed from them.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    types: Numbered<&'a [u8]>,
    methods: Numbered<&'a [u8]>,
    /// The result, then the parameters.
    signatures: Numbered<Box<[TypeName]>>,
}

const NONE: u32 = u32::MAX;

/// Parameters that a call can pass: `invoke-virtual/range` has eight bits for their number.
const MAX_PARAMETERS: usize = 255;

impl MethodKey {
    /// Whether it has no more parameters than a call can pass; the signatures of others are not kept.
    pub(crate) fn is_callable(self) -> bool {
        self.signature.0 != NONE
    }
}

impl<'a> Names<'a> {
    pub(crate) fn add(&mut self, dex: &Dex<'a>) -> Result<FileNames> {
        let types = (0..dex.count(Section::TYPE_IDS))
            .map(|id| Ok(self.ty(dex.descriptor(TypeId(id))?.bytes())))
            .collect::<Result<Vec<_>>>()?;
        let known = |id: TypeId| types.get(id.0 as usize).copied();
        let mut signatures = Vec::with_capacity(dex.count(Section::PROTO_IDS) as usize);
        let mut parts = Vec::new();
        for id in (0..dex.count(Section::PROTO_IDS)).map(ProtoId) {
            parts.clear();
            let result = dex.proto(id)?.return_type;
            if dex.parameters(id)?.len() > MAX_PARAMETERS {
                signatures.push(Signature(NONE));
                continue;
            }
            for ty in std::iter::once(result).chain(dex.parameters(id)?.iter()) {
                parts.push(match known(ty) {
                    Some(ty) => ty,
                    // Gives the error: what the table has is known.
                    None => dex.descriptor(ty).map(|_| TypeName(NONE))?,
                });
            }
            signatures.push(match self.signatures.numbers.get(parts.as_slice()) {
                Some(&number) => Signature(number),
                None => Signature(self.signatures.number(parts.as_slice().into())),
            });
        }
        let mut strings = vec![NONE; dex.count(Section::STRING_IDS) as usize];
        let mut methods = Vec::with_capacity(dex.count(Section::METHOD_IDS) as usize);
        for id in (0..dex.count(Section::METHOD_IDS)).map(MethodId) {
            let method = dex.method(id)?;
            let name = self.name(dex, method.name, &mut strings)?;
            let class = match known(method.class) {
                Some(class) => class,
                None => dex.descriptor(method.class).map(|_| TypeName(NONE))?,
            };
            let signature = match signatures.get(method.proto.0 as usize) {
                Some(&signature) => signature,
                None => dex.proto(method.proto).map(|_| Signature(NONE))?,
            };
            methods.push(MethodKey { class, name, signature });
        }
        Ok(FileNames { types, methods })
    }

    fn name(&mut self, dex: &Dex<'a>, id: StringId, strings: &mut [u32]) -> Result<MethodName> {
        let slot = strings.get_mut(id.0 as usize);
        if let Some(&mut number) = slot
            && number != NONE
        {
            return Ok(MethodName(number));
        }
        let number = self.methods.number(dex.string(id)?.bytes());
        if let Some(slot) = strings.get_mut(id.0 as usize) {
            *slot = number;
        }
        Ok(MethodName(number))
    }

    /// The number of a descriptor; it is added where it is missing.
    pub(crate) fn ty(&mut self, descriptor: &'a [u8]) -> TypeName {
        TypeName(self.types.number(descriptor))
    }

    pub(crate) fn types(&self) -> &[&'a [u8]] {
        &self.types.values
    }

    pub(crate) fn descriptor(&self, ty: TypeName) -> Mutf8<'a> {
        Mutf8::new(self.types.values.get(ty.0 as usize).copied().unwrap_or_default())
    }

    pub(crate) fn method_name(&self, name: MethodName) -> Mutf8<'a> {
        Mutf8::new(self.methods.values.get(name.0 as usize).copied().unwrap_or_default())
    }

    /// A signature such as `(ILjava/lang/String;)V`.
    pub(crate) fn signature(&self, signature: Signature) -> String {
        let parts = self.signatures.values.get(signature.0 as usize);
        let (result, parameters) = parts.and_then(|parts| parts.split_first()).unzip();
        let mut text = String::from("(");
        for &ty in parameters.into_iter().flatten() {
            text.push_str(&self.descriptor(ty).to_str());
        }
        text.push(')');
        text.push_str(&result.map_or_else(Default::default, |&ty| self.descriptor(ty).to_str()));
        text
    }
}
