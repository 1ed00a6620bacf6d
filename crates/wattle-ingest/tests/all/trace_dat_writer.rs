//! Writes files of trace-cmd, by `trace-cmd.dat(5)` and the kernel's `ring_buffer.h`: version 6, and 7 without packing.

use std::fmt::Write as _;
use std::io::Read;

/// Data layout of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub is_big: bool,
    /// Bytes of the kernel's `long`.
    pub long: usize,
}

pub const PAGE: usize = 4096;

/// A field of an event: declaration, size, sign.
type Field = (&'static str, usize, bool);

/// Name, number and fields of the events that are written.
pub const EVENTS: &[(&str, &str, u16, &[Field])] = &[
    (
        "sched",
        "sched_switch",
        301,
        &[
            ("char prev_comm[16]", 16, false),
            ("pid_t prev_pid", 4, true),
            ("int prev_prio", 4, true),
            ("long prev_state", 0, true),
            ("char next_comm[16]", 16, false),
            ("pid_t next_pid", 4, true),
            ("int next_prio", 4, true),
        ],
    ),
    (
        "sched",
        "sched_waking",
        302,
        &[
            ("char comm[16]", 16, false),
            ("pid_t pid", 4, true),
            ("int prio", 4, true),
            ("int success", 4, true),
            ("int target_cpu", 4, true),
        ],
    ),
    ("power", "cpu_frequency", 303, &[("u32 state", 4, false), ("u32 cpu_id", 4, false)]),
    ("power", "cpu_idle", 304, &[("u32 state", 4, false), ("u32 cpu_id", 4, false)]),
    ("irq", "softirq_entry", 305, &[("unsigned int vec", 4, false)]),
    ("irq", "softirq_exit", 306, &[("unsigned int vec", 4, false)]),
    ("irq", "irq_handler_entry", 307, &[("int irq", 4, true), ("__data_loc char[] name", 4, true)]),
    ("irq", "irq_handler_exit", 308, &[("int irq", 4, true), ("int ret", 4, true)]),
    (
        "power",
        "suspend_resume",
        309,
        &[("const char * action", 0, false), ("int val", 4, true), ("bool start", 1, false)],
    ),
    (
        "power",
        "clock_set_rate",
        310,
        &[("__data_loc char[] name", 4, true), ("u64 state", 8, false), ("u64 cpu_id", 8, false)],
    ),
    (
        "block",
        "block_rq_insert",
        312,
        &[
            ("dev_t dev", 4, false),
            ("sector_t sector", 8, false),
            ("unsigned int nr_sector", 4, false),
            ("char rwbs[8]", 8, false),
        ],
    ),
    (
        "block",
        "block_rq_issue",
        313,
        &[
            ("dev_t dev", 4, false),
            ("sector_t sector", 8, false),
            ("unsigned int nr_sector", 4, false),
            ("char rwbs[8]", 8, false),
        ],
    ),
    (
        "block",
        "block_rq_complete",
        314,
        &[
            ("dev_t dev", 4, false),
            ("sector_t sector", 8, false),
            ("unsigned int nr_sector", 4, false),
            ("char rwbs[8]", 8, false),
        ],
    ),
    ("sched", "sched_stat_runtime", 311, &[("u64 runtime", 8, false)]),
    ("ftrace", "print", 5, &[("unsigned long ip", 0, false), ("char buf[]", usize::MAX, false)]),
];

/// Returns the kernel's print format of an event (`print fmt`), which trace-cmd needs.
fn print_format(name: &str) -> &'static str {
    match name {
        "sched_switch" => {
            r#""prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state ? __print_flags(REC->prev_state, "|", { 1, "S"} , { 2, "D" }) : "R", REC->next_comm, REC->next_pid, REC->next_prio"#
        }
        "sched_waking" => {
            r#""comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu"#
        }
        "cpu_frequency" | "cpu_idle" => {
            r#""state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id"#
        }
        "softirq_entry" | "softirq_exit" => r#""vec=%u [action=%s]", REC->vec, "X""#,
        "irq_handler_entry" => r#""irq=%d name=%s", REC->irq, __get_str(name)"#,
        "irq_handler_exit" => r#""irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled""#,
        "suspend_resume" => {
            r#""%s[%u] %s", REC->action, (unsigned int)REC->val, (REC->start)?"begin":"end""#
        }
        "clock_set_rate" => {
            r#""%s state=%lu cpu_id=%lu", __get_str(name), (unsigned long)REC->state, (unsigned long)REC->cpu_id"#
        }
        "block_rq_insert" | "block_rq_issue" | "block_rq_complete" => {
            r#""%s %llu + %u", REC->rwbs, (unsigned long long)REC->sector, REC->nr_sector"#
        }
        "print" => r#""%ps: %s", (void *)REC->ip, REC->buf"#,
        _ => r#""runtime=%Lu", (unsigned long long)REC->runtime"#,
    }
}

/// A value of a field.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Number(u64),
    Text(&'static str),
}

/// An event to be written.
#[derive(Clone, Debug)]
pub struct Event {
    pub time: u64,
    pub tid: u32,
    pub name: &'static str,
    pub values: Vec<Value>,
}

/// A text in the kernel's memory, with its address.
pub const ACTION: (u64, &str) = (0x8020_1000, "timekeeping_freeze");

impl Machine {
    pub fn number(self, value: u64, size: usize) -> Vec<u8> {
        if self.is_big {
            value.to_be_bytes()[8 - size..].to_vec()
        } else {
            value.to_le_bytes()[..size].to_vec()
        }
    }

    fn size(self, field: &Field) -> usize {
        if field.1 == 0 { self.long } else { field.1 }
    }

    /// Places of the fields behind the four that all events have.
    fn places(self, fields: &[Field]) -> Vec<usize> {
        let mut at = 8;
        fields
            .iter()
            .map(|field| {
                let size = if field.1 == usize::MAX { 0 } else { self.size(field) };
                let unit =
                    if field.0.contains("char ") && size == 16 { 1 } else { size.clamp(1, 8) };
                at = at_multiple(at, unit);
                let place = at;
                at += size;
                place
            })
            .collect()
    }

    /// `events/…/format`.
    fn description(self, (_, name, id, fields): &(&str, &str, u16, &[Field])) -> String {
        let mut text = format!("name: {name}\nID: {id}\nformat:\n");
        let common: [(&str, usize, usize, u8); 4] = [
            ("unsigned short common_type", 0, 2, 0),
            ("unsigned char common_flags", 2, 1, 0),
            ("unsigned char common_preempt_count", 3, 1, 0),
            ("int common_pid", 4, 4, 1),
        ];
        for (declaration, offset, size, sign) in common {
            let _ = writeln!(
                text,
                "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{sign};"
            );
        }
        text.push('\n');
        for (field, offset) in fields.iter().zip(self.places(fields)) {
            let size = if field.1 == usize::MAX { 0 } else { self.size(field) };
            let sign = u8::from(field.2);
            let _ = writeln!(
                text,
                "\tfield:{};\toffset:{offset};\tsize:{size};\tsigned:{sign};",
                field.0
            );
        }
        text + "\nprint fmt: " + print_format(name) + "\n"
    }

    /// The record of an event.
    fn record(self, event: &Event) -> Vec<u8> {
        let known = EVENTS.iter().find(|(_, name, ..)| *name == event.name).unwrap();
        let (_, _, id, fields) = known;
        let mut bytes = self.number(u64::from(*id), 2);
        bytes.extend([0, 0]);
        bytes.extend(self.number(u64::from(event.tid), 4));
        let places = self.places(fields);
        let mut behind: Vec<u8> = Vec::new();
        let end = fields
            .iter()
            .zip(&places)
            .map(|(f, p)| if f.1 == usize::MAX { *p } else { p + self.size(f) })
            .max();
        let end = at_multiple(end.unwrap(), 4);
        for ((field, place), value) in fields.iter().zip(&places).zip(&event.values) {
            bytes.resize(bytes.len().max(*place), 0);
            match value {
                Value::Number(number) => bytes.extend(self.number(*number, self.size(field))),
                Value::Text(text) if field.0.starts_with("__data_loc") => {
                    let length = text.len() as u64 + 1;
                    bytes.extend(self.number(length << 16 | (end + behind.len()) as u64, 4));
                    behind.extend(text.bytes().chain([0]));
                }
                Value::Text(text) if field.1 == usize::MAX => bytes.extend(text.bytes().chain([0])),
                Value::Text(text) => {
                    bytes.extend(text.bytes());
                    bytes.resize(place + 16, 0);
                }
            }
        }
        if !behind.is_empty() {
            bytes.resize(end, 0);
            bytes.extend(behind);
        }
        bytes.resize(at_multiple(bytes.len(), 4), 0);
        bytes
    }

    fn word(self, kind: u32, delta: u64) -> Vec<u8> {
        let delta = delta as u32;
        let word = if self.is_big { kind << 27 | delta } else { kind | delta << 5 };
        self.number(u64::from(word), 4)
    }

    /// The ring buffer of a CPU: whole pages.
    pub fn pages(self, events: &[Event]) -> Vec<u8> {
        let mut pages = Vec::new();
        let mut page: Option<(u64, Vec<u8>)> = None;
        let mut last = 0;
        for event in events {
            let record = self.record(event);
            let is_full =
                page.as_ref().is_some_and(|(_, held)| held.len() + record.len() + 16 > PAGE - 16);
            if is_full {
                pages.extend(self.page(page.take()));
            }
            let (_, held) = page.get_or_insert_with(|| {
                last = event.time;
                (event.time, Vec::new())
            });
            let mut delta = event.time - last;
            if delta >= 1 << 27 {
                held.extend(self.word(30, delta & ((1 << 27) - 1)));
                held.extend(self.number(delta >> 27, 4));
                delta = 0;
            }
            if record.len() > 112 {
                held.extend(self.word(0, delta));
                held.extend(self.number(record.len() as u64 + 4, 4));
            } else {
                held.extend(self.word(record.len() as u32 / 4, delta));
            }
            held.extend(record);
            last = event.time;
        }
        pages.extend(self.page(page));
        pages
    }

    fn page(self, page: Option<(u64, Vec<u8>)>) -> Vec<u8> {
        let Some((time, held)) = page else { return Vec::new() };
        let mut bytes = self.number(time, 8);
        bytes.extend(self.number(held.len() as u64, self.long));
        bytes.extend(held);
        bytes.resize(PAGE, 0);
        bytes
    }

    fn header_page(self) -> String {
        let long = self.long;
        format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{long};\tsigned:1;\n\
             \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:{};\tsize:{};\tsigned:1;\n",
            8 + long,
            PAGE - 8 - long
        )
    }

    fn sized(self, text: &str, size: usize) -> Vec<u8> {
        [self.number(text.len() as u64, size), text.as_bytes().to_vec()].concat()
    }

    fn header_info(self) -> Vec<u8> {
        let event = "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n\
            \tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
        [
            b"header_page\0".to_vec(),
            self.sized(&self.header_page(), 8),
            b"header_event\0".to_vec(),
            self.sized(event, 8),
        ]
        .concat()
    }

    fn formats(self, system: &str) -> Vec<u8> {
        let of: Vec<_> = EVENTS.iter().filter(|(of, ..)| *of == system).collect();
        let mut bytes = self.number(of.len() as u64, 4);
        for event in of {
            bytes.extend(self.sized(&self.description(event), 8));
        }
        bytes
    }

    fn systems(self) -> Vec<u8> {
        let systems = ["sched", "power", "irq", "block"];
        let mut bytes = self.number(systems.len() as u64, 4);
        for system in systems {
            bytes.extend(system.bytes().chain([0]));
            bytes.extend(self.formats(system));
        }
        bytes
    }

    fn printk() -> String {
        format!("0x{:x} : \"{}\"\n", ACTION.0, ACTION.1)
    }

    fn head(self, version: &str) -> Vec<u8> {
        let mut bytes = b"\x17\x08\x44tracing".to_vec();
        bytes.extend(version.bytes().chain([0]));
        bytes.push(u8::from(self.is_big));
        bytes.push(self.long as u8);
        bytes.extend(self.number(PAGE as u64, 4));
        bytes
    }

    fn option(self, id: u16, data: &[u8]) -> Vec<u8> {
        [self.number(u64::from(id), 2), self.number(data.len() as u64, 4), data.to_vec()].concat()
    }

    /// A file of version 6.
    pub fn version_6(self, cpus: &[Vec<Event>], comms: &str, clock: &str) -> Vec<u8> {
        let mut bytes = self.head("6");
        bytes.extend(self.header_info());
        bytes.extend(self.formats("ftrace"));
        bytes.extend(self.systems());
        bytes.extend(self.sized("c0008000 T tracing_mark_write\n", 4));
        bytes.extend(self.sized(&Self::printk(), 4));
        bytes.extend(self.sized(comms, 8));
        bytes.extend(self.number(cpus.len() as u64, 4));
        bytes.extend(b"options  \0");
        bytes.extend(self.option(4, format!("local [{clock}] global\0").as_bytes()));
        bytes.extend(self.option(5, b"6.1.0 test\0"));
        bytes.extend(self.number(0, 2));
        bytes.extend(b"flyrecord\0");
        let data: Vec<_> = cpus.iter().map(|events| self.pages(events)).collect();
        let mut at = at_multiple(bytes.len() + 16 * cpus.len(), PAGE);
        for pages in &data {
            bytes.extend(self.number(at as u64, 8));
            bytes.extend(self.number(pages.len() as u64, 8));
            at += pages.len();
        }
        for pages in data {
            bytes.resize(at_multiple(bytes.len(), PAGE), 0);
            bytes.extend(pages);
        }
        bytes
    }
}

/// Version 7.
impl Machine {
    fn section(self, id: u16, content: &[u8], is_packed: bool) -> Vec<u8> {
        let mut body = content.to_vec();
        if is_packed {
            let packed = zlib(content);
            let sizes = [packed.len(), content.len()].map(|size| self.number(size as u64, 4));
            body = [sizes.concat(), packed].concat();
        }
        let mut bytes = self.number(u64::from(id), 2);
        bytes.extend(self.number(u64::from(is_packed), 2));
        bytes.extend(self.number(0, 4));
        bytes.extend(self.number(body.len() as u64, 8));
        bytes.extend(body);
        bytes
    }

    /// A file of version 7, of the clock `boot`, packed by zlib or not.
    pub fn version_7(self, cpus: &[Vec<Event>], comms: &str, is_packed: bool) -> Vec<u8> {
        let mut bytes = self.head("7");
        let packing: &[u8] = if is_packed { b"zlib\x001.2.13\0" } else { b"none\0\0" };
        bytes.extend(packing);
        let place_of_options = bytes.len();
        bytes.extend([0; 8]);
        let mut options = Vec::new();
        let sections = [
            (16, self.header_info()),
            (17, self.formats("ftrace")),
            (18, self.systems()),
            (20, self.sized(&Self::printk(), 4)),
            (21, self.sized(comms, 8)),
        ];
        for (id, content) in sections {
            options.extend(self.option(id, &self.number(bytes.len() as u64, 8)));
            bytes.extend(self.section(id, &content, is_packed));
        }
        options.extend(self.option(5, b"6.1.0 test\0"));
        // The buffer's own section begins on a page that its head fills.
        bytes.resize(at_multiple(bytes.len() + 16, PAGE) - 16, 0);
        let mut buffer = self.number(bytes.len() as u64, 8);
        buffer.extend(b"\0boot\0");
        buffer.extend(self.number(PAGE as u64, 4));
        buffer.extend(self.number(cpus.len() as u64, 4));
        let data: Vec<Vec<u8>> = cpus.iter().map(|events| self.pieces(events, is_packed)).collect();
        let size: usize = data.iter().map(|data| at_multiple(data.len(), PAGE)).sum();
        let mut head = self.number(3, 2);
        head.extend(self.number(u64::from(is_packed), 2));
        head.extend(self.number(0, 4));
        head.extend(self.number(size as u64, 8));
        bytes.extend(head);
        for (cpu, data) in data.into_iter().enumerate() {
            bytes.resize(at_multiple(bytes.len(), PAGE), 0);
            buffer.extend(self.number(cpu as u64, 4));
            buffer.extend(self.number(bytes.len() as u64, 8));
            buffer.extend(self.number(data.len() as u64, 8));
            bytes.extend(data);
        }
        options.extend(self.option(3, &buffer));
        options.extend(self.option(0, &[0; 8]));
        let at = self.number(bytes.len() as u64, 8);
        bytes[place_of_options..place_of_options + 8].copy_from_slice(&at);
        bytes.extend(self.section(0, &options, is_packed));
        bytes
    }

    /// The pages of a CPU, two to a packed piece.
    fn pieces(self, events: &[Event], is_packed: bool) -> Vec<u8> {
        let pages = self.pages(events);
        if !is_packed {
            return pages;
        }
        let pieces = pages.chunks(2 * PAGE);
        let mut bytes = self.number(pieces.len() as u64, 4);
        for piece in pieces {
            let packed = zlib(piece);
            bytes.extend(self.number(packed.len() as u64, 4));
            bytes.extend(self.number(piece.len() as u64, 4));
            bytes.extend(packed);
        }
        bytes
    }
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::ZlibEncoder::new(content, flate2::Compression::fast())
        .read_to_end(&mut packed)
        .unwrap();
    packed
}

fn at_multiple(value: usize, of: usize) -> usize {
    value.div_ceil(of) * of
}
