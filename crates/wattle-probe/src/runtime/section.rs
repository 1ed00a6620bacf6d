//! The sink of `android.os.Trace` sections.

use wattle_dex::{DexError, Opcode};

use super::assembly::{Assembly, ClassAssembly, STATIC};
use crate::ProbeEvent;

/// Whether `beginSection` is there: the class was hidden, without it, before it became public in API 18.
const ON: &str = "Lwattle/probe/Probe;->on:Z";

/// The methods stay small, without a handler, so that the runtime's compiler puts them into their callers.
pub(super) fn add(class: &mut ClassAssembly<'_>) -> Result<(), DexError> {
    class.field("on:Z", STATIC);
    class.method("<clinit>()V", STATIC, (5, 0), |a| {
        a.attempt(0, |a| {
            a.text(0, "android.os.Trace")
                .stat("Ljava/lang/Class;->forName(Ljava/lang/String;)Ljava/lang/Class;", &[0])
                .to(0)
                .text(1, "beginSection")
                .int(2, 1)
                .typed(Opcode::NEW_ARRAY, &[2, 2], "[Ljava/lang/Class;")
                .int(3, 0)
                .typed(Opcode::CONST_CLASS, &[4], "Ljava/lang/String;")
                .op(Opcode::APUT_OBJECT, &[4, 2, 3])
                .virt(
                    "Ljava/lang/Class;->getMethod(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;",
                    &[0, 1, 2],
                )
                .int(0, 1)
                .put(&[0], ON);
        });
        a.end();
    })?;
    for event in ProbeEvent::ALL {
        let begins = matches!(event, ProbeEvent::Enter | ProbeEvent::Call);
        let (signature, ins) = if begins { ("(Ljava/lang/String;)V", 1) } else { ("()V", 0) };
        let name = format!("{}{signature}", event.method());
        class.method(&name, STATIC, (1, ins), |a: &mut Assembly<'_>| {
            let off = a.label();
            a.get(&[0], ON).branch(Opcode::IF_EQZ, &[0], off);
            if begins {
                let label = a.argument(0);
                a.stat("Landroid/os/Trace;->beginSection(Ljava/lang/String;)V", &[label]);
            } else {
                a.stat("Landroid/os/Trace;->endSection()V", &[]);
            }
            a.place(off).end();
        })?;
    }
    Ok(())
}
