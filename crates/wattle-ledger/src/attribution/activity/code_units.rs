//! The pieces of code that are told apart by what they draw at a clock.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, ThreadId, Timeline};
use wattle_units::Nanos;

use crate::attribution::call_paths::{CallPaths, Node};
use crate::attribution::consumer::Consumer;
use crate::attribution::occupancy::{Handlers, Occupancy};

/// The number of a unit.
pub(crate) type UnitId = u32;

/// The mark of code that is no unit.
const NONE: UnitId = UnitId::MAX;

/// The most methods that are units of their own; of each more, the energy is too small to tell what it draws at a clock.
const MOST_METHODS: usize = 600;
/// A method or a thread with less than this part of the time of all CPUs is no unit of its own.
const LEAST_SHARE: f64 = 2e-4;
/// The most interrupt handlers that are units of their own.
const MOST_HANDLERS: usize = 32;

/// All units: methods (slices, sampled functions) of a thread wherever they were called, the rest of each thread, the rest of each
/// process, interrupt handlers, and apps as wholes.
#[derive(Debug, Default)]
pub(crate) struct CodeUnits {
    of_path: Vec<UnitId>,
    of_handler: Vec<UnitId>,
    of_app: FxHashMap<u32, UnitId>,
    names: Vec<String>,
    /// By unit: the program that it is a part of.
    programs: Vec<u32>,
    program_names: Vec<String>,
    of_program: FxHashMap<String, u32>,
}

/// The name of a method, whatever place it was called from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Method {
    thread: ThreadId,
    name: Option<NameId>,
    frame: Option<u32>,
}

impl Method {
    fn new(thread: ThreadId, node: &Node) -> Self {
        Self { thread, name: node.name, frame: node.frame }
    }
}

impl CodeUnits {
    /// The units of all that ran, the longest methods first.
    pub(crate) fn new(timeline: &Timeline, paths: &CallPaths, occupancy: &Occupancy) -> Self {
        let names = UnitNames { timeline, paths };
        let mut units = Self { of_path: vec![NONE; paths.trees.len()], ..Self::default() };
        let times = method_times(timeline, paths, occupancy);
        let all: i64 = times.iter().map(|(_, time)| time.value()).sum();
        let least = all as f64 * LEAST_SHARE;
        let is_large = |time: i64| time > 0 && time as f64 >= least;
        let own = times.iter().take(MOST_METHODS).take_while(|it| is_large(it.1.value()));
        let mut of_method: FxHashMap<Method, UnitId> = FxHashMap::default();
        for (method, _) in own {
            let program = names.process(method.thread);
            of_method.insert(*method, units.add(names.method(*method), program));
        }
        // The rest of each thread, of each process, and of all.
        let mut rests: FxHashMap<ThreadId, i64> = FxHashMap::default();
        for (method, time) in times.iter().filter(|it| !of_method.contains_key(&it.0)) {
            *rests.entry(method.thread).or_default() += time.value();
        }
        let mut of_rest: FxHashMap<String, UnitId> = FxHashMap::default();
        for thread in threads(timeline) {
            let rest = rests.get(&thread).copied().unwrap_or_default();
            let nodes = paths.trees.nodes(thread);
            // Looked up once for all methods that are no units.
            let mut of_others = None;
            let found = nodes.iter().map(|node| {
                let own = of_method.get(&Method::new(thread, node)).copied();
                own.unwrap_or_else(|| {
                    *of_others.get_or_insert_with(|| {
                        let program = names.process(thread);
                        let name =
                            if is_large(rest) { names.thread(thread) } else { program.clone() };
                        *of_rest
                            .entry(name)
                            .or_insert_with_key(|name| units.add(name.clone(), program))
                    })
                })
            });
            let found: Vec<UnitId> = found.collect();
            let root = paths.trees.root(thread) as usize;
            if let Some(slots) = units.of_path.get_mut(root..root + nodes.len()) {
                slots.copy_from_slice(&found);
            }
        }
        units.add_handlers(&occupancy.handlers);
        units
    }

    fn add_handlers(&mut self, handlers: &Handlers) {
        for number in 0..handlers.len() {
            let is_own = number < MOST_HANDLERS;
            let last = self.of_handler.last().copied();
            let unit = last.filter(|_| !is_own).unwrap_or_else(|| {
                let name = format!("interrupt {}", handlers.name(number as u32));
                self.add(name.clone(), name)
            });
            self.of_handler.push(unit);
        }
    }

    /// Adds apps as wholes, by uid: users of hardware other than cores.
    pub(crate) fn add_apps(&mut self, uids: impl Iterator<Item = u32>) {
        for uid in uids {
            if !self.of_app.contains_key(&uid) {
                let name = format!("uid {uid}");
                let unit = self.add(name.clone(), name);
                self.of_app.insert(uid, unit);
            }
        }
    }

    fn add(&mut self, name: String, program: String) -> UnitId {
        let next = self.program_names.len() as u32;
        let number = *self.of_program.entry(program.clone()).or_insert(next);
        if number == next {
            self.program_names.push(program);
        }
        self.programs.push(number);
        self.names.push(name);
        (self.names.len() - 1) as UnitId
    }

    /// The program that a unit is a part of: its process, an interrupt handler, or an app as a whole.
    #[inline]
    pub(crate) fn program(&self, unit: UnitId) -> u32 {
        self.programs.get(unit as usize).copied().unwrap_or_default()
    }

    /// The names of all programs.
    pub(crate) fn programs(&self) -> &[String] {
        &self.program_names
    }

    /// The number of units.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of each, which is the same in every recording of the same code.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The unit of a consumer; `None` for one that executes nothing.
    #[inline]
    pub(crate) fn of(&self, consumer: Consumer) -> Option<UnitId> {
        let unit = match consumer {
            Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path) => {
                self.of_path.get(path as usize)
            }
            Consumer::Interrupts(handler) => self.of_handler.get(handler as usize),
            Consumer::App(uid) => self.of_app.get(&uid),
            _ => None,
        };
        unit.copied().filter(|unit| *unit != NONE)
    }
}

/// The time of each method on a CPU, the longest first.
fn method_times(
    timeline: &Timeline,
    paths: &CallPaths,
    occupancy: &Occupancy,
) -> Vec<(Method, Nanos)> {
    let mut times: FxHashMap<Method, Nanos> = FxHashMap::default();
    for thread in threads(timeline) {
        let root = paths.trees.root(thread) as usize;
        let of_path = occupancy.cpu.own.get(root..).unwrap_or_default();
        for (node, time) in paths.trees.nodes(thread).iter().zip(of_path) {
            if *time > Nanos::ZERO {
                *times.entry(Method::new(thread, node)).or_default() += *time;
            }
        }
    }
    let mut times: Vec<(Method, Nanos)> = times.into_iter().collect();
    times.sort_unstable_by_key(|(method, time)| (Reverse(*time), *method));
    times
}

/// Names of units by names of the recording alone, so that the same code of two recordings has one name.
struct UnitNames<'a> {
    timeline: &'a Timeline,
    paths: &'a CallPaths,
}

impl UnitNames<'_> {
    fn method(&self, method: Method) -> String {
        let thread = self.thread(method.thread);
        let name = match (method.name, method.frame) {
            (Some(name), _) => self.timeline.names.get(name).to_owned(),
            (None, Some(frame)) => self.paths.sampled.frames.name(self.timeline, frame),
            (None, None) => return thread,
        };
        format!("{name} on {thread}")
    }

    fn thread(&self, thread: ThreadId) -> String {
        let name = self.timeline.tasks.threads.get(thread.index()).and_then(|it| it.name);
        let name = name.map_or("a thread", |name| self.timeline.names.get(name));
        format!("{name} of {}", self.process(thread))
    }

    fn process(&self, thread: ThreadId) -> String {
        let tasks = &self.timeline.tasks;
        let process = tasks.threads.get(thread.index()).and_then(|it| it.process);
        let name = process.and_then(|process| tasks.processes.get(process.index())?.name);
        name.map_or("no known process", |name| self.timeline.names.get(name)).to_owned()
    }
}

fn threads(timeline: &Timeline) -> impl Iterator<Item = ThreadId> {
    (0..timeline.tasks.threads.len() as u32).map(ThreadId)
}
