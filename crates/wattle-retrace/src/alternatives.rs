//! Candidates for a method whose signature is not known.
//!
//! A sampled stack has names without signatures, and lines only sometimes. The rules follow R8's retrace (`doc/retrace.md`,
//! `RetraceFrameResultImpl`):
//!
//! - Lines of the mapping whose range has the frame's line, one behind the other and of one range, are one alternative: the calls
//!   that were put in each other's place, the innermost first. Another range that has the line, too, is another alternative.
//! - Where none has it, lines of the mapping that have no range hold for all lines.
//! - Where the frame has no line, nothing says what was inlined: an alternative is a method itself, each name once.
//!
//! Unlike R8's, a frame whose line is in no range gets the names that it can have all the same: the name of a method is known
//! even where its line is not.

use crate::retrace::{Inlined, MappedMethod};

/// The candidates for a method: none where the mapping does not know it, several where it cannot tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternatives<'m> {
    /// Each the frames of one alternative, the innermost first.
    all: Vec<Vec<Inlined<'m>>>,
}

impl<'m> Alternatives<'m> {
    /// More alternatives than these are not looked for: a name that common says nothing.
    const MOST: usize = 16;

    pub(crate) fn new(class: &'m str, lines: &'m [MappedMethod], line: Option<u32>) -> Self {
        let groups =
            || lines.chunk_by(|one, next| one.range().is_some() && one.range() == next.range());
        let mut found = Self::default();
        if let Some(line) = line {
            for group in groups().filter(|group| group.iter().all(|it| it.has(Some(line)))) {
                found.add(frames(class, group, Some(line)));
            }
            if found.all.is_empty() {
                for whole in lines.iter().filter(|it| it.range().is_none()) {
                    found.add(frames(class, std::slice::from_ref(whole), Some(line)));
                }
            }
        }
        if found.all.is_empty() {
            for itself in groups().filter_map(<[MappedMethod]>::last) {
                let frame = Inlined { line: None, ..frame(class, itself, None) };
                found.add(vec![frame]);
            }
        }
        found
    }

    /// Adds one, unless it is there.
    fn add(&mut self, frames: Vec<Inlined<'m>>) {
        if self.all.len() < Self::MOST && !frames.is_empty() && !self.all.contains(&frames) {
            self.all.push(frames);
        }
    }

    /// The number of candidates.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the mapping does not know the method.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether the mapping cannot tell which it was.
    pub fn is_ambiguous(&self) -> bool {
        self.all.len() > 1
    }

    /// The frames of the first alternative, the innermost first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = Inlined<'m>> + '_ {
        self.all.first().into_iter().flatten().copied()
    }

    /// The outermost method of each alternative, each name once: what stands in the place of one frame where the mapping cannot tell.
    pub fn methods(&self) -> Vec<Inlined<'m>> {
        let mut methods: Vec<Inlined<'m>> = Vec::new();
        for method in self.all.iter().filter_map(|frames| frames.last()) {
            if !methods.iter().any(|it| (it.class, it.name) == (method.class, method.name)) {
                methods.push(*method);
            }
        }
        methods
    }
}

/// The frames of a group, the innermost first. The outermost is left out where the compiler made it around others.
fn frames<'m>(class: &'m str, group: &'m [MappedMethod], line: Option<u32>) -> Vec<Inlined<'m>> {
    let is_wrapper = group.len() > 1 && group.last().is_some_and(|it| it.is_synthesized);
    let kept = group.len() - usize::from(is_wrapper);
    group.iter().take(kept).map(|it| frame(class, it, line)).collect()
}

fn frame<'m>(class: &'m str, method: &'m MappedMethod, line: Option<u32>) -> Inlined<'m> {
    let class = method.holder.as_deref().unwrap_or(class);
    Inlined { class, name: &method.original, line: method.line(line) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use proptest::prelude::*;

    use crate::Mapping;

    /// Each method a case of its own; what is expected follows from the rules of R8's `doc/retrace.md`.
    const TEXT: &str = "\
# compiler: R8
com.x.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    1:1:void run():20:20 -> a
    2:3:void com.x.Tools.log(java.lang.String):50:51 -> a
    2:3:void com.x.Helper.tell(int):7 -> a
    2:3:void run():21:21 -> a
    5:5:void com.y.Moved.go():3:3 -> b
    void foo(int) -> c
    void bar(int,int) -> c
    void same(int) -> d
    void same(long) -> d
    1:5:void first():11:15 -> e
    10:12:void second():30:32 -> e
    4:4:void com.x.Main.lambda$run$0():225 -> f
    4:4:void accept():2 -> f
    # {\"id\":\"com.android.tools.r8.synthesized\"}
    void plain():77 -> g
";

    #[track_caller]
    fn check(name: &str, line: Option<u32>, expected: &[&[&str]]) {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let found = mapping.alternatives("a.a", name, line);
        let text = |it: &super::Inlined<'_>| {
            let line = it.line.map_or(String::new(), |line| format!(":{line}"));
            format!("{}.{}{line}", it.class, it.name)
        };
        let found: Vec<Vec<String>> =
            found.all.iter().map(|frames| frames.iter().map(text).collect()).collect();
        assert_eq!(found, expected, "{name} {line:?}");
    }

    #[test]
    fn by_line() {
        check("a", Some(1), &[&["com.x.Main.run:20"]]);
        check("a", Some(3), &[&["com.x.Tools.log:51", "com.x.Helper.tell:7", "com.x.Main.run:21"]]);
        check("b", Some(5), &[&["com.y.Moved.go:3"]]);
        check("e", Some(2), &[&["com.x.Main.first:12"]]);
        check("e", Some(11), &[&["com.x.Main.second:31"]]);
        check("f", Some(4), &[&["com.x.Main.lambda$run$0:225"]]);
        check("g", Some(3), &[&["com.x.Main.plain:77"]]);
    }

    #[test]
    fn without_a_line() {
        check("a", None, &[&["com.x.Main.run"]]);
        check("c", None, &[&["com.x.Main.foo"], &["com.x.Main.bar"]]);
        check("d", None, &[&["com.x.Main.same"]]);
        check("e", None, &[&["com.x.Main.first"], &["com.x.Main.second"]]);
        check("zz", None, &[]);
    }

    #[test]
    fn lines_that_no_range_has() {
        check("a", Some(99), &[&["com.x.Main.run"]]);
        check("e", Some(7), &[&["com.x.Main.first"], &["com.x.Main.second"]]);
        check("c", Some(7), &[&["com.x.Main.foo:7"], &["com.x.Main.bar:7"]]);
    }

    #[test]
    fn a_class_that_is_not_there() {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        assert!(mapping.alternatives("a.b", "a", None).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(lines in prop::collection::vec("[ 0-9:a-c.(){}#>-]{0,24}", 0..40), line: Option<u32>) {
            let text = format!("{TEXT}{}\n", lines.join("\n"));
            let mapping = Mapping::parse(text.as_bytes()).unwrap();
            for name in ["a", "b", "c", "d", "e", "f", "g"] {
                let found = mapping.alternatives("a.a", name, line);
                prop_assert!(found.methods().len() <= found.len());
            }
        }

        /// Ranges of the mapping may be any numbers, upside down ones included.
        #[test]
        fn any_ranges_are_survived(a: u64, b: u64, c: u64, d: u64, line: u32) {
            let text = format!("x.Y -> a.a:\n    {a}:{b}:void run():{c}:{d} -> a\n");
            let mapping = Mapping::parse(text.as_bytes()).unwrap();
            prop_assert!(mapping.alternatives("a.a", "a", Some(line)).len() <= 1);
        }
    }
}
