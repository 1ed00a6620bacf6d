//! Which methods with probes call each other, by the code alone.

use rustc_hash::FxHashMap;
use wattle_dex::{AccessFlags, ClassIndex, CodeItem, Dex, MethodId, Opcode, TypeId};

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
    /// By file and by the number of a method in it: what a call that names it may reach.
    reached: Vec<Vec<Reached>>,
    /// Methods that may run in the place of those that calls name.
    overriding: Vec<u32>,
}

/// Methods that calls of one method may reach.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    /// The number of the method itself; 0 where it has none, for numbers begin at 1.
    named: u32,
    /// The first of those that override it, and how many there are.
    overriding: (u32, u32),
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
        let mut ranges: FxHashMap<MethodKey, (u32, u32)> = FxHashMap::default();
        let mut first = 0;
        for same in pairs.chunk_by(|one, other| one.0 == other.0) {
            let count = same.len() as u32;
            if let Some((key, _)) = same.first().filter(|_| same.len() <= MAX_OVERRIDING) {
                ranges.insert(*key, (first, count));
            }
            first += count;
        }
        let overriding = pairs.into_iter().map(|(_, id)| id).collect();
        let mut found = Self { classes, ids, reached: Vec::new(), overriding };
        let reached = |named: &MethodKey| {
            if classes.class(named.class).is_none() {
                return Reached::default();
            }
            let named_id = found.inherited(*named).unwrap_or(0);
            Reached { named: named_id, overriding: ranges.get(named).copied().unwrap_or_default() }
        };
        let files = classes.files().iter();
        let all = files.map(|names| names.methods().iter().map(reached).collect()).collect();
        found.reached = all;
        found
    }

    /// The methods that a body calls, each number with each line of its calls as the file has them, in order.
    pub(super) fn in_body(
        &self,
        file: usize,
        dex: &Dex<'_>,
        caller: TypeId,
        code: &CodeItem<'_>,
    ) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut lines = None;
        // What cannot be decoded ends them.
        for (at, opcode) in code.opcodes().map_while(Result::ok) {
            if !opcode.is_invoke() {
                continue;
            }
            let method = MethodId(code.units.get(at + 1).map_or(u32::MAX, u32::from));
            let (named, overriding) = self.called(file, caller, opcode, method);
            if named.is_none() && overriding.is_empty() {
                continue;
            }
            let lines = lines.get_or_insert_with(|| Lines::new(dex, code));
            let Some(line) = lines.at(at).filter(|line| *line > 0) else { continue };
            found.extend(named.iter().chain(overriding).map(|id| (*id, line)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The method that a call names, and those that may run in its place.
    fn called(
        &self,
        file: usize,
        caller: TypeId,
        opcode: Opcode,
        method: MethodId,
    ) -> (Option<u32>, &[u32]) {
        let reached = self.reached.get(file).and_then(|file| file.get(method.0 as usize));
        let Some(reached) = reached else { return (None, &[]) };
        let named = Some(reached.named).filter(|id| *id > 0);
        match opcode {
            Opcode::INVOKE_VIRTUAL
            | Opcode::INVOKE_VIRTUAL_RANGE
            | Opcode::INVOKE_INTERFACE
            | Opcode::INVOKE_INTERFACE_RANGE => {
                let (first, count) = reached.overriding;
                let range = first as usize..(first + count) as usize;
                (named, self.overriding.get(range).unwrap_or_default())
            }
            Opcode::INVOKE_SUPER | Opcode::INVOKE_SUPER_RANGE => {
                (self.called_super(file, caller, method, named), &[])
            }
            Opcode::INVOKE_DIRECT
            | Opcode::INVOKE_DIRECT_RANGE
            | Opcode::INVOKE_STATIC
            | Opcode::INVOKE_STATIC_RANGE => (named, &[]),
            // Calls of signatures (`invoke-polymorphic`) and of call sites (`invoke-custom`) name no method of the app.
            _ => (None, &[]),
        }
    }

    /// The method that an `invoke-super` of a class reaches, which names one.
    fn called_super(
        &self,
        file: usize,
        caller: TypeId,
        method: MethodId,
        named: Option<u32>,
    ) -> Option<u32> {
        let names = self.classes.files().get(file)?;
        let key = names.method(method)?;
        if self.classes.class(key.class)?.is_interface() {
            return named;
        }
        let class = self.classes.class(names.ty(caller)?)?.superclass?;
        self.inherited(MethodKey { class, ..key })
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
