//! By what methods of several recordings are the same.

use wattle_ledger::SiteEntry;
use wattle_timeline::SiteKind;

/// A method by class, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    /// The class as Java writes it.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its parameters and result; `None` where the recorder does not write it.
    pub descriptor: Option<String>,
}

impl MethodName {
    /// The name of a site that is a method.
    pub fn from_site(site: &SiteEntry) -> Option<Self> {
        (site.kind == SiteKind::Method).then(|| Self {
            class: site.class.clone(),
            method: site.method.clone(),
            descriptor: site.descriptor.clone(),
        })
    }
}
