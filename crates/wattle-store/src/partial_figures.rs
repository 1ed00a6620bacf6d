//! The figures of a run, of its methods only those that are chosen.

use std::collections::{BTreeSet, HashMap};

use wattle_units::{Estimate, Interval};

use crate::RunFigures;
use crate::method_block::METHODS;

/// Whether a method of this name is meant.
pub type NameTest<'t> = &'t (dyn Fn(&str) -> bool + Sync);

/// The methods whose energies are read.
#[derive(Clone, Copy)]
pub enum MethodChoice<'t> {
    /// Each of those that are meant, by its name.
    Named(NameTest<'t>),
    /// The sum of the own energies of each group: of many runs, and of methods by the thousand.
    Summed(&'t [NameTest<'t>]),
}

/// The figures of a run, of its methods only those that are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialFigures {
    /// The figures; methods only where they are chosen by name.
    pub figures: RunFigures,
    /// The sum of each group in the order of the choice; `None` where none of its methods occurred. Intervals are added up, as if all were
    /// wrong in the same way.
    pub sums: Vec<Option<Estimate>>,
    /// Whether the run has methods at all, so that one that is missing did not occur. Only known where the app has chosen ones.
    pub has_methods: bool,
}

/// The chosen methods of an app, and the blocks that they are in.
pub(crate) struct BlockChoice<'m> {
    /// Names and groups by number.
    pub methods: HashMap<u64, (&'m str, Vec<usize>)>,
    /// The numbers of their blocks, as a list of SQL.
    pub wanted: String,
    /// The numbers of all blocks.
    pub all: String,
}

impl<'m> BlockChoice<'m> {
    pub fn new(methods: &'m [(u64, String)], choice: MethodChoice<'_>) -> Self {
        let groups = |name: &str| -> Option<Vec<usize>> {
            let found: Vec<usize> = match choice {
                MethodChoice::Named(is_meant) => return is_meant(name).then(Vec::new),
                MethodChoice::Summed(tests) => {
                    let all = tests.iter().enumerate();
                    all.filter(|(_, is_meant)| is_meant(name)).map(|(at, _)| at).collect()
                }
            };
            (!found.is_empty()).then_some(found)
        };
        let chosen: HashMap<u64, (&str, Vec<usize>)> = methods
            .iter()
            .filter_map(|(number, name)| Some((*number, (name.as_str(), groups(name)?))))
            .collect();
        let list = |numbers: &mut dyn Iterator<Item = u64>| {
            let blocks: BTreeSet<u64> = numbers.map(|number| number / METHODS).collect();
            blocks.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
        };
        let wanted = list(&mut chosen.keys().copied());
        let all = list(&mut methods.iter().map(|(number, _)| *number));
        Self { methods: chosen, wanted, all }
    }
}

/// Adds an energy to a sum.
pub(crate) fn add(sum: &mut Option<Estimate>, energy: Estimate) {
    *sum = Some(match sum.take() {
        None => energy,
        Some(known) => Estimate {
            joules: known.joules + energy.joules,
            interval: Interval {
                low: known.interval.low + energy.interval.low,
                high: known.interval.high + energy.interval.high,
            },
            provenance: known.provenance.weakest(energy.provenance),
        },
    });
}
