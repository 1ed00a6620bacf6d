//! A class that is made or edited.

use crate::{
    AccessFlags, ClassAnnotations, ClassDefItem, ClassIndex, Code, Dex, FieldId, Member, MethodId,
    Result, StringId, TypeId, Value,
};

/// A class with its members. Numbers are those of the pool it is written with.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The class.
    pub ty: TypeId,
    /// Its flags.
    pub access: AccessFlags,
    /// Its superclass.
    pub superclass: Option<TypeId>,
    /// The interfaces it implements, in order.
    pub interfaces: Vec<TypeId>,
    /// The source file's name.
    pub source_file: Option<StringId>,
    /// Annotations of the class and its members.
    pub annotations: ClassAnnotations,
    /// Static fields.
    pub static_fields: Vec<Field>,
    /// Instance fields.
    pub instance_fields: Vec<Field>,
    /// Static and private methods, constructors.
    pub direct_methods: Vec<Method>,
    /// All other methods.
    pub virtual_methods: Vec<Method>,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The field.
    pub id: FieldId,
    /// Its flags.
    pub access: AccessFlags,
    /// The initial value of a static field; nothing means zero.
    pub value: Option<Value>,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// The method.
    pub id: MethodId,
    /// Its flags.
    pub access: AccessFlags,
    /// Its body.
    pub body: Body,
}

/// The body of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Body {
    /// Nothing: abstract or native.
    #[default]
    None,
    /// The source file's code item at this offset.
    Source(u32),
    /// New code.
    Code(Box<Code>),
}

impl Class {
    /// A class without members. `access` usually holds [`AccessFlags::PUBLIC`].
    pub fn new(ty: TypeId, superclass: Option<TypeId>, access: AccessFlags) -> Self {
        Self {
            ty,
            access,
            superclass,
            interfaces: Vec::new(),
            source_file: None,
            annotations: ClassAnnotations::default(),
            static_fields: Vec::new(),
            instance_fields: Vec::new(),
            direct_methods: Vec::new(),
            virtual_methods: Vec::new(),
        }
    }

    /// All methods, direct ones first.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.direct_methods.iter().chain(&self.virtual_methods)
    }

    /// All methods, direct ones first.
    pub fn methods_mut(&mut self) -> impl Iterator<Item = &mut Method> {
        self.direct_methods.iter_mut().chain(&mut self.virtual_methods)
    }
}

impl Dex<'_> {
    /// A class for editing. Method bodies stay where they are, as [`Body::Source`].
    pub fn class(&self, index: ClassIndex) -> Result<Class> {
        let item = self.class_def(index)?;
        let mut class = self.class_head(&item)?;
        let mut values = self.encoded_array(item.static_values_off)?.into_iter();
        let Some(members) = self.class_data(&item)? else { return Ok(class) };
        for member in members {
            match member? {
                Member::StaticField(field) => class.static_fields.push(Field {
                    id: field.field,
                    access: field.access,
                    value: values.next(),
                }),
                Member::InstanceField(field) => {
                    class.instance_fields.push(Field {
                        id: field.field,
                        access: field.access,
                        value: None,
                    });
                }
                Member::DirectMethod(item) => class.direct_methods.push(Method::from(item)),
                Member::VirtualMethod(item) => class.virtual_methods.push(Method::from(item)),
            }
        }
        Ok(class)
    }

    fn class_head(&self, item: &ClassDefItem) -> Result<Class> {
        Ok(Class {
            interfaces: self.type_list(item.interfaces_off)?.iter().collect(),
            source_file: item.source_file,
            annotations: self.annotations(item.annotations_off)?,
            ..Class::new(item.class, item.superclass, item.access)
        })
    }
}

impl From<crate::MethodItem> for Method {
    fn from(item: crate::MethodItem) -> Self {
        let body = if item.code_off == 0 { Body::None } else { Body::Source(item.code_off) };
        Self { id: item.method, access: item.access, body }
    }
}
