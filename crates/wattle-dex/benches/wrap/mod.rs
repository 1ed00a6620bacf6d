//! The hardest rewriting there is: probes with a text of their own at the entry, at every exit and around every method.

use std::fmt::Write as _;
use std::sync::Mutex;

use wattle_dex::{
    AccessFlags, ArgumentKind, Code, Dex, DexFile, Instruction, MethodId, MethodItem, MethodSite,
    Node, Opcode, Operand, Registers, Result, Section, StringId, TryBlock, Verifier,
};

/// The runtime class's methods that probes call.
#[derive(Clone, Copy)]
pub struct Probes {
    pub enter: MethodId,
    pub exit: MethodId,
    pub unwind: MethodId,
}

/// Counts of a rewriting.
pub struct Rewritten {
    pub bytes: Vec<u8>,
    /// The methods that have new code, by class and number in the source.
    pub methods: usize,
}

/// Adds the names of the runtime class, and a label for every method with code; `None` for the others.
pub fn intern(file: &mut DexFile<'_>, dex: &Dex<'_>) -> Result<(Probes, Vec<Option<StringId>>)> {
    let mut labels = vec![None; dex.count(Section::METHOD_IDS) as usize];
    for (_, class) in dex.class_defs() {
        let class = class?;
        for member in dex.class_data(&class)?.into_iter().flatten() {
            let Some(item) = member?.method().filter(|item| item.code_off != 0) else { continue };
            let method = dex.method(item.method)?;
            let class = dex.descriptor_str(method.class)?;
            let class = class.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
            let name = dex.string(method.name)?.to_str();
            let mut label = format!("{class}.{name}");
            label.truncate(label.floor_char_boundary(112));
            let _ = write!(label, " #{:x}@9f86d081", item.method.0);
            if let Some(slot) = labels.get_mut(item.method.0 as usize) {
                *slot = Some(file.pool_mut().string(&label));
            }
        }
    }
    let pool = file.pool_mut();
    let probe = "Lwattle/probe/Probe;";
    Ok((
        Probes {
            enter: pool.method(probe, "enter", "(Ljava/lang/String;)V")?,
            exit: pool.method(probe, "exit", "()V")?,
            unwind: pool.method(probe, "unwind", "()V")?,
        },
        labels,
    ))
}

/// Wraps every method that has a label.
pub fn rewrite(
    file: &DexFile<'_>,
    dex: &Dex<'_>,
    probes: Probes,
    labels: &[Option<StringId>],
) -> Result<Rewritten> {
    let methods = Mutex::new(0);
    let verifier = Verifier::new(dex);
    let bytes = file.write_with(&|site| {
        let Some(&Some(label)) = labels.get(site.method.0 as usize) else { return Ok(None) };
        let mut instructions = site.code.instructions();
        let locks =
            instructions.any(|it| it.is_ok_and(|(_, it)| it.opcode == Opcode::MONITOR_ENTER));
        let item =
            MethodItem { method: site.method, access: site.access, code_off: site.code.offset };
        if locks && verifier.leaks_monitor(site.class, item)? {
            return Ok(None);
        }
        let code = wrap(dex, site, probes, label)?;
        if code.is_some() {
            *methods.lock().expect("no panic") += 1;
        }
        Ok(code)
    })?;
    Ok(Rewritten { bytes, methods: methods.into_inner().expect("no panic") })
}

fn wrap(
    dex: &Dex<'_>,
    site: &MethodSite<'_>,
    probes: Probes,
    label: StringId,
) -> Result<Option<Code>> {
    let mut code = Code::decode_with_lines(dex, &site.code)?;
    let mut kinds = Vec::new();
    if !site.access.contains(AccessFlags::STATIC) {
        kinds.push(ArgumentKind::Reference);
    }
    for ty in dex.parameters(dex.method(site.method)?.proto)?.iter() {
        kinds.push(ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes()));
    }
    let new = code.grow_frame(1, &kinds)?;
    if !new.fit_8_bits() {
        return Ok(None);
    }
    let register = new.first;
    let one = |opcode, operand| -> Result<Node> {
        let registers = Registers::list(&[register]).unwrap_or(Registers::NONE);
        Ok(Node::Instruction(Instruction::new(opcode, registers, operand)))
    };
    let call = |method, arguments: &[u16]| -> Result<Node> {
        let operand = Operand::Method(method);
        Ok(Node::Instruction(Instruction::calling(Opcode::INVOKE_STATIC, operand, arguments)?))
    };
    let (start, end, handler) = (code.new_label(), code.new_label(), code.new_label());
    let entry = vec![
        one(Opcode::CONST_STRING, Operand::String(label))?,
        call(probes.enter, &[register])?,
        Node::Label(start),
    ];
    let mut insertions = vec![(kinds.len(), entry)];
    for (index, node) in code.nodes.iter().enumerate() {
        if matches!(node, Node::Instruction(it) if it.opcode.is_return()) {
            insertions.push((index, vec![call(probes.exit, &[])?]));
        }
    }
    code.insert_outside_tries(insertions)?;
    code.nodes.extend([
        Node::Label(end),
        Node::Label(handler),
        one(Opcode::MOVE_EXCEPTION, Operand::None)?,
        call(probes.unwind, &[])?,
        one(Opcode::THROW, Operand::None)?,
    ]);
    code.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
    Ok(Some(code))
}
