//! From the numbers used while editing to those of the written file.

use crate::cursor::Cursor;
use crate::{
    CallSiteId, DexError, FieldId, MethodHandleId, MethodId, ProtoId, Result, Section, StringId,
    TypeId,
};

/// New numbers of one table.
#[derive(Debug, Default)]
pub(crate) struct IdMap {
    /// The number of entries on the old side.
    limit: u32,
    /// The new number of each, `GONE` for dropped entries; nothing where they stay as they are.
    map: Option<Vec<u32>>,
}

pub(crate) const GONE: u32 = u32::MAX;

impl IdMap {
    pub(crate) fn identity(limit: u32) -> Self {
        Self { limit, map: None }
    }

    pub(crate) fn new(map: Vec<u32>) -> Self {
        Self { limit: map.len() as u32, map: Some(map) }
    }

    pub(crate) fn is_identity(&self) -> bool {
        self.map.is_none()
    }

    #[inline]
    fn get(&self, id: u32) -> Option<u32> {
        match &self.map {
            None => (id < self.limit).then_some(id),
            Some(map) => map.get(id as usize).copied().filter(|&new| new != GONE),
        }
    }
}

/// New numbers of all tables.
#[derive(Debug, Default)]
pub(crate) struct Remap {
    pub(crate) strings: IdMap,
    pub(crate) types: IdMap,
    pub(crate) protos: IdMap,
    pub(crate) fields: IdMap,
    pub(crate) methods: IdMap,
    pub(crate) call_sites: IdMap,
    pub(crate) handles: IdMap,
}

macro_rules! lookups {
    ($($name:ident, $id:ident, $table:ident;)*) => {$(
        #[inline]
        pub(crate) fn $name(&self, id: u32, place: &impl Place) -> Result<u32> {
            match self.$table.get(id) {
                Some(new) => Ok(new),
                None => Err(missing($id::POOL, &self.$table, id, place)),
            }
        }
    )*};
}

impl Remap {
    lookups! {
        string, StringId, strings;
        ty, TypeId, types;
        proto, ProtoId, protos;
        field, FieldId, fields;
        method, MethodId, methods;
        call_site, CallSiteId, call_sites;
        handle, MethodHandleId, handles;
    }

    /// Whether values keep their bytes.
    pub(crate) fn is_identity(&self) -> bool {
        self.is_code_identity() && self.strings.is_identity() && self.types.is_identity()
    }

    /// Whether instructions keep their bytes.
    pub(crate) fn is_code_identity(&self) -> bool {
        self.strings.is_identity()
            && self.types.is_identity()
            && self.protos.is_identity()
            && self.fields.is_identity()
            && self.methods.is_identity()
            && self.call_sites.is_identity()
            && self.handles.is_identity()
    }
}

/// The place of a reference, for the error.
pub(crate) trait Place {
    fn place(&self) -> (Section, u64);
}

impl Place for Cursor<'_> {
    fn place(&self) -> (Section, u64) {
        (self.section(), u64::from(self.at()))
    }
}

/// A reference in an item at an offset.
impl Place for (Section, u32) {
    fn place(&self) -> (Section, u64) {
        (self.0, u64::from(self.1))
    }
}

/// A reference in an item that has no place yet.
impl Place for Section {
    fn place(&self) -> (Section, u64) {
        (*self, 0)
    }
}

#[cold]
fn missing(pool: Section, map: &IdMap, found: u32, place: &impl Place) -> DexError {
    let (section, offset) = place.place();
    DexError::Index { section, offset, pool, limit: map.limit, found }
}
