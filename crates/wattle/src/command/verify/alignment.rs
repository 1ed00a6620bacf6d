//! Offsets of the data of stored entries.

use wattle_apk::{Alignment, Apk, Manifest, Method, PageSize};

use super::verdict::{Finding, Judged};

/// Name of the resource table.
const RESOURCES: &str = "resources.arsc";
/// From this target API level on Android installs a package only with its resource table stored and aligned
/// (behaviour changes of Android 11).
const STORED_RESOURCES_SINCE: u32 = 30;

/// Checks the alignment. Anything that Android refuses is a defect; anything that only costs time or memory is a note.
pub fn check(file: &str, apk: &Apk<'_>, manifest: Option<&Manifest>, judged: &mut Judged) {
    let target = manifest.and_then(|manifest| manifest.target_sdk.or(manifest.min_sdk));
    let needs_resources = target.is_some_and(|target| target >= STORED_RESOURCES_SINCE);
    let application = manifest.and_then(|manifest| manifest.application.as_ref());
    // Libraries that are not extracted are mapped from where they lie.
    let maps_libraries = application.and_then(|it| it.extract_native_libs) == Some(false);
    let small = Alignment { native_libraries: PageSize::K4 };
    let large = Alignment { native_libraries: PageSize::K16 };
    for entry in apk.misaligned(large) {
        let name = entry.name();
        let offset = entry.data_offset();
        let is_library = large.of(name) != small.of(name);
        let wrong_everywhere = !offset.is_multiple_of(small.of(name));
        let multiple = if wrong_everywhere { small.of(name) } else { large.of(name) };
        let why = match (is_library, wrong_everywhere) {
            (false, _) => "",
            (true, true) => ", so that the loader can map it",
            (true, false) => ", for devices with pages of 16 KiB",
        };
        let expected = format!("data that begins at a multiple of {multiple}{why}");
        let finding =
            Finding::new("alignment", file, expected, offset.to_string()).of_entry(Some(name));
        let refused = wrong_everywhere
            && (is_library && maps_libraries || name == RESOURCES && needs_resources);
        if refused {
            judged.defects.push(finding);
        } else {
            judged.notes.push(finding);
        }
    }
    let resources = apk.entry(RESOURCES).filter(|entry| entry.method() != Method::Stored);
    if let Some(entry) = resources.filter(|_| needs_resources) {
        let expected = format!(
            "a stored entry, which target API level {STORED_RESOURCES_SINCE} and above require"
        );
        let finding = Finding::new("alignment", file, expected, "a compressed one");
        judged.defects.push(finding.of_entry(Some(entry.name())));
    }
}
