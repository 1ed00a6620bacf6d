//! Errors of tools.

/// An error that an agent can act on: what was expected, what was found, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    message: String,
}

/// Flags of the command line, of which messages speak, and what agents do instead.
const FLAGS: [(&str, &str); 3] = [
    (
        "give a model of the device with --device-model",
        "open it with device_model: a model of the device",
    ),
    ("give one with --device-model", "open it with device_model"),
    ("read them as one with --join", "open each of them alone"),
];

/// A text in which what the command line has flags for is said in arguments of tools.
pub(super) fn as_arguments(text: &str) -> String {
    FLAGS.iter().fold(text.to_owned(), |text, (flag, argument)| text.replace(flag, argument))
}

/// The most characters of an error.
const LONGEST: usize = 1500;

impl ToolError {
    /// An error with a message.
    pub fn new(message: impl AsRef<str>) -> Self {
        // The lines of an example, such as a part of wattle.toml, mean something.
        let lines: Vec<String> =
            message.as_ref().lines().map(|line| super::clip(line, LONGEST)).collect();
        let mut message = as_arguments(&lines.join("\n"));
        if super::weight(&message) > LONGEST {
            message = super::clip(&message, LONGEST);
        }
        Self { message }
    }

    /// The end of a request that the client cancelled.
    pub fn cancelled() -> Self {
        Self::new("cancelled; nothing was kept of it")
    }
}
