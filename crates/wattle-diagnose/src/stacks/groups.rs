//! Regions with one stack in common.

use std::collections::BTreeMap;

use crate::{Region, StackFrame};

/// Which regions belong together, and the group of each.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Grouping {
    /// The stack, its regions and the mean of their CPU use; highest first.
    pub(crate) groups: Vec<(Vec<StackFrame>, Vec<u32>, f64)>,
    /// By region.
    pub(crate) of_region: Vec<u32>,
}

/// By strict common stack, over all threads. Regions come highest CPU use first and stay so.
pub(crate) fn group(regions: &[Region]) -> Grouping {
    let mut by_stack: BTreeMap<Vec<&str>, Vec<u32>> = BTreeMap::new();
    for (index, region) in (0..).zip(regions) {
        let key = region.stack.strict.iter().map(|frame| frame.text.as_str()).collect();
        by_stack.entry(key).or_default().push(index);
    }
    let mut groups: Vec<_> = by_stack
        .into_values()
        .map(|members| {
            let of = |index: &u32| regions.get(*index as usize);
            let sum: f64 = members.iter().filter_map(of).map(|region| region.cpu_use).sum();
            let stack = members.first().and_then(of).map(|region| region.stack.strict.clone());
            let mean = sum / members.len() as f64;
            (stack.unwrap_or_default(), members, mean)
        })
        .collect();
    groups.sort_by(|one, other| other.2.total_cmp(&one.2).then_with(|| one.1.cmp(&other.1)));
    let mut of_region = vec![0; regions.len()];
    for (group, (_, members, _)) in (0..).zip(&groups) {
        for member in members {
            if let Some(slot) = of_region.get_mut(*member as usize) {
                *slot = group;
            }
        }
    }
    Grouping { groups, of_region }
}
