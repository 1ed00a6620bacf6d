//! A rule: which thread, section or function is of which class.

use super::RuntimeClass;
use super::function_name::qualified;

/// The kernel keeps so many bytes of a thread's name (`TASK_COMM_LEN`, without the zero).
const KEPT_OF_NAME: usize = 15;

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuntimeRuleKind {
    /// A thread's name: all that it does.
    Thread,
    /// A trace section: all inside it.
    Section,
    /// A function or method, of a sampled stack or of a method trace: it and all that it calls.
    Function,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeRule {
    /// The class that it gives.
    pub class: RuntimeClass,
    /// Its subject.
    pub kind: RuntimeRuleKind,
    /// The name; one `*` stands for any text. Of functions the qualified name, without result and arguments.
    pub pattern: &'static str,
    /// The file of AOSP that the name is from.
    pub source: &'static str,
}

impl RuntimeRule {
    /// Whether a thread, section or function of that name is meant.
    pub fn matches(&self, name: &str) -> bool {
        self.matches_as(name, qualified(name))
    }

    /// The same, where the qualified name is known.
    pub(super) fn matches_as(&self, name: &str, qualified: &str) -> bool {
        match self.kind {
            RuntimeRuleKind::Thread => {
                let cut = name.len() == KEPT_OF_NAME && self.pattern.starts_with(name);
                cut || is_like(name, self.pattern)
            }
            RuntimeRuleKind::Section => is_like(name, self.pattern),
            RuntimeRuleKind::Function => is_like(qualified, self.pattern),
        }
    }
}

/// Whether the name is the pattern with some text for its `*`.
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail)),
    }
}

/// Whether it is a class's static initializer: the app's own code, though classes are loaded for it.
pub(super) fn is_static_initializer(qualified: &str) -> bool {
    qualified.ends_with(".<clinit>")
}
