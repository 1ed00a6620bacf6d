//! Files made with the builder: all versions, containers, code that needs every form of branch.

use wattle_dex::*;

use crate::support::dump::dump;
use crate::support::sample::{broken_rules, code_offset, method, rich};

#[test]
fn every_version_is_sound_and_comes_back_unchanged() {
    for version in [35, 37, 38, 39, 40, 41] {
        let bytes = rich(version).write().unwrap();
        let dex = Dex::parse(&bytes).unwrap();
        assert_eq!(dex.header().version, version);
        assert_eq!(dex.header().header_size, if version == 41 { 0x78 } else { 0x70 });
        let verification = Verifier::new(&dex).all(1);
        assert_eq!(verification.defects, [], "version {version}");
        assert!(verification.signature_fits);
        assert_eq!(RoundTrip::from_dex(&dex).unwrap(), RoundTrip::Identical, "version {version}");
    }
}

#[test]
fn values_and_annotations_are_what_was_asked_for() {
    let bytes = rich(39).write().unwrap();
    let dex = Dex::parse(&bytes).unwrap();
    let text = dump(&dex).concat();
    for expected in [
        "field 9 Lrich/A;->a:Z Some(\"Boolean(true)\")",
        "field 9 Lrich/A;->b:J Some(\"Long(-1099511627776)\")",
        "field 9 Lrich/A;->d:I Some(\"Int(0)\")",
        "field 9 Lrich/A;->g:B None",
        "\\\"gr\u{fc}\u{df}e \u{1f600}\\\\0\\\"",
        "annotation 1 @Ljava/lang/Deprecated;(by=Ljava/lang/Object;, since=[Int(7), Null, Char(65535)])",
        "annotation Lrich/A;->run(IJ)V 1 1 @Ljava/lang/Deprecated;",
        "invoke-custom [0] 0 [4 Lrich/B;->link(Ljava/lang/Object;)V, \"call\", II(I)I, Int(3)]",
        "lines [(0, 90)]",
    ] {
        assert!(text.contains(expected), "{expected} not in:\n{text}");
    }
}

#[test]
fn version_36_and_42_are_refused() {
    let mut bytes = rich(35).write().unwrap();
    for version in [36, 42] {
        bytes[5..7].copy_from_slice(version.to_string().as_bytes());
        let error = Dex::parse(&bytes).unwrap_err();
        assert_eq!(error, DexError::Version { found: version });
    }
}

#[test]
fn a_container_holds_several_files() {
    let mut other = DexFile::new(41);
    let pool = other.pool_mut();
    let class =
        Class::new(pool.ty("LB;"), Some(pool.ty("Ljava/lang/Object;")), AccessFlags::PUBLIC);
    other.add_class(class);
    let bytes = DexFile::write_container(&[rich(41), other]).unwrap();
    let files = Dex::parse_container(&bytes).unwrap();
    assert_eq!(files.len(), 2);
    for dex in &files {
        assert_eq!(dex.header().container_size as usize, bytes.len());
        assert_eq!(Verifier::new(dex).all(1).defects, []);
    }
    assert!(files[1].header().header_offset > 0);
    assert_eq!(dump(&files[1]), ["class LB; 1 Some(\"Ljava/lang/Object;\")\nfile None\n"]);
    // Editing all of them and putting them together again changes nothing.
    let edits: Vec<_> = files.iter().map(DexFile::edit).collect();
    assert!(DexFile::write_container(&edits).unwrap() == bytes);
}

#[test]
fn strings_of_a_container_may_lie_in_a_later_file() {
    let bytes = DexFile::write_container(&[rich(41), rich(41)]).unwrap();
    let files = Dex::parse_container(&bytes).unwrap();
    // Both files have the same strings: let the first use the second's.
    let mut shared = bytes.clone();
    for id in 0..files[0].count(Section::STRING_IDS) {
        let at = files[0].map().get(Section::STRING_IDS).unwrap().offset as usize + 4 * id as usize;
        let theirs = files[1].string_data_off(StringId(id)).unwrap();
        shared[at..at + 4].copy_from_slice(&theirs.to_le_bytes());
    }
    seal(&mut shared[..files[0].header().file_size as usize]);
    let files = Dex::parse_container(&shared).unwrap();
    assert_eq!(Verifier::new(&files[0]).all(1).defects, []);
    let alone = DexFile::edit(&files[0]).write().unwrap();
    let alone = Dex::parse(&alone).unwrap();
    assert_eq!(Verifier::new(&alone).all(1).defects, []);
    assert_eq!(dump(&alone), dump(&files[0]));
}

/// A branch over `units` units of padding, forwards and backwards; returns the code's opcodes at the ends.
#[track_caller]
fn check_branch(padding: usize, forward: &[Opcode], backward: &[Opcode]) {
    let bytes = method("(I)V", |_, code| {
        let number = code.argument(0);
        let (end, top) = (code.label(), code.here());
        code.branch(Opcode::IF_LTZ, &[number], end);
        for _ in 0..padding {
            code.plain(Opcode::NOP, &[]);
        }
        code.goto(top).place(end).return_void();
    });
    assert_eq!(broken_rules(&bytes), [""; 0]);
    let dex = Dex::parse(&bytes).unwrap();
    let code = dex.code(code_offset(&bytes) as u32).unwrap();
    let opcodes: Vec<Opcode> = code
        .instructions()
        .map(|it| it.unwrap().1.opcode)
        .filter(|&opcode| opcode != Opcode::NOP)
        .collect();
    let (head, tail) = opcodes.split_at(forward.len());
    assert_eq!(head, forward);
    assert_eq!(tail, [backward, &[Opcode::RETURN_VOID]].concat());
}

#[test]
fn branches_take_the_shortest_form_that_reaches() {
    check_branch(10, &[Opcode::IF_LTZ], &[Opcode::GOTO]);
    // `goto` reaches 128 units back: 126 units of padding and the `if` of two.
    check_branch(126, &[Opcode::IF_LTZ], &[Opcode::GOTO]);
    check_branch(127, &[Opcode::IF_LTZ], &[Opcode::GOTO_16]);
    // `if` reaches 32767 units: itself 2, padding, `goto/16` 2.
    check_branch(32763, &[Opcode::IF_LTZ], &[Opcode::GOTO_16]);
    // Longer by two units, the inverted form is out of reach of `goto/16` as well.
    check_branch(32764, &[Opcode::IF_GEZ, Opcode::GOTO_32], &[Opcode::GOTO_32]);
    check_branch(40000, &[Opcode::IF_GEZ, Opcode::GOTO_32], &[Opcode::GOTO_32]);
}

#[test]
fn an_endless_loop_needs_the_long_form() {
    let bytes = method("()V", |_, code| {
        let here = code.here();
        code.goto(here);
    });
    assert_eq!(broken_rules(&bytes), [""; 0]);
}

#[test]
fn strings_past_65535_are_jumbo() {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let strings: Vec<_> = (0..70_000).map(|n| pool.string(&format!("s{n:06}"))).collect();
    let object = pool.ty("Ljava/lang/Object;");
    let mut class = Class::new(pool.ty("LA;"), Some(object), AccessFlags::PUBLIC);
    let mut code = CodeBuilder::new(1, 0);
    code.const_string(0, strings[1]).const_string(0, strings[69_999]).return_void();
    let id = pool.method("LA;", "m", "()V").unwrap();
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    class.direct_methods.push(Method {
        id,
        access,
        body: Body::Code(Box::new(code.finish().unwrap())),
    });
    file.add_class(class);
    let bytes = file.write().unwrap();
    assert_eq!(broken_rules(&bytes), [""; 0]);
    let opcodes = |bytes: &[u8]| -> Vec<Opcode> {
        let dex = Dex::parse(bytes).unwrap();
        let code = dex.code(code_offset(bytes) as u32).unwrap();
        code.instructions().map(|it| it.unwrap().1.opcode).collect()
    };
    assert_eq!(opcodes(&bytes)[..2], [Opcode::CONST_STRING, Opcode::CONST_STRING_JUMBO]);
    // Strings that sort in front push the first one out of reach: copied code is laid out anew.
    let dex = Dex::parse(&bytes).unwrap();
    let mut grown = DexFile::edit(&dex);
    for n in 0..66_000 {
        grown.pool_mut().string(&format!("!{n}"));
    }
    let written = grown.write().unwrap();
    assert_eq!(opcodes(&written)[..2], [Opcode::CONST_STRING_JUMBO, Opcode::CONST_STRING_JUMBO]);
    assert_eq!(dump(&Dex::parse(&written).unwrap()), dump(&dex));
}

#[test]
fn nested_try_blocks_are_cut_apart() {
    let bytes = method("()V", |names, code| {
        let call = names.call("LOther;", "run", "()V");
        let (inner, outer, all) = (code.label(), code.label(), code.label());
        let mut places = Vec::new();
        for _ in 0..3 {
            places.push(code.here());
            code.invoke(Opcode::INVOKE_STATIC, call, &[]);
        }
        places.push(code.here());
        code.return_void();
        for label in [inner, outer, all] {
            code.place(label).plain(Opcode::MOVE_EXCEPTION, &[0]).plain(Opcode::THROW, &[0]);
        }
        let (a, b) = (names.ty("Ljava/io/IOException;"), names.ty("Ljava/lang/Exception;"));
        code.try_block(places[1], places[2], vec![(a, inner)], None);
        code.try_block(places[0], places[3], vec![(b, outer), (a, outer)], None);
        code.try_block(places[0], places[3], Vec::new(), Some(all));
    });
    assert_eq!(broken_rules(&bytes), [""; 0]);
    let text = dump(&Dex::parse(&bytes).unwrap()).concat();
    let tries: Vec<&str> = text.lines().filter(|line| line.starts_with("  try")).collect();
    assert_eq!(
        tries,
        [
            "  try 0..1 [(\"Ljava/lang/Exception;\", 6), (\"Ljava/io/IOException;\", 6)] Some(8)",
            "  try 1..2 [(\"Ljava/io/IOException;\", 4), (\"Ljava/lang/Exception;\", 6)] Some(8)",
            "  try 2..3 [(\"Ljava/lang/Exception;\", 6), (\"Ljava/io/IOException;\", 6)] Some(8)",
        ]
    );
}

#[test]
fn a_class_that_is_added_later_goes_in_front_of_its_subclass() {
    let mut file = DexFile::new(35);
    let pool = file.pool_mut();
    let (object, a, b) = (pool.ty("Ljava/lang/Object;"), pool.ty("LA;"), pool.ty("LB;"));
    file.add_class(Class::new(a, Some(b), AccessFlags::PUBLIC));
    file.add_class(Class::new(b, Some(object), AccessFlags::PUBLIC));
    let bytes = file.write().unwrap();
    assert_eq!(broken_rules(&bytes), [""; 0]);
    let dex = Dex::parse(&bytes).unwrap();
    let first = dex.class_def(ClassIndex(0)).unwrap().class;
    assert_eq!(dex.descriptor_str(first).unwrap(), "LB;");
}

#[test]
fn classes_are_replaced_and_left_out() {
    let mut file = rich(39);
    let pool = file.pool_mut();
    let keep =
        Class::new(pool.ty("LKeep;"), Some(pool.ty("Ljava/lang/Object;")), AccessFlags::PUBLIC);
    file.add_class(keep);
    let bytes = file.write().unwrap();
    let dex = Dex::parse(&bytes).unwrap();

    let mut edit = DexFile::edit(&dex);
    let mut class = dex.class(ClassIndex(0)).unwrap();
    class.annotations = ClassAnnotations::default();
    class.virtual_methods.pop();
    edit.replace_class(ClassIndex(0), class).unwrap();
    let written = edit.write().unwrap();
    assert_eq!(broken_rules(&written), [""; 0]);
    let text = dump(&Dex::parse(&written).unwrap()).concat();
    assert!(!text.contains("annotation") && text.contains("invoke-custom"), "{text}");

    let mut edit = DexFile::edit(&dex);
    edit.remove_class(ClassIndex(0)).unwrap();
    let written = edit.write().unwrap();
    assert_eq!(broken_rules(&written), [""; 0]);
    let again = Dex::parse(&written).unwrap();
    assert_eq!(dump(&again), [dump(&dex)[1].clone()]);
    assert!(again.map().get(Section::CODE).is_none(), "code of removed classes goes with them");
}

#[test]
fn too_many_methods_are_an_error() {
    let mut file = DexFile::new(35);
    for n in 0..65_537 {
        file.pool_mut().method("LA;", &format!("m{n}"), "()V").unwrap();
    }
    let error = file.write().unwrap_err();
    assert!(
        matches!(
            error,
            DexError::TooMany { pool: Section::METHOD_IDS, found: 65_537, limit: 65_536 }
        ),
        "{error}"
    );
}
