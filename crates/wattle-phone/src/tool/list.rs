//! Which programs there are.

use crate::PhoneOptions;

/// Programs of the host that do on the phone's folders what those of the phone would.
pub(crate) const HOST_TOOLS: [&str; 62] = [
    "[", "awk", "base64", "basename", "cmp", "chmod", "chown", "cksum", "cp", "cut", "dd", "diff", "dirname",
    "du", "echo", "egrep", "env", "expand", "expr", "false", "fgrep", "find", "fold", "grep", "gunzip", "gzip",
    "head", "ln", "ls", "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nl", "nohup", "od", "paste", "printf",
    "pwd", "readlink", "realpath", "rm", "rmdir", "sed", "seq", "setsid", "sha1sum", "sha256sum", "sleep",
    "sort", "split", "stat", "sync", "tac", "tail", "tar", "tee", "test", "timeout", "touch", "tr",
];

/// Programs that only the phone can answer.
const PHONE_TOOLS: [&str; 33] = [
    "am", "appops", "cat", "cmd", "content", "date", "df", "dumpsys", "getenforce", "getprop", "hostname",
    "id", "input", "kill", "log", "logcat", "monkey", "nproc", "pidof", "pm", "ps", "reboot", "run-as",
    "screencap", "service", "setprop", "settings", "sh", "svc", "toybox", "uname", "whoami", "wm",
];

/// The programs that call the phone.
pub(crate) fn phone_tools(options: &PhoneOptions) -> Vec<&'static str> {
    let mut tools = PHONE_TOOLS.to_vec();
    tools.push("uptime");
    let optional = [
        ("perfetto", options.api >= 28),
        ("device_config", options.api >= 29),
        ("simpleperf", options.simpleperf),
        ("su", options.rooted),
    ];
    tools.extend(optional.iter().filter(|(_, there)| *there).map(|(name, _)| *name));
    tools
}
