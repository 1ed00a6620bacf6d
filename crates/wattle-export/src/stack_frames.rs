//! The frames of which stacks are made: what a call path's place in a stack is called, and where it lies.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use wattle_ledger::{FrameClass, Ledger, PathEntry};

use crate::{Payer, display_names};

/// The most frames that a stack has. Beyond that its outermost frames are one, so that a chain of calls that never ends (a file may
/// say anything) does not make the output grow with its square.
pub const MOST_FRAMES: usize = 1024;

/// Frames of all stacks in total beyond which each of them has fewer. Writing so many takes seconds.
const MOST_IN_TOTAL: usize = 1 << 25;

/// Frames that a stack has at least, however many stacks there are. Stacks of Android are about 100 frames deep.
pub const LEAST_FRAMES: usize = 128;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FrameKind {
    /// A call that was recorded from entry to exit.
    Call,
    /// A frame of a sampled stack.
    Sampled(FrameClass),
    /// No code: an account of the ledger, or time outside of calls.
    Account,
}

impl FrameKind {
    /// All of them, in the order of [`Self::number`].
    pub const ALL: [Self; 9] = [
        Self::Account,
        Self::Call,
        Self::Sampled(FrameClass::Java),
        Self::Sampled(FrameClass::Jit),
        Self::Sampled(FrameClass::Native),
        Self::Sampled(FrameClass::Kernel),
        Self::Sampled(FrameClass::Unknown),
        Self::Sampled(FrameClass::Truncated),
        Self::Sampled(FrameClass::Unsampled),
    ];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Sampled(class) => class.name(),
            Self::Account => "account",
        }
    }

    /// Its place in [`Self::ALL`].
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or_default()
    }
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The file of code that it lies in.
    pub mapping: Option<&'a str>,
    /// The source file.
    pub file: Option<&'a str>,
    /// The line in it.
    pub line: Option<u32>,
    /// Its kind.
    pub kind: FrameKind,
    /// Whether a compiler put it in the place of its call, in the frame around it.
    pub is_inlined: bool,
}

/// Index into [`Frames::frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

const NONE: FrameId = FrameId(u32::MAX);

/// All frames of a ledger, each once, and which of them a call path adds to its caller's stack.
#[derive(Debug)]
pub struct Frames<'a> {
    ledger: &'a Ledger,
    all: Vec<Frame<'a>>,
    numbers: FxHashMap<Frame<'a>, FrameId>,
    /// The innermost frame that a path adds; [`NONE`] for the root of a thread.
    of_path: Vec<FrameId>,
    /// Frames that a shrinker inlined around it, the outermost first, by path.
    around: FxHashMap<u32, Vec<FrameId>>,
    outside: FrameId,
    deeper: FrameId,
    probes: FrameId,
    /// The most frames of a stack.
    most: usize,
    /// Frames of each path's stack, of [`MOST_FRAMES`] at most.
    depths: Vec<u16>,
    of_account: FxHashMap<u32, Vec<FrameId>>,
}

impl<'a> Frames<'a> {
    /// Of all call paths and accounts.
    pub fn new(ledger: &'a Ledger) -> Self {
        let mut frames = Self {
            ledger,
            all: Vec::new(),
            numbers: FxHashMap::default(),
            of_path: Vec::with_capacity(ledger.rows.paths.len()),
            around: FxHashMap::default(),
            outside: NONE,
            deeper: NONE,
            probes: NONE,
            most: MOST_FRAMES,
            depths: Vec::new(),
            of_account: FxHashMap::default(),
        };
        frames.outside = frames.named("[outside calls]", FrameKind::Account);
        frames.deeper = frames.named("[more callers]", FrameKind::Sampled(FrameClass::Truncated));
        frames.probes = frames.named("[profiling overhead]", FrameKind::Account);
        for (number, path) in (0..).zip(&ledger.rows.paths) {
            let around: Vec<FrameId> =
                frames.inlined(path).into_iter().map(|frame| frames.add(frame)).collect();
            if !around.is_empty() {
                frames.around.insert(number, around);
            }
            let own = frames.of(path).map_or(NONE, |frame| frames.add(frame));
            frames.of_path.push(own);
        }
        for (number, account) in (0..).zip(&ledger.rows.accounts) {
            if account.path().is_none() {
                let names = display_names::account(ledger, account).into_iter();
                let ids = names.map(|name| frames.named(name, FrameKind::Account)).collect();
                frames.of_account.insert(number, ids);
            }
        }
        frames.depths = frames.all_depths();
        let in_total: usize = frames.depths.iter().map(|depth| usize::from(*depth)).sum();
        if in_total > MOST_IN_TOTAL {
            let each = MOST_IN_TOTAL / frames.depths.len().max(1);
            frames.most = each.clamp(LEAST_FRAMES, MOST_FRAMES);
        }
        frames
    }

    fn all_depths(&self) -> Vec<u16> {
        let mut depths: Vec<u16> = Vec::with_capacity(self.of_path.len());
        for path in 0..self.of_path.len() as u32 {
            let of_caller = self.caller(path).and_then(|caller| depths.get(caller as usize));
            let depth = usize::from(of_caller.copied().unwrap_or(0)) + self.added(path).count();
            depths.push(depth.min(MOST_FRAMES) as u16);
        }
        depths
    }

    /// Frames of a path's stack.
    pub fn depth(&self, path: u32) -> usize {
        self.depths.get(path as usize).map_or(1, |depth| usize::from(*depth).min(self.most))
    }

    /// The frame of a path; `None` for the root of a thread.
    fn of(&self, path: &'a PathEntry) -> Option<Frame<'a>> {
        let sampled = path.frame.and_then(|frame| self.ledger.rows.frames.get(frame as usize));
        if let Some(frame) = sampled {
            let name = match (path.name.as_str(), frame.function.as_deref()) {
                ("", None) => Cow::Owned(format!("[{}]", frame.class.name())),
                ("", Some(function)) => Cow::Borrowed(function),
                (name, _) => Cow::Borrowed(name),
            };
            return Some(Frame {
                name,
                mapping: frame.mapping.as_deref(),
                file: frame.file.as_deref(),
                line: frame.line,
                kind: FrameKind::Sampled(frame.class),
                is_inlined: frame.inlined,
            });
        }
        let site = path.site.and_then(|site| self.ledger.rows.sites.get(site as usize));
        if path.name.is_empty() && site.is_none() {
            return None;
        }
        let name = match (path.name.as_str(), site) {
            ("", Some(site)) => Cow::Owned(format!("{}.{}", site.class, site.method)),
            (name, _) => Cow::Borrowed(name),
        };
        Some(Frame {
            name,
            mapping: None,
            file: site.and_then(|site| site.file.as_deref()),
            line: site.and_then(|site| site.line),
            kind: FrameKind::Call,
            is_inlined: false,
        })
    }

    /// Returns the frames that a shrinker inlined between a path's call and the method that it is in, the outermost
    /// first.
    fn inlined(&self, path: &PathEntry) -> Vec<Frame<'a>> {
        let Some(site) = path.site else { return Vec::new() };
        let all = &self.ledger.rows.inlined;
        let first = all.partition_point(|entry| entry.site < site);
        let of_site = all.iter().skip(first).take_while(|entry| entry.site == site);
        // The method that makes the call comes first: it is the innermost.
        let mut frames: Vec<Frame<'a>> = of_site
            .map(|entry| Frame {
                name: Cow::Owned(format!("{}.{}", entry.class, entry.method)),
                mapping: None,
                file: None,
                line: entry.line,
                kind: FrameKind::Call,
                is_inlined: true,
            })
            .collect();
        frames.reverse();
        frames
    }

    fn named(&mut self, name: impl Into<Cow<'a, str>>, kind: FrameKind) -> FrameId {
        let name = name.into();
        self.add(Frame { name, mapping: None, file: None, line: None, kind, is_inlined: false })
    }

    fn add(&mut self, frame: Frame<'a>) -> FrameId {
        let next = FrameId(self.all.len() as u32);
        if let Some(known) = self.numbers.get(&frame) {
            return *known;
        }
        self.all.push(frame.clone());
        self.numbers.insert(frame, next);
        next
    }

    /// All of them.
    pub fn frames(&self) -> &[Frame<'a>] {
        &self.all
    }

    /// One of them.
    pub fn get(&self, id: FrameId) -> &Frame<'a> {
        &self.all[id.0 as usize]
    }

    /// Returns the frames that a path adds to its caller's stack, the outermost first; none for the root of a thread.
    pub fn added(&self, path: u32) -> impl DoubleEndedIterator<Item = FrameId> + '_ {
        let around = self.around.get(&path).map_or(&[][..], Vec::as_slice);
        let own = self.of_path.get(path as usize).copied().filter(|own| *own != NONE);
        around.iter().copied().chain(own)
    }

    /// The stack of a payer, the outermost frame first, without process and thread; never empty.
    pub fn stack(&self, payer: Payer, into: &mut Vec<FrameId>) {
        self.stack_within(payer, self.most, into);
    }

    /// The same with at most so many frames, if those of all stacks are more.
    pub fn stack_within(&self, payer: Payer, most: usize, into: &mut Vec<FrameId>) {
        let most = most.min(self.most).max(1);
        into.clear();
        let path = match payer {
            Payer::Account(account) => {
                into.extend(self.of_account.get(&account).into_iter().flatten());
                return;
            }
            Payer::Probes(path) => {
                into.push(self.probes);
                path
            }
            Payer::Path(path) => path,
        };
        let before = into.len();
        let mut next = Some(path);
        while let Some(path) = next {
            into.extend(self.added(path).rev());
            if into.len() >= most {
                into.truncate(most - 1);
                into.push(self.deeper);
                break;
            }
            next = self.caller(path);
        }
        if into.len() == before {
            into.push(self.outside);
        }
        into.reverse();
    }

    /// Who called a path. A caller that does not come before its callee is taken for none.
    pub fn caller(&self, path: u32) -> Option<u32> {
        let entry = self.ledger.rows.paths.get(path as usize)?;
        entry.caller.map(|caller| caller.0).filter(|caller| *caller < path)
    }

    /// The frame for time outside of calls.
    pub fn outside(&self) -> FrameId {
        self.outside
    }

    /// The frame for what probes took.
    pub fn probes(&self) -> FrameId {
        self.probes
    }
}
