//! Places of the annotations of a class and its members.

use crate::cursor::Cursor;
use crate::{Annotation, Dex, FieldId, MethodId, Result, Section};

/// `annotations_directory_item`, with offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnnotationsDirectory {
    /// `annotation_set_item` of the class.
    pub(crate) class: u32,
    /// `annotation_set_item`s of fields.
    pub(crate) fields: Vec<(u32, u32)>,
    /// `annotation_set_item`s of methods.
    pub(crate) methods: Vec<(u32, u32)>,
    /// `annotation_set_ref_list`s of methods' parameters.
    pub(crate) parameters: Vec<(u32, u32)>,
}

impl AnnotationsDirectory {
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let class = cursor.u32()?;
        let counts = [cursor.u32()?, cursor.u32()?, cursor.u32()?];
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        for (list, count) in lists.iter_mut().zip(counts) {
            for _ in 0..count {
                list.push((cursor.u32()?, cursor.u32()?));
            }
        }
        let [fields, methods, parameters] = lists;
        Ok(Self { class, fields, methods, parameters })
    }
}

/// Everything that annotates a class and its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassAnnotations {
    /// Of the class.
    pub class: Vec<Annotation>,
    /// Of fields.
    pub fields: Vec<(FieldId, Vec<Annotation>)>,
    /// Of methods.
    pub methods: Vec<(MethodId, Vec<Annotation>)>,
    /// Of methods' parameters, one list a parameter.
    pub parameters: Vec<(MethodId, Vec<Vec<Annotation>>)>,
}

impl Dex<'_> {
    /// The annotations of a class; none at 0.
    pub fn annotations(&self, at: u32) -> Result<ClassAnnotations> {
        if at == 0 {
            return Ok(ClassAnnotations::default());
        }
        let mut cursor = Cursor::new(self.data(), at, Section::ANNOTATIONS_DIRECTORIES);
        let directory = AnnotationsDirectory::parse(&mut cursor)?;
        let mut found =
            ClassAnnotations { class: self.annotation_set(directory.class)?, ..Default::default() };
        for (field, at) in directory.fields {
            found.fields.push((FieldId(field), self.annotation_set(at)?));
        }
        for (method, at) in directory.methods {
            found.methods.push((MethodId(method), self.annotation_set(at)?));
        }
        for (method, at) in directory.parameters {
            found.parameters.push((MethodId(method), self.annotation_set_refs(at)?));
        }
        Ok(found)
    }

    /// The sets of an `annotation_set_ref_list`; none at 0, as in all offsets of a directory.
    fn annotation_set_refs(&self, at: u32) -> Result<Vec<Vec<Annotation>>> {
        let mut sets = Vec::new();
        if at != 0 {
            let mut cursor = Cursor::new(self.data(), at, Section::ANNOTATION_SET_REF_LISTS);
            for _ in 0..cursor.u32()? {
                sets.push(self.annotation_set(cursor.u32()?)?);
            }
        }
        Ok(sets)
    }

    /// The `annotation_set_item` at an offset; none at 0.
    pub fn annotation_set(&self, at: u32) -> Result<Vec<Annotation>> {
        let mut annotations = Vec::new();
        if at != 0 {
            let mut cursor = Cursor::new(self.data(), at, Section::ANNOTATION_SETS);
            for _ in 0..cursor.u32()? {
                annotations.push(self.annotation(cursor.u32()?)?);
            }
        }
        Ok(annotations)
    }
}
