//! Regions by what their stacks have in common.

use std::fmt::Write as _;

use wattle_diagnose::{NO_COMMON_STACK, StackFrame, StackGroup};

use super::{View, energy, interval};
use crate::terminal::style::Style::{Dim, Plain, Strong};

/// Frames shown of a stack: the innermost say what it does.
const FRAMES: usize = 12;

impl View<'_> {
    pub(super) fn stacks(&self, to: &mut String) {
        let groups = &self.diagnosis.groups;
        if groups.is_empty() {
            return;
        }
        self.heading(to, &format!("Common call stacks ({})", groups.len()));
        for (number, group) in (1..).zip(groups).take(self.top) {
            self.group(number, group, to);
        }
        self.more(to, groups.len());
        to.push('\n');
    }

    fn group(&self, number: usize, group: &StackGroup, to: &mut String) {
        let count = group.regions.len();
        let mut line = format!(
            "{number}. {count} region{}, mean CPU use {}",
            if count == 1 { "" } else { "s" },
            Self::share(group.cpu_use)
        );
        if group.energy.is_some() {
            let range = match interval(group.energy) {
                range if range.is_empty() => range,
                range => format!(" [{range}]"),
            };
            let (drawn, saved) = (energy(group.energy), energy(group.saved));
            let _ = write!(line, ", {drawn}{range}, to save {saved}");
        }
        self.lines(to, Strong, 2, &line);
        // One odd stack of a hundred must not hide what the others share.
        match self.majority(group).filter(|_| group.stack.is_empty()) {
            Some((majority, share)) => {
                let share = Self::share(share);
                self.lines(to, Dim, 5, &format!("{share} of the stacks of its first region:"));
                self.frames(majority, to);
            }
            None if group.stack.is_empty() => self.lines(to, Plain, 5, NO_COMMON_STACK),
            None => self.frames(&group.stack, to),
        }
    }

    /// The innermost frames of a stack, a line each.
    fn frames(&self, stack: &[StackFrame], to: &mut String) {
        let hidden = stack.len().saturating_sub(FRAMES);
        if hidden > 0 {
            self.lines(to, Dim, 5, &format!("… {hidden} outer frames"));
        }
        for frame in stack.iter().skip(hidden) {
            let source =
                frame.source.as_deref().map_or(String::new(), |source| format!(" ({source})"));
            self.lines(to, Plain, 5, &format!("{}{source}", frame.text));
        }
    }

    /// Returns the frames that most stacks of its first region have in common, if there are any.
    fn majority(&self, group: &StackGroup) -> Option<(&[StackFrame], f64)> {
        let region = self.diagnosis.regions.get(*group.regions.first()? as usize)?;
        let stack = &region.stack;
        (!stack.majority.is_empty()).then_some((stack.majority.as_slice(), stack.majority_share))
    }
}
