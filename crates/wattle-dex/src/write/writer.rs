//! The whole of writing one logical file.

use super::blob::Blob;
use super::bodies::{Bodies, dead_debug, owners, plain};
use super::classes::ClassCompiler;
use super::dead::Dead;
use super::file_output_layout::Output;
use super::hidden;
use super::inventory::Inventory;
use super::item_source::Source;
use super::member_lists::{BodyPlaces, MemberLists};
use super::numbering::Numbering;
use super::parallel::emit_section;
use super::write_plan::Plan;
use crate::{Result, Section};

/// Writes a logical file. Container length and signatures come with [`seal`].
pub(crate) fn write(plan: &Plan<'_, '_>) -> Result<Vec<u8>> {
    let numbering = Numbering::new(plan.pool, plan.kept)?;
    let dex = plan.pool.base();
    let inventory = dex.map(Inventory::from_dex).transpose()?.unwrap_or_default();
    let dead = Dead::new(dex, &inventory, plan)?;

    let mut blobs: Vec<Blob> = Vec::new();
    let mut apart = Vec::new();
    let mut debug = Vec::new();
    if let Some(dex) = dex {
        let source = Source { dex, remap: &numbering.remap };
        let owners = if plan.rewrites { owners(dex, plan.slots)? } else { Vec::new() };
        let mut dead_debug_items = None;
        // Bodies come first: they decide which line programs are still in use.
        for items in inventory.sections.iter().filter(|items| items.section == Section::CODE) {
            let gone = dead.of_section(Section::CODE);
            let bodies = Bodies { source, items, owners: &owners, plan, gone };
            let (blob, written) = emit_section(items, plan.threads, &|range| bodies.write(range))?;
            if plan.rewrites || dead.of_section(Section::CODE).is_some() {
                let mut unused = dead_debug(dex, &inventory, items, &blob)?;
                let gone = dead.of_section(Section::DEBUG_INFO).unwrap_or_default();
                unused.iter_mut().zip(gone).for_each(|(unused, gone)| *unused |= gone);
                dead_debug_items = Some(unused);
            }
            apart = written.apart;
            debug = written.debug;
            blobs.push(blob);
        }
        for items in &inventory.sections {
            let section = items.section;
            if matches!(
                section,
                Section::CODE | Section::CLASS_DATA | Section::MAP_LIST | Section::HIDDEN_API
            ) {
                continue;
            }
            let gone = dead.of_section(section);
            let gone = if section == Section::DEBUG_INFO {
                dead_debug_items.as_deref().or(gone)
            } else {
                gone
            };
            let (blob, _) =
                emit_section(items, plan.threads, &|range| plain(&source, items, range, gone))?;
            blobs.push(blob);
        }
    }
    let methods = dex.map_or(0, |dex| dex.count(Section::METHOD_IDS));
    let apart = BodyPlaces::new(methods, &apart);
    let mut compiler = ClassCompiler::new(&mut blobs, &numbering, plan.pool);
    if debug.iter().any(|programs| programs.len() > 0) {
        compiler.programs(&debug)?;
        debug.clear();
    }
    let new_parameters = compiler.strings_and_parameters()?;
    let new_call_sites = compiler.call_sites()?;
    let (classes, members) = compiler.classes(plan.slots, dex)?;

    // Sections whose bytes depend on where others are.
    blobs.push(Blob::new(Section::CLASS_DATA));
    if let Some(blob) = hidden::emit(dex, &inventory, &classes)? {
        blobs.push(blob);
    }
    blobs.push(Blob::new(Section::MAP_LIST));
    let output = Output {
        plan,
        numbering: &numbering,
        inventory: &inventory,
        classes: &classes,
        new_parameters: &new_parameters,
        new_call_sites: &new_call_sites,
    };
    let members = MemberLists {
        dex,
        numbering: &numbering,
        new: &members,
        gone: dead.of_section(Section::CLASS_DATA),
        apart: &apart,
    };
    let order = output.section_order(&blobs);
    // What the lists say of other sections is where the bodies begin, in nearly every file in front of them.
    let code_base = |blobs: &[Blob]| {
        blobs.iter().find(|blob| blob.section == Section::CODE).map(|blob| blob.base)
    };
    let mut end = output.place(&mut blobs, &order)?;
    for _ in 0..8 {
        let known = code_base(&blobs);
        let mut data = Blob::new(Section::CLASS_DATA);
        members.put(&mut data, &output.placement(&blobs))?;
        if let Some(blob) = blobs.iter_mut().find(|blob| blob.section == Section::CLASS_DATA) {
            *blob = data;
        }
        end = output.place(&mut blobs, &order)?;
        if code_base(&blobs) == known {
            break;
        }
    }
    let used: Vec<Section> =
        order.into_iter().filter(|&section| output.count(section, &blobs) > 0).collect();
    output.assemble(blobs, &used, end)
}
