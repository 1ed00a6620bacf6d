//! Takes classes of one file over into another.

use rustc_hash::FxHashMap;

use crate::pool::NewProto;
use crate::{
    Annotation, Body, CallSiteId, Class, ClassAnnotations, ClassIndex, Code, DebugEvent, Dex,
    EncodedAnnotation, FieldId, FieldRef, Instruction, MethodHandle, MethodHandleId, MethodId,
    MethodRef, Node, Operand, Pool, ProtoId, Result, StringId, TypeId, Value,
};

/// Translates the numbers of one file into those of a pool, to which it adds what is missing.
#[derive(Debug)]
pub struct Importer<'i, 'd, 'a> {
    from: &'i Dex<'d>,
    to: &'i mut Pool<'a>,
    strings: FxHashMap<StringId, StringId>,
    types: FxHashMap<TypeId, TypeId>,
    protos: FxHashMap<ProtoId, ProtoId>,
    fields: FxHashMap<FieldId, FieldId>,
    methods: FxHashMap<MethodId, MethodId>,
}

impl<'i, 'd, 'a> Importer<'i, 'd, 'a> {
    /// From a file into a pool.
    pub fn new(from: &'i Dex<'d>, to: &'i mut Pool<'a>) -> Self {
        Self {
            from,
            to,
            strings: FxHashMap::default(),
            types: FxHashMap::default(),
            protos: FxHashMap::default(),
            fields: FxHashMap::default(),
            methods: FxHashMap::default(),
        }
    }

    /// A string.
    pub fn string(&mut self, id: StringId) -> Result<StringId> {
        if let Some(&known) = self.strings.get(&id) {
            return Ok(known);
        }
        let new = self.to.string_bytes(self.from.string(id)?.bytes().into());
        self.strings.insert(id, new);
        Ok(new)
    }

    /// A type.
    pub fn ty(&mut self, id: TypeId) -> Result<TypeId> {
        if let Some(&known) = self.types.get(&id) {
            return Ok(known);
        }
        let string = self.string(self.from.type_string(id)?)?;
        let new = self.to.type_of_string(string);
        self.types.insert(id, new);
        Ok(new)
    }

    /// A signature.
    pub fn proto(&mut self, id: ProtoId) -> Result<ProtoId> {
        if let Some(&known) = self.protos.get(&id) {
            return Ok(known);
        }
        let item = self.from.proto(id)?;
        let shorty = self.string(item.shorty)?;
        let return_type = self.ty(item.return_type)?;
        let parameters =
            self.from.parameters(id)?.iter().map(|ty| self.ty(ty)).collect::<Result<_>>()?;
        let new = self.to.new_proto(NewProto { shorty, return_type, parameters });
        self.protos.insert(id, new);
        Ok(new)
    }

    /// A field.
    pub fn field(&mut self, id: FieldId) -> Result<FieldId> {
        if let Some(&known) = self.fields.get(&id) {
            return Ok(known);
        }
        let FieldRef { class, name, ty } = self.from.field(id)?;
        let field = FieldRef { class: self.ty(class)?, name: self.string(name)?, ty: self.ty(ty)? };
        let new = self.to.field_ref(field);
        self.fields.insert(id, new);
        Ok(new)
    }

    /// A method.
    pub fn method(&mut self, id: MethodId) -> Result<MethodId> {
        if let Some(&known) = self.methods.get(&id) {
            return Ok(known);
        }
        let MethodRef { class, name, proto } = self.from.method(id)?;
        let method = MethodRef {
            class: self.ty(class)?,
            name: self.string(name)?,
            proto: self.proto(proto)?,
        };
        let new = self.to.method_ref(method);
        self.methods.insert(id, new);
        Ok(new)
    }

    /// A method handle.
    pub fn handle(&mut self, id: MethodHandleId) -> Result<MethodHandleId> {
        let MethodHandle { kind, member } = self.from.method_handle(id)?;
        let member = match kind {
            0..=3 => self.field(FieldId(member))?.0,
            _ => self.method(MethodId(member))?.0,
        };
        Ok(self.to.method_handle(MethodHandle { kind, member }))
    }

    /// A call site.
    pub fn call_site(&mut self, id: CallSiteId) -> Result<CallSiteId> {
        let values = self.from.encoded_array(self.from.call_site_off(id)?)?;
        let values = values.iter().map(|value| self.value(value)).collect::<Result<_>>()?;
        Ok(self.to.call_site(values))
    }

    /// A value.
    pub fn value(&mut self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::MethodType(id) => Value::MethodType(self.proto(*id)?),
            Value::MethodHandle(id) => Value::MethodHandle(self.handle(*id)?),
            Value::String(id) => Value::String(self.string(*id)?),
            Value::Type(id) => Value::Type(self.ty(*id)?),
            Value::Field(id) => Value::Field(self.field(*id)?),
            Value::Enum(id) => Value::Enum(self.field(*id)?),
            Value::Method(id) => Value::Method(self.method(*id)?),
            Value::Array(values) => {
                Value::Array(values.iter().map(|value| self.value(value)).collect::<Result<_>>()?)
            }
            Value::Annotation(annotation) => {
                Value::Annotation(self.encoded_annotation(annotation)?)
            }
            plain => plain.clone(),
        })
    }

    fn encoded_annotation(&mut self, annotation: &EncodedAnnotation) -> Result<EncodedAnnotation> {
        let mut elements = Vec::with_capacity(annotation.elements.len());
        for (name, value) in &annotation.elements {
            elements.push((self.string(*name)?, self.value(value)?));
        }
        Ok(EncodedAnnotation { ty: self.ty(annotation.ty)?, elements })
    }

    fn annotation_list(&mut self, list: &[Annotation]) -> Result<Vec<Annotation>> {
        let mut annotations = Vec::with_capacity(list.len());
        for Annotation { visibility, annotation } in list {
            let annotation = self.encoded_annotation(annotation)?;
            annotations.push(Annotation { visibility: *visibility, annotation });
        }
        Ok(annotations)
    }

    fn annotations(&mut self, from: &ClassAnnotations) -> Result<ClassAnnotations> {
        let mut to =
            ClassAnnotations { class: self.annotation_list(&from.class)?, ..Default::default() };
        for (field, list) in &from.fields {
            to.fields.push((self.field(*field)?, self.annotation_list(list)?));
        }
        for (method, list) in &from.methods {
            to.methods.push((self.method(*method)?, self.annotation_list(list)?));
        }
        for (method, lists) in &from.parameters {
            let lists =
                lists.iter().map(|list| self.annotation_list(list)).collect::<Result<_>>()?;
            to.parameters.push((self.method(*method)?, lists));
        }
        Ok(to)
    }

    /// A method body whose numbers are those of the file.
    pub fn code(&mut self, mut code: Code) -> Result<Code> {
        for node in &mut code.nodes {
            match node {
                Node::Instruction(instruction) => self.instruction(instruction)?,
                Node::Debug(event) => self.event(event)?,
                Node::Label(_) => {}
            }
        }
        for (ty, _) in code.tries.iter_mut().flat_map(|block| &mut block.typed) {
            *ty = self.ty(*ty)?;
        }
        for name in code.parameter_names.iter_mut().flatten().flatten() {
            *name = self.string(*name)?;
        }
        Ok(code)
    }

    fn instruction(&mut self, instruction: &mut Instruction) -> Result<()> {
        match &mut instruction.operand {
            Operand::String(id) => *id = self.string(*id)?,
            Operand::Type(id) => *id = self.ty(*id)?,
            Operand::Field(id) => *id = self.field(*id)?,
            Operand::Method(id) => *id = self.method(*id)?,
            Operand::Polymorphic(id, proto) => {
                (*id, *proto) = (self.method(*id)?, self.proto(*proto)?);
            }
            Operand::CallSite(id) => *id = self.call_site(*id)?,
            Operand::MethodHandle(id) => *id = self.handle(*id)?,
            Operand::Proto(id) => *id = self.proto(*id)?,
            Operand::None
            | Operand::Literal(_)
            | Operand::Label(_)
            | Operand::Switch(_)
            | Operand::Data(_) => {}
        }
        Ok(())
    }

    fn event(&mut self, event: &mut DebugEvent) -> Result<()> {
        match event {
            DebugEvent::StartLocal { name, ty, signature, .. } => {
                for id in [name, signature].into_iter().flatten() {
                    *id = self.string(*id)?;
                }
                if let Some(ty) = ty {
                    *ty = self.ty(*ty)?;
                }
            }
            DebugEvent::File(Some(name)) => *name = self.string(*name)?,
            _ => {}
        }
        Ok(())
    }

    /// A class with the bodies of its methods, for [`crate::DexFile::add_class`].
    pub fn class(&mut self, index: ClassIndex) -> Result<Class> {
        let from = self.from.class(index)?;
        let superclass = from.superclass.map(|ty| self.ty(ty)).transpose()?;
        let mut class = Class::new(self.ty(from.ty)?, superclass, from.access);
        class.interfaces = from.interfaces.iter().map(|ty| self.ty(*ty)).collect::<Result<_>>()?;
        class.source_file = from.source_file.map(|id| self.string(id)).transpose()?;
        class.annotations = self.annotations(&from.annotations)?;
        for (to, fields) in [
            (&mut class.static_fields, from.static_fields),
            (&mut class.instance_fields, from.instance_fields),
        ] {
            for mut field in fields {
                field.id = self.field(field.id)?;
                field.value = field.value.map(|value| self.value(&value)).transpose()?;
                to.push(field);
            }
        }
        for (to, methods) in [
            (&mut class.direct_methods, from.direct_methods),
            (&mut class.virtual_methods, from.virtual_methods),
        ] {
            for mut method in methods {
                method.id = self.method(method.id)?;
                if let Body::Source(at) = method.body {
                    let code = Code::decode(self.from, &self.from.code(at)?)?;
                    method.body = Body::Code(Box::new(self.code(code)?));
                }
                to.push(method);
            }
        }
        Ok(class)
    }
}
