//! Members that a class of the app inherits from others of it.

use super::AppClasses;
use super::call_names::TypeName;

/// Superclasses and interfaces of one class that are looked at. Real classes stay below fifty; longer chains are cycles.
const MAX_ANCESTORS: usize = 200;

impl AppClasses<'_> {
    /// The class and its superclasses, nearest first, then their interfaces; of the app alone.
    pub(crate) fn ancestors(&self, class: TypeName) -> Vec<TypeName> {
        let mut found: Vec<TypeName> = Vec::new();
        let mut next = Some(class);
        while let Some(at) = next.filter(|_| found.len() < MAX_ANCESTORS) {
            let Some(facts) = self.class(at).filter(|_| !found.contains(&at)) else { break };
            found.push(at);
            next = facts.superclass;
        }
        let mut at = 0;
        while let Some(&class) = found.get(at) {
            for interface in self.interfaces(class).take(MAX_ANCESTORS) {
                if found.len() >= MAX_ANCESTORS {
                    return found;
                }
                if self.class(interface).is_some() && !found.contains(&interface) {
                    found.push(interface);
                }
            }
            at += 1;
        }
        found
    }
}
