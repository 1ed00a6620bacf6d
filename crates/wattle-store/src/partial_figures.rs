//! The figures of a run, of its methods only those that are wanted.

use std::collections::{BTreeSet, HashMap};

use crate::RunFigures;
use crate::method_block::METHODS;

/// The figures of a run, of its methods only those that are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialFigures {
    /// The figures.
    pub figures: RunFigures,
    /// Whether the run has methods at all, so that a wanted one that is missing did not occur. Only known where the app has wanted ones.
    pub has_methods: bool,
}

/// The wanted methods of an app, and the blocks that they are in.
pub(crate) struct BlockChoice<'m> {
    /// Names by number.
    pub names: HashMap<u64, &'m str>,
    /// The numbers of their blocks, as a list of SQL.
    pub wanted: String,
    /// The numbers of all blocks.
    pub all: String,
}

impl<'m> BlockChoice<'m> {
    pub fn new(methods: &'m [(u64, String)], is_wanted: &(dyn Fn(&str) -> bool + Sync)) -> Self {
        let wanted = methods.iter().filter(|(_, name)| is_wanted(name));
        let names: HashMap<u64, &str> =
            wanted.map(|(number, name)| (*number, name.as_str())).collect();
        let list = |numbers: &mut dyn Iterator<Item = u64>| {
            let blocks: BTreeSet<u64> = numbers.map(|number| number / METHODS).collect();
            blocks.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
        };
        let wanted = list(&mut names.keys().copied());
        let all = list(&mut methods.iter().map(|(number, _)| *number));
        Self { names, wanted, all }
    }
}
