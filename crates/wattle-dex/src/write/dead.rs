//! Items that only removed classes, strings, … used. What nothing ever referred to is kept, unless the
//! identifier tables are pruned.

use super::inventory::Inventory;
use super::write_plan::Plan;
use crate::annotations::AnnotationsDirectory;
use crate::class_slot::Slot;
use crate::cursor::Cursor;
use crate::{Body, CallSiteId, ClassDefItem, Dex, ProtoId, Result, Section, StringId};

/// Which items of each section are not written.
#[derive(Debug, Default)]
pub(crate) struct Dead {
    sections: Vec<(Section, Vec<bool>)>,
}

impl Dead {
    pub(crate) fn new(
        dex: Option<&Dex<'_>>,
        inventory: &Inventory,
        plan: &Plan<'_, '_>,
    ) -> Result<Self> {
        let removes = plan.slots.iter().any(|slot| matches!(slot, Slot::Edited(_) | Slot::Removed));
        let Some(dex) = dex.filter(|_| removes || plan.kept.is_some()) else {
            return Ok(Self::default());
        };
        let mut was = Marks::new(inventory);
        let mut is = Marks::new(inventory);
        for (_, item) in dex.class_defs() {
            was.class(dex, &item?)?;
        }
        for slot in plan.slots {
            match slot {
                Slot::Source(index) => is.class(dex, &dex.class_def(*index)?)?,
                Slot::Edited(class) | Slot::New(class) => {
                    for method in class.methods() {
                        if let Body::Source(at) = method.body {
                            is.code(dex, at)?;
                        }
                    }
                }
                Slot::Removed => {}
            }
        }
        let kept = plan.kept;
        for id in 0..dex.count(Section::STRING_IDS) {
            let at = dex.string_data_off(StringId(id))?;
            mark_both(
                &mut was,
                &mut is,
                Section::STRING_DATA,
                at,
                flag(kept.strings.as_deref(), id),
            );
        }
        for id in 0..dex.count(Section::PROTO_IDS) {
            let at = dex.proto(ProtoId(id))?.parameters_off;
            mark_both(&mut was, &mut is, Section::TYPE_LISTS, at, flag(kept.protos.as_deref(), id));
        }
        for id in 0..dex.count(Section::CALL_SITE_IDS) {
            let at = dex.call_site_off(CallSiteId(id))?;
            mark_both(
                &mut was,
                &mut is,
                Section::ENCODED_ARRAYS,
                at,
                flag(kept.call_sites.as_deref(), id),
            );
        }
        // Items that nothing ever referred to may name what is pruned.
        let prunes = kept.is_some();
        let mut sections = Vec::new();
        for ((section, was), (_, is)) in was.sections.into_iter().zip(is.sections) {
            let all = prunes && section.is_known();
            sections.push((
                section,
                was.into_iter().zip(is).map(|(was, is)| (was || all) && !is).collect(),
            ));
        }
        Ok(Self { sections })
    }

    pub(crate) fn of_section(&self, section: Section) -> Option<&[bool]> {
        let found = self.sections.iter().find(|(other, _)| *other == section);
        found.map(|(_, gone)| gone.as_slice()).filter(|gone| gone.contains(&true))
    }
}

fn flag(kept: Option<&[bool]>, id: u32) -> bool {
    kept.is_none_or(|kept| kept.get(id as usize).copied().unwrap_or(false))
}

fn mark_both(was: &mut Marks<'_>, is: &mut Marks<'_>, section: Section, at: u32, live: bool) {
    was.mark(section, at);
    if live {
        is.mark(section, at);
    }
}

/// Items that something refers to.
struct Marks<'i> {
    inventory: &'i Inventory,
    sections: Vec<(Section, Vec<bool>)>,
}

impl<'i> Marks<'i> {
    fn new(inventory: &'i Inventory) -> Self {
        let sections = inventory
            .sections
            .iter()
            .map(|items| (items.section, vec![false; items.items.len()]))
            .collect();
        Self { inventory, sections }
    }

    /// Marks an item; true the first time.
    fn mark(&mut self, section: Section, at: u32) -> bool {
        let Some(index) = self.inventory.get(section).and_then(|items| items.position(at)) else {
            return false;
        };
        let marks = self.sections.iter_mut().find(|(other, _)| *other == section);
        match marks.and_then(|(_, marks)| marks.get_mut(index)) {
            Some(mark) => !std::mem::replace(mark, true),
            None => false,
        }
    }

    fn class(&mut self, dex: &Dex<'_>, item: &ClassDefItem) -> Result<()> {
        self.mark(Section::TYPE_LISTS, item.interfaces_off);
        self.mark(Section::ENCODED_ARRAYS, item.static_values_off);
        if self.mark(Section::CLASS_DATA, item.class_data_off)
            && let Some(members) = dex.class_data(item)?
        {
            for member in members {
                if let Some(method) = member?.method() {
                    self.code(dex, method.code_off)?;
                }
            }
        }
        if self.mark(Section::ANNOTATIONS_DIRECTORIES, item.annotations_off) {
            let mut cursor =
                Cursor::new(dex.data(), item.annotations_off, Section::ANNOTATIONS_DIRECTORIES);
            let directory = AnnotationsDirectory::parse(&mut cursor)?;
            self.set(dex, directory.class)?;
            for (_, at) in directory.fields.into_iter().chain(directory.methods) {
                self.set(dex, at)?;
            }
            for (_, at) in directory.parameters {
                if self.mark(Section::ANNOTATION_SET_REF_LISTS, at) {
                    let mut cursor = Cursor::new(dex.data(), at, Section::ANNOTATION_SET_REF_LISTS);
                    for _ in 0..cursor.u32()? {
                        self.set(dex, cursor.u32()?)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, dex: &Dex<'_>, at: u32) -> Result<()> {
        if self.mark(Section::ANNOTATION_SETS, at) {
            let mut cursor = Cursor::new(dex.data(), at, Section::ANNOTATION_SETS);
            for _ in 0..cursor.u32()? {
                let at = cursor.u32()?;
                self.mark(Section::ANNOTATIONS, at);
            }
        }
        Ok(())
    }

    fn code(&mut self, dex: &Dex<'_>, at: u32) -> Result<()> {
        if self.mark(Section::CODE, at) {
            let debug = dex.code(at)?.debug_info_off;
            self.mark(Section::DEBUG_INFO, debug);
        }
        Ok(())
    }
}
