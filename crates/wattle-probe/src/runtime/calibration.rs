//! The cost of the probes themselves, timed by the runtime class in each process.
//!
//! The pairs are made where a probe is first used, not in the static initialiser: while a class is being initialised
//! Android's runtime takes a slow path into each of its static methods, and all other threads wait. They are made from
//! a class of their own, as probes are in classes of their own. The first half only warms up: besides all caches, on ARM
//! a thread's calls into a new class take a slow path until it is known to all threads, for which Android 11 and later
//! see to after at most 128 such calls (ART's `Thread::kMakeVisiblyInitializedCounterTriggerCount`), 64 pairs.

use wattle_dex::{DexError, DexFile, Opcode};

use super::Runtime;
use super::member_access::STATIC;
use crate::probe_label::{Labels, Subject};
use crate::{ProbeArgument, ProbeEvent};
use wattle_dex::{Assembly, ClassAssembly};

const PREPARE: &str = "Lwattle/probe/Calibration;->prepare()V";
const RUN: &str = "Lwattle/probe/Calibration;->run()V";

/// The readable part of the label.
const NAME: (&str, &str) = ("wattle", "calibration");

/// Makes the pairs.
///
/// A call that initialises the method's class first is slow to its end, with all that it calls (a pair of sections took
/// 300 ns instead of 210 in the interpreter of Android 11), which no probe of the app is in: so another call comes first.
pub(super) fn make(a: &mut Assembly<'_>) {
    a.stat(PREPARE, &[]).stat(RUN, &[]);
}

/// The class that times the probes. Its loop does what a rewritten method does at its entry and its return: it loads
/// what the sink's probes take, and calls.
pub(super) fn add(file: &mut DexFile<'static>, runtime: &Runtime) -> Result<(), DexError> {
    let mut class = ClassAssembly::new(file, "Lwattle/probe/Calibration;", "Ljava/lang/Object;");
    let labels = Labels::new(runtime.sink, &runtime.map);
    let (operand, left) = (0, 1);
    class.method("prepare()V", STATIC, (0, 0), |a| {
        a.end();
    })?;
    class.method("run()V", STATIC, (2, 0), |a| {
        // The stack may end in here; the app then meets its end as it would have without.
        a.int(left, Runtime::CALIBRATION_PAIRS.into()).attempt(operand, |a| {
            let next = a.here();
            for event in [ProbeEvent::Enter, ProbeEvent::Exit] {
                let Some(argument) = runtime.sink.argument(event) else { continue };
                let method =
                    format!("{}->{}{}", Runtime::DESCRIPTOR, event.method(), argument.signature());
                match argument {
                    ProbeArgument::None => a.stat(&method, &[]),
                    ProbeArgument::Id => a
                        .int(operand, Runtime::CALIBRATION_ID.cast_signed())
                        .stat(&method, &[operand]),
                    ProbeArgument::Text => {
                        let mut label = String::new();
                        let (class, method_name) = NAME;
                        let id = Runtime::CALIBRATION_ID;
                        let subject = Subject { class, method: method_name, id, line: None };
                        labels.write(event, subject, &mut label);
                        a.text(operand, &label).stat(&method, &[operand])
                    }
                };
            }
            a.literal(Opcode::ADD_INT_LIT8, &[left, left], -1).branch(
                Opcode::IF_NEZ,
                &[left],
                next,
            );
        });
        a.end();
    })?;
    class.finish();
    Ok(())
}
