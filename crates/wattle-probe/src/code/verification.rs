//! Verifying what was changed, on the bytes that were written.

use wattle_dex::{ClassIndex, Dex, DexError, MethodItem, Result, Verifier};

use crate::plan::FilePlan;

/// Classes that one piece of work covers.
const CLASSES_AT_ONCE: usize = 64;

/// A method with probes that does not verify as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct RefusedMethod {
    /// Its class, in both files.
    pub(super) class: ClassIndex,
    /// It in the source.
    pub(super) source: MethodItem,
}

/// The methods with probes that do not verify as they were written.
pub(super) fn refused(
    source: &Dex<'_>,
    written: &Dex<'_>,
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
                for (before, after) in pairs(source, written, class)? {
                    let changed =
                        plan.method(before.method).is_some_and(|(_, it)| it.class == class);
                    if changed && verifier.method(class, after).is_some() {
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

/// The methods of a class before and after: classes and their members keep their order.
fn pairs(
    source: &Dex<'_>,
    written: &Dex<'_>,
    class: ClassIndex,
) -> Result<Vec<(MethodItem, MethodItem)>> {
    let before = methods(source, class)?;
    let after = methods(written, class)?;
    Ok(before.into_iter().zip(after).collect())
}

fn methods(dex: &Dex<'_>, class: ClassIndex) -> Result<Vec<MethodItem>> {
    let Some(members) = dex.class_data(&dex.class_def(class)?)? else { return Ok(Vec::new()) };
    members.filter_map(|member| member.map(wattle_dex::Member::method).transpose()).collect()
}
