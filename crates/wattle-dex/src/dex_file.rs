//! A file that is edited or made from nothing.

use rustc_hash::FxHashMap;

use crate::header::SIGNED_AT;
use crate::write::{Kept, Plan, seal, write};
use crate::{
    AccessFlags, Class, ClassIndex, Code, CodeItem, Dex, DexError, MethodId, Pool, Result, Section,
};

/// A file that is edited: a pool of identifiers, the classes of a source, changes to them.
///
/// What is not edited is copied when the file is written, with new numbers where the tables grew; it is
/// never decoded.
#[derive(Clone, Debug)]
pub struct DexFile<'a> {
    version: u16,
    pool: Pool<'a>,
    slots: Vec<Slot>,
    codes: FxHashMap<MethodId, Code>,
    pub(crate) kept: Kept,
    threads: usize,
}

/// What becomes of a class.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// It is the source's.
    Source(ClassIndex),
    /// It replaces one of the source's.
    Edited(Box<Class>),
    /// It is new.
    New(Box<Class>),
    /// It is left out.
    Removed,
}

/// A method of the source that may get new code.
#[derive(Clone, Copy, Debug)]
pub struct MethodSite<'a> {
    /// The class.
    pub class: ClassIndex,
    /// The method.
    pub method: MethodId,
    /// Its flags.
    pub access: AccessFlags,
    /// Its body.
    pub code: CodeItem<'a>,
}

impl<'a> DexFile<'a> {
    /// An empty file of a version (35 to 41).
    pub fn new(version: u16) -> Self {
        Self {
            version,
            pool: Pool::new(),
            slots: Vec::new(),
            codes: FxHashMap::default(),
            kept: Kept::default(),
            threads: default_threads(),
        }
    }

    /// The edit of a file, nothing changed yet.
    pub fn edit(dex: &Dex<'a>) -> Self {
        Self {
            version: dex.header().version,
            pool: Pool::of(dex),
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
        let codes = &self.codes;
        self.write_plan(!codes.is_empty(), &|site| Ok(codes.get(&site.method).cloned()))
    }

    /// Writes the file; `rewrite` may give any method of the source new code. It is called from several
    /// threads, once a method that stands in a class which is neither replaced nor removed.
    pub fn write_with(
        &self,
        rewrite: &(dyn Fn(&MethodSite<'_>) -> Result<Option<Code>> + Sync),
    ) -> Result<Vec<u8>> {
        let codes = &self.codes;
        self.write_plan(true, &|site| match codes.get(&site.method) {
            Some(code) => Ok(Some(code.clone())),
            None => rewrite(site),
        })
    }

    fn write_plan(
        &self,
        rewrites: bool,
        rewrite: &(dyn Fn(&MethodSite<'_>) -> Result<Option<Code>> + Sync),
    ) -> Result<Vec<u8>> {
        let mut bytes = write(&self.plan(rewrites, rewrite, 0))?;
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
        rewrites: bool,
        rewrite: &'p (dyn Fn(&MethodSite<'_>) -> Result<Option<Code>> + Sync),
        origin: u32,
    ) -> Plan<'p, 'a> {
        Plan {
            version: self.version,
            pool: &self.pool,
            slots: &self.slots,
            kept: &self.kept,
            rewrite,
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
            let codes = &file.codes;
            let rewrite = |site: &MethodSite<'_>| Ok(codes.get(&site.method).cloned());
            let mut bytes = write(&file.plan(!codes.is_empty(), &rewrite, container.len() as u32))?;
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
