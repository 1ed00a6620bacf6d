//! The member lists of all classes.

use super::blob::{Blob, DROPPED};
use super::numbering::Numbering;
use super::placement::Placement;
use crate::chunk::Chunk;
use crate::class_def::ClassData;
use crate::cursor::Put;
use crate::{Dex, Member, MethodId, Result, Section};

/// Member lists of a new class, with final numbers: number, flags, key of the code.
pub(crate) type Members = [Vec<(u32, u32, u32)>; 4];

/// The places of bodies that a method has for itself now, from the start of their section, by method.
#[derive(Debug)]
pub(super) struct BodyPlaces(Vec<u32>);

impl BodyPlaces {
    pub(super) fn new(methods: u32, apart: &[(MethodId, u32)]) -> Self {
        let mut places = vec![DROPPED; methods as usize];
        for (method, place) in apart {
            if let Some(slot) = places.get_mut(method.0 as usize) {
                *slot = (*slot).min(*place);
            }
        }
        Self(places)
    }

    fn of(&self, method: MethodId) -> Option<u32> {
        self.0.get(method.0 as usize).copied().filter(|&place| place != DROPPED)
    }
}

/// The member lists of the written file.
pub(super) struct MemberLists<'m, 'a> {
    pub(super) dex: Option<&'m Dex<'a>>,
    pub(super) numbering: &'m Numbering,
    pub(super) new: &'m [Members],
    /// Lists of the source that are not written.
    pub(super) gone: Option<&'m [bool]>,
    pub(super) apart: &'m BodyPlaces,
}

impl MemberLists<'_, '_> {
    /// Writes the lists of the source in its order, then new ones.
    pub(super) fn put(&self, blob: &mut Blob, placement: &Placement<'_>) -> Result<()> {
        let Self { dex, numbering, new, gone, apart } = *self;
        let remap = &numbering.remap;
        let code_base = placement
            .blobs
            .iter()
            .find(|blob| blob.section == Section::CODE)
            .map_or(0, |blob| blob.base);
        let mut chunk = Chunk::default();
        if let Some((dex, items)) = dex.zip(placement.inventory.get(Section::CLASS_DATA)) {
            for (index, &at) in items.items.iter().enumerate() {
                if gone.is_some_and(|gone| gone.get(index).copied().unwrap_or(false)) {
                    blob.old.push(DROPPED);
                    continue;
                }
                blob.old.push(chunk.bytes.len() as u32);
                blob.count += 1;
                let data = ClassData::parse(dex.data(), at)?;
                for count in data.counts() {
                    chunk.bytes.put_uleb(count);
                }
                let (mut group, mut last) = (0, 0);
                for member in data {
                    let (this, id, access, code) = match member? {
                        Member::StaticField(it) => (
                            0,
                            remap.field(it.field.0, &(Section::CLASS_DATA, at))?,
                            it.access,
                            None,
                        ),
                        Member::InstanceField(it) => (
                            1,
                            remap.field(it.field.0, &(Section::CLASS_DATA, at))?,
                            it.access,
                            None,
                        ),
                        Member::DirectMethod(it) => (
                            2,
                            remap.method(it.method.0, &(Section::CLASS_DATA, at))?,
                            it.access,
                            Some(it),
                        ),
                        Member::VirtualMethod(it) => (
                            3,
                            remap.method(it.method.0, &(Section::CLASS_DATA, at))?,
                            it.access,
                            Some(it),
                        ),
                    };
                    if this != group {
                        (group, last) = (this, 0);
                    }
                    chunk.bytes.put_uleb(id.wrapping_sub(last));
                    last = id;
                    chunk.bytes.put_uleb(access.0);
                    if let Some(it) = code {
                        let new = apart.of(it.method).filter(|_| it.code_off != 0);
                        chunk.bytes.put_uleb(match new {
                            Some(place) => code_base + place,
                            None => placement.resolve(Section::CODE, it.code_off)?,
                        });
                    }
                }
            }
        }
        for groups in new {
            blob.new.push(chunk.bytes.len() as u32);
            blob.count += 1;
            for group in groups {
                chunk.bytes.put_uleb(group.len() as u32);
            }
            for (index, group) in groups.iter().enumerate() {
                let mut last = 0;
                for &(id, access, code) in group {
                    chunk.bytes.put_uleb(id.wrapping_sub(last));
                    last = id;
                    chunk.bytes.put_uleb(access);
                    if index >= 2 {
                        chunk.bytes.put_uleb(placement.resolve(Section::CODE, code)?);
                    }
                }
            }
        }
        blob.push(chunk)?;
        Ok(())
    }
}
