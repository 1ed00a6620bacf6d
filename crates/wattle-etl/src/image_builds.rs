//! Which build each image of a log is, for whoever looks for its file.
//!
//! An image is identified by `TimeDateStamp` and `SizeOfImage` (eight digits each), its debug data by GUID and age (32 digits and eight), as
//! on Windows' symbol servers but with all zeros.

use wattle_timeline::{NameId, TimelineBuilder};

use super::loaded_images::Images;
use super::schema::ImageFact;

/// Facts that are kept.
const MOST: usize = 1 << 20;

/// Facts that name an image by its address only: which it is, is known at the end.
#[derive(Debug, Default)]
pub(super) struct ImageBuilds {
    pending: Vec<Pending>,
}

#[derive(Debug)]
struct Pending {
    pid: u32,
    base: u64,
    time: i64,
    id: String,
}

/// The id of an image; `None` where its header says nothing.
pub(super) fn image_id(stamp: u32, size: u64) -> Option<String> {
    let size = u32::try_from(size).ok()?;
    (stamp != 0).then(|| format!("{stamp:08x}{size:08x}"))
}

impl ImageBuilds {
    /// Adds the build that an image's own event names.
    pub fn image(file: NameId, stamp: u32, size: u64, builder: &mut TimelineBuilder) {
        if let Some(id) = image_id(stamp, size) {
            let id = builder.names.intern(&id);
            builder.samples().build_id(file, id);
        }
    }

    /// Adds a fact that merging the log added. Returns true if it contains anything.
    pub fn fact(&mut self, fact: &ImageFact, time: i64) -> bool {
        let pending = match *fact {
            ImageFact::Build { base, pid, size, stamp, .. } => {
                image_id(stamp, size).map(|id| Pending { pid, base, time, id })
            }
            ImageFact::DebugData { base, pid, guid, age, .. } => {
                let digits = guid.to_string().replace('-', "");
                Some(Pending { pid, base, time, id: format!("{digits}{age:08x}") })
            }
            ImageFact::Version { .. } => None,
        };
        let is_said = pending.is_some();
        self.pending.extend(pending.filter(|_| self.pending.len() < MOST));
        is_said
    }

    /// Tells them of the images that lie there.
    pub fn finish(self, images: &Images, builder: &mut TimelineBuilder) {
        for it in self.pending {
            if let Some(image) = images.find(it.pid, it.base, it.time) {
                let id = builder.names.intern(&it.id);
                builder.samples().build_id(image.file, id);
            }
        }
    }
}
