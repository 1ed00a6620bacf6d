//! The key of a callee.

use wattle_timeline::{NameId, SiteId};

/// The name and place that tell the callees of a node apart, in one number: callees are looked up once for each slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Callee(u64);

impl Callee {
    pub(crate) fn new(name: NameId, site: Option<SiteId>) -> Self {
        let site = site.map_or(0, |site| site.index() as u64 + 1);
        Self(site << 32 | u64::from(name.0))
    }
}
