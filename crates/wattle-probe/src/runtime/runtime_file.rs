//! The runtime as a file of its own.

use wattle_dex::{DexError, DexFile};

use super::member_access::STATIC;
use super::{
    Runtime, byte_buffer, calibration, drain, file_output, host, log_output, peer_lines,
    thread_buffer, trace_section,
};
use crate::Sink;
use wattle_dex::ClassAssembly;

impl Runtime {
    /// The class and its helpers, all below `Lwattle/probe/`, as a whole file of a version (35 or 37 to 41) of the
    /// format. For each event that the sink has a word for, the class has a static method of the event's name; where the sink
    /// [counts bytes](Sink::counts_bytes), also those of [`ByteCount::METHODS`](crate::ByteCount::METHODS), each of which
    /// stands in the place of `back`.
    ///
    /// # What the methods keep to
    ///
    /// They never throw (save that the stack or the memory may end in them as anywhere) and never call themselves;
    /// they may be called from any thread, from static initialisers, before the app's `Application` exists. They
    /// do nothing where Android lacks what they need, which the class's static initialiser finds out once. Those
    /// of `trace`, `file` and `logcat` allocate nothing but a buffer per thread (and what draining it needs), save that
    /// `trace` makes a text of a number of bytes while it is recorded;
    /// those of `navitas` and `orka` build a line for each event, as their models did.
    ///
    /// # What they cost
    ///
    /// With [`Runtime::is_calibrated`], the first probe of a process that is recorded first makes
    /// [`Runtime::CALIBRATION_PAIRS`] pairs of entry and exit under the number [`Runtime::CALIBRATION_ID`], on its own
    /// thread and through the methods that probes call; other threads wait for nothing. Sections are recorded where
    /// the app may be traced and somebody does so: where Android can tell (`Trace.isEnabled`, API 29), the pairs come
    /// before the first section that is, however late; before API 29, before the first section of the process.
    /// No later probe pays for this.
    pub fn write(&self, version: u16) -> Result<Vec<u8>, DexError> {
        let mut file = DexFile::new(version);
        let mut probe = ClassAssembly::new(&mut file, Self::DESCRIPTOR, "Ljava/lang/Object;");
        match self.sink {
            Sink::Trace => trace_section::add(&mut probe, self.is_calibrated())?,
            Sink::Navitas => peer_lines::add_navitas(&mut probe)?,
            Sink::Orka => peer_lines::add_orka(&mut probe)?,
            Sink::File | Sink::Logcat => {
                let needed = (self.sink == Sink::Logcat).then_some("android.util.Log");
                probe.method("<clinit>()V", STATIC, (1, 0), |a| drain::initialise(a, needed))?;
                thread_buffer::add_events(&mut probe, self.sink)?;
            }
        }
        probe.finish();
        if self.is_calibrated() {
            calibration::add(&mut file, self)?;
            if self.sink == Sink::Trace {
                trace_section::add_opening(&mut file)?;
            }
        }
        match self.sink {
            Sink::Trace => trace_section::add_bytes(&mut file)?,
            Sink::Orka => {}
            Sink::Navitas => host::add(&mut file)?,
            Sink::File | Sink::Logcat => {
                host::add(&mut file)?;
                byte_buffer::add(&mut file, self.sink == Sink::File)?;
                thread_buffer::add(&mut file, self.is_calibrated())?;
                drain::add(&mut file)?;
                if self.sink == Sink::File {
                    file_output::add(&mut file, self)?;
                } else {
                    log_output::add(&mut file, self)?;
                }
            }
        }
        file.write()
    }
}
