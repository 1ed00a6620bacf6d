//! The rules by the first letter of their pattern, so that a name is compared with a few of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{RuntimeRule, RuntimeRuleKind};

/// The rules of one kind.
#[derive(Debug, Default)]
pub(super) struct RuleIndex {
    by_first: BTreeMap<u8, Vec<&'static RuntimeRule>>,
    /// Those whose pattern begins with any text.
    of_any: Vec<&'static RuntimeRule>,
}

impl RuleIndex {
    fn new(kind: RuntimeRuleKind) -> Self {
        let mut index = Self::default();
        for rule in RuntimeRule::all().iter().filter(|rule| rule.kind == kind) {
            match rule.pattern.bytes().next() {
                Some(b'*') | None => index.of_any.push(rule),
                Some(first) => index.by_first.entry(first).or_default().push(rule),
            }
        }
        index
    }

    /// Rules of trace sections.
    pub(super) fn sections() -> &'static Self {
        static INDEX: LazyLock<RuleIndex> =
            LazyLock::new(|| RuleIndex::new(RuntimeRuleKind::Section));
        &INDEX
    }

    /// Rules of functions.
    pub(super) fn functions() -> &'static Self {
        static INDEX: LazyLock<RuleIndex> =
            LazyLock::new(|| RuleIndex::new(RuntimeRuleKind::Function));
        &INDEX
    }

    /// The rules that may be of this name.
    pub(super) fn candidates(&self, name: &str) -> impl Iterator<Item = &'static RuntimeRule> {
        let of_first = name.bytes().next().and_then(|first| self.by_first.get(&first));
        of_first.into_iter().flatten().chain(&self.of_any).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule finds its own pattern, and a name of no rule has few to be compared with.
    #[test]
    fn rules_are_found_by_their_names() {
        let mut seen = 0;
        for rule in RuntimeRule::all() {
            let index = match rule.kind {
                RuntimeRuleKind::Thread => continue,
                RuntimeRuleKind::Section => RuleIndex::sections(),
                RuntimeRuleKind::Function => RuleIndex::functions(),
            };
            let name = rule.pattern.replace('*', "any");
            assert!(index.candidates(&name).any(|found| found == rule), "{name}");
            seen += 1;
        }
        assert!(seen > 60, "{seen} rules");
        assert!(RuleIndex::functions().candidates("zzz").count() < 10);
    }
}
