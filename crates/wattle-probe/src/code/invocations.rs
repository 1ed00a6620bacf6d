//! Which methods with probes call each other, by the code alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashMap;
use wattle_dex::{AccessFlags, ClassIndex, CodeItem, Decoded, Dex, MethodId, Opcode, TypeId};

use crate::calls::{AppClasses, MethodKey};
use crate::plan::{FilePlan, Lines, Plan};

/// Methods that one call may reach besides the one that it names. A call that may reach more is one of anything
/// (`Function0.invoke`): of it only what it names is told.
const MAX_OVERRIDING: usize = 16;

/// Pairs of a class and a method that stands for one of the class that are known.
const MAX_PAIRS: usize = 1 << 22;

/// Which methods with probes a call may reach.
#[derive(Debug)]
pub(super) struct Invocations<'i, 'a> {
    classes: &'i AppClasses<'a>,
    /// The numbers of methods.
    ids: FxHashMap<MethodKey, u32>,
    /// The range of the numbers of methods that override one: those of its class are inherited.
    overriding: FxHashMap<MethodKey, Range<usize>>,
    overriding_ids: Vec<u32>,
}

impl<'i, 'a> Invocations<'i, 'a> {
    /// Of the methods that a plan gives probes to.
    pub(super) fn new(classes: &'i AppClasses<'a>, plan: &Plan) -> Self {
        let mut ids = FxHashMap::default();
        let mut pairs: Vec<(MethodKey, u32)> = Vec::new();
        for (names, file) in classes.files().iter().zip(&plan.files) {
            for methods in file.methods.chunk_by(|one, other| one.class == other.class) {
                let mut ancestors = None;
                for (id, method) in methods.iter().filter_map(|it| Some((it.id?, it.method))) {
                    let Some(key) = names.method(method) else { continue };
                    // Of classes that several files define the first is the one that runs.
                    if *ids.entry(key).or_insert(id) != id || !is_virtual(classes, key) {
                        continue;
                    }
                    let ancestors = ancestors.get_or_insert_with(|| classes.ancestors(key.class));
                    let room = MAX_PAIRS.saturating_sub(pairs.len());
                    let inherited = ancestors.iter().skip(1).take(room);
                    pairs.extend(inherited.map(|&class| (MethodKey { class, ..key }, id)));
                }
            }
        }
        pairs.sort_unstable();
        let mut overriding = FxHashMap::default();
        let mut first = 0;
        for same in pairs.chunk_by(|one, other| one.0 == other.0) {
            if let Some((key, _)) = same.first().filter(|_| same.len() <= MAX_OVERRIDING) {
                overriding.insert(*key, first..first + same.len());
            }
            first += same.len();
        }
        let overriding_ids = pairs.into_iter().map(|(_, id)| id).collect();
        Self { classes, ids, overriding, overriding_ids }
    }

    /// The methods that a body calls, by number, with the lines of these calls as the file has them.
    pub(super) fn in_body(
        &self,
        file: usize,
        dex: &Dex<'_>,
        caller: TypeId,
        code: &CodeItem<'_>,
    ) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut lines = None;
        // What cannot be decoded ends them.
        for (at, instruction) in code.instructions().map_while(Result::ok) {
            let (named, overriding) = self.called(file, caller, &instruction);
            if named.is_none() && overriding.is_empty() {
                continue;
            }
            let lines = lines.get_or_insert_with(|| Lines::new(dex, code));
            let Some(line) = lines.at(at).filter(|line| *line > 0) else { continue };
            for id in named.iter().chain(overriding) {
                found.entry(*id).or_default().insert(line);
            }
        }
        found
    }

    /// The method that a call names, and those that may run in its place.
    fn called(&self, file: usize, caller: TypeId, instruction: &Decoded) -> (Option<u32>, &[u32]) {
        let opcode = instruction.opcode;
        let names = self.classes.files().get(file).filter(|_| opcode.is_invoke());
        let named = names.and_then(|names| names.method(MethodId(instruction.index)));
        let Some((names, named)) = names.zip(named) else { return (None, &[]) };
        let Some(class) = self.classes.class(named.class) else { return (None, &[]) };
        match opcode {
            Opcode::INVOKE_VIRTUAL
            | Opcode::INVOKE_VIRTUAL_RANGE
            | Opcode::INVOKE_INTERFACE
            | Opcode::INVOKE_INTERFACE_RANGE => {
                let range = self.overriding.get(&named).cloned();
                let overriding = range.and_then(|range| self.overriding_ids.get(range));
                (self.inherited(named), overriding.unwrap_or_default())
            }
            Opcode::INVOKE_SUPER | Opcode::INVOKE_SUPER_RANGE if !class.is_interface() => {
                let caller = names.ty(caller).and_then(|caller| self.classes.class(caller));
                let from = caller.and_then(|caller| caller.superclass);
                (from.and_then(|class| self.inherited(MethodKey { class, ..named })), &[])
            }
            Opcode::INVOKE_SUPER
            | Opcode::INVOKE_SUPER_RANGE
            | Opcode::INVOKE_DIRECT
            | Opcode::INVOKE_DIRECT_RANGE
            | Opcode::INVOKE_STATIC
            | Opcode::INVOKE_STATIC_RANGE => (self.inherited(named), &[]),
            // Calls of signatures (`invoke-polymorphic`) and of call sites (`invoke-custom`) name no method of the app.
            _ => (None, &[]),
        }
    }

    /// The number of the method that a class has under a name, itself or from another class of the app.
    fn inherited(&self, named: MethodKey) -> Option<u32> {
        if let Some(id) = self.ids.get(&named) {
            return Some(*id);
        }
        let of = |class| MethodKey { class, ..named };
        let is_declared = |class: &_| self.classes.declared(of(*class)).is_some();
        if is_declared(&named.class) {
            return None;
        }
        let ancestors = self.classes.ancestors(named.class);
        let declares = ancestors.into_iter().find(is_declared)?;
        self.ids.get(&of(declares)).copied()
    }
}

fn is_virtual(classes: &AppClasses<'_>, key: MethodKey) -> bool {
    let fixed = [AccessFlags::STATIC, AccessFlags::PRIVATE, AccessFlags::CONSTRUCTOR];
    classes.declared(key).is_some_and(|access| fixed.iter().all(|flag| !access.contains(*flag)))
}

/// The bodies of a class's planned methods, by their positions in the plan's list.
pub(super) fn bodies<'a>(
    dex: &Dex<'a>,
    plan: &FilePlan,
    class: ClassIndex,
) -> wattle_dex::Result<FxHashMap<usize, CodeItem<'a>>> {
    let mut found = FxHashMap::default();
    let members = dex.class_data(&dex.class_def(class)?)?;
    for member in members.into_iter().flatten() {
        let Some(item) = member?.method() else { continue };
        if let Some((at, planned)) = plan.method(item.method)
            && planned.class == class
            && item.code_off != 0
            && !found.contains_key(&at)
        {
            found.insert(at, dex.code(item.code_off)?);
        }
    }
    Ok(found)
}
