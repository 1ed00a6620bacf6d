//! The verifier as a whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::FxHashSet;

use super::access_checks::{self, Owner};
use super::annotation_checks::{self, check_items, fits};
use super::class_hierarchy::Hierarchy;
use super::defect::Defect;
use super::operands::{Check, Problem, Subject};
use super::type_flow::Workspace;
use super::{structure, tables};
use crate::write::Inventory;
use crate::{
    ClassDefItem, ClassIndex, DebugEvent, Dex, Member, MethodId, MethodItem, Result, Section,
};

/// Checks a file: its structure, and the flow of types through the registers of its methods.
///
/// Classes outside the file are unknown, and nothing is held against them: what is reported is wrong
/// whatever they are.
#[derive(Debug)]
pub struct Verifier<'d, 'a> {
    dex: &'d Dex<'a>,
    hierarchy: Hierarchy<'d, 'a>,
    /// Memory of analyses that are over, for the next ones.
    spare: Mutex<Vec<Workspace>>,
}

/// Defects of the structure after which the rest of the file is not looked at.
const MAX_DEFECTS: usize = 10_000;
/// Defects that are listed of the methods of one class.
const MAX_CLASS_DEFECTS: usize = 16;
/// Units of code that methods may have together, as a multiple of the file's bytes.
const MAX_SHARING: u64 = 16;

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// Defects in file order; of a method the first, of a class's methods at most sixteen.
    pub defects: Vec<Defect>,
    /// Methods with code that were followed.
    pub methods: u64,
    /// Whether the header's SHA-1 is the file's. Android never looks at it, and some compilers leave a
    /// stale one, so a wrong one is no defect.
    pub signature_fits: bool,
}

impl<'d, 'a> Verifier<'d, 'a> {
    /// Prepares the checks of a file.
    pub fn new(dex: &'d Dex<'a>) -> Self {
        Self { dex, hierarchy: Hierarchy::new(dex), spare: Mutex::default() }
    }

    /// Checks everything, with several threads. The result does not depend on their number.
    pub fn all(&self, threads: usize) -> Verification {
        let mut defects = self.structure();
        let own = self.classes_with_own_data();
        let mut count = self.dex.count(Section::CLASS_DEFS);
        // Methods may share code; compilers let a few small ones.
        let units = self.code_units(&own);
        let limit = MAX_SHARING * self.dex.data().len() as u64;
        if units > limit {
            let expected = format!("methods of at most {limit} units together");
            defects.push(Defect::new("size", (Section::CODE, 0), expected, units.to_string()));
            count = 0;
        }
        let next = AtomicU32::new(0);
        let work = || {
            let (mut found, mut methods) = (Vec::new(), 0);
            let mut workspace = Workspace::default();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return (found, methods);
                }
                if own.get(index as usize) != Some(&true) {
                    continue;
                }
                let mut defects = Vec::new();
                methods += self.class_methods(&mut workspace, ClassIndex(index), &mut defects);
                defects.truncate(MAX_CLASS_DEFECTS);
                if !defects.is_empty() {
                    found.push((index, defects));
                }
            }
        };
        let (mut found, mut methods) = (Vec::new(), 0);
        for (more, count) in wattle_workers::together(threads, work) {
            found.extend(more);
            methods += count;
        }
        found.sort_by_key(|(index, _)| *index);
        defects.extend(found.into_iter().flat_map(|(_, defects)| defects));
        Verification { defects, methods, signature_fits: structure::signature_fits(self.dex) }
    }

    /// Classes whose members no class before them has, and which are an item of their section.
    fn classes_with_own_data(&self) -> Vec<bool> {
        let items = Inventory::from_dex(self.dex).unwrap_or_default();
        let items = items.get(Section::CLASS_DATA);
        let mut seen = FxHashSet::default();
        let own = |item: ClassDefItem, seen: &mut FxHashSet<u32>| {
            items.is_some_and(|items| items.position(item.class_data_off).is_some())
                && seen.insert(item.class_data_off)
        };
        self.dex.class_defs().map(|(_, item)| item.is_ok_and(|item| own(item, &mut seen))).collect()
    }

    /// Units of the code of all methods, shared code counted for each.
    fn code_units(&self, own: &[bool]) -> u64 {
        let mut units = 0;
        for ((_, item), _) in self.dex.class_defs().zip(own).filter(|(_, own)| **own) {
            let members = item.ok().and_then(|item| self.dex.class_data(&item).ok().flatten());
            for member in members.into_iter().flatten().map_while(Result::ok) {
                let code = member.method().filter(|method| method.code_off != 0);
                let code = code.and_then(|method| self.dex.code(method.code_off).ok());
                units += code.map_or(0, |code| u64::from(code.units.len()));
            }
        }
        units
    }

    /// Checks everything but the code: header, map, tables, classes, annotations.
    pub fn structure(&self) -> Vec<Defect> {
        let mut defects = Vec::new();
        let inventory = match Inventory::from_dex(self.dex) {
            Ok(inventory) => inventory,
            Err(error) => {
                defects.push(Defect::unreadable(
                    Section::MAP_LIST,
                    self.dex.header().map_off,
                    &error,
                ));
                return defects;
            }
        };
        structure::check(self.dex, &inventory, &mut defects);
        tables::check(self.dex, &inventory, &mut defects);
        check_items(self.dex, &inventory, &mut defects);
        let mut data = FxHashSet::default();
        let mut defined = vec![None; self.dex.count(Section::TYPE_IDS) as usize];
        for (index, item) in self.dex.class_defs() {
            let offset = self.dex.table(Section::CLASS_DEFS).1 + index.0 * 32;
            if defects.len() > MAX_DEFECTS {
                break;
            }
            if let Some(defect) =
                item.as_ref().ok().and_then(|item| offsets(item, offset, &inventory, &mut data))
            {
                defects.push(defect);
                continue;
            }
            let result = item
                .and_then(|item| self.class(index, &item, &inventory, &mut defined, &mut defects));
            if let Err(error) = result {
                defects.push(Defect::unreadable(Section::CLASS_DEFS, offset, &error));
            }
        }
        defects
    }

    fn class(
        &self,
        index: ClassIndex,
        item: &ClassDefItem,
        inventory: &Inventory,
        defined: &mut [Option<ClassIndex>],
        defects: &mut Vec<Defect>,
    ) -> Result<()> {
        let dex = self.dex;
        let place = (Section::CLASS_DEFS, dex.table(Section::CLASS_DEFS).1 + index.0 * 32);
        defects.extend(access_checks::class(item.access, place));
        let name = dex.descriptor_str(item.class)?;
        let interfaces = dex.type_list(item.interfaces_off)?;
        for parent in item.superclass.into_iter().chain(interfaces.iter()) {
            let descriptor = dex.descriptor(parent)?;
            if descriptor.bytes().first() != Some(&b'L') {
                let found = format!("{descriptor} of {name}");
                defects.push(Defect::new("descriptor", place, "a class to extend", found));
            }
            let later = self.hierarchy.is_defined(parent)
                && defined.get(parent.0 as usize).copied().flatten().is_none();
            if later {
                let found = format!("{name} before {}", dex.descriptor(parent)?);
                defects.push(Defect::new(
                    "class-order",
                    place,
                    "a class behind what it extends",
                    found,
                ));
            }
        }
        if let Some(slot) = defined.get_mut(item.class.0 as usize)
            && let Some(other) = slot.replace(index)
        {
            defects.push(Defect::new(
                "class-order",
                place,
                "each class once",
                format!("{name}, also class {other}"),
            ));
        }
        if self.hierarchy.is_cyclic(item.class) {
            defects.push(Defect::new(
                "class-order",
                place,
                "a class that is not its own ancestor",
                name.clone(),
            ));
        }
        if let Some(file) = item.source_file {
            dex.string(file)?;
        }
        if let Some(other) = annotation_checks::stranger(dex, item)? {
            let place = (Section::ANNOTATIONS_DIRECTORIES, item.annotations_off);
            let expected = format!("members of {name}");
            let found = dex.descriptor(other)?.to_string();
            defects.push(Defect::new("member-class", place, expected, found));
        }
        self.members(item, inventory, defects)
    }

    fn members(
        &self,
        item: &ClassDefItem,
        inventory: &Inventory,
        defects: &mut Vec<Defect>,
    ) -> Result<()> {
        let dex = self.dex;
        let values = dex.encoded_array(item.static_values_off)?;
        let mut statics = Vec::new();
        let Some(members) = dex.class_data(item)? else { return Ok(()) };
        let place = (Section::CLASS_DATA, item.class_data_off);
        let mut last = (0, None);
        for member in members {
            let member = member?;
            let (group, number, class) = match member {
                Member::StaticField(it) => (0, it.field.0, dex.field(it.field)?.class),
                Member::InstanceField(it) => (1, it.field.0, dex.field(it.field)?.class),
                Member::DirectMethod(it) => (2, it.method.0, dex.method(it.method)?.class),
                Member::VirtualMethod(it) => (3, it.method.0, dex.method(it.method)?.class),
            };
            if last.0 == group && last.1.is_some_and(|last| last >= number) {
                let found = format!("member {number} of group {group}");
                defects.push(Defect::new(
                    "order",
                    place,
                    "members in ascending order, each once",
                    found,
                ));
            }
            last = (group, Some(number));
            if class != item.class {
                let found = dex.descriptor(class)?.to_string();
                defects.push(Defect::new(
                    "member-class",
                    place,
                    // A damaged descriptor can be empty.
                    format!("a member of {}", dex.descriptor(item.class)?),
                    found,
                ));
            }
            if let Member::StaticField(it) = member {
                statics.push(dex.field(it.field)?.ty);
            }
            if let Some(method) = member.method() {
                self.method_item(method, inventory, place, defects)?;
            }
            let owner = Owner { access: item.access, place };
            defects.extend(match member {
                Member::StaticField(it) => access_checks::field(dex, owner, it, true),
                Member::InstanceField(it) => access_checks::field(dex, owner, it, false),
                Member::DirectMethod(it) => access_checks::method(dex, owner, it, true),
                Member::VirtualMethod(it) => access_checks::method(dex, owner, it, false),
            }?);
        }
        if values.len() > statics.len() {
            let expected = format!("at most {} values", statics.len());
            let place = (Section::ENCODED_ARRAYS, item.static_values_off);
            defects.push(Defect::new("static-values", place, expected, values.len().to_string()));
        }
        for (ty, value) in statics.into_iter().zip(&values) {
            if !fits(dex, ty, value)? {
                let place = (Section::ENCODED_ARRAYS, item.static_values_off);
                let expected = format!("a value of {}", dex.descriptor(ty)?);
                defects.push(Defect::new("static-values", place, expected, format!("{value:?}")));
            }
        }
        Ok(())
    }

    fn method_item(
        &self,
        method: MethodItem,
        inventory: &Inventory,
        place: (Section, u32),
        defects: &mut Vec<Defect>,
    ) -> Result<()> {
        let name = || self.dex.method_name(method.method);
        let code = inventory.get(Section::CODE);
        if method.code_off != 0
            && code.is_none_or(|items| items.position(method.code_off).is_none())
        {
            let found = format!("{:#x}", method.code_off);
            defects.push(Defect::new(
                "offset",
                place,
                format!("the offset of a code_item for {}", name()?),
                found,
            ));
        }
        let lines = match self.dex.code(method.code_off) {
            Ok(code) if method.code_off != 0 => code.debug_info_off,
            _ => 0,
        };
        let items = inventory.get(Section::DEBUG_INFO);
        if lines != 0 && items.is_none_or(|items| items.position(lines).is_none()) {
            let expected = format!("the offset of a debug_info_item for {}", name()?);
            let place = (Section::CODE, method.code_off);
            defects.push(Defect::new("offset", place, expected, format!("{lines:#x}")));
        }
        Ok(())
    }

    /// Follows the code of all methods of a class; returns their number.
    fn class_methods(
        &self,
        workspace: &mut Workspace,
        index: ClassIndex,
        defects: &mut Vec<Defect>,
    ) -> u64 {
        let result = self.dex.class_def(index).and_then(|item| {
            let mut methods = 0;
            for member in self.dex.class_data(&item)?.into_iter().flatten() {
                let Some(method) = member?.method().filter(|method| method.code_off != 0) else {
                    continue;
                };
                methods += 1;
                defects.extend(self.method_in(workspace, index, method));
            }
            Ok(methods)
        });
        // What cannot be read is reported with the structure.
        result.unwrap_or(0)
    }

    /// Whether something can throw out of a method while it holds a monitor. Compilers do leave such code;
    /// the runtime then does without its own proof. A handler of everything around the whole method would
    /// be reached with and without the monitor, which is a defect.
    pub fn leaks_monitor(&self, index: ClassIndex, method: MethodItem) -> Result<bool> {
        let subject = Subject {
            dex: self.dex,
            hierarchy: &self.hierarchy,
            class: self.dex.class_def(index)?.class,
            method: method.method,
            access: method.access,
            code: self.dex.code(method.code_off)?,
        };
        let mut workspace = self.workspace();
        let leaks = workspace.verify(&subject).is_ok_and(|facts| facts.leaks_monitor);
        self.put_back(workspace);
        Ok(leaks)
    }

    /// Checks one method of a class: the shape of its code, its flow, its line program. The first defect.
    pub fn method(&self, index: ClassIndex, method: MethodItem) -> Option<Defect> {
        let mut workspace = self.workspace();
        let defect = self.method_in(&mut workspace, index, method);
        self.put_back(workspace);
        defect
    }

    fn workspace(&self) -> Workspace {
        self.spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default()
    }

    fn put_back(&self, workspace: Workspace) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(workspace);
        }
    }

    fn method_in(
        &self,
        workspace: &mut Workspace,
        index: ClassIndex,
        method: MethodItem,
    ) -> Option<Defect> {
        let place = (Section::CODE, method.code_off);
        let code = match self.dex.code(method.code_off) {
            Ok(code) => code,
            Err(error) => {
                return Some(
                    self.named(Defect::unreadable(place.0, place.1, &error), method.method),
                );
            }
        };
        let class = match self.dex.class_def(index) {
            Ok(class) => class.class,
            Err(error) => {
                return Some(
                    self.named(Defect::unreadable(place.0, place.1, &error), method.method),
                );
            }
        };
        let subject = Subject {
            dex: self.dex,
            hierarchy: &self.hierarchy,
            class,
            method: method.method,
            access: method.access,
            code,
        };
        let problem = workspace.verify(&subject).and_then(|_| debug(&subject));
        problem.err().map(|problem| {
            let mut defect = Defect::new(problem.rule, place, problem.expected, problem.found);
            defect.unit = Some(problem.unit);
            self.named(defect, method.method)
        })
    }

    fn named(&self, mut defect: Defect, method: MethodId) -> Defect {
        defect.method =
            Some(self.dex.method_name(method).unwrap_or_else(|_| format!("method {method}")));
        defect
    }
}

/// The offsets in a class definition must be those of items, its members no other class's.
fn offsets(
    item: &ClassDefItem,
    at: u32,
    inventory: &Inventory,
    data: &mut FxHashSet<u32>,
) -> Option<Defect> {
    for (section, offset) in [
        (Section::TYPE_LISTS, item.interfaces_off),
        (Section::ANNOTATIONS_DIRECTORIES, item.annotations_off),
        (Section::CLASS_DATA, item.class_data_off),
        (Section::ENCODED_ARRAYS, item.static_values_off),
    ] {
        if offset != 0
            && inventory.get(section).is_none_or(|items| items.position(offset).is_none())
        {
            let expected = format!("the offset of a {section}");
            return Some(Defect::new(
                "offset",
                (Section::CLASS_DEFS, at),
                expected,
                format!("{offset:#x}"),
            ));
        }
    }
    if item.class_data_off != 0 && !data.insert(item.class_data_off) {
        let found = format!("{:#x} again", item.class_data_off);
        return Some(Defect::new("offset", (Section::CLASS_DEFS, at), "members of its own", found));
    }
    None
}

/// The line program decodes, names what exists, and stays inside the frame.
fn debug(subject: &Subject<'_, '_>) -> Check<()> {
    let (dex, code) = (subject.dex, &subject.code);
    let defect = |unit: u32, expected: &str, found: String| {
        Box::new(Problem { rule: "debug-info", unit, expected: expected.into(), found })
    };
    let read = |result: Result<()>, unit: u32| {
        result.map_err(|error| defect(unit, "a line program that can be read", error.to_string()))
    };
    if code.debug_info_off != 0 && code.debug_info_off as usize >= dex.data().len() {
        return Err(defect(0, "an offset inside the file", format!("{:#x}", code.debug_info_off)));
    }
    let debug = match dex.debug_info(code.debug_info_off) {
        Ok(Some(debug)) => debug,
        Ok(None) => return Ok(()),
        Err(error) => return read(Err(error), 0),
    };
    let parameters = subject.own_signature()?.len();
    if debug.parameter_names.len() != parameters {
        let expected = format!("{parameters} parameter names");
        return Err(defect(0, &expected, debug.parameter_names.len().to_string()));
    }
    for name in debug.parameter_names.iter().flatten() {
        read(dex.string_data_off(*name).map(drop), 0)?;
    }
    for event in debug.events() {
        let (unit, event) = event
            .map_err(|error| defect(0, "a line program that can be read", error.to_string()))?;
        let register = match event {
            DebugEvent::StartLocal { register, name, ty, signature } => {
                for name in [name, signature].into_iter().flatten() {
                    read(dex.string_data_off(name).map(drop), unit)?;
                }
                read(ty.map_or(Ok(()), |ty| dex.type_string(ty).map(drop)), unit)?;
                register
            }
            DebugEvent::EndLocal(register) | DebugEvent::RestartLocal(register) => register,
            DebugEvent::File(Some(name)) => {
                read(dex.string_data_off(name).map(drop), unit)?;
                continue;
            }
            _ => continue,
        };
        if register >= u32::from(code.registers) {
            return Err(defect(unit, "a register of the frame", format!("v{register}")));
        }
    }
    Ok(())
}
