//! Places in an app's code that probes stand at: methods, and calls in them.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::NameId;

/// Number of a [`CodeSite`] in [`CodeSites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(NonZeroU32);

impl SiteId {
    /// The site at a position; `None` beyond 2³² − 2.
    pub fn new(index: usize) -> Option<Self> {
        let number = u32::try_from(index).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(Self)
    }

    /// The position in [`CodeSites::sites`].
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// A method of the app.
    Method,
    /// A call into the framework that stands in a method of the app.
    Call,
}

/// A place in an app's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeSite {
    /// Its kind.
    pub kind: SiteKind,
    /// The method's class as Java writes it; of a call the class outside of the app where it lands.
    pub class: NameId,
    /// The method's name, or that of the method that is called.
    pub method: NameId,
    /// Its parameters and result, `(I)V`; `None` where the recorder does not write it (Orka, Navitas): what probe maps list has
    /// them.
    pub descriptor: Option<NameId>,
    /// The source file that the place is in.
    pub file: Option<NameId>,
    /// The method's first line, or the line of the call; `None` where the code does not say it.
    pub line: Option<u32>,
    /// Of a call the method that it stands in; `None` for methods, and where it is not known.
    pub within: Option<SiteId>,
}

/// A line of a method from which it calls another method of the app, by the code alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Invocation {
    /// The method in which the line is.
    pub caller: SiteId,
    /// The method that is called.
    pub callee: SiteId,
    /// The line.
    pub line: u32,
}

/// A method that a shrinker put in the place of its call, around a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlinedPlace {
    /// The place.
    pub site: SiteId,
    /// The method's class.
    pub class: NameId,
    /// Its name.
    pub method: NameId,
    /// The line in it.
    pub line: Option<u32>,
}

/// All places of the probe maps of a recording, whether anything ran there or not.
#[derive(Clone, Debug, Default)]
pub struct CodeSites {
    /// The places.
    pub sites: Vec<CodeSite>,
    /// Methods that call each other, and from which lines, in order.
    pub invocations: Vec<Invocation>,
    /// The methods between a call and the method that it stands in, in order of places, the one that makes the call first. A place's
    /// own line is that of the method that it stands in.
    pub inlined: Vec<InlinedPlace>,
    /// Places that only a method trace names, ascending: what ran, with no list of what could have run.
    pub traced: Vec<SiteId>,
}

impl CodeSites {
    /// One of them.
    pub fn get(&self, site: SiteId) -> Option<&CodeSite> {
        self.sites.get(site.index())
    }

    /// The methods that a shrinker put in the place of their calls around a place, the innermost first.
    pub fn inlined(&self, site: SiteId) -> impl Iterator<Item = InlinedPlace> + '_ {
        let from = self.inlined.partition_point(|it| it.site < site);
        let rest = self.inlined.get(from..).unwrap_or_default();
        rest.iter().copied().take_while(move |it| it.site == site)
    }

    /// The lines from which one method calls another, ascending; empty where that is not known.
    pub fn lines(&self, caller: SiteId, callee: SiteId) -> impl Iterator<Item = u32> + '_ {
        let from = self.invocations.partition_point(|it| (it.caller, it.callee) < (caller, callee));
        let rest = self.invocations.get(from..).unwrap_or_default();
        rest.iter()
            .take_while(move |it| (it.caller, it.callee) == (caller, callee))
            .map(|it| it.line)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn lines_of_one_pair() {
        let site = |index| SiteId::new(index).unwrap();
        let of =
            |caller, callee, line| Invocation { caller: site(caller), callee: site(callee), line };
        let invocations = vec![of(0, 1, 4), of(0, 1, 9), of(0, 2, 5), of(1, 0, 7)];
        let code = CodeSites { invocations, ..CodeSites::default() };
        let lines = |caller, callee| code.lines(site(caller), site(callee)).collect::<Vec<_>>();
        assert_eq!(lines(0, 1), [4, 9]);
        assert_eq!(lines(0, 2), [5]);
        assert_eq!(lines(2, 0), [0; 0]);
        let inlined =
            |at, line| InlinedPlace { site: site(at), class: NameId(1), method: NameId(2), line };
        let list = vec![inlined(1, Some(8)), inlined(1, None), inlined(3, Some(9))];
        let code = CodeSites { inlined: list, ..code };
        let lines = |at| code.inlined(site(at)).map(|it| it.line).collect::<Vec<_>>();
        assert_eq!((lines(1), lines(2), lines(3)), (vec![Some(8), None], vec![], vec![Some(9)]));
        assert_eq!(site(5).index(), 5);
        assert_eq!(SiteId::new(u32::MAX as usize), None);
    }
}
