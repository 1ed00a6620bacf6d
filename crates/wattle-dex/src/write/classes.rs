//! New and edited classes.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::blob::Blob;
use super::member_lists::Members;
use super::numbering::Numbering;
use super::out_class::OutClass;
use crate::chunk::{Chunk, NEW, Programs};
use crate::class_slot::Slot;
use crate::code::Assembler;
use crate::cursor::Put;
use crate::remap::Remap;
use crate::{
    Annotation, Body, Class, ClassDefItem, Dex, DexError, EncodedAnnotation, Field, Method,
    MethodId, Pool, Result, Section, TypeId, Value,
};

/// Makes items of what was added.
pub(crate) struct ClassCompiler<'p, 'a> {
    blobs: &'p mut Vec<Blob>,
    numbering: &'p Numbering,
    pool: &'p Pool<'a>,
    made: FxHashMap<(Section, Vec<u8>), u32>,
}

impl<'p, 'a> ClassCompiler<'p, 'a> {
    pub(crate) fn new(
        blobs: &'p mut Vec<Blob>,
        numbering: &'p Numbering,
        pool: &'p Pool<'a>,
    ) -> Self {
        Self { blobs, numbering, pool, made: FxHashMap::default() }
    }

    fn push(&mut self, section: Section, item: &Chunk) -> Result<u32> {
        match self.blob(section) {
            Some(blob) => blob.push_new(item),
            None => Ok(0),
        }
    }

    fn blob(&mut self, section: Section) -> Option<&mut Blob> {
        let at = self.blobs.iter().position(|blob| blob.section == section).unwrap_or_else(|| {
            self.blobs.push(Blob::new(section));
            self.blobs.len() - 1
        });
        self.blobs.get_mut(at)
    }

    /// Appends line programs that bodies already name by their position.
    pub(crate) fn programs(&mut self, programs: &[Programs]) -> Result<()> {
        let Some(blob) = self.blob(Section::DEBUG_INFO) else { return Ok(()) };
        for program in programs.iter().flat_map(Programs::iter) {
            blob.push_parts(&[program], std::iter::empty())?;
        }
        Ok(())
    }

    /// Appends an item unless an equal one has been made.
    fn share(&mut self, section: Section, item: &Chunk) -> Result<u32> {
        // Items with offsets are equal when what they refer to is, which is shared as well.
        let mut identity = item.bytes.clone();
        for fixup in &item.fixups {
            identity.put_u32(fixup.at);
            identity.put_u32(fixup.key);
        }
        if let Some(&key) = self.made.get(&(section, identity.clone())) {
            return Ok(key);
        }
        let key = self.push(section, item)?;
        self.made.insert((section, identity), key);
        Ok(key)
    }

    /// Strings that were added, then parameter lists of signatures that were added: their keys.
    pub(crate) fn strings_and_parameters(&mut self) -> Result<Vec<u32>> {
        let pool = self.pool;
        let (strings, mut length) = (pool.added_strings(), Vec::new());
        if !strings.is_empty()
            && let Some(blob) = self.blob(Section::STRING_DATA)
        {
            for bytes in strings {
                length.clear();
                length.put_uleb(crate::Mutf8::new(bytes).utf16_len());
                blob.push_parts(&[&length, bytes, &[0]], std::iter::empty())?;
            }
        }
        let (base, added) = pool.sizes(Section::PROTO_IDS);
        let mut keys = Vec::new();
        for id in base..base + added {
            let (_, parameters) = pool.proto_types(crate::ProtoId(id))?;
            keys.push(self.type_list(&parameters)?);
        }
        Ok(keys)
    }

    pub(crate) fn call_sites(&mut self) -> Result<Vec<u32>> {
        let pool = self.pool;
        let mut keys = Vec::new();
        for values in pool.added_call_sites() {
            keys.push(self.array(values)?);
        }
        Ok(keys)
    }

    fn type_list(&mut self, types: &[TypeId]) -> Result<u32> {
        if types.is_empty() {
            return Ok(0);
        }
        let mut item = Chunk::default();
        item.bytes.put_u32(types.len() as u32);
        for ty in types {
            item.bytes.put_u16(self.numbering.remap.ty(ty.0, &Section::TYPE_LISTS)? as u16);
        }
        self.share(Section::TYPE_LISTS, &item)
    }

    fn array(&mut self, values: &[Value]) -> Result<u32> {
        let values = values
            .iter()
            .map(|value| self.numbering.remap.value(value))
            .collect::<Result<Vec<_>>>()?;
        let mut item = Chunk::default();
        crate::encoded_value::put_array(&mut item.bytes, &values);
        self.share(Section::ENCODED_ARRAYS, &item)
    }

    fn annotation_set(&mut self, annotations: &[Annotation]) -> Result<u32> {
        if annotations.is_empty() {
            return Ok(0);
        }
        let mut sorted = Vec::new();
        for annotation in annotations {
            sorted.push((
                annotation.visibility,
                self.numbering.remap.annotation(&annotation.annotation)?,
            ));
        }
        sorted.sort_by_key(|(_, annotation)| annotation.ty);
        let mut set = Chunk::default();
        set.bytes.put_u32(sorted.len() as u32);
        for (visibility, annotation) in sorted {
            let mut item = Chunk::default();
            item.bytes.push(visibility);
            annotation.put(&mut item.bytes);
            let key = self.share(Section::ANNOTATIONS, &item)?;
            set.put_offset(Section::ANNOTATIONS, key);
        }
        self.share(Section::ANNOTATION_SETS, &set)
    }

    fn directory(&mut self, class: &Class) -> Result<u32> {
        let annotations = &class.annotations;
        let of_class = self.annotation_set(&annotations.class)?;
        let remap = &self.numbering.remap;
        let place = Section::ANNOTATIONS_DIRECTORIES;
        let mut groups = [Vec::new(), Vec::new(), Vec::new()];
        for (field, list) in &annotations.fields {
            groups[0].push((remap.field(field.0, &place)?, self.annotation_set(list)?));
        }
        for (method, list) in &annotations.methods {
            groups[1].push((remap.method(method.0, &place)?, self.annotation_set(list)?));
        }
        for (method, lists) in &annotations.parameters {
            let mut item = Chunk::default();
            item.bytes.put_u32(lists.len() as u32);
            for list in lists {
                let key = self.annotation_set(list)?;
                item.put_offset(Section::ANNOTATION_SETS, key);
            }
            let key = self.share(Section::ANNOTATION_SET_REF_LISTS, &item)?;
            groups[2].push((remap.method(method.0, &place)?, key));
        }
        for group in &mut groups {
            group.retain(|&(_, key)| key != 0);
            group.sort_unstable();
        }
        if of_class == 0 && groups.iter().all(Vec::is_empty) {
            return Ok(0);
        }
        let mut item = Chunk::default();
        item.put_offset(Section::ANNOTATION_SETS, of_class);
        for group in &groups {
            item.bytes.put_u32(group.len() as u32);
        }
        let sections =
            [Section::ANNOTATION_SETS, Section::ANNOTATION_SETS, Section::ANNOTATION_SET_REF_LISTS];
        for (group, section) in groups.iter().zip(sections) {
            for &(member, key) in group {
                item.bytes.put_u32(member);
                item.put_offset(section, key);
            }
        }
        self.push(Section::ANNOTATIONS_DIRECTORIES, &item)
    }

    /// The classes of the written file, superclasses first, and the member lists of new ones.
    pub(crate) fn classes(
        &mut self,
        slots: &[Slot],
        dex: Option<&Dex<'_>>,
    ) -> Result<(Vec<OutClass>, Vec<Members>)> {
        let (mut classes, mut members) = (Vec::new(), Vec::new());
        for index in hierarchy_order(slots, dex)? {
            match (slots.get(index), dex) {
                (Some(Slot::Source(source)), Some(dex)) => {
                    classes.push(OutClass { item: dex.class_def(*source)?, source: Some(*source) });
                }
                (Some(Slot::Edited(class) | Slot::New(class)), _) => {
                    let item = self.class(class, &mut members)?;
                    classes.push(OutClass { item, source: None });
                }
                _ => {}
            }
        }
        Ok((classes, members))
    }

    fn class(&mut self, class: &Class, members: &mut Vec<Members>) -> Result<ClassDefItem> {
        let remap = &self.numbering.remap;
        let place = Section::CLASS_DATA;
        let mut fields = class
            .static_fields
            .iter()
            .map(|field| Ok((remap.field(field.id.0, &place)?, field)))
            .collect::<Result<Vec<_>>>()?;
        fields.sort_by_key(|(id, _)| *id);
        let static_values_off = self.static_values(&fields)?;
        let mut groups: Members = Default::default();
        groups[0] = fields.iter().map(|(id, field)| (*id, field.access.0, 0)).collect();
        for field in &class.instance_fields {
            groups[1].push((remap.field(field.id.0, &place)?, field.access.0, 0));
        }
        for (group, methods) in [(2, &class.direct_methods), (3, &class.virtual_methods)] {
            for method in methods {
                let code = self.body(method)?;
                if let Some(group) = groups.get_mut(group) {
                    group.push((remap.method(method.id.0, &place)?, method.access.0, code));
                }
            }
        }
        for group in &mut groups {
            group.sort_unstable();
            if let Some(twice) = group.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(DexError::Edit {
                    subject: "class",
                    expected: "each member once".into(),
                    found: format!(
                        "member {} twice in {}",
                        twice[0].0,
                        self.pool.descriptor(class.ty)?
                    ),
                });
            }
        }
        let class_data_off = if groups.iter().all(Vec::is_empty) {
            0
        } else {
            members.push(groups);
            NEW | (members.len() as u32 - 1)
        };
        Ok(ClassDefItem {
            class: class.ty,
            access: class.access,
            superclass: class.superclass,
            interfaces_off: self.type_list(&class.interfaces)?,
            source_file: class.source_file,
            annotations_off: self.directory(class)?,
            class_data_off,
            static_values_off,
        })
    }

    fn body(&mut self, method: &Method) -> Result<u32> {
        match &method.body {
            Body::None => Ok(0),
            Body::Source(at) => Ok(*at),
            Body::Code(code) => {
                let proto = self.pool.method_at(method.id)?.proto;
                let parameters = self.pool.proto_types(proto)?.1.len();
                let mut assembler = Assembler::default();
                let assembled = assembler.assemble(code, &self.numbering.remap, parameters)?;
                let debug = match assembled.debug() {
                    Some(bytes) => match self.blob(Section::DEBUG_INFO) {
                        Some(blob) => blob.push_parts(&[bytes], std::iter::empty())?,
                        None => 0,
                    },
                    None => 0,
                };
                let mut item = Chunk::default();
                assembled.put_item(&mut item, debug);
                self.push(Section::CODE, &item)
            }
        }
    }

    fn static_values(&mut self, fields: &[(u32, &Field)]) -> Result<u32> {
        let used =
            fields.iter().rposition(|(_, field)| field.value.is_some()).map_or(0, |last| last + 1);
        if used == 0 {
            return Ok(0);
        }
        let mut values = Vec::new();
        for (_, field) in fields.iter().take(used) {
            let ty = self.pool.field_at(field.id)?.ty;
            let zero = zero_of(self.pool.descriptor(ty)?.bytes());
            values.push(field.value.clone().unwrap_or(zero));
        }
        self.array(&values)
    }
}

/// The value of a static field that is not initialised.
fn zero_of(descriptor: &[u8]) -> Value {
    match descriptor {
        b"Z" => Value::Boolean(false),
        b"B" => Value::Byte(0),
        b"S" => Value::Short(0),
        b"C" => Value::Char(0),
        b"I" => Value::Int(0),
        b"J" => Value::Long(0),
        b"F" => Value::Float(0),
        b"D" => Value::Double(0),
        _ => Value::Null,
    }
}

impl Remap {
    /// A value with final numbers.
    pub(crate) fn value(&self, value: &Value) -> Result<Value> {
        let place = Section::ENCODED_ARRAYS;
        Ok(match value {
            Value::MethodType(id) => Value::MethodType(crate::ProtoId(self.proto(id.0, &place)?)),
            Value::MethodHandle(id) => {
                Value::MethodHandle(crate::MethodHandleId(self.handle(id.0, &place)?))
            }
            Value::String(id) => Value::String(crate::StringId(self.string(id.0, &place)?)),
            Value::Type(id) => Value::Type(TypeId(self.ty(id.0, &place)?)),
            Value::Field(id) => Value::Field(crate::FieldId(self.field(id.0, &place)?)),
            Value::Enum(id) => Value::Enum(crate::FieldId(self.field(id.0, &place)?)),
            Value::Method(id) => Value::Method(MethodId(self.method(id.0, &place)?)),
            Value::Array(values) => {
                Value::Array(values.iter().map(|value| self.value(value)).collect::<Result<_>>()?)
            }
            Value::Annotation(annotation) => Value::Annotation(self.annotation(annotation)?),
            plain => plain.clone(),
        })
    }

    fn annotation(&self, annotation: &EncodedAnnotation) -> Result<EncodedAnnotation> {
        let place = Section::ANNOTATIONS;
        let mut elements = annotation
            .elements
            .iter()
            .map(|(name, value)| {
                Ok((crate::StringId(self.string(name.0, &place)?), self.value(value)?))
            })
            .collect::<Result<Vec<_>>>()?;
        elements.sort_by_key(|(name, _)| *name);
        Ok(EncodedAnnotation { ty: TypeId(self.ty(annotation.ty.0, &place)?), elements })
    }
}

/// The order of the slots, changed only where a superclass or interface would come after its user.
fn hierarchy_order(slots: &[Slot], dex: Option<&Dex<'_>>) -> Result<Vec<usize>> {
    let given = (0..slots.len()).collect();
    if slots.iter().all(|slot| matches!(slot, Slot::Source(_))) {
        return Ok(given);
    }
    let mut parents: Vec<Vec<TypeId>> = Vec::new();
    let mut defined = FxHashMap::default();
    for (index, slot) in slots.iter().enumerate() {
        let (ty, superclass, interfaces) = match (slot, dex) {
            (Slot::Source(source), Some(dex)) => {
                let item = dex.class_def(*source)?;
                (item.class, item.superclass, dex.type_list(item.interfaces_off)?.iter().collect())
            }
            (Slot::Edited(class) | Slot::New(class), _) => {
                (class.ty, class.superclass, class.interfaces.clone())
            }
            _ => {
                parents.push(Vec::new());
                continue;
            }
        };
        unique(&mut defined, ty, index)?;
        parents.push(superclass.into_iter().chain(interfaces).collect());
    }
    let mut order = Vec::with_capacity(slots.len());
    let mut state = vec![0_u8; slots.len()];
    for start in 0..slots.len() {
        let mut stack = vec![(start, 0)];
        while let Some((index, next)) = stack.pop() {
            let Some(mark) = state.get_mut(index).filter(|mark| **mark != 2) else { continue };
            *mark = 1;
            let parent = parents.get(index).and_then(|parents| parents.get(next));
            if let Some(parent) = parent {
                stack.push((index, next + 1));
                // A class that is its own ancestor is left where it is; the verifier names it.
                if let Some(&parent) = defined.get(parent)
                    && state.get(parent) == Some(&0)
                {
                    stack.push((parent, 0));
                }
            } else {
                *mark = 2;
                order.push(index);
            }
        }
    }
    Ok(order)
}

fn unique<K: Eq + Hash>(defined: &mut FxHashMap<K, usize>, key: K, index: usize) -> Result<()> {
    match defined.insert(key, index) {
        None => Ok(()),
        Some(other) => Err(DexError::Edit {
            subject: "classes",
            expected: "each class once".into(),
            found: format!("classes {other} and {index} of the same name"),
        }),
    }
}
