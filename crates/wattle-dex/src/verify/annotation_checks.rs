//! Values and annotations: references, order, kinds.

use super::defect::Defect;
use super::types::Kind;
use crate::annotations::AnnotationsDirectory;
use crate::cursor::Cursor;
use crate::write::Inventory;
use crate::{
    ClassDefItem, Dex, EncodedAnnotation, FieldId, MethodId, Result, Section, TypeId, Value,
};

/// Defects after which the rest is not looked at.
const MAX_DEFECTS: usize = 10_000;

/// Checks every annotation and array of the file once.
pub(crate) fn check_items(dex: &Dex<'_>, inventory: &Inventory, defects: &mut Vec<Defect>) {
    for section in [
        Section::ANNOTATIONS,
        Section::ENCODED_ARRAYS,
        Section::ANNOTATION_SETS,
        Section::ANNOTATION_SET_REF_LISTS,
        Section::ANNOTATIONS_DIRECTORIES,
    ] {
        for &at in inventory.get(section).into_iter().flat_map(|items| &items.items) {
            let result = match section {
                Section::ANNOTATIONS => dex.annotation(at).and_then(|it| {
                    if it.visibility > 2 {
                        let found = it.visibility.to_string();
                        defects.push(Defect::new(
                            "annotation",
                            (section, at),
                            "a visibility up to 2",
                            found,
                        ));
                    }
                    annotation(dex, &it.annotation, (section, at), defects)
                }),
                Section::ENCODED_ARRAYS => dex.encoded_array(at).and_then(|values| {
                    values.iter().try_for_each(|it| value(dex, it, (section, at), defects))
                }),
                Section::ANNOTATION_SETS => set(dex, inventory, at, defects),
                Section::ANNOTATIONS_DIRECTORIES => directory(dex, inventory, at, defects),
                _ => set_references(dex, inventory, at, defects),
            };
            if defects.len() > MAX_DEFECTS {
                return;
            }
            if let Err(error) = result {
                defects.push(Defect::unreadable(section, at, &error));
            }
        }
    }
}

/// A set holds each type of annotation once, in order.
fn set(dex: &Dex<'_>, inventory: &Inventory, at: u32, defects: &mut Vec<Defect>) -> Result<()> {
    let mut cursor = Cursor::new(dex.data(), at, Section::ANNOTATION_SETS);
    let mut last = None;
    for _ in 0..cursor.u32()? {
        let offset = cursor.u32()?;
        if inventory.get(Section::ANNOTATIONS).is_none_or(|items| items.position(offset).is_none())
        {
            let expected = "the offset of an annotation";
            defects.push(Defect::new(
                "offset",
                (Section::ANNOTATION_SETS, at),
                expected,
                format!("{offset:#x}"),
            ));
            return Ok(());
        }
        let mut item = Cursor::new(dex.data(), offset, Section::ANNOTATIONS);
        item.u8()?;
        let ty = item.uleb()?;
        if last.is_some_and(|last| last >= ty) {
            let expected = "annotations in ascending order of their types";
            defects.push(Defect::new(
                "order",
                (Section::ANNOTATION_SETS, at),
                expected,
                format!("type {ty}"),
            ));
        }
        last = Some(ty);
    }
    Ok(())
}

/// The sets of a method's parameters; 0 for those without one.
fn set_references(
    dex: &Dex<'_>,
    inventory: &Inventory,
    at: u32,
    defects: &mut Vec<Defect>,
) -> Result<()> {
    let mut cursor = Cursor::new(dex.data(), at, Section::ANNOTATION_SET_REF_LISTS);
    let sets = inventory.get(Section::ANNOTATION_SETS);
    for _ in 0..cursor.u32()? {
        let offset = cursor.u32()?;
        if offset != 0 && sets.is_none_or(|items| items.position(offset).is_none()) {
            let place = (Section::ANNOTATION_SET_REF_LISTS, at);
            let expected = "the offset of an annotation set";
            defects.push(Defect::new("offset", place, expected, format!("{offset:#x}")));
            return Ok(());
        }
    }
    Ok(())
}

/// An annotation has each element once, in the order of their names.
fn annotation(
    dex: &Dex<'_>,
    annotation: &EncodedAnnotation,
    place: (Section, u32),
    defects: &mut Vec<Defect>,
) -> Result<()> {
    dex.descriptor(annotation.ty)?;
    let mut last = None;
    for (name, element) in &annotation.elements {
        dex.string(*name)?;
        if last.is_some_and(|last| last >= name.0) {
            let expected = "elements of annotations in ascending order of their names";
            defects.push(Defect::new("order", place, expected, format!("name {}", name.0)));
        }
        last = Some(name.0);
        value(dex, element, place, defects)?;
    }
    Ok(())
}

fn value(
    dex: &Dex<'_>,
    it: &Value,
    place: (Section, u32),
    defects: &mut Vec<Defect>,
) -> Result<()> {
    match it {
        Value::MethodType(id) => drop(dex.proto(*id)?),
        Value::MethodHandle(id) => drop(dex.method_handle(*id)?),
        Value::String(id) => drop(dex.string_data_off(*id)?),
        Value::Type(id) => drop(dex.type_string(*id)?),
        Value::Field(id) | Value::Enum(id) => drop(dex.field(*id)?),
        Value::Method(id) => drop(dex.method(*id)?),
        Value::Array(values) => {
            values.iter().try_for_each(|it| value(dex, it, place, defects))?;
        }
        Value::Annotation(it) => annotation(dex, it, place, defects)?,
        _ => {}
    }
    Ok(())
}

/// The directory of a class: members in order, offsets of sets.
fn directory(
    dex: &Dex<'_>,
    inventory: &Inventory,
    at: u32,
    defects: &mut Vec<Defect>,
) -> Result<()> {
    let place = (Section::ANNOTATIONS_DIRECTORIES, at);
    let mut cursor = Cursor::new(dex.data(), at, place.0);
    let directory = AnnotationsDirectory::parse(&mut cursor)?;
    // A class alone can have no annotations of its own.
    let mut item = |section: Section, offset: u32, is_optional: bool| {
        if !(is_optional && offset == 0)
            && inventory.get(section).is_none_or(|items| items.position(offset).is_none())
        {
            let expected = format!("the offset of a {section}");
            defects.push(Defect::new("offset", place, expected, format!("{offset:#x}")));
        }
    };
    item(Section::ANNOTATION_SETS, directory.class, true);
    for (field, offset) in &directory.fields {
        dex.field(FieldId(*field))?;
        item(Section::ANNOTATION_SETS, *offset, false);
    }
    for (method, offset) in &directory.methods {
        dex.method(MethodId(*method))?;
        item(Section::ANNOTATION_SETS, *offset, false);
    }
    for (method, offset) in &directory.parameters {
        dex.method(MethodId(*method))?;
        item(Section::ANNOTATION_SET_REF_LISTS, *offset, false);
    }
    for list in [&directory.fields, &directory.methods, &directory.parameters] {
        if list.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            defects.push(Defect::new("order", place, "members in ascending order", "others"));
        }
    }
    Ok(())
}

/// The class of a member in the directory of another class.
pub(crate) fn stranger(dex: &Dex<'_>, class: &ClassDefItem) -> Result<Option<TypeId>> {
    if class.annotations_off == 0 {
        return Ok(None);
    }
    let section = Section::ANNOTATIONS_DIRECTORIES;
    let mut cursor = Cursor::new(dex.data(), class.annotations_off, section);
    let directory = AnnotationsDirectory::parse(&mut cursor)?;
    let of_fields = directory.fields.iter().map(|(field, _)| Ok(dex.field(FieldId(*field))?.class));
    let methods = directory.methods.iter().chain(&directory.parameters);
    let of_methods = methods.map(|(method, _)| Ok(dex.method(MethodId(*method))?.class));
    for owner in of_fields.chain(of_methods) {
        let owner = owner?;
        if owner != class.class {
            return Ok(Some(owner));
        }
    }
    Ok(None)
}

/// Whether a static field of a type can begin with a value.
pub(crate) fn fits(dex: &Dex<'_>, ty: TypeId, value: &Value) -> Result<bool> {
    let descriptor = dex.descriptor(ty)?;
    let kind = Kind::of_descriptor(descriptor.bytes());
    Ok(match value {
        Value::Boolean(_) => kind == Some(Kind::Boolean),
        Value::Byte(_) => kind == Some(Kind::Byte),
        Value::Short(_) => kind == Some(Kind::Short),
        Value::Char(_) => kind == Some(Kind::Char),
        Value::Int(_) => kind == Some(Kind::Int),
        Value::Long(_) => kind == Some(Kind::Long),
        Value::Float(_) => kind == Some(Kind::Float),
        Value::Double(_) => kind == Some(Kind::Double),
        _ => kind == Some(Kind::Reference),
    })
}
