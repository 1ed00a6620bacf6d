//! Verifying what was changed, on the bytes that were written.

use wattle_dex::{ClassIndex, Dex, DexError, MethodItem, Result, Verifier};

use super::classes_in_front::ClassPlaces;
use crate::plan::FilePlan;

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: usize = 64;

/// A method with probes that does not verify as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefusedMethod {
    /// Its class in the source.
    pub(super) class: ClassIndex,
    /// It in the source.
    pub(super) source: MethodItem,
}

/// A file as it was and as it was written.
pub(super) struct Written<'w, 'a> {
    pub(super) source: &'w Dex<'a>,
    pub(super) dex: &'w Dex<'w>,
    /// The places of its classes.
    pub(super) places: ClassPlaces,
}

/// The methods with probes that do not verify as they were written.
pub(super) fn refused(
    written: &Written<'_, '_>,
    verifier: &Verifier<'_, '_>,
    plan: &FilePlan,
    threads: usize,
) -> Result<Vec<RefusedMethod>> {
    let classes: Vec<_> = plan.methods.chunk_by(|one, other| one.class == other.class).collect();
    let pieces =
        wattle_workers::numbered(threads, classes.len().div_ceil(CLASSES_AT_ONCE), |piece| {
            let first = piece * CLASSES_AT_ONCE;
            let mut refused = Vec::new();
            for methods in classes.iter().skip(first).take(CLASSES_AT_ONCE) {
                let Some(class) = methods.first().map(|it| it.class) else { continue };
                let place = written.places.of(written.source, written.dex, class)?;
                for (before, after) in pairs(written, class, place)? {
                    let changed =
                        plan.method(before.method).is_some_and(|(_, it)| it.class == class);
                    let index = place.unwrap_or(class);
                    if changed && verifier.method(index, after).is_some() {
                        refused.push(RefusedMethod { class, source: before });
                    }
                }
            }
            Ok(refused)
        });
    let mut all = Vec::new();
    for refused in pieces {
        all.extend(refused?);
    }
    Ok(all)
}

/// Checks header, map, tables, classes and annotations of what was written; an error where they have a defect and the
/// source's have none.
pub(super) fn sound_as(source: &Dex<'_>, written: &Verifier<'_, '_>) -> Result<()> {
    let defects = written.structure();
    let Some(defect) = defects.first() else { return Ok(()) };
    if Verifier::new(source).structure().is_empty() {
        return Err(DexError::Edit {
            subject: "written file",
            expected: defect.expected.clone(),
            found: defect.to_string(),
        });
    }
    Ok(())
}

/// The methods of a class before and after: the members of a class keep their order. An error where the class is gone.
fn pairs(
    written: &Written<'_, '_>,
    class: ClassIndex,
    place: Option<ClassIndex>,
) -> Result<Vec<(MethodItem, MethodItem)>> {
    let missing = || DexError::Edit {
        subject: "written file",
        expected: format!("class {class} of the source"),
        found: "no class of its name".into(),
    };
    let before = methods(written.source, class)?;
    let after = methods(written.dex, place.ok_or_else(missing)?)?;
    Ok(before.into_iter().zip(after).collect())
}

fn methods(dex: &Dex<'_>, class: ClassIndex) -> Result<Vec<MethodItem>> {
    let Some(members) = dex.class_data(&dex.class_def(class)?)? else { return Ok(Vec::new()) };
    members.filter_map(|member| member.map(wattle_dex::Member::method).transpose()).collect()
}
