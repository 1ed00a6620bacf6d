//! The identifier tables and the class definitions of the written file.

use super::numbering::Numbering;
use super::out_class::OutClass;
use super::placement::Placement;
use crate::chunk::NEW;
use crate::class_def::NO_INDEX;
use crate::cursor::Put;
use crate::{
    CallSiteId, FieldId, MethodHandleId, MethodId, Pool, ProtoId, Result, Section, StringId, TypeId,
};

/// Appends one identifier table.
pub(crate) fn put_table(
    section: Section,
    pool: &Pool<'_>,
    numbering: &Numbering,
    placement: &Placement<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let remap = &numbering.remap;
    let base = pool.sizes(section).0;
    let source = pool.base();
    match section {
        Section::STRING_IDS => {
            for id in numbering.strings.iter() {
                let key = match source {
                    Some(dex) if id < base => dex.string_data_off(StringId(id))?,
                    _ => NEW | (id - base),
                };
                out.put_u32(placement.resolve(Section::STRING_DATA, key)?);
            }
        }
        Section::TYPE_IDS => {
            for id in numbering.types.iter() {
                out.put_u32(remap.string(pool.type_string(TypeId(id))?.0, &section)?);
            }
        }
        Section::PROTO_IDS => {
            for id in numbering.protos.iter() {
                let proto = ProtoId(id);
                out.put_u32(remap.string(pool.shorty(proto)?.0, &section)?);
                let key = match source {
                    Some(dex) if id < base => {
                        let item = dex.proto(proto)?;
                        out.put_u32(remap.ty(item.return_type.0, &section)?);
                        item.parameters_off
                    }
                    _ => {
                        out.put_u32(remap.ty(pool.proto_types(proto)?.0.0, &section)?);
                        placement.new_parameters.get((id - base) as usize).copied().unwrap_or(0)
                    }
                };
                out.put_u32(placement.resolve(Section::TYPE_LISTS, key)?);
            }
        }
        Section::FIELD_IDS => {
            for id in numbering.fields.iter() {
                let field = pool.field_at(FieldId(id))?;
                out.put_u16(remap.ty(field.class.0, &section)? as u16);
                out.put_u16(remap.ty(field.ty.0, &section)? as u16);
                out.put_u32(remap.string(field.name.0, &section)?);
            }
        }
        Section::METHOD_IDS => {
            for id in numbering.methods.iter() {
                let method = pool.method_at(MethodId(id))?;
                out.put_u16(remap.ty(method.class.0, &section)? as u16);
                out.put_u16(remap.proto(method.proto.0, &section)? as u16);
                out.put_u32(remap.string(method.name.0, &section)?);
            }
        }
        Section::CALL_SITE_IDS => {
            for id in numbering.call_sites.iter() {
                let key = match source {
                    Some(dex) if id < base => dex.call_site_off(CallSiteId(id))?,
                    _ => placement.new_call_sites.get((id - base) as usize).copied().unwrap_or(0),
                };
                out.put_u32(placement.resolve(Section::ENCODED_ARRAYS, key)?);
            }
        }
        Section::METHOD_HANDLES => {
            for id in numbering.handles.iter() {
                let handle = pool.handle_at(MethodHandleId(id))?;
                let member = if handle.kind <= 3 {
                    remap.field(handle.member, &section)?
                } else {
                    remap.method(handle.member, &section)?
                };
                out.put_u16(handle.kind);
                out.put_u16(0);
                out.put_u16(member as u16);
                out.put_u16(0);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Appends one class definition.
pub(crate) fn put_class(
    class: &OutClass,
    numbering: &Numbering,
    placement: &Placement<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let place = Section::CLASS_DEFS;
    let (remap, item) = (&numbering.remap, &class.item);
    let superclass = item.superclass.map(|ty| remap.ty(ty.0, &place)).transpose()?;
    let file = item.source_file.map(|string| remap.string(string.0, &place)).transpose()?;
    out.put_u32(remap.ty(item.class.0, &place)?);
    out.put_u32(item.access.0);
    out.put_u32(superclass.unwrap_or(NO_INDEX));
    out.put_u32(placement.resolve(Section::TYPE_LISTS, item.interfaces_off)?);
    out.put_u32(file.unwrap_or(NO_INDEX));
    out.put_u32(placement.resolve(Section::ANNOTATIONS_DIRECTORIES, item.annotations_off)?);
    out.put_u32(placement.resolve(Section::CLASS_DATA, item.class_data_off)?);
    out.put_u32(placement.resolve(Section::ENCODED_ARRAYS, item.static_values_off)?);
    Ok(())
}
