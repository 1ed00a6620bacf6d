//! Class definitions and their members.

use crate::cursor::Cursor;
use crate::{AccessFlags, FieldId, MethodId, Result, Section, StringId, TypeId};

/// `NO_INDEX`: no superclass, no source file.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// `class_def_item`. Offsets are 0 where there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassDefItem {
    /// The class.
    pub class: TypeId,
    /// Its flags.
    pub access: AccessFlags,
    /// Its superclass; only `java.lang.Object` has none.
    pub superclass: Option<TypeId>,
    /// Offset of the `type_list` of its interfaces.
    pub interfaces_off: u32,
    /// The source file's name.
    pub source_file: Option<StringId>,
    /// Offset of its `annotations_directory_item`.
    pub annotations_off: u32,
    /// Offset of its `class_data_item`.
    pub class_data_off: u32,
    /// Offset of the `encoded_array_item` of its static fields' initial values.
    pub static_values_off: u32,
}

impl ClassDefItem {
    pub(crate) fn parse(mut entry: Cursor<'_>) -> Result<Self> {
        let some = |index: u32| (index != NO_INDEX).then_some(index);
        Ok(Self {
            class: TypeId(entry.u32()?),
            access: AccessFlags(entry.u32()?),
            superclass: some(entry.u32()?).map(TypeId),
            interfaces_off: entry.u32()?,
            source_file: some(entry.u32()?).map(StringId),
            annotations_off: entry.u32()?,
            class_data_off: entry.u32()?,
            static_values_off: entry.u32()?,
        })
    }
}

/// `encoded_field`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldItem {
    /// The field.
    pub field: FieldId,
    /// Its flags.
    pub access: AccessFlags,
}

/// `encoded_method`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodItem {
    /// The method.
    pub method: MethodId,
    /// Its flags.
    pub access: AccessFlags,
    /// Offset of its `code_item`, 0 for abstract and native methods.
    pub code_off: u32,
}

/// `class_data_item`, one member after the other: static fields, instance fields, direct methods, virtual
/// methods.
#[derive(Clone)]
pub struct ClassData<'a> {
    cursor: Cursor<'a>,
    counts: [u32; 4],
    group: usize,
    done: u32,
    last: u32,
}

/// A member of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A static field.
    StaticField(FieldItem),
    /// An instance field.
    InstanceField(FieldItem),
    /// A static or private method, or a constructor.
    DirectMethod(MethodItem),
    /// Any other method.
    VirtualMethod(MethodItem),
}

impl Member {
    /// The method, if it is one.
    pub fn method(self) -> Option<MethodItem> {
        match self {
            Self::DirectMethod(method) | Self::VirtualMethod(method) => Some(method),
            Self::StaticField(_) | Self::InstanceField(_) => None,
        }
    }
}

impl<'a> ClassData<'a> {
    /// Begins at an offset.
    pub(crate) fn parse(data: &'a [u8], at: u32) -> Result<Self> {
        let mut cursor = Cursor::new(data, at, Section::CLASS_DATA);
        let counts = [cursor.uleb()?, cursor.uleb()?, cursor.uleb()?, cursor.uleb()?];
        Ok(Self { cursor, counts, group: 0, done: 0, last: 0 })
    }

    /// Numbers of static fields, instance fields, direct methods and virtual methods.
    pub fn counts(&self) -> [u32; 4] {
        self.counts
    }

    /// Offset of what follows what has been read.
    pub(crate) fn at(&self) -> u32 {
        self.cursor.at()
    }

    fn read(&mut self) -> Result<Member> {
        let start = self.cursor.at();
        let difference = self.cursor.uleb()?;
        let index = self.last.checked_add(difference).ok_or_else(|| {
            self.cursor.malformed_at(
                start,
                "a member number of at most 32 bits",
                u64::from(difference),
            )
        })?;
        self.last = index;
        self.done += 1;
        let access = AccessFlags(self.cursor.uleb()?);
        let field = FieldItem { field: FieldId(index), access };
        let mut method = MethodItem { method: MethodId(index), access, code_off: 0 };
        if self.group >= 2 {
            method.code_off = self.cursor.uleb()?;
        }
        Ok(match self.group {
            0 => Member::StaticField(field),
            1 => Member::InstanceField(field),
            2 => Member::DirectMethod(method),
            _ => Member::VirtualMethod(method),
        })
    }
}

impl Iterator for ClassData<'_> {
    type Item = Result<Member>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.done >= *self.counts.get(self.group)? {
            self.group += 1;
            self.done = 0;
            self.last = 0;
        }
        let member = self.read();
        if member.is_err() {
            self.group = self.counts.len();
        }
        Some(member)
    }
}
