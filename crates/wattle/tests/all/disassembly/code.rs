//! Classes, methods and calls, read from the text of `dexdump -d`.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Definitions of an app.
#[derive(Default)]
pub struct Disassembly {
    /// By descriptor; of classes that several files define the first.
    pub classes: HashMap<String, Class>,
    /// In the order of files and classes.
    pub methods: Vec<Method>,
}

/// A class.
#[derive(Default)]
pub struct Class {
    pub access: u32,
    pub superclass: Option<String>,
    pub interfaces: Vec<String>,
    /// Flags by name and descriptor in one.
    pub methods: HashMap<String, u32>,
    /// All that it does is to throw that it is not there.
    pub stands_in: bool,
}

/// A method as a class of one file has it.
#[derive(Default)]
pub struct Method {
    /// Descriptor of its class.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    pub access: u32,
    pub has_code: bool,
    pub registers: u32,
    pub has_monitors: bool,
    /// Calls of methods by name, in order.
    pub calls: Vec<Call>,
}

/// A call in a method.
pub struct Call {
    /// `virtual`, `super`, `direct`, `static` or `interface`.
    pub kind: String,
    /// Descriptor of the class that the instruction names.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    /// Position in the code, in units.
    pub address: u32,
    /// By the table of positions.
    pub line: Option<u32>,
}

impl Method {
    /// `Lsome/Class;->name(I)V`.
    pub fn full_name(&self) -> String {
        format!("{}->{}{}", self.class, self.name, self.descriptor)
    }
}

pub const INTERFACE: u32 = 0x200;
pub const ABSTRACT: u32 = 0x400;
pub const NATIVE: u32 = 0x100;

impl Disassembly {
    /// Of the code files of a package, or of one file; `None` where the disassembler refuses it.
    pub fn from_path(path: &Path) -> Option<Self> {
        let mut all = Self::default();
        all.add(path).then_some(all)
    }

    /// Adds what another package of the same app defines; false where the disassembler refuses it.
    pub fn add(&mut self, path: &Path) -> bool {
        let mut command = Command::new("dexdump");
        command.arg("-d").arg(path).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut reader = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        let mut state = State { all: self, class: None, inside: Inside::Class, in_text: false };
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).unwrap() > 0 {
            // Most of the text are names of locals, which nobody here needs.
            if !is_local(&line) {
                state.line(String::from_utf8_lossy(&line).trim_end());
            }
            line.clear();
        }
        state.end_of_class();
        child.wait().unwrap().success()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Class,
    Interfaces,
    Fields,
    Methods,
    Positions,
}

struct State<'a> {
    all: &'a mut Disassembly,
    class: Option<(String, Class)>,
    inside: Inside,
    /// In a text of several lines, which stands as it is.
    in_text: bool,
}

/// Whether the constant that began ends here: `// string@0002`.
fn ends_text(line: &str) -> bool {
    line.rsplit_once(" // string@")
        .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn quoted(line: &str) -> String {
    let (_, rest) = line.split_once('\'').unwrap();
    rest.rsplit_once('\'').unwrap().0.to_owned()
}

/// The number of `access        : 0x10001 (PUBLIC CONSTRUCTOR)`.
fn flags(line: &str) -> u32 {
    let hex = line.split_once("0x").unwrap().1;
    u32::from_str_radix(hex.split(' ').next().unwrap(), 16).unwrap()
}

impl State<'_> {
    fn line(&mut self, line: &str) {
        if self.in_text {
            self.in_text = !ends_text(line);
            return;
        }
        if let Some((_, code)) = line.split_once('|').filter(|_| is_code(line)) {
            return self.instruction(code);
        }
        if line.starts_with("Class #") {
            self.end_of_class();
            self.inside = Inside::Class;
            return;
        }
        let word = line.trim_start();
        let depth = line.len() - word.len();
        match depth {
            2 => self.section(word),
            4 if self.inside == Inside::Interfaces && word.starts_with('#') => {
                let class = &mut self.class.as_mut().unwrap().1;
                class.interfaces.push(quoted(word));
            }
            4 if self.inside == Inside::Positions && word.starts_with('#') => {
                self.inside = Inside::Methods;
                self.new_method();
            }
            4 if self.inside == Inside::Methods && word.starts_with('#') => self.new_method(),
            6 => self.member(word),
            8 if self.inside == Inside::Positions => self.position(word),
            _ => {}
        }
    }

    fn section(&mut self, word: &str) {
        if word.starts_with("Class descriptor") {
            self.class = Some((quoted(word), Class::default()));
            return;
        }
        let Some((_, class)) = &mut self.class else { return };
        self.inside = match word {
            "Interfaces        -" => Inside::Interfaces,
            "Static fields     -" | "Instance fields   -" => Inside::Fields,
            "Direct methods    -" | "Virtual methods   -" => Inside::Methods,
            _ => {
                if word.starts_with("Access flags") {
                    class.access = flags(word);
                } else if word.starts_with("Superclass") {
                    class.superclass = Some(quoted(word));
                }
                Inside::Class
            }
        };
    }

    fn new_method(&mut self) {
        let class = self.class.as_ref().unwrap().0.clone();
        self.all.methods.push(Method { class, ..Method::default() });
    }

    fn member(&mut self, word: &str) {
        if matches!(self.inside, Inside::Fields | Inside::Class | Inside::Interfaces) {
            return;
        }
        let Some(method) = self.all.methods.last_mut() else { return };
        let (key, _) = word.split_once(' ').unwrap_or((word, ""));
        match key {
            "name" => method.name = quoted(word),
            "type" => method.descriptor = quoted(word),
            "access" => {
                method.access = flags(word);
                let name = method.name.clone() + &method.descriptor;
                self.class.as_mut().unwrap().1.methods.entry(name).or_insert(method.access);
            }
            "code" => method.has_code = word.ends_with('-'),
            "registers" => {
                method.registers = word.rsplit(' ').next().unwrap().parse().unwrap();
            }
            "positions" => self.inside = Inside::Positions,
            "locals" => self.inside = Inside::Methods,
            _ => {}
        }
    }

    /// `0x0007 line=12`: from there on, until the next.
    fn position(&mut self, word: &str) {
        let (address, line) = word.split_once(" line=").unwrap();
        let address = u32::from_str_radix(address.trim_start_matches("0x"), 16).unwrap();
        let line = line.parse().unwrap();
        let calls = &mut self.all.methods.last_mut().unwrap().calls;
        for call in calls.iter_mut().rev().take_while(|call| call.address >= address) {
            call.line = Some(line);
        }
    }

    /// `0007: invoke-virtual {v8, v5}, La/B;.name:(I)V // method@0003`.
    fn instruction(&mut self, code: &str) {
        let Some(method) = self.all.methods.last_mut() else { return };
        let Some((address, code)) = code.split_once(": ") else { return };
        // Compilers put such a class into an app for systems that have none of the name yet.
        if method.name == "<clinit>"
            && address == "0000"
            && code.contains(", Ljava/lang/NoClassDefFoundError; //")
        {
            self.class.as_mut().unwrap().1.stands_in = true;
        }
        if code.starts_with("monitor-enter") {
            method.has_monitors = true;
        }
        self.in_text = code.starts_with("const-string") && !ends_text(code);
        let Some((kind, rest)) = code.strip_prefix("invoke-").and_then(|it| it.split_once(' '))
        else {
            return;
        };
        let kind = kind.trim_end_matches("/range");
        if ["custom", "polymorphic"].contains(&kind) {
            return;
        }
        let (_, called) = rest.split_once("}, ").unwrap();
        let (called, _) = called.rsplit_once(" // method@").unwrap();
        let (called, descriptor) = called.rsplit_once(":(").expect(code);
        let (class, name) = called.rsplit_once('.').expect(code);
        method.calls.push(Call {
            kind: kind.to_owned(),
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: format!("({descriptor}"),
            address: u32::from_str_radix(address, 16).unwrap(),
            line: None,
        });
    }

    fn end_of_class(&mut self) {
        if let Some((name, class)) = self.class.take().filter(|(_, class)| !class.stands_in) {
            self.all.classes.entry(name).or_insert(class);
        }
    }
}

/// Whether a line has the bytes of an instruction in front: `0776a4: 0c02      |000a: move-result-object v2`.
fn is_code(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_hexdigit)
        && line.split_once(": ").is_some_and(|(address, _)| {
            address.len() >= 6 && address.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// `0x0000 - 0x0004 reg=0 this La/B;`, where positions are `0x0000 line=13`.
fn is_local(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"        0x") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    rest.get(digits + 1) == Some(&b'-')
}

/// Counts the occurrences of each item.
pub fn counted<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, u64> {
    let mut counts = BTreeMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    counts
}
