//! The page that `wattle` alone prints.

/// The program in one line, and the commands one starts with.
pub const TEXT: &str = "\
Wattle: which method, on which thread, through which component, spent the energy of an Android run.

Start here:
  wattle demo                   try it: a simulated phone with a wasteful app, as a page
  wattle FILE                   report on a recording: Perfetto trace, bug report, battery statistics,
                                method trace, perf.data, a folder or .zip of them
  wattle FILE --html page.html  the same as one self-contained page
  wattle run app.apk            measure an app on the attached device
  wattle diff OLD NEW           compare two runs
  wattle history                energy over versions, of runs that were kept with --keep
  wattle doctor                 check this machine and the attached devices

`wattle --help` lists all commands, `wattle COMMAND --help` explains one.
";
