//! One line of `am instrument -r`.

/// A line of the status stream, in the wording of AOSP's `Instrument.java` (`cmds/am`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusLine<'a> {
    /// `INSTRUMENTATION_STATUS: key=value`: of the status that the next code ends.
    Status(&'a str, &'a str),
    /// `INSTRUMENTATION_STATUS_CODE: n`: the status is complete.
    StatusCode(Option<i32>),
    /// `INSTRUMENTATION_RESULT: key=value`: of the whole run.
    Result(&'a str, &'a str),
    /// `INSTRUMENTATION_CODE: n`: the run is over.
    Code(Option<i32>),
    /// `INSTRUMENTATION_FAILED: component`: it could not begin.
    Failed(&'a str),
    /// `INSTRUMENTATION_ABORTED: reason`: the system died.
    Aborted(&'a str),
    /// `onError: commandError=… message=…`: what newer versions of `am` add.
    Error(&'a str),
    /// Anything else: the value of the line before goes on, or nobody knows what it is.
    Other(&'a str),
}

impl<'a> StatusLine<'a> {
    /// Reads a line without its line break.
    pub(super) fn parse(line: &'a str) -> Self {
        let pair = |rest: &'a str| rest.split_once('=').unwrap_or((rest, ""));
        if let Some(rest) = after(line, "INSTRUMENTATION_STATUS:") {
            let (key, value) = pair(rest);
            Self::Status(key, value)
        } else if let Some(rest) = after(line, "INSTRUMENTATION_STATUS_CODE:") {
            Self::StatusCode(leading_number(rest))
        } else if let Some(rest) = after(line, "INSTRUMENTATION_RESULT:") {
            let (key, value) = pair(rest);
            Self::Result(key, value)
        } else if let Some(rest) = after(line, "INSTRUMENTATION_CODE:") {
            Self::Code(leading_number(rest))
        } else if let Some((_, rest)) = line.split_once("INSTRUMENTATION_FAILED:") {
            // Also behind `android.util.AndroidException: `.
            Self::Failed(rest.trim())
        } else if let Some(rest) = after(line, "INSTRUMENTATION_ABORTED:") {
            Self::Aborted(rest)
        } else if let Some(rest) = after(line, "onError:") {
            Self::Error(rest)
        } else {
            Self::Other(line)
        }
    }
}

fn after<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(prefix)?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// The number at the beginning: another program's line may have run into this one.
fn leading_number(text: &str) -> Option<i32> {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with('-'));
    let digits = text.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    text.get(..sign + digits)?.parse().ok()
}
