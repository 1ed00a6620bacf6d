//! The events that probes must write, by the runtime's own trace of the program without probes.
//!
//! - A method that the map lists is entered, left and unrolled exactly as the trace says.
//! - A call is expected where a method is entered *directly below* a method of the program for which the map lists
//!   a call of that name and descriptor. The class is left to the runtime, because that is what dispatch decides;
//!   only constructors must be the very ones.
//! - Of a string's constructor the runtime makes a call of `java.lang.StringFactory`.
//! - Static initialisers, class loaders and the like, which the runtime enters on its own, are below the program's
//!   methods too; the map lists no call of them.

use std::collections::{BTreeSet, HashSet};

use super::event::{Event, MethodName, Threads};
use super::method_trace::{Action, MethodTrace};
use super::probe_map::{Api, ProbeMap};

/// An open frame.
struct Frame {
    method: usize,
    call: Option<String>,
}

/// The events that a program with these probes must tell.
pub fn expected(trace: &MethodTrace, map: &ProbeMap) -> Threads {
    let listed = map.methods();
    let probed: HashSet<usize> =
        (0..trace.methods.len()).filter(|&it| listed.contains(&trace.methods[it])).collect();
    let calls = map.calls();
    let sites: Vec<BTreeSet<&Api>> = trace
        .methods
        .iter()
        .map(|method| calls.get(method).into_iter().flatten().copied().collect())
        .collect();

    let mut threads = Threads::new();
    for (thread, steps) in &trace.threads {
        let mut events = Vec::new();
        let mut stack: Vec<Frame> = Vec::new();
        for step in steps {
            let method = &trace.methods[step.method];
            if step.action == Action::Enter {
                let below = stack.last().map(|frame| &sites[frame.method]);
                let call = below.and_then(|sites| sites.iter().find(|api| answers(method, api)));
                let call = call.map(|api| api.method.clone());
                events.extend(call.clone().map(Event::Call));
                if probed.contains(&step.method) {
                    events.push(Event::Enter(method.clone()));
                }
                stack.push(Frame { method: step.method, call });
                continue;
            }
            // What was open before the trace began has no entry in it.
            let Some(frame) = stack.pop() else { continue };
            assert_eq!(frame.method, step.method, "{thread}: {method} is left");
            let returned = step.action == Action::Exit;
            if probed.contains(&step.method) {
                let method = method.clone();
                events.push(if returned { Event::Exit(method) } else { Event::Unwind(method) });
            }
            events.extend(
                frame.call.map(|api| if returned { Event::Back(api) } else { Event::Fail(api) }),
            );
        }
        if !events.is_empty() {
            threads.insert(thread.clone(), events);
        }
    }
    threads
}

/// Whether a method is what a call of an API may enter.
fn answers(method: &MethodName, api: &Api) -> bool {
    let parameters = method.descriptor.split_once(')').map_or("", |it| it.0);
    if method.class == "java.lang.StringFactory" {
        return api.class == "java.lang.String" && api.method == format!("<init>{parameters})V");
    }
    // No constructor stands in for another.
    let dispatched = method.name != "<init>" || method.class == api.class;
    dispatched && api.method == format!("{}{}", method.name, method.descriptor)
}
