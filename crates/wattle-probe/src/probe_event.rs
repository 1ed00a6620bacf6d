//! Events that probes report.

/// The event at a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProbeEvent {
    /// A method begins.
    Enter,
    /// A method returns.
    Exit,
    /// A method is left by an exception.
    Unwind,
    /// A call of the framework is about to be made.
    Call,
    /// The call has returned.
    Back,
    /// The call has thrown.
    Fail,
}

impl ProbeEvent {
    /// All events, in the order of a call.
    pub const ALL: [Self; 6] =
        [Self::Enter, Self::Exit, Self::Unwind, Self::Call, Self::Back, Self::Fail];

    /// The name of the runtime class's method that is called.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Exit => "exit",
            Self::Unwind => "unwind",
            Self::Call => "call",
            Self::Back => "back",
            Self::Fail => "fail",
        }
    }
}

/// The argument of a probe, which it hands to the runtime class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeArgument {
    /// Nothing: the innermost open probe of the thread is meant.
    None,
    /// The probe's number in the probe map, an `int`.
    Id,
    /// A text, a `String`.
    Text,
}

impl ProbeArgument {
    /// The signature of the runtime class's method.
    pub const fn signature(self) -> &'static str {
        match self {
            Self::None => "()V",
            Self::Id => "(I)V",
            Self::Text => "(Ljava/lang/String;)V",
        }
    }
}
