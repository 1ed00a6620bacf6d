//! Names that a recorder wrote as the linker has them.

use rustc_hash::FxHashMap;
use wattle_timeline::{Frame, FrameKind, NameId, Timeline};

use crate::demangle::demangle;
use crate::frame_replacement::Replacements;

/// Adds readable names for all frames whose recorded one is mangled, whichever format it came from. Frames that are replaced already
/// have such names.
pub(crate) fn demangle_recorded(timeline: &mut Timeline, replacements: &mut Replacements) {
    let mut readable: FxHashMap<NameId, Option<NameId>> = FxHashMap::default();
    for (number, frame) in (0..).zip(&timeline.code.samples.frames) {
        let is_code = matches!(frame.kind, FrameKind::Native | FrameKind::Kernel | FrameKind::Jit);
        let Some(function) = frame.function.filter(|_| is_code) else { continue };
        if replacements.contains_key(&number) {
            continue;
        }
        let name = *readable.entry(function).or_insert_with(|| {
            let mangled = timeline.names.get(function);
            let name = demangle(mangled);
            let name = (name != mangled).then(|| name.into_owned())?;
            Some(timeline.names.intern(&name))
        });
        if name.is_some() {
            replacements.insert(number, vec![Frame { function: name, ..*frame }]);
        }
    }
}
