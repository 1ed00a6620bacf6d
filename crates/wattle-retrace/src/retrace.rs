//! From lines of the package to lines of the source.
//!
//! A mapping has a line about each stretch of lines of a method in the package. Several about one stretch, one behind the other, are
//! the calls that a shrinker put in each other's place: the innermost comes first, the method itself last (R8, `doc/retrace.md`).

use proguard::LineMapping;

/// One line of a mapping about a method.
#[derive(Clone, Debug)]
pub(crate) struct MappedMethod {
    pub(crate) original: String,
    /// The class that it was a method of, where that is another one.
    pub(crate) holder: Option<String>,
    pub(crate) arguments: String,
    pub(crate) returns: String,
    pub(crate) lines: Option<LineMapping>,
    /// The compiler made it: it is in no source.
    pub(crate) is_synthesized: bool,
}

/// The original name of a method, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Original<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its first line.
    pub line: Option<u32>,
}

/// A place in a method that was put in the place of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inlined<'m> {
    /// Its class.
    pub class: &'m str,
    /// Its name.
    pub name: &'m str,
    /// The line in it.
    pub line: Option<u32>,
}

/// The lines of one method in a mapping.
#[derive(Clone, Debug)]
pub struct Retrace<'m> {
    class: &'m str,
    /// In the order of the file.
    lines: &'m [MappedMethod],
    /// Which of them have the signature.
    fits: Vec<bool>,
}

impl<'m> Retrace<'m> {
    /// Of all lines about a name, those about a signature.
    pub(crate) fn new(
        class: &'m str,
        lines: &'m [MappedMethod],
        arguments: &str,
        returns: &str,
    ) -> Self {
        let fits = |it: &MappedMethod| {
            it.holder.is_none() && it.arguments == arguments && it.returns == returns
        };
        Self { class, lines, fits: lines.iter().map(fits).collect() }
    }

    /// The original name of the method, and of one of its lines.
    pub fn at(&self, line: Option<u32>) -> Option<Original<'m>> {
        // What comes from another class was inlined: it is no method of this one. A method that only its name fits has had its
        // signature changed.
        let own = || {
            let lines = self.lines.iter().zip(&self.fits).rev();
            lines.filter(|(it, _)| it.holder.is_none())
        };
        let itself = self.itself(line).and_then(|at| self.lines.get(at));
        let found = itself
            .or_else(|| own().find_map(|(it, fits)| fits.then_some(it)))
            .or_else(|| own().find_map(|(it, _)| it.has(line).then_some(it)))
            .or_else(|| own().find_map(|(it, _)| it.lines.is_none().then_some(it)))
            .or_else(|| own().map(|(it, _)| it).next())?;
        Some(Original { name: &found.original, line: found.line(line) })
    }

    /// The methods that were put in the place of their calls at a line, the innermost first.
    pub fn inlined(&self, line: u32) -> Vec<Inlined<'m>> {
        let Some(last) = self.itself(Some(line)) else { return Vec::new() };
        let range = |it: &MappedMethod| it.lines.map(|lines| (lines.startline, lines.endline));
        let before = self.lines.get(..last).unwrap_or_default();
        let own = self.lines.get(last).and_then(range);
        let inner = before.iter().rev().take_while(|it| range(it) == own).count();
        let inlined = before.iter().skip(last - inner).map(|it| Inlined {
            class: it.holder.as_deref().unwrap_or(self.class),
            name: &it.original,
            line: it.line(Some(line)),
        });
        inlined.collect()
    }

    /// Which line of the mapping is about the method itself where it has this line.
    fn itself(&self, line: Option<u32>) -> Option<usize> {
        let fits = |at: &usize| {
            let of = self.lines.get(*at).zip(self.fits.get(*at));
            of.is_some_and(|(it, fits)| *fits && it.has(line))
        };
        (0..self.lines.len()).rev().find(fits)
    }
}

impl MappedMethod {
    /// Whether it is about a line of the package.
    pub(crate) fn has(&self, line: Option<u32>) -> bool {
        let within = || {
            let (lines, line) = (self.lines.as_ref()?, line? as usize);
            Some(lines.startline? <= line && line <= lines.endline?)
        };
        within().unwrap_or(false)
    }

    /// The lines of the package that it is about.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let lines = self.lines.as_ref()?;
        lines.startline.zip(lines.endline)
    }

    /// The line of the source.
    pub(crate) fn line(&self, line: Option<u32>) -> Option<u32> {
        let Some(lines) = self.lines.as_ref() else { return line };
        // Without lines of the source those of the package are the source's.
        let Some(first) = lines.original_startline else { return line };
        let offset = match (line, lines.startline, lines.original_endline) {
            // A range that maps to one line.
            (_, _, Some(last)) if last == first => 0,
            (Some(line), Some(start), Some(_)) => (line as usize).saturating_sub(start),
            _ => 0,
        };
        u32::try_from(first.checked_add(offset)?).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::Inlined;
    use crate::Mapping;

    /// As R8 writes it: a call in a call in `run`, one of its own class, a method that was moved here as a whole.
    const TEXT: &str = "\
# compiler: R8
com.x.Main -> a.a:
# {\"id\":\"sourceFile\",\"fileName\":\"Main.java\"}
    1:1:void run():20:20 -> a
    2:3:void com.x.Tools.log(java.lang.String):50:51 -> a
    2:3:void com.x.Helper.tell(int):7:7 -> a
    2:3:void run():21:21 -> a
    4:4:int size():90:90 -> a
    4:4:void run():23 -> a
    5:5:void com.y.Moved.go():3:3 -> a
    1:9:void run(int):30:38 -> b
    10:12:void same() -> c
";

    #[track_caller]
    fn check(line: u32, own: Option<u32>, inlined: &[(&str, &str, Option<u32>)]) {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let retrace = mapping.retrace("a.a", "a", "()V").unwrap();
        let found = retrace.at(Some(line)).unwrap();
        assert_eq!((found.name, found.line), ("run", own), "{line}");
        let expected: Vec<_> =
            inlined.iter().map(|&(class, name, line)| Inlined { class, name, line }).collect();
        assert_eq!(retrace.inlined(line), expected, "{line}");
    }

    #[test]
    fn what_was_inlined_where() {
        check(1, Some(20), &[]);
        let innermost = |line| ("com.x.Tools", "log", Some(line));
        check(2, Some(21), &[innermost(50), ("com.x.Helper", "tell", Some(7))]);
        check(3, Some(21), &[innermost(51), ("com.x.Helper", "tell", Some(7))]);
        check(4, Some(23), &[("com.x.Main", "size", Some(90))]);
        // Lines of which the mapping knows nothing of this method.
        check(5, Some(23), &[]);
        check(77, Some(23), &[]);
    }

    #[test]
    fn lines_that_stay_what_they_were() {
        let mapping = Mapping::parse(TEXT.as_bytes()).unwrap();
        let retrace = mapping.retrace("a.a", "c", "()V").unwrap();
        assert_eq!(retrace.at(Some(11)).unwrap().line, Some(11));
    }
}
