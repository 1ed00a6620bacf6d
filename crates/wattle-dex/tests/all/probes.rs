//! The hardest edit there is: a call at the entry and at every exit of every method of every real file,
//! exceptions included.

use wattle_dex::*;
use wattle_testdata::requires;

use crate::support;

/// The kinds of a method's arguments.
fn arguments(dex: &Dex<'_>, site: &MethodSite<'_>) -> Result<Vec<ArgumentKind>> {
    let mut kinds = Vec::new();
    if !site.access.contains(AccessFlags::STATIC) {
        kinds.push(ArgumentKind::Reference);
    }
    for ty in dex.parameters(dex.method(site.method)?.proto)?.iter() {
        kinds.push(ArgumentKind::of_descriptor(dex.descriptor(ty)?.bytes()));
    }
    Ok(kinds)
}

/// `const vR, 7; invoke-static/range {vR}, method`.
fn probe(register: u16, method: MethodId) -> Vec<Node> {
    let mut code = CodeBuilder::new(0, 0);
    code.const_int(register, 7).invoke(Opcode::INVOKE_STATIC, method, &[register]);
    code.finish().unwrap().nodes
}

/// A body with calls around it; `None` where the new registers are out of reach.
fn wrap(
    dex: &Dex<'_>,
    site: &MethodSite<'_>,
    enter: MethodId,
    exit: MethodId,
) -> Result<Option<Code>> {
    let mut code = Code::decode_with_lines(dex, &site.code)?;
    let kinds = arguments(dex, site)?;
    let new = code.grow_frame(2, &kinds)?;
    if !new.fit_8_bits() {
        return Ok(None);
    }
    let (number, exception) = (new.first, new.first + 1);
    let (start, end, handler) = (code.new_label(), code.new_label(), code.new_label());
    let mut entry = probe(number, enter);
    entry.push(Node::Label(start));
    let mut insertions = vec![(kinds.len(), entry)];
    for (index, node) in code.nodes.iter().enumerate() {
        if matches!(node, Node::Instruction(it) if it.opcode.is_return()) {
            insertions.push((index, probe(number, exit)));
        }
    }
    code.insert_outside_tries(insertions)?;
    let one = |opcode, register| {
        let registers = Registers::list(&[register]).unwrap();
        Node::Instruction(Instruction::new(opcode, registers, Operand::None))
    };
    code.nodes.extend([
        Node::Label(end),
        Node::Label(handler),
        one(Opcode::MOVE_EXCEPTION, exception),
    ]);
    code.nodes.extend(probe(number, exit));
    code.nodes.push(one(Opcode::THROW, exception));
    code.tries.push(TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) });
    Ok(Some(code))
}

#[test]
fn every_method_of_made_files_can_be_wrapped() {
    assert_eq!(check(support::made_files()), 14, "methods");
}

#[requires(data)]
#[test]
fn every_method_can_be_wrapped() {
    assert!(check(support::real_files()) > 100_000);
}

/// Wraps all methods of all files; the number of methods.
#[track_caller]
fn check(files: Vec<(String, Vec<u8>)>) -> u64 {
    let (mut defects, mut skipped, mut methods) = (Vec::new(), 0, 0);
    for (name, bytes) in files {
        let dex = Dex::parse(&bytes).unwrap();
        let mut file = DexFile::edit(&dex);
        let pool = file.pool_mut();
        let enter = pool.method("Laa/Runtime;", "enter", "(I)V").unwrap();
        let exit = pool.method("Laa/Runtime;", "exit", "(I)V").unwrap();
        let verifier = Verifier::new(&dex);
        let out_of_reach = std::sync::atomic::AtomicU32::new(0);
        let has_monitor = |site: &MethodSite<'_>| {
            let mut instructions = site.code.instructions();
            instructions.any(|it| it.is_ok_and(|(_, it)| it.opcode == Opcode::MONITOR_ENTER))
        };
        let written = file.write_with(&|site| {
            let item =
                MethodItem { method: site.method, access: site.access, code_off: site.code.offset };
            let code = if has_monitor(site) && verifier.leaks_monitor(site.class, item)? {
                None
            } else {
                wrap(&dex, site, enter, exit)?
            };
            if code.is_none() {
                out_of_reach.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(code)
        });
        let written = match written {
            Ok(written) => written,
            // The only thing that may be in the way.
            Err(DexError::TooMany { pool: Section::METHOD_IDS, .. }) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let again = Dex::parse(&written).unwrap();
        let verification = Verifier::new(&again).all(2);
        methods += verification.methods;
        skipped += out_of_reach.into_inner();
        defects.extend(verification.defects.iter().map(|defect| format!("{name}: {defect}")));
    }
    let shown: Vec<_> = defects.iter().take(20).map(String::as_str).collect();
    assert!(
        defects.is_empty(),
        "{} defects in {methods} methods:\n{}",
        defects.len(),
        shown.join("\n")
    );
    assert!(u64::from(skipped) * 1000 <= methods, "{skipped} of {methods} cannot be wrapped");
    methods
}
