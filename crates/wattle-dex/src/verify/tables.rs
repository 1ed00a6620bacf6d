//! Identifier tables: order, references, contents.

use std::cell::Cell;
use std::fmt::Display;

use super::defect::Defect;
use super::member_names;
use super::types::Kind;
use crate::write::Inventory;
use crate::{
    Dex, FieldId, MethodHandleId, MethodId, Mutf8, ProtoId, Result, Section, StringId, TypeId,
};

/// Defects after which the rest is not looked at.
const MAX_DEFECTS: usize = 10_000;

/// Checks all identifier tables but class definitions.
pub(crate) fn check(dex: &Dex<'_>, inventory: &Inventory, defects: &mut Vec<Defect>) {
    let each = |section,
                check: &dyn Fn(u32) -> Result<Option<(&'static str, String, String)>>,
                defects: &mut Vec<Defect>| {
        let (count, offset) = dex.table(section);
        let size = section.entry_size().unwrap_or(0);
        for id in 0..count {
            if defects.len() > MAX_DEFECTS {
                return;
            }
            let at = offset.saturating_add(id.saturating_mul(size));
            match check(id) {
                Ok(None) => {}
                Ok(Some((rule, expected, found))) => {
                    defects.push(Defect::new(rule, (section, at), expected, found));
                }
                Err(error) => defects.push(Defect::unreadable(section, at, &error)),
            }
        }
    };
    let (next, before) = (Cell::new(0), Cell::new(None));
    each(Section::STRING_IDS, &|id| string((dex, inventory), id, &next, &before), defects);
    each(Section::TYPE_IDS, &|id| ty(dex, id), defects);
    each(Section::PROTO_IDS, &|id| proto(dex, inventory, id), defects);
    each(Section::FIELD_IDS, &|id| field(dex, id), defects);
    each(Section::METHOD_IDS, &|id| method(dex, id), defects);
    each(Section::METHOD_HANDLES, &|id| handle(dex, id), defects);
    each(Section::CALL_SITE_IDS, &|id| call_site(dex, inventory, id), defects);
}

type Finding = Option<(&'static str, String, String)>;

#[expect(clippy::unnecessary_wraps, reason = "it ends checks that read")]
fn finding(rule: &'static str, expected: impl Display, found: impl Display) -> Result<Finding> {
    Ok(Some((rule, expected.to_string(), found.to_string())))
}

/// Each entry must come after the one before.
fn ascending<K: Ord>(id: u32, key: impl Fn(u32) -> Result<K>) -> Result<Finding> {
    match id.checked_sub(1) {
        Some(before) if key(before)? >= key(id)? => finding(
            "order",
            "entries in ascending order, each once",
            format!("entry {id} out of order"),
        ),
        _ => Ok(None),
    }
}

/// The targets of a table must be items of their section, or the file could not be written again.
fn not_an_item(inventory: &Inventory, section: Section, offset: u32) -> Option<Result<Finding>> {
    let is_item = inventory.get(section).is_some_and(|items| items.position(offset).is_some());
    let expected = || format!("the offset of a {section}");
    (!is_item).then(|| finding("offset", expected(), format!("{offset:#x}")))
}

/// Checks a string, whose item is probably the one behind that of the string before, which is known if it could be read.
fn string<'a>(
    (dex, inventory): (&Dex<'a>, &Inventory),
    id: u32,
    next: &Cell<usize>,
    before: &Cell<Option<Mutf8<'a>>>,
) -> Result<Finding> {
    let read = dex.string(StringId(id));
    let before = before.replace(read.as_ref().ok().copied());
    let offset = dex.string_data_off(StringId(id))?;
    let items = inventory.get(Section::STRING_DATA);
    let is_next = items.is_some_and(|items| items.items.get(next.get()) == Some(&offset));
    if is_next {
        next.set(next.get() + 1);
    } else if let Some(finding) = not_an_item(inventory, Section::STRING_DATA, offset) {
        return finding;
    }
    let text = read?;
    let mut cursor = crate::cursor::Cursor::new(dex.data(), offset, Section::STRING_DATA);
    let length = cursor.uleb()?;
    if !text.is_well_formed() {
        return finding("string", "modified UTF-8", text);
    }
    if text.utf16_len() != length {
        return finding("string", format!("{} UTF-16 units", text.utf16_len()), length);
    }
    match before {
        Some(before) if before < text => Ok(None),
        _ => ascending(id, |id| dex.string(StringId(id))),
    }
}

fn ty(dex: &Dex<'_>, id: u32) -> Result<Finding> {
    let descriptor = dex.descriptor(TypeId(id))?;
    if !member_names::is_descriptor(descriptor.bytes()) {
        return finding("descriptor", "a type descriptor", descriptor);
    }
    ascending(id, |id| dex.type_string(TypeId(id)))
}

fn proto(dex: &Dex<'_>, inventory: &Inventory, id: u32) -> Result<Finding> {
    let item = dex.proto(ProtoId(id))?;
    if item.parameters_off != 0
        && let Some(finding) = not_an_item(inventory, Section::TYPE_LISTS, item.parameters_off)
    {
        return finding;
    }
    let parameters = dex.parameters(ProtoId(id))?;
    let mut letters = String::new();
    for ty in std::iter::once(item.return_type).chain(parameters.iter()) {
        let descriptor = dex.descriptor(ty)?;
        let first = descriptor.bytes().first().copied().unwrap_or(b'?');
        letters.push(if first == b'[' { 'L' } else { char::from(first) });
    }
    let shorty = dex.string(item.shorty)?;
    if shorty.bytes() != letters.as_bytes() {
        return finding("shorty", letters, shorty);
    }
    if letters.chars().skip(1).any(|letter| letter == 'V') {
        return finding("shorty", "no parameter of type void", letters);
    }
    ascending(id, |id| {
        let parameters: Vec<TypeId> = dex.parameters(ProtoId(id))?.iter().collect();
        Ok((dex.proto(ProtoId(id))?.return_type, parameters))
    })
}

fn name(dex: &Dex<'_>, id: StringId) -> Result<Finding> {
    let name = dex.string(id)?;
    if member_names::is_member_name(name) {
        return Ok(None);
    }
    finding("name", "a name of letters, digits, $, - and _, or <init>", format!("{name:?}"))
}

fn field(dex: &Dex<'_>, id: u32) -> Result<Finding> {
    let field = dex.field(FieldId(id))?;
    if let Some(finding) = name(dex, field.name)? {
        return Ok(Some(finding));
    }
    let (class, ty) = (dex.descriptor(field.class)?, dex.descriptor(field.ty)?);
    if class.bytes().first() != Some(&b'L') {
        return finding("member-class", "a class", class);
    }
    if Kind::of_descriptor(ty.bytes()).is_none_or(|kind| kind == Kind::Void) {
        return finding("descriptor", "a type of fields", ty);
    }
    ascending(id, |id| dex.field(FieldId(id)))
}

fn method(dex: &Dex<'_>, id: u32) -> Result<Finding> {
    let method = dex.method(MethodId(id))?;
    dex.proto(method.proto)?;
    if let Some(finding) = name(dex, method.name)? {
        return Ok(Some(finding));
    }
    let class = dex.descriptor(method.class)?;
    if !matches!(class.bytes().first(), Some(b'L' | b'[')) {
        return finding("member-class", "a class or an array", class);
    }
    ascending(id, |id| dex.method(MethodId(id)))
}

fn handle(dex: &Dex<'_>, id: u32) -> Result<Finding> {
    let handle = dex.method_handle(MethodHandleId(id))?;
    match handle.kind {
        0..=3 => drop(dex.field(FieldId(handle.member))?),
        4..=8 => drop(dex.method(MethodId(handle.member))?),
        kind => return finding("method-handle", "a kind from 0 to 8", kind),
    }
    Ok(None)
}

fn call_site(dex: &Dex<'_>, inventory: &Inventory, id: u32) -> Result<Finding> {
    use crate::Value::{MethodHandle, MethodType, String};
    let offset = dex.call_site_off(crate::CallSiteId(id))?;
    if let Some(finding) = not_an_item(inventory, Section::ENCODED_ARRAYS, offset) {
        return finding;
    }
    let values = dex.encoded_array(offset)?;
    match values.as_slice() {
        [MethodHandle(handle), String(name), MethodType(proto), ..] => {
            /// `METHOD_HANDLE_TYPE_INVOKE_STATIC`.
            const INVOKE_STATIC: u16 = 4;
            let kind = dex.method_handle(*handle)?.kind;
            dex.string(*name)?;
            dex.proto(*proto)?;
            if kind != INVOKE_STATIC {
                return finding(
                    "call-site",
                    "a static method as bootstrap",
                    format!("kind {kind}"),
                );
            }
            Ok(None)
        }
        _ => finding(
            "call-site",
            "a method handle, a name and a signature",
            format!("{} values", values.len()),
        ),
    }
}
