//! Every injected fault is found, by the rule that it breaks.

use wattle_dex::*;

use crate::support::sample::{self, Names, broken_rules, code_offset, member, method};

/// A static method with a fault in its code.
#[track_caller]
fn check(rule: &str, signature: &str, build: impl FnOnce(&mut Names<'_>, &mut CodeBuilder)) {
    let found = broken_rules(&method(signature, build));
    assert_eq!(found, [rule]);
}

/// A sound method whose bytes are changed; the seal is made anew.
#[track_caller]
fn check_bytes(
    rule: &str,
    build: impl FnOnce(&mut Names<'_>, &mut CodeBuilder),
    change: impl FnOnce(&mut [u8], usize),
) {
    let mut bytes = method("()V", build);
    assert_eq!(broken_rules(&bytes), [""; 0], "sound before");
    let at = code_offset(&bytes);
    change(&mut bytes, at);
    seal(&mut bytes);
    let found = broken_rules(&bytes);
    assert!(found.contains(&rule), "expected {rule}, found {found:?}");
}

fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn get_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// File offset of a unit of the code.
fn unit(code: usize, unit: usize) -> usize {
    code + 16 + 2 * unit
}

#[test]
fn wrong_register_kind() {
    check("register-type", "(Ljava/lang/Object;)V", |_, code| {
        let object = code.argument(0);
        code.literal(Opcode::ADD_INT_LIT8, &[0, object], 1).return_void();
    });
}

#[test]
fn register_that_was_never_written() {
    check("register-type", "()I", |_, code| {
        code.plain(Opcode::RETURN, &[3]);
    });
}

#[test]
fn half_overwritten_pair() {
    check("register-type", "()J", |_, code| {
        code.const_wide(2, 1 << 40).const_int(3, 0).plain(Opcode::RETURN_WIDE, &[2]);
    });
}

#[test]
fn pair_overwritten_from_below() {
    check("register-type", "()J", |_, code| {
        code.const_wide(2, 1 << 40).const_wide(1, 2).plain(Opcode::RETURN_WIDE, &[2]);
    });
}

#[test]
fn long_used_as_double() {
    check("register-type", "(J)D", |_, code| {
        let long = code.argument(0);
        code.plain(Opcode::RETURN_WIDE, &[long]);
    });
}

#[test]
fn int_used_as_float() {
    check("register-type", "(I)F", |_, code| {
        let int = code.argument(0);
        code.plain(Opcode::NEG_FLOAT, &[0, int]).plain(Opcode::RETURN, &[0]);
    });
}

/// A call of a method that takes one class with an argument of another.
fn passing(taken: &str, given: &str) -> Vec<u8> {
    let taken = format!("(L{taken};)V");
    method(&format!("(L{given};)V"), |names, code| {
        let given = code.argument(0);
        let call = names.call("LOther;", "take", &taken);
        code.invoke(Opcode::INVOKE_STATIC, call, &[given]).return_void();
    })
}

/// Classes of Android, whose kinds the file does not tell.
#[test]
fn argument_of_another_platform_class() {
    let cases = [
        ("android/content/Context", "android/view/View", true),
        ("android/content/Context", "android/app/Activity", false),
        ("android/app/Activity", "android/content/Context", true),
        ("java/lang/Throwable", "java/io/IOException", false),
        ("java/util/ArrayList", "java/util/List", true),
        ("java/util/List", "java/util/ArrayList", false),
        // An interface is checked when it is called, and a hidden class is not known.
        ("java/lang/Runnable", "android/view/View", false),
        ("android/view/ViewRootImpl", "android/view/View", false),
        ("android/view/View", "android/view/ViewRootImpl", false),
    ];
    for (taken, given, is_defect) in cases {
        let expected = if is_defect { vec!["reference-type"] } else { Vec::new() };
        assert_eq!(broken_rules(&passing(taken, given)), expected, "{given} as {taken}");
    }
}

#[test]
fn merge_of_number_and_reference() {
    check("register-type", "(ILjava/lang/Object;)Ljava/lang/Object;", |_, code| {
        let (number, object) = (code.argument(0), code.argument(1));
        let (other, end) = (code.label(), code.label());
        code.branch(Opcode::IF_EQZ, &[number], other).move_object(0, object).goto(end);
        code.place(other).const_int(0, 5).place(end).plain(Opcode::RETURN_OBJECT, &[0]);
    });
}

#[test]
fn handler_that_reads_what_is_not_there_yet() {
    check("register-type", "()I", |names, code| {
        let call = names.call("LOther;", "get", "()I");
        let handler = code.label();
        let start = code.here();
        code.invoke(Opcode::INVOKE_STATIC, call, &[]).plain(Opcode::MOVE_RESULT, &[0]);
        let end = code.here();
        code.plain(Opcode::RETURN, &[0]);
        code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[1]).plain(Opcode::RETURN, &[0]);
        code.try_block(start, end, Vec::new(), Some(handler));
    });
}

#[test]
fn exception_without_a_handler() {
    check("move-exception", "()V", |_, code| {
        code.const_int(0, 0).plain(Opcode::MOVE_EXCEPTION, &[1]).plain(Opcode::THROW, &[1]);
    });
}

#[test]
fn use_of_uninitialised_object() {
    check("uninitialised", "()V", |names, code| {
        let (ty, call) = (names.ty("LBase;"), names.call("LBase;", "run", "()V"));
        code.with_type(Opcode::NEW_INSTANCE, &[0], ty)
            .invoke(Opcode::INVOKE_VIRTUAL, call, &[0])
            .return_void();
    });
}

#[test]
fn return_of_uninitialised_object() {
    check("uninitialised", "()LBase;", |names, code| {
        let ty = names.ty("LBase;");
        code.with_type(Opcode::NEW_INSTANCE, &[0], ty).plain(Opcode::RETURN_OBJECT, &[0]);
    });
}

#[test]
fn constructor_called_twice() {
    check("init", "()V", |names, code| {
        let (ty, init) = (names.ty("LBase;"), names.call("LBase;", "<init>", "()V"));
        code.with_type(Opcode::NEW_INSTANCE, &[0], ty);
        code.invoke(Opcode::INVOKE_DIRECT, init, &[0])
            .invoke(Opcode::INVOKE_DIRECT, init, &[0])
            .return_void();
    });
}

#[test]
fn constructor_of_another_class() {
    check("init", "()V", |names, code| {
        let (ty, init) = (names.ty("LBase;"), names.call("LOther;", "<init>", "()V"));
        code.with_type(Opcode::NEW_INSTANCE, &[0], ty)
            .invoke(Opcode::INVOKE_DIRECT, init, &[0])
            .return_void();
    });
}

#[test]
fn constructor_without_another() {
    let bytes = member(35, "<init>", "()V", false, |_, code| {
        code.return_void();
    });
    assert_eq!(broken_rules(&bytes), ["constructor"]);
}

#[test]
fn constructor_called_virtually() {
    check("invoke-name", "(LBase;)V", |names, code| {
        let (object, init) = (code.argument(0), names.call("LBase;", "<init>", "()V"));
        code.invoke(Opcode::INVOKE_VIRTUAL, init, &[object]).return_void();
    });
}

#[test]
fn missing_monitor_exit() {
    check("monitor-on-return", "(LBase;)V", |_, code| {
        let object = code.argument(0);
        code.plain(Opcode::MONITOR_ENTER, &[object]).return_void();
    });
}

#[test]
fn exit_of_another_monitor() {
    check("monitor", "(LBase;LBase;)V", |_, code| {
        let (one, other) = (code.argument(0), code.argument(1));
        code.plain(Opcode::MONITOR_ENTER, &[one])
            .plain(Opcode::MONITOR_EXIT, &[other])
            .return_void();
    });
}

#[test]
fn monitor_held_on_one_path() {
    check("monitor-merge", "(LBase;I)V", |_, code| {
        let (object, number) = (code.argument(0), code.argument(1));
        let end = code.label();
        code.branch(Opcode::IF_EQZ, &[number], end).plain(Opcode::MONITOR_ENTER, &[object]);
        code.place(end).return_void();
    });
}

#[test]
fn return_of_wrong_form() {
    check("return", "()I", |_, code| {
        code.return_void();
    });
}

#[test]
fn return_of_wrong_kind() {
    check("register-type", "()LBase;", |_, code| {
        code.const_int(0, 7).plain(Opcode::RETURN_OBJECT, &[0]);
    });
}

#[test]
fn return_of_wrong_class() {
    check("reference-type", "(LOther;)LBase;", |_, code| {
        let other = code.argument(0);
        code.plain(Opcode::RETURN_OBJECT, &[other]);
    });
}

#[test]
fn argument_of_wrong_class() {
    check("reference-type", "(LOther;)V", |names, code| {
        let (other, call) = (code.argument(0), names.call("LBase;", "take", "(LBase;)V"));
        code.invoke(Opcode::INVOKE_STATIC, call, &[other]).return_void();
    });
}

#[test]
fn missing_argument() {
    check("argument-count", "()V", |names, code| {
        let call = names.call("LBase;", "take", "(LBase;)V");
        code.invoke(Opcode::INVOKE_STATIC, call, &[]).return_void();
    });
}

#[test]
fn wide_argument_out_of_step() {
    check("argument-pair", "(JI)V", |names, code| {
        let (long, int) = (code.argument(0), code.argument(2));
        let call = names.call("LBase;", "take", "(J)V");
        code.move_wide(0, long).move_int(3, int);
        code.invoke(Opcode::INVOKE_STATIC, call, &[0, 3]).return_void();
    });
}

#[test]
fn move_result_behind_no_call() {
    check("move-result", "()V", |_, code| {
        code.const_int(0, 1).plain(Opcode::MOVE_RESULT, &[0]).return_void();
    });
}

#[test]
fn move_result_of_wrong_form() {
    check("move-result", "()V", |names, code| {
        let call = names.call("LOther;", "get", "()J");
        code.invoke(Opcode::INVOKE_STATIC, call, &[])
            .plain(Opcode::MOVE_RESULT, &[0])
            .return_void();
    });
}

#[test]
fn register_out_of_the_frame() {
    check("register", "()V", |_, code| {
        code.const_int(200, 1).return_void();
    });
}

#[test]
fn pair_half_out_of_the_frame() {
    check("register", "()V", |_, code| {
        code.const_wide(sample::LOCALS - 1, 1).return_void();
    });
}

#[test]
fn code_that_runs_off_its_end() {
    check("runs-off", "()V", |_, code| {
        code.const_int(0, 1);
    });
}

#[test]
fn field_of_another_kind() {
    check("field-kind", "(LT;)V", |names, code| {
        let (object, field) = (code.argument(0), names.pool.field("LT;", "i", "I"));
        code.field(Opcode::IGET_OBJECT, &[0, object], field).return_void();
    });
}

#[test]
fn instance_field_used_as_static() {
    check("field-kind", "()V", |names, code| {
        let field = names.pool.field("LT;", "i", "I");
        code.field(Opcode::SGET, &[0], field).return_void();
    });
}

#[test]
fn static_method_called_on_an_instance() {
    check("invoke-kind", "(LT;)V", |names, code| {
        let (object, call) = (code.argument(0), names.call("LT;", "m", "(LT;)V"));
        code.invoke(Opcode::INVOKE_VIRTUAL, call, &[object, object]).return_void();
    });
}

#[test]
fn class_called_as_an_interface() {
    check("invoke-kind", "(LBase;)V", |names, code| {
        let (object, call) = (code.argument(0), names.call("LBase;", "run", "()V"));
        code.invoke(Opcode::INVOKE_INTERFACE, call, &[object]).return_void();
    });
}

#[test]
fn array_of_another_kind() {
    check("array", "([I)V", |_, code| {
        let array = code.argument(0);
        code.const_int(0, 0).plain(Opcode::AGET_WIDE, &[2, array, 0]).return_void();
    });
}

#[test]
fn instance_of_an_array_type() {
    check("type-operand", "()V", |names, code| {
        let ty = names.ty("[I");
        code.with_type(Opcode::NEW_INSTANCE, &[0], ty).return_void();
    });
}

#[test]
fn array_data_of_another_width() {
    check("payload", "([I)V", |_, code| {
        let array = code.argument(0);
        code.move_object(0, array).fill_array(0, 2, vec![1, 0, 2, 0]).return_void();
    });
}

#[test]
fn switch_values_out_of_order() {
    check("switch-keys", "(I)V", |_, code| {
        let (number, one) = (code.argument(0), code.label());
        let cases = vec![(9, one), (3, one)];
        let operand = Operand::Switch(Box::new(Switch { cases }));
        code.op(Opcode::SPARSE_SWITCH, &[number], operand).place(one).return_void();
    });
}

/// A loop, a switch, a try block and a call: something of everything.
fn sound(names: &mut Names<'_>, code: &mut CodeBuilder) {
    let call = names.call("LOther;", "take", "(II)V");
    let (top, handler) = (code.label(), code.label());
    code.const_int(0, 3);
    let start = code.here();
    code.place(top).invoke(Opcode::INVOKE_STATIC, call, &[0, 0]);
    let end = code.here();
    code.literal(Opcode::ADD_INT_LIT8, &[0, 0], -1).branch(Opcode::IF_NEZ, &[0], top);
    code.switch(0, vec![(1, top), (2, top), (3, top)]).return_void();
    code.place(handler).plain(Opcode::MOVE_EXCEPTION, &[1]).plain(Opcode::THROW, &[1]);
    let ty = names.ty("Ljava/lang/RuntimeException;");
    code.try_block(start, end, vec![(ty, handler)], None);
}

// Units of `sound`: 0 const/4, 1 invoke, 4 add, 6 if-nez, 8 packed-switch, 11 return, 12 move-exception,
// 13 throw, 14 payload.

#[test]
fn branch_off_by_one() {
    check_bytes("branch-target", sound, |bytes, code| put_u16(bytes, unit(code, 7), -4_i16 as u16));
}

#[test]
fn branch_past_the_end() {
    check_bytes("branch-target", sound, |bytes, code| put_u16(bytes, unit(code, 7), 500));
}

#[test]
fn branch_to_itself() {
    check_bytes("branch-target", sound, |bytes, code| put_u16(bytes, unit(code, 7), 0));
}

#[test]
fn branch_to_move_exception() {
    check_bytes("branch-target", sound, |bytes, code| put_u16(bytes, unit(code, 7), 6));
}

#[test]
fn switch_target_inside_an_instruction() {
    check_bytes("switch-target", sound, |bytes, code| {
        put_u32(bytes, unit(code, 18), -6_i32 as u32);
    });
}

#[test]
fn switch_without_payload() {
    check_bytes("payload", sound, |bytes, code| put_u32(bytes, unit(code, 9), 4));
}

#[test]
fn payload_of_another_kind() {
    check_bytes("instruction", sound, |bytes, code| put_u16(bytes, unit(code, 14), 0x300));
}

#[test]
fn too_few_outgoing_words() {
    check_bytes("outs-size", sound, |bytes, code| put_u16(bytes, code + 4, 1));
}

#[test]
fn wrong_number_of_incoming_words() {
    check_bytes("ins-size", sound, |bytes, code| put_u16(bytes, code + 2, 1));
}

#[test]
fn frame_too_small() {
    check_bytes("register", sound, |bytes, code| put_u16(bytes, code, 1));
}

#[test]
fn opcode_that_does_not_exist() {
    check_bytes("instruction", sound, |bytes, code| put_u16(bytes, unit(code, 11), 0x003e));
}

/// Offset of the first `try_item` of `sound`: 24 units.
fn try_item(code: usize) -> usize {
    unit(code, 24)
}

#[test]
fn try_range_inside_an_instruction() {
    check_bytes("try-range", sound, |bytes, code| put_u32(bytes, try_item(code), 2));
}

#[test]
fn try_range_past_the_end() {
    check_bytes("try-range", sound, |bytes, code| put_u16(bytes, try_item(code) + 4, 400));
}

#[test]
fn try_range_without_handler() {
    check_bytes("try-handler", sound, |bytes, code| put_u16(bytes, try_item(code) + 6, 2));
}

#[test]
fn handler_inside_an_instruction() {
    check_bytes("handler-target", sound, |bytes, code| {
        // One handler: size 1, a type, an address of one byte.
        let at = (try_item(code)..bytes.len()).find(|&at| bytes[at..at + 2] == [1, 1]).unwrap();
        bytes[at + 3] = 2;
    });
}

#[test]
fn line_program_of_a_register_outside_the_frame() {
    let bytes = method("()V", |names, code| {
        let name = Some(names.pool.string("x"));
        code.debug(DebugEvent::StartLocal { register: 900, name, ty: None, signature: None });
        code.const_int(0, 1).return_void();
    });
    assert_eq!(broken_rules(&bytes), ["debug-info"]);
}

#[test]
fn line_program_that_is_not_there() {
    check_bytes("debug-info", sound, |bytes, code| put_u32(bytes, code + 8, 0x7fff_fff0));
}

#[test]
fn checksum() {
    let mut bytes = method("()V", sound);
    bytes[9] ^= 1;
    assert_eq!(broken_rules(&bytes), ["checksum"]);
}

#[test]
fn signature_is_told_apart() {
    let mut bytes = method("()V", sound);
    let fits = |bytes: &[u8]| Verifier::new(&Dex::parse(bytes).unwrap()).all(1).signature_fits;
    assert!(fits(&bytes));
    bytes[12] ^= 1;
    assert!(!fits(&bytes));
}

#[test]
fn strings_out_of_order() {
    check_bytes("order", sound, |bytes, _| {
        let at = get_u32(bytes, 60) as usize;
        let (one, two) = (get_u32(bytes, at), get_u32(bytes, at + 4));
        put_u32(bytes, at, two);
        put_u32(bytes, at + 4, one);
    });
}

#[test]
fn string_of_another_length() {
    check_bytes("string", sound, |bytes, _| {
        let table = get_u32(bytes, 60) as usize;
        let at = get_u32(bytes, table) as usize;
        bytes[at] += 1;
    });
}

#[test]
fn types_out_of_order() {
    check_bytes("order", sound, |bytes, _| {
        let at = get_u32(bytes, 68) as usize;
        let (one, two) = (get_u32(bytes, at), get_u32(bytes, at + 4));
        put_u32(bytes, at, two);
        put_u32(bytes, at + 4, one);
    });
}

#[test]
fn short_form_of_another_signature() {
    check_bytes("shorty", sound, |bytes, _| {
        let at = get_u32(bytes, 76) as usize;
        put_u32(bytes, at, 0);
    });
}

#[test]
fn method_of_a_type_that_is_not_there() {
    check_bytes("readable", sound, |bytes, _| {
        let at = get_u32(bytes, 92) as usize;
        put_u16(bytes, at, 4000);
    });
}

#[test]
fn subclass_before_its_superclass() {
    check_bytes("class-order", sound, |bytes, _| {
        let at = get_u32(bytes, 100) as usize;
        let (first, second) = bytes[at..at + 64].split_at_mut(32);
        first.swap_with_slice(second);
    });
}

#[test]
fn method_that_has_lost_its_code() {
    check_bytes("method-code", sound, |bytes, _| {
        let (_, item) = Dex::parse(bytes).unwrap().class_defs().last().unwrap();
        let data = item.unwrap().class_data_off as usize;
        // `public static`, then the offset of the code.
        let at = (data..bytes.len()).find(|&at| bytes[at] == 0x09).unwrap() + 1;
        let length = bytes[at..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
        for byte in &mut bytes[at..at + length] {
            *byte &= 0x80;
        }
    });
}

#[test]
fn map_that_contradicts_the_header() {
    check_bytes("map", sound, |bytes, _| {
        let map = get_u32(bytes, 52) as usize;
        // The second entry is that of the strings; its count is 4 bytes in.
        let count = get_u32(bytes, map + 4 + 12 + 4);
        put_u32(bytes, map + 4 + 12 + 4, count - 1);
    });
}
