//! A file that is edited or made from nothing.

use rustc_hash::FxHashMap;

use crate::class_slot::Slot;
use crate::dex_header::SIGNED_AT;
use crate::method_site::Refused;
use crate::new_code::Rewrite;
use crate::references::Marker;
use crate::write::{Kept, Plan, seal, write};
use crate::{
    CallSiteId, Class, ClassIndex, Code, Dex, DexError, FieldId, MethodHandleId, MethodId,
    MethodSite, NewCode, Pool, ProtoId, References, Result, Section, StringId, TypeId, Wrapping,
};

/// A file that is edited: a pool of identifiers, the classes of a source, changes to them.
///
/// Unedited parts are copied when the file is written, with new numbers where the tables grew; they are
/// never decoded.
#[derive(Clone, Debug)]
pub struct DexFile<'a> {
    version: u16,
    pool: Pool<'a>,
    slots: Vec<Slot>,
    codes: FxHashMap<MethodId, Code>,
    prune: bool,
    threads: usize,
}

impl<'a> DexFile<'a> {
    /// An empty file of a version (35 to 41).
    pub fn new(version: u16) -> Self {
        Self {
            version,
            pool: Pool::new(),
            slots: Vec::new(),
            codes: FxHashMap::default(),
            prune: false,
            threads: default_threads(),
        }
    }

    /// The edit of a file, nothing changed yet.
    pub fn edit(dex: &Dex<'a>) -> Self {
        Self {
            version: dex.header().version,
            pool: Pool::from_dex(dex),
            slots: (0..dex.count(Section::CLASS_DEFS))
                .map(|index| Slot::Source(ClassIndex(index)))
                .collect(),
            ..Self::new(35)
        }
    }

    /// Sets the version that is written.
    pub fn set_version(&mut self, version: u16) {
        self.version = version;
    }

    /// Sets whether strings, types, signatures, fields and methods that nothing needs any more are left out.
    /// Needed where classes are taken away to get below the limits; the default is not to.
    ///
    /// Code that [`DexFile::write_with`] gives a method may then only name what its old code named, what
    /// was asked for by [`Pool`]'s methods, and what was added.
    pub fn set_prune(&mut self, prune: bool) {
        self.prune = prune;
    }

    /// The table entries that the classes to be written need, and those that were asked for.
    pub fn references(&self) -> Result<References> {
        let mut references = References::none(&self.pool);
        let mut marker = Marker { references: &mut references, pool: &self.pool };
        for slot in &self.slots {
            match (slot, self.pool.base()) {
                (Slot::Source(index), Some(dex)) => marker.source_class(dex, *index)?,
                (Slot::Edited(class) | Slot::New(class), dex) => marker.class(dex, class)?,
                _ => {}
            }
        }
        self.codes.values().try_for_each(|code| marker.code(code))?;
        let asked = self.pool.asked().iter().copied();
        let tables = [
            Section::STRING_IDS,
            Section::TYPE_IDS,
            Section::PROTO_IDS,
            Section::FIELD_IDS,
            Section::METHOD_IDS,
            Section::METHOD_HANDLES,
            Section::CALL_SITE_IDS,
        ];
        let added = tables.into_iter().flat_map(|section| {
            let (base, added) = self.pool.sizes(section);
            (base..base + added).map(move |id| (section, id))
        });
        for (section, id) in asked.chain(added) {
            match section {
                Section::STRING_IDS => marker.string(StringId(id)),
                Section::TYPE_IDS => marker.ty(TypeId(id))?,
                Section::PROTO_IDS => marker.proto(ProtoId(id))?,
                Section::FIELD_IDS => marker.field(FieldId(id))?,
                Section::METHOD_IDS => marker.method(MethodId(id))?,
                Section::METHOD_HANDLES => marker.handle(MethodHandleId(id))?,
                _ => marker.call_site(CallSiteId(id))?,
            }
        }
        Ok(references)
    }

    fn kept(&self) -> Result<Kept> {
        if self.prune {
            Ok(Kept::from_references(&self.references()?))
        } else {
            Ok(Kept::default())
        }
    }

    /// Sets the number of threads that write; the default is that of the processors. The bytes are the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Strings, types, signatures, fields and methods.
    pub fn pool(&self) -> &Pool<'a> {
        &self.pool
    }

    /// Strings, types, signatures, fields and methods, to be added to.
    pub fn pool_mut(&mut self) -> &mut Pool<'a> {
        &mut self.pool
    }

    /// The source.
    pub fn source(&self) -> Option<&Dex<'a>> {
        self.pool.base()
    }

    /// Adds a class. It is placed after its superclass when both are written.
    pub fn add_class(&mut self, class: Class) {
        self.slots.push(Slot::New(Box::new(class)));
    }

    /// Puts a class in the place of one of the source.
    pub fn replace_class(&mut self, index: ClassIndex, class: Class) -> Result<()> {
        *self.slot(index)? = Slot::Edited(Box::new(class));
        Ok(())
    }

    /// Leaves a class of the source out.
    pub fn remove_class(&mut self, index: ClassIndex) -> Result<()> {
        *self.slot(index)? = Slot::Removed;
        Ok(())
    }

    fn slot(&mut self, index: ClassIndex) -> Result<&mut Slot> {
        let count = self.pool.base().map_or(0, |dex| dex.count(Section::CLASS_DEFS));
        match self.slots.get_mut(index.0 as usize).filter(|_| index.0 < count) {
            Some(slot) => Ok(slot),
            None => Err(DexError::Index {
                section: Section::CLASS_DEFS,
                offset: 0,
                pool: Section::CLASS_DEFS,
                limit: count,
                found: index.0,
            }),
        }
    }

    /// Gives a method of the source new code. For many methods [`DexFile::write_with`] takes less memory.
    pub fn set_code(&mut self, method: MethodId, code: Code) {
        self.codes.insert(method, code);
    }

    /// Writes the file.
    pub fn write(&self) -> Result<Vec<u8>> {
        self.write_plan(!self.codes.is_empty(), &|site, _| Ok(self.replaced(site)), None)
    }

    /// The code that a method was given.
    fn replaced(&self, site: &MethodSite<'_>) -> NewCode {
        self.codes.get(&site.method).map_or(NewCode::Same, |code| NewCode::Replaced(code.clone()))
    }

    /// Writes the file; `rewrite` may give any method of the source new code. It is called from several
    /// threads, once a method that stands in a class which is neither replaced nor removed.
    pub fn write_with(
        &self,
        rewrite: &(dyn Fn(&MethodSite<'_>) -> Result<Option<Code>> + Sync),
    ) -> Result<Vec<u8>> {
        let rewrite = |site: &MethodSite<'_>, _: &mut Wrapping| {
            Ok(rewrite(site)?.map_or(NewCode::Same, NewCode::Replaced))
        };
        self.write_rewritten(&rewrite, None)
    }

    /// Writes the file like [`DexFile::write_with`]; where a method's new code cannot be had (`rewrite` fails, or
    /// the code is larger than the format can express) the method keeps its old code and `refused` is called.
    /// `rewrite` may also put instructions around a method.
    pub fn write_where_possible(
        &self,
        rewrite: &(dyn Fn(&MethodSite<'_>, &mut Wrapping) -> Result<NewCode> + Sync),
        refused: &(dyn Fn(&MethodSite<'_>, DexError) + Sync),
    ) -> Result<Vec<u8>> {
        self.write_rewritten(rewrite, Some(refused))
    }

    fn write_rewritten(
        &self,
        rewrite: &Rewrite<'_>,
        refused: Option<&Refused<'_>>,
    ) -> Result<Vec<u8>> {
        let rewrite = |site: &MethodSite<'_>, wrapping: &mut Wrapping| match self.replaced(site) {
            NewCode::Same => rewrite(site, wrapping),
            known => Ok(known),
        };
        self.write_plan(true, &rewrite, refused)
    }

    fn write_plan(
        &self,
        rewrites: bool,
        rewrite: &Rewrite<'_>,
        refused: Option<&Refused<'_>>,
    ) -> Result<Vec<u8>> {
        let kept = self.kept()?;
        let mut bytes = write(&Plan { refused, ..self.plan(&kept, rewrites, rewrite, 0) })?;
        match self.pool.base().map(Dex::file_bytes) {
            // Some compilers leave a signature that does not fit; what is not changed keeps it.
            Some(source) if source.get(SIGNED_AT..) == bytes.get(SIGNED_AT..) => {
                source.clone_into(&mut bytes);
            }
            _ => seal(&mut bytes),
        }
        Ok(bytes)
    }

    fn plan<'p>(
        &'p self,
        kept: &'p Kept,
        rewrites: bool,
        rewrite: &'p Rewrite<'p>,
        origin: u32,
    ) -> Plan<'p, 'a> {
        Plan {
            version: self.version,
            pool: &self.pool,
            slots: &self.slots,
            kept,
            rewrite,
            refused: None,
            rewrites,
            threads: self.threads,
            origin,
        }
    }

    /// Writes several files of version 041 as one container.
    pub fn write_container(files: &[Self]) -> Result<Vec<u8>> {
        let mut container = Vec::new();
        let mut starts = Vec::new();
        for file in files {
            if file.version < 41 {
                return Err(DexError::Version { found: file.version });
            }
            container.resize(container.len().next_multiple_of(4), 0);
            let rewrites = !file.codes.is_empty();
            let rewrite = |site: &MethodSite<'_>, _: &mut Wrapping| Ok(file.replaced(site));
            let kept = file.kept()?;
            let mut bytes = write(&file.plan(&kept, rewrites, &rewrite, container.len() as u32))?;
            // Files follow each other without gaps, so each one's length is a multiple of four.
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let size = (bytes.len() as u32).to_le_bytes();
            if let Some(slot) = bytes.get_mut(32..36) {
                slot.copy_from_slice(&size);
            }
            starts.push(container.len());
            container.append(&mut bytes);
        }
        let size = (container.len() as u32).to_le_bytes();
        starts.push(container.len());
        for bounds in starts.windows(2) {
            let Some(file) = container.get_mut(bounds[0]..bounds[1]) else { continue };
            if let Some(slot) = file.get_mut(0x70..0x74) {
                slot.copy_from_slice(&size);
            }
            seal(file);
        }
        Ok(container)
    }
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
