//! Which strings, types, signatures, fields and methods something needs.

use crate::code_item::CatchHandler;
use crate::opcode_info::IndexKind;
use crate::{
    Annotation, Body, CallSiteId, Class, ClassAnnotations, ClassIndex, Code, DebugEvent, Dex,
    EncodedAnnotation, FieldId, Instruction, Member, MethodHandleId, MethodId, Node, Operand, Pool,
    ProtoId, Result, Section, StringId, TypeId, Value,
};

/// Entries of the identifier tables that something needs, with all that these need in turn.
///
/// The numbers are those of one pool; sets of different pools do not mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    strings: Vec<bool>,
    types: Vec<bool>,
    protos: Vec<bool>,
    fields: Vec<bool>,
    methods: Vec<bool>,
    call_sites: Vec<bool>,
    handles: Vec<bool>,
}

impl References {
    /// Nothing of a pool.
    pub fn none(pool: &Pool<'_>) -> Self {
        let empty = |section| vec![false; pool.count(section) as usize];
        Self {
            strings: empty(Section::STRING_IDS),
            types: empty(Section::TYPE_IDS),
            protos: empty(Section::PROTO_IDS),
            fields: empty(Section::FIELD_IDS),
            methods: empty(Section::METHOD_IDS),
            call_sites: empty(Section::CALL_SITE_IDS),
            handles: empty(Section::METHOD_HANDLES),
        }
    }

    /// Table entries that a class of a file needs.
    pub fn of_class(dex: &Dex<'_>, index: ClassIndex) -> Result<Self> {
        let pool = Pool::from_dex(dex);
        let mut references = Self::none(&pool);
        Marker { references: &mut references, pool: &pool }.source_class(dex, index)?;
        Ok(references)
    }

    /// The entries of a table, by number; none for sections that are no table.
    pub(crate) fn table(&self, section: Section) -> &[bool] {
        match section {
            Section::STRING_IDS => &self.strings,
            Section::TYPE_IDS => &self.types,
            Section::PROTO_IDS => &self.protos,
            Section::FIELD_IDS => &self.fields,
            Section::METHOD_IDS => &self.methods,
            Section::CALL_SITE_IDS => &self.call_sites,
            Section::METHOD_HANDLES => &self.handles,
            _ => &[],
        }
    }

    /// Entries of a table that are needed: the format numbers 65536 types, signatures, fields, methods.
    pub fn count(&self, section: Section) -> u32 {
        self.table(section).iter().filter(|&&needed| needed).count() as u32
    }

    /// Whether an entry of a table is needed.
    pub fn contains(&self, section: Section, id: u32) -> bool {
        self.table(section).get(id as usize).copied().unwrap_or(false)
    }

    /// Adds what others of the same pool need.
    pub fn absorb(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.strings, &other.strings),
            (&mut self.types, &other.types),
            (&mut self.protos, &other.protos),
            (&mut self.fields, &other.fields),
            (&mut self.methods, &other.methods),
            (&mut self.call_sites, &other.call_sites),
            (&mut self.handles, &other.handles),
        ] {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine |= theirs;
            }
        }
    }
}

/// Marks what is needed.
pub(crate) struct Marker<'m, 'a> {
    pub(crate) references: &'m mut References,
    pub(crate) pool: &'m Pool<'a>,
}

/// Marks an entry; true the first time.
fn mark(table: &mut [bool], id: u32) -> bool {
    table.get_mut(id as usize).is_some_and(|slot| !std::mem::replace(slot, true))
}

impl Marker<'_, '_> {
    pub(crate) fn string(&mut self, id: StringId) {
        mark(&mut self.references.strings, id.0);
    }

    pub(crate) fn ty(&mut self, id: TypeId) -> Result<()> {
        if mark(&mut self.references.types, id.0) {
            self.string(self.pool.type_string(id)?);
        }
        Ok(())
    }

    pub(crate) fn proto(&mut self, id: ProtoId) -> Result<()> {
        if mark(&mut self.references.protos, id.0) {
            self.string(self.pool.shorty(id)?);
            let (result, parameters) = self.pool.proto_types(id)?;
            self.ty(result)?;
            parameters.into_iter().try_for_each(|ty| self.ty(ty))?;
        }
        Ok(())
    }

    pub(crate) fn field(&mut self, id: FieldId) -> Result<()> {
        if mark(&mut self.references.fields, id.0) {
            let field = self.pool.field_at(id)?;
            self.string(field.name);
            self.ty(field.class)?;
            self.ty(field.ty)?;
        }
        Ok(())
    }

    pub(crate) fn method(&mut self, id: MethodId) -> Result<()> {
        if mark(&mut self.references.methods, id.0) {
            let method = self.pool.method_at(id)?;
            self.string(method.name);
            self.ty(method.class)?;
            self.proto(method.proto)?;
        }
        Ok(())
    }

    pub(crate) fn handle(&mut self, id: MethodHandleId) -> Result<()> {
        if mark(&mut self.references.handles, id.0) {
            let handle = self.pool.handle_at(id)?;
            match handle.kind {
                0..=3 => self.field(FieldId(handle.member))?,
                _ => self.method(MethodId(handle.member))?,
            }
        }
        Ok(())
    }

    pub(crate) fn call_site(&mut self, id: CallSiteId) -> Result<()> {
        if mark(&mut self.references.call_sites, id.0) {
            self.values(&self.pool.call_site_at(id)?)?;
        }
        Ok(())
    }

    fn values(&mut self, values: &[Value]) -> Result<()> {
        values.iter().try_for_each(|value| self.value(value))
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::MethodType(id) => self.proto(*id),
            Value::MethodHandle(id) => self.handle(*id),
            Value::String(id) => {
                self.string(*id);
                Ok(())
            }
            Value::Type(id) => self.ty(*id),
            Value::Field(id) | Value::Enum(id) => self.field(*id),
            Value::Method(id) => self.method(*id),
            Value::Array(values) => self.values(values),
            Value::Annotation(annotation) => self.encoded_annotation(annotation),
            _ => Ok(()),
        }
    }

    fn encoded_annotation(&mut self, annotation: &EncodedAnnotation) -> Result<()> {
        self.ty(annotation.ty)?;
        for (name, value) in &annotation.elements {
            self.string(*name);
            self.value(value)?;
        }
        Ok(())
    }

    fn annotations(&mut self, annotations: &ClassAnnotations) -> Result<()> {
        let mut all: Vec<&Annotation> = annotations.class.iter().collect();
        for (field, list) in &annotations.fields {
            self.field(*field)?;
            all.extend(list);
        }
        for (method, list) in &annotations.methods {
            self.method(*method)?;
            all.extend(list);
        }
        for (method, lists) in &annotations.parameters {
            self.method(*method)?;
            all.extend(lists.iter().flatten());
        }
        all.into_iter().try_for_each(|annotation| self.encoded_annotation(&annotation.annotation))
    }

    pub(crate) fn source_class(&mut self, dex: &Dex<'_>, index: ClassIndex) -> Result<()> {
        let item = dex.class_def(index)?;
        self.ty(item.class)?;
        item.superclass.map_or(Ok(()), |ty| self.ty(ty))?;
        item.source_file.into_iter().for_each(|id| self.string(id));
        dex.type_list(item.interfaces_off)?.iter().try_for_each(|ty| self.ty(ty))?;
        self.annotations(&dex.annotations(item.annotations_off)?)?;
        self.values(&dex.encoded_array(item.static_values_off)?)?;
        for member in dex.class_data(&item)?.into_iter().flatten() {
            match member? {
                Member::StaticField(it) | Member::InstanceField(it) => self.field(it.field)?,
                Member::DirectMethod(it) | Member::VirtualMethod(it) => {
                    self.method(it.method)?;
                    self.source_code(dex, it.code_off)?;
                }
            }
        }
        Ok(())
    }

    fn source_code(&mut self, dex: &Dex<'_>, at: u32) -> Result<()> {
        if at == 0 {
            return Ok(());
        }
        let code = dex.code(at)?;
        for instruction in code.instructions() {
            let (_, it) = instruction?;
            if it.info().index != IndexKind::None {
                self.operand(&Instruction::from_decoded(&it).operand)?;
            }
        }
        if code.tries_len() > 0 {
            let mut handlers = code.handlers();
            for _ in 0..handlers.uleb()? {
                for (ty, _) in CatchHandler::parse(&mut handlers)?.typed {
                    self.ty(ty)?;
                }
            }
        }
        if let Some(debug) = dex.debug_info(code.debug_info_off)? {
            debug.parameter_names.iter().flatten().for_each(|id| self.string(*id));
            for event in debug.events() {
                self.event(event?.1)?;
            }
        }
        Ok(())
    }

    fn event(&mut self, event: DebugEvent) -> Result<()> {
        match event {
            DebugEvent::StartLocal { name, ty, signature, .. } => {
                name.into_iter().chain(signature).for_each(|id| self.string(id));
                ty.map_or(Ok(()), |ty| self.ty(ty))
            }
            DebugEvent::File(Some(name)) => {
                self.string(name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn operand(&mut self, operand: &Operand) -> Result<()> {
        match *operand {
            Operand::String(id) => {
                self.string(id);
                Ok(())
            }
            Operand::Type(id) => self.ty(id),
            Operand::Field(id) => self.field(id),
            Operand::Method(id) => self.method(id),
            Operand::Polymorphic(id, proto) => self.method(id).and_then(|()| self.proto(proto)),
            Operand::CallSite(id) => self.call_site(id),
            Operand::MethodHandle(id) => self.handle(id),
            Operand::Proto(id) => self.proto(id),
            _ => Ok(()),
        }
    }

    pub(crate) fn code(&mut self, code: &Code) -> Result<()> {
        for node in &code.nodes {
            match node {
                Node::Instruction(instruction) => self.operand(&instruction.operand)?,
                Node::Debug(event) => self.event(*event)?,
                Node::Label(_) => {}
            }
        }
        code.tries.iter().flat_map(|block| &block.typed).try_for_each(|(ty, _)| self.ty(*ty))?;
        code.parameter_names.iter().flatten().flatten().for_each(|id| self.string(*id));
        Ok(())
    }

    pub(crate) fn class(&mut self, dex: Option<&Dex<'_>>, class: &Class) -> Result<()> {
        self.ty(class.ty)?;
        class.superclass.iter().chain(&class.interfaces).try_for_each(|ty| self.ty(*ty))?;
        class.source_file.into_iter().for_each(|id| self.string(id));
        self.annotations(&class.annotations)?;
        for field in class.static_fields.iter().chain(&class.instance_fields) {
            self.field(field.id)?;
            field.value.iter().try_for_each(|value| self.value(value))?;
        }
        for method in class.methods() {
            self.method(method.id)?;
            match (&method.body, dex) {
                (Body::Code(code), _) => self.code(code)?,
                (Body::Source(at), Some(dex)) => self.source_code(dex, *at)?,
                _ => {}
            }
        }
        Ok(())
    }
}
