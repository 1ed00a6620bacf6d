//! Faults of the frame and of the moves that a grown frame needs.

use wattle_dex::{ArgumentKind, Instruction, Registers};

use super::injected_fault::{Fault, Plant, Planted};
use super::wrapped::Wrapped;

pub(super) const FAULTS: &[Fault] = &[
    Fault { name: "frame grown without moves", plant: Plant::Code(no_moves) },
    Fault { name: "one move left out", plant: Plant::Code(first_move_left_out) },
    Fault { name: "moves in the wrong order", plant: Plant::Code(moves_reversed) },
    Fault { name: "reference moved as a number", plant: Plant::Code(reference_as_number) },
    Fault { name: "number moved as a reference", plant: Plant::Code(number_as_reference) },
    Fault { name: "only half of a pair moved", plant: Plant::Code(half_of_pair) },
    Fault { name: "number moved as a pair", plant: Plant::Code(number_as_pair) },
    Fault { name: "pair moved from one too low", plant: Plant::Code(pair_from_below) },
    Fault { name: "frame one register too small", plant: Plant::Code(small_frame) },
];

fn no_moves(wrapped: &mut Wrapped) -> Planted {
    if wrapped.grown() == 0 || wrapped.arguments.is_empty() {
        return Planted::Nowhere;
    }
    let needed = wrapped.needs_at_start(wrapped.locals());
    wrapped.code.nodes.drain(..wrapped.arguments.len());
    // The first argument's register holds nothing then.
    Planted::fatal_if(needed)
}

fn first_move_left_out(wrapped: &mut Wrapped) -> Planted {
    if wrapped.grown() == 0 || wrapped.arguments.is_empty() {
        return Planted::Nowhere;
    }
    let needed = wrapped.needs_at_start(wrapped.locals());
    wrapped.code.nodes.remove(0);
    Planted::fatal_if(needed)
}

fn moves_reversed(wrapped: &mut Wrapped) -> Planted {
    let count = wrapped.arguments.len();
    if wrapped.grown() != 1 || count < 2 {
        return Planted::Nowhere;
    }
    wrapped.code.nodes[..count].reverse();
    // Arguments of one kind and word are taken for each other, which is for a test of behaviour to find.
    Planted::fatal_if(wrapped.arguments.windows(2).any(|pair| {
        pair[0] != pair[1] || (pair[0] == ArgumentKind::Wide && pair[1] == ArgumentKind::Wide)
    }))
}

/// Changes the first move of a kind.
fn change_move(
    wrapped: &mut Wrapped,
    kind: ArgumentKind,
    change: impl FnOnce(&mut Instruction),
) -> Planted {
    if wrapped.grown() == 0 {
        return Planted::Nowhere;
    }
    let Some(at) = wrapped.arguments.iter().position(|it| *it == kind) else {
        return Planted::Nowhere;
    };
    change(wrapped.instruction(at));
    Planted::Fatal
}

fn as_kind(it: &mut Instruction, kind: ArgumentKind) {
    let register = |at| u16::try_from(it.registers.get(at)).expect("a register");
    *it = Instruction::moving(kind, register(0), register(1));
}

fn reference_as_number(wrapped: &mut Wrapped) -> Planted {
    change_move(wrapped, ArgumentKind::Reference, |it| as_kind(it, ArgumentKind::Single))
}

fn number_as_reference(wrapped: &mut Wrapped) -> Planted {
    change_move(wrapped, ArgumentKind::Single, |it| as_kind(it, ArgumentKind::Reference))
}

fn half_of_pair(wrapped: &mut Wrapped) -> Planted {
    change_move(wrapped, ArgumentKind::Wide, |it| as_kind(it, ArgumentKind::Single))
}

fn number_as_pair(wrapped: &mut Wrapped) -> Planted {
    change_move(wrapped, ArgumentKind::Single, |it| as_kind(it, ArgumentKind::Wide))
}

fn pair_from_below(wrapped: &mut Wrapped) -> Planted {
    let grown = wrapped.grown();
    if grown != 1 {
        return Planted::Nowhere;
    }
    change_move(wrapped, ArgumentKind::Wide, |it| {
        let register = |at| u16::try_from(it.registers.get(at)).expect("a register");
        it.registers = Registers::list(&[register(0), register(1) - 1]).expect("two registers");
    })
}

fn small_frame(wrapped: &mut Wrapped) -> Planted {
    let code = &mut wrapped.code;
    let Some(last) = code.registers.checked_sub(1) else { return Planted::Nowhere };
    let names_last = |it: &Instruction| {
        let written = it.written().map(|(first, wide)| first + u32::from(wide));
        written == Some(u32::from(last)) || it.read().contains(&u32::from(last))
    };
    let fatal = code.instructions().any(names_last) || last < code.ins;
    code.registers = last;
    Planted::fatal_if(fatal)
}
