//! Members as they are found, and the declarations that are made of them.

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;

use rustc_hash::FxHasher;

use super::token_cursor::TokenCursor;
use super::{Declaration, DeclarationKind};
use crate::text_lines::TextLines;

/// The deepest class in classes that is read.
const MOST_DEPTH: usize = 40;

/// A member that was found, by its tokens.
pub(super) struct Member {
    pub kind: DeclarationKind,
    pub name: String,
    pub parameters: Vec<String>,
    pub is_mangled: bool,
    /// The whole declaration.
    pub tokens: Range<usize>,
    pub name_token: usize,
}

impl Member {
    /// A constructor.
    pub fn constructor(parameters: Vec<String>, tokens: Range<usize>, name_token: usize) -> Self {
        Self {
            kind: DeclarationKind::Constructor,
            name: "<init>".to_owned(),
            parameters,
            is_mangled: false,
            tokens,
            name_token,
        }
    }
}

/// The body of a class, or a file's.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassBody {
    /// Tokens between its braces.
    pub tokens: Range<usize>,
    /// The class as Java writes it.
    pub class: String,
    /// The text before the names of classes in it: `com.example.`, `com.example.Feed$`.
    pub prefix: String,
    /// Its own name, with which constructors of Java are declared.
    pub simple: String,
    pub depth: usize,
    /// Whether it begins with constants.
    pub is_enum: bool,
    /// Whether it has constructors at all.
    pub has_constructors: bool,
    /// The primary constructor, by its place among the members.
    pub constructors: Vec<usize>,
    /// Tokens of its head, and of what belongs to no member: initial values, initializers. Constructors run them.
    pub loose: Vec<Range<usize>>,
    pub name_token: usize,
}

impl ClassBody {
    /// A class in this body, by its name.
    pub fn nested(&self, simple: &str, name_token: usize) -> Self {
        let class = format!("{}{simple}", self.prefix);
        Self {
            prefix: format!("{class}$"),
            class,
            simple: simple.to_owned(),
            depth: self.depth + 1,
            name_token,
            ..Self::default()
        }
    }
}

/// Members as they are found.
pub(super) struct MemberCollector<'c, 't> {
    pub tokens: &'c TokenCursor<'t>,
    members: Vec<(String, Member, Vec<Range<usize>>)>,
    /// Bodies that were found and not read yet.
    open: Vec<ClassBody>,
}

impl<'c, 't> MemberCollector<'c, 't> {
    pub fn new(tokens: &'c TokenCursor<'t>) -> Self {
        Self { tokens, members: Vec::new(), open: Vec::new() }
    }

    /// Notes a member, and returns its place.
    pub fn add(&mut self, class: &str, member: Member) -> usize {
        self.members.push((class.to_owned(), member, Vec::new()));
        self.members.len() - 1
    }

    /// Reads a file: its own body, and those that are found in it.
    pub fn read_all(&mut self, file: ClassBody, read: impl Fn(&mut Self, &mut ClassBody)) {
        self.open(file);
        while let Some(mut body) = self.open.pop() {
            read(self, &mut body);
            self.close(body);
        }
    }

    /// Notes a body that is to be read.
    pub fn open(&mut self, body: ClassBody) {
        if body.depth <= MOST_DEPTH {
            self.open.push(body);
        }
    }

    /// Ends a body: its constructors run what belongs to no member, and a class without constructors has one.
    fn close(&mut self, mut body: ClassBody) {
        if !body.has_constructors {
            return;
        }
        if body.constructors.is_empty() {
            let at = body.name_token;
            let member = Member::constructor(Vec::new(), at..at + 1, at);
            let place = self.add(&body.class.clone(), member);
            body.constructors.push(place);
        }
        for place in &body.constructors {
            if let Some((.., extra)) = self.members.get_mut(*place) {
                extra.clone_from(&body.loose);
            }
        }
    }

    /// The declarations, in order of the file.
    pub fn finish(mut self, text: &str) -> Vec<Declaration> {
        let lines = TextLines::new(text);
        let members = std::mem::take(&mut self.members);
        let made = members
            .into_iter()
            .filter_map(|(class, member, extra)| self.declaration(&lines, class, (member, &extra)));
        let mut declarations: Vec<_> = made.collect();
        declarations.sort_by_key(|it| (it.name_start, it.span.start));
        declarations
    }

    /// The tokens of a method before its body: modifiers, name, parameters. Those of a constructor are its code.
    fn head(&self, member: &Member) -> Range<usize> {
        let Range { start, end } = member.tokens;
        if member.kind == DeclarationKind::Constructor {
            return start..start;
        }
        let behind_name = self.tokens.after_generics(member.name_token + 1, end);
        let is_open = self.tokens.is_sign(behind_name, b'(');
        start..if is_open { self.tokens.after(behind_name, end) } else { behind_name.min(end) }
    }

    fn declaration(
        &self,
        lines: &TextLines,
        class: String,
        (member, extra): (Member, &[Range<usize>]),
    ) -> Option<Declaration> {
        let first = self.tokens.token(member.tokens.start)?;
        let last = self.tokens.token(member.tokens.end.checked_sub(1)?)?;
        let name = self.tokens.token(member.name_token)?;
        let span = first.start as usize..last.end as usize;
        let mut hasher = FxHasher::default();
        let own_name = self.tokens.text(member.name_token);
        let mut pairs = Vec::new();
        let (mut code_size, mut before) = (0, None);
        let head = self.head(&member);
        let own = std::iter::once(member.tokens.clone()).filter(|own| own.len() > 1);
        for at in own.chain(extra.iter().cloned()).flatten() {
            let text = self.tokens.text(at);
            // A method that was renamed has the same code.
            let text = if text == own_name { "" } else { text };
            text.hash(&mut hasher);
            code_size += 1;
            // What two methods declare alike says nothing of what they do, and neither do signs alone.
            if head.contains(&at) || pairs.len() >= Declaration::MOST_PAIRS {
                continue;
            }
            let is_sign = self.tokens.is_any_sign(at);
            if let Some((_, was_sign)) = before
                && !(is_sign && was_sign)
            {
                let mut pair = FxHasher::default();
                (before, text).hash(&mut pair);
                pairs.push((pair.finish() >> 32) as u32);
            }
            let mut single = FxHasher::default();
            text.hash(&mut single);
            before = Some((single.finish(), is_sign));
        }
        pairs.sort_unstable();
        Some(Declaration {
            kind: member.kind,
            class,
            name: member.name,
            parameters: member.parameters,
            is_mangled: member.is_mangled,
            name_start: name.start as usize,
            line: lines.line_at(name.start as usize),
            lines: (lines.line_at(span.start), lines.line_at(span.end.saturating_sub(1))),
            span,
            code: hasher.finish(),
            code_size,
            pairs,
        })
    }
}
