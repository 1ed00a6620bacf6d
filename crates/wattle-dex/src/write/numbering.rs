//! The sorted order of the identifier tables of the written file.

use std::cmp::Ordering;

use crate::remap::{GONE, IdMap, Remap};
use crate::{
    DexError, FieldId, MethodId, Pool, ProtoId, References, Result, Section, StringId, TypeId,
};

/// The entries of one table of the written file, by their numbers in the pool.
#[derive(Debug)]
pub(crate) struct Order {
    count: u32,
    order: Option<Vec<u32>>,
}

impl Order {
    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.count).map(|id| {
            self.order.as_ref().map_or(id, |order| order.get(id as usize).copied().unwrap_or(GONE))
        })
    }
}

/// All tables of the written file.
#[derive(Debug)]
pub(crate) struct Numbering {
    pub(crate) strings: Order,
    pub(crate) types: Order,
    pub(crate) protos: Order,
    pub(crate) fields: Order,
    pub(crate) methods: Order,
    pub(crate) call_sites: Order,
    pub(crate) handles: Order,
    pub(crate) remap: Remap,
}

/// Which entries of the source's tables are written; nothing means all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) strings: Option<Vec<bool>>,
    pub(crate) types: Option<Vec<bool>>,
    pub(crate) protos: Option<Vec<bool>>,
    pub(crate) fields: Option<Vec<bool>>,
    pub(crate) methods: Option<Vec<bool>>,
    pub(crate) call_sites: Option<Vec<bool>>,
    pub(crate) handles: Option<Vec<bool>>,
}

impl Kept {
    /// Exactly what is needed.
    pub(crate) fn from_references(references: &References) -> Self {
        let table = |section| Some(references.table(section).to_vec());
        Self {
            strings: table(Section::STRING_IDS),
            types: table(Section::TYPE_IDS),
            protos: table(Section::PROTO_IDS),
            fields: table(Section::FIELD_IDS),
            methods: table(Section::METHOD_IDS),
            call_sites: table(Section::CALL_SITE_IDS),
            handles: table(Section::METHOD_HANDLES),
        }
    }

    /// Whether anything is left out.
    pub(crate) fn is_some(&self) -> bool {
        self.strings.is_some()
    }
}

impl Numbering {
    pub(crate) fn new(pool: &Pool<'_>, kept: &Kept) -> Result<Self> {
        let mut remap = Remap::default();
        let table = |section, limit, kept: &Option<Vec<bool>>, compare: &Compare<'_>| {
            merge(pool, section, limit, kept.as_deref(), compare)
        };
        let none = (Section(0), 0);
        let place = |section: Section| (section, 0_u32);
        let strings;
        (strings, remap.strings) =
            table(Section::STRING_IDS, u64::from(u32::MAX), &kept.strings, &|a, b| {
                Ok(pool.string_at(StringId(a))?.cmp(&pool.string_at(StringId(b))?))
            })?;
        let types;
        (types, remap.types) = table(Section::TYPE_IDS, 1 << 16, &kept.types, &|a, b| {
            let key = |id| remap.string(pool.type_string(TypeId(id))?.0, &place(Section::TYPE_IDS));
            Ok(key(a)?.cmp(&key(b)?))
        })?;
        let protos;
        (protos, remap.protos) = table(Section::PROTO_IDS, 1 << 16, &kept.protos, &|a, b| {
            let key = |id| -> Result<Vec<u32>> {
                let (return_type, parameters) = pool.proto_types(ProtoId(id))?;
                std::iter::once(return_type)
                    .chain(parameters)
                    .map(|ty| remap.ty(ty.0, &none))
                    .collect()
            };
            Ok(key(a)?.cmp(&key(b)?))
        })?;
        let fields;
        (fields, remap.fields) = table(Section::FIELD_IDS, 1 << 16, &kept.fields, &|a, b| {
            let key = |id| -> Result<[u32; 3]> {
                let field = pool.field_at(FieldId(id))?;
                let place = place(Section::FIELD_IDS);
                Ok([
                    remap.ty(field.class.0, &place)?,
                    remap.string(field.name.0, &place)?,
                    remap.ty(field.ty.0, &place)?,
                ])
            };
            Ok(key(a)?.cmp(&key(b)?))
        })?;
        let methods;
        (methods, remap.methods) = table(Section::METHOD_IDS, 1 << 16, &kept.methods, &|a, b| {
            let key = |id| -> Result<[u32; 3]> {
                let method = pool.method_at(MethodId(id))?;
                let place = place(Section::METHOD_IDS);
                Ok([
                    remap.ty(method.class.0, &place)?,
                    remap.string(method.name.0, &place)?,
                    remap.proto(method.proto.0, &place)?,
                ])
            };
            Ok(key(a)?.cmp(&key(b)?))
        })?;
        // These two tables need no order.
        let (call_sites, handles);
        (call_sites, remap.call_sites) =
            table(Section::CALL_SITE_IDS, 1 << 16, &kept.call_sites, &|a, b| Ok(a.cmp(&b)))?;
        (handles, remap.handles) =
            table(Section::METHOD_HANDLES, 1 << 16, &kept.handles, &|a, b| Ok(a.cmp(&b)))?;
        Ok(Self { strings, types, protos, fields, methods, call_sites, handles, remap })
    }
}

type Compare<'c> = dyn Fn(u32, u32) -> Result<Ordering> + 'c;

/// Merges the added entries into the sorted ones of the source.
fn merge(
    pool: &Pool<'_>,
    section: Section,
    limit: u64,
    kept: Option<&[bool]>,
    compare: &Compare<'_>,
) -> Result<(Order, IdMap)> {
    let (base, added) = pool.sizes(section);
    let is_kept = |id: u32| kept.is_none_or(|kept| kept.get(id as usize).copied().unwrap_or(false));
    if added == 0 && (0..base).all(is_kept) {
        check(section, u64::from(base), limit)?;
        return Ok((Order { count: base, order: None }, IdMap::identity(base)));
    }
    let old: Vec<u32> = (0..base).filter(|&id| is_kept(id)).collect();
    check(section, old.len() as u64 + u64::from(added), limit)?;
    let mut failed = Ok(());
    let mut new: Vec<u32> = (base..base + added).collect();
    new.sort_by(|&a, &b| {
        compare(a, b).unwrap_or_else(|error| {
            failed = Err(error);
            Ordering::Equal
        })
    });
    failed?;
    let mut order = Vec::with_capacity(old.len() + new.len());
    let mut rest = old.as_slice();
    for id in new {
        // New entries often come in groups, so the place is looked for in growing steps.
        let (mut low, mut high) = (0, 0);
        while let Some(&other) = rest.get(high) {
            if compare(other, id)?.is_ge() {
                break;
            }
            low = high + 1;
            high += low;
        }
        high = high.min(rest.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let Some(&other) = rest.get(middle) else { break };
            if compare(other, id)?.is_lt() { low = middle + 1 } else { high = middle }
        }
        let (before, after) = rest.split_at(low);
        order.extend_from_slice(before);
        order.push(id);
        rest = after;
    }
    order.extend_from_slice(rest);
    let mut map = vec![GONE; (base + added) as usize];
    for (new, &old) in order.iter().enumerate() {
        if let Some(slot) = map.get_mut(old as usize) {
            *slot = new as u32;
        }
    }
    Ok((Order { count: order.len() as u32, order: Some(order) }, IdMap::new(map)))
}

fn check(pool: Section, found: u64, limit: u64) -> Result<()> {
    if found > limit { Err(DexError::TooMany { pool, found, limit }) } else { Ok(()) }
}
