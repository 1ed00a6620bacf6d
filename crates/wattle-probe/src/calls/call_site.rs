//! The probes around a call.

use wattle_dex::{MethodId, Opcode, StringId};

/// One probe: a call of a static method of the runtime class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The method.
    pub method: MethodId,
    /// Its arguments.
    pub operand: ProbeOperand,
}

/// The argument of a probe, by the numbers of the file that is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOperand {
    /// Nothing.
    None,
    /// A number.
    Id(i32),
    /// A text.
    Text(StringId),
    /// A value that the call in front of the probe was given or has returned.
    Value(CallValue),
}

/// A value of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallValue {
    /// The type that it returns, by the instruction that takes it: `move-result`, `move-result-wide` or `move-result-object`.
    Result(Opcode),
    /// The argument that begins at a word, `this` not counted; a single one.
    Argument(u16),
}

/// The probes around one call; `None` where the sink has no word for the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallProbes {
    /// In front of the call.
    pub call: Option<Probe>,
    /// Behind it.
    pub back: Option<Probe>,
    /// Behind it in place of `back`, where what it hands over can be had without losing anything that the method
    /// needs. It is only looked at where there is a `back`.
    pub moved: Option<Probe>,
    /// A method without arguments for when it throws: the innermost open call is meant.
    pub fail: Option<MethodId>,
}

/// A call that gets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The position of its node.
    pub node: usize,
    /// The arguments that it gets.
    pub probes: CallProbes,
}

/// Why a call gets no probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CallRefusal {
    /// No register within reach is free, and neither is one that the frame could gain.
    Registers,
    /// A handler that must cover what is put behind the call, for a monitor may be held, reads registers that
    /// the call's result overwrites, and no other place is free for it.
    Monitor,
    /// The method has more calls or handlers than one can have.
    TooMany,
}

impl CallRefusal {
    /// The name that summaries use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Monitor => "monitor",
            Self::TooMany => "too-many",
        }
    }

    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Registers => "no register is within reach",
            Self::Monitor => "a monitor's handler reads what the result overwrites",
            Self::TooMany => "too many calls or handlers in one method",
        }
    }
}

/// The outcome for the calls of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsertedCalls {
    /// The number of calls with probes.
    pub probed: usize,
    /// The others, by the position that their node had, and why.
    pub left_out: Vec<(usize, CallRefusal)>,
    /// By how many registers the frame has to grow, 2 at most: the probes use those that follow the frame's last.
    pub needs_registers: u16,
}
