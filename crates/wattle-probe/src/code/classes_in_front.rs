//! A file of the classes with probes alone, where they are few: it is loaded before the file that they come from.
//!
//! The runtime takes the first class of a name that it finds, in the order of the files of code. So the source can
//! stay as it is, with its compressed bytes, and neither size nor time depends on it.

use rustc_hash::FxHashSet;
use wattle_dex::{ClassIndex, Dex, DexFile, Mutf8, Result, Section};

use crate::plan::FilePlan;

/// The part of a file's bytes that the code of classes with probes may be, one to so many.
const SHARE_OF_CODE: u64 = 8;
/// The part of a file's classes that those with probes may be, one to so many: a class is more than its code.
const SHARE_OF_CLASSES: usize = 4;

/// The classes with probes.
pub(super) fn probed_classes(plan: &FilePlan) -> FxHashSet<ClassIndex> {
    plan.methods.iter().map(|method| method.class).collect()
}

/// Whether the classes with probes are a small part of a file.
pub(super) fn are_few(dex: &Dex<'_>, classes: &FxHashSet<ClassIndex>) -> Result<bool> {
    let all = dex.count(Section::CLASS_DEFS) as usize;
    if classes.len() > all / SHARE_OF_CLASSES {
        return Ok(false);
    }
    let limit = dex.file_bytes().len() as u64 / SHARE_OF_CODE;
    let mut size = 0;
    for class in classes {
        let members = dex.class_data(&dex.class_def(*class)?)?;
        for member in members.into_iter().flatten() {
            let Some(method) = member?.method().filter(|method| method.code_off != 0) else {
                continue;
            };
            size += dex.code(method.code_off)?.units.bytes().len() as u64;
            if size > limit {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Leaves out of an edit all that these classes do not need.
pub(super) fn keep_only(
    file: &mut DexFile<'_>,
    dex: &Dex<'_>,
    classes: &FxHashSet<ClassIndex>,
) -> Result<()> {
    file.set_prune(true);
    for index in (0..dex.count(Section::CLASS_DEFS)).map(ClassIndex) {
        if !classes.contains(&index) {
            file.remove_class(index)?;
        }
    }
    Ok(())
}

/// Places of the classes of a file in one that was made of it.
#[derive(Debug)]
pub(super) enum ClassPlaces {
    /// The places in which they were.
    Same,
    /// By the type's number in the file that was made.
    ByType(Vec<Option<ClassIndex>>),
}

impl ClassPlaces {
    /// Of a file that has not all classes.
    pub(super) fn by_type(written: &Dex<'_>) -> Result<Self> {
        let mut places = vec![None; written.count(Section::TYPE_IDS) as usize];
        for (index, item) in written.class_defs() {
            if let Some(place) = places.get_mut(item?.class.0 as usize) {
                *place = Some(index);
            }
        }
        Ok(Self::ByType(places))
    }

    /// The place of a class of the source.
    pub(super) fn of(
        &self,
        source: &Dex<'_>,
        written: &Dex<'_>,
        class: ClassIndex,
    ) -> Result<Option<ClassIndex>> {
        let Self::ByType(places) = self else { return Ok(Some(class)) };
        let name = source.descriptor(source.class_def(class)?.class)?;
        let ty = written.find_type(Mutf8::new(name.bytes()));
        Ok(ty.and_then(|ty| places.get(ty.0 as usize).copied().flatten()))
    }
}
