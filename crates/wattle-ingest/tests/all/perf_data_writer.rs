//! Writes a small `perf.data`, in every form that one can have: both orders of bytes, as a file or a stream, by `perf` or simpleperf.

/// Who writes it, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub is_big: bool,
    pub is_pipe: bool,
    pub writer: Writer,
}

/// The recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    Perf,
    /// simpleperf with the feature `file`.
    Simpleperf1,
    /// simpleperf with the feature `file2`.
    Simpleperf2,
    /// simpleperf before both: records of files and functions.
    SimpleperfRecords,
}

/// Numbers of the two events' counters.
pub const CLOCK: u64 = 11;
pub const CYCLES: u64 = 12;

/// When recording began.
pub const START: u64 = 5_000_000_000;

const CONTEXT_KERNEL: u64 = -128_i64 as u64;
const CONTEXT_USER: u64 = -512_i64 as u64;

/// `IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN`.
const FEW: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 5;
/// The same with `ADDR | READ | ID | STREAM_ID | RAW | BRANCH_STACK | REGS_USER | STACK_USER | WEIGHT`.
const MANY: u64 =
    FEW | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14;
/// `SAMPLE_ID_ALL | USE_CLOCKID`.
const FLAGS: u64 = 1 << 18 | 1 << 25;
/// `CLOCK_BOOTTIME`.
const BOOTTIME: u32 = 7;

/// Bytes in one order.
#[derive(Clone, Debug)]
struct Bytes {
    is_big: bool,
    bytes: Vec<u8>,
}

impl Bytes {
    fn new(form: Form) -> Self {
        Self { is_big: form.is_big, bytes: Vec::new() }
    }

    fn short(&mut self, value: u16) -> &mut Self {
        self.bytes.extend(if self.is_big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn word(&mut self, value: u32) -> &mut Self {
        self.bytes.extend(if self.is_big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn long(&mut self, value: u64) -> &mut Self {
        self.bytes.extend(if self.is_big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend(bytes);
        self
    }

    /// A text with zeros up to a multiple of eight.
    fn text(&mut self, text: &str) -> &mut Self {
        self.raw(text.as_bytes()).raw(&[0]);
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        self
    }

    fn record(&mut self, kind: u32, misc: u16, body: &Self) -> &mut Self {
        let size = body.bytes.len() + 8;
        let misc = if kind > 32768 { (size >> 16) as u16 } else { misc };
        self.word(kind).short(misc).short(size as u16).raw(&body.bytes)
    }
}

/// Writes files of one form.
pub struct File {
    form: Form,
    records: Bytes,
}

impl File {
    /// One with threads, mappings, and no sample yet.
    pub fn new(form: Form) -> Self {
        let mut file = Self { form, records: Bytes::new(form) };
        file.threads();
        file
    }

    fn bytes(&self) -> Bytes {
        Bytes::new(self.form)
    }

    fn push(&mut self, kind: u32, misc: u16, body: &Bytes) {
        self.records.record(kind, misc, body);
    }

    /// The end of a record that is no sample.
    fn trailer(body: &mut Bytes, tid: u32, time: u64, cpu: u32) {
        body.word(7).word(tid).long(time).word(cpu).word(0).long(CLOCK);
    }

    fn threads(&mut self) {
        for (tid, name) in [(7, "ample.app"), (8, "RenderThread")] {
            let mut body = self.bytes();
            body.word(7).word(tid).text(name);
            Self::trailer(&mut body, tid, 0, 0);
            self.push(3, 0, &body);
        }
        let mut kernel = self.bytes();
        kernel
            .word(u32::MAX)
            .word(0)
            .long(0xffff_8000_0000_0000)
            .long(0x1000_0000)
            .long(0)
            .text("[kernel.kallsyms]_text");
        Self::trailer(&mut kernel, 0, 0, 0);
        self.push(1, 1, &kernel);
        let mut library = self.bytes();
        library.word(7).word(7).long(0x1000).long(0x1000).long(0x500);
        library.raw(&[4, 0, 0, 0, 0xab, 0xcd, 0xef, 0x01]).raw(&[0; 16]);
        library.word(5).word(2).text("/data/app/libx.so");
        Self::trailer(&mut library, 7, 0, 0);
        self.push(10, 2 | 1 << 14, &library);
        let mut dex = self.bytes();
        dex.word(7).word(7).long(0x10_0000).long(0x1000).long(0).long(0).long(0).long(0);
        dex.word(5).word(2).text("/data/app/base.vdex");
        Self::trailer(&mut dex, 7, 0, 0);
        self.push(10, 2, &dex);
    }

    /// A sample of the event with few fields: addresses of the kernel, then of the program.
    pub fn sample(
        &mut self,
        time: u64,
        (tid, cpu): (u32, u32),
        period: u64,
        chain: (&[u64], &[u64]),
    ) {
        let (kernel, user) = chain;
        let mut body = self.bytes();
        let ip = kernel.first().or(user.first()).copied().unwrap_or(0);
        body.long(CLOCK).long(ip).word(7).word(tid).long(time).word(cpu).word(0).long(period);
        Self::chain(&mut body, kernel, user);
        self.push(9, if kernel.is_empty() { 2 } else { 1 }, &body);
    }

    fn chain(body: &mut Bytes, kernel: &[u64], user: &[u64]) {
        let mut chain = Vec::new();
        if !kernel.is_empty() {
            chain.push(CONTEXT_KERNEL);
            chain.extend(kernel);
        }
        if !user.is_empty() {
            chain.push(CONTEXT_USER);
            chain.extend(user);
        }
        body.long(chain.len() as u64);
        for address in chain {
            body.long(address);
        }
    }

    /// A sample with every field that there is.
    pub fn full_sample(&mut self, time: u64, period: u64, user: &[u64], stack: u64) {
        let mut body = self.bytes();
        body.long(CYCLES)
            .long(user[0])
            .word(7)
            .word(8)
            .long(time)
            .long(0xadd)
            .long(CYCLES)
            .long(99);
        body.word(3).word(0).long(period);
        // The group's two counters with times.
        body.long(2).long(1000).long(900).long(period).long(CYCLES).long(0).long(CLOCK);
        Self::chain(&mut body, &[], user);
        body.word(12).raw(b"twelve bytes");
        body.long(2).raw(&[0; 48]);
        body.long(2).long(0x51).long(0x52);
        body.long(stack);
        if stack > 0 {
            body.raw(&vec![7; stack as usize]).long(stack);
        }
        body.long(42);
        self.push(9, 2, &body);
    }

    /// simpleperf's word that the next sample could not be unwound.
    pub fn unwinding_failed(&mut self, time: u64) {
        let mut body = self.bytes();
        body.long(time).long(100).long(5).long(0).long(0);
        self.push(32776, 0, &body);
    }

    /// A thread comes to or leaves a CPU.
    pub fn switch(&mut self, time: u64, (tid, cpu): (u32, u32), is_out: bool) {
        let mut body = self.bytes();
        Self::trailer(&mut body, tid, time, cpu);
        self.push(14, if is_out { 1 << 13 } else { 0 }, &body);
    }

    pub fn lost(&mut self, time: u64, count: u64) {
        let mut body = self.bytes();
        body.long(CLOCK).long(count);
        Self::trailer(&mut body, 7, time, 0);
        self.push(2, 0, &body);
    }

    /// Something nobody needs: a namespace and a record of tomorrow.
    pub fn others(&mut self, time: u64) {
        for kind in [16, 17, 40] {
            let mut body = self.bytes();
            body.word(7).word(7).long(0);
            Self::trailer(&mut body, 7, time, 0);
            self.push(kind, 0, &body);
        }
    }

    fn attrs(&self) -> Vec<(Bytes, u64)> {
        let one = |kind: u32, config: u64, sample_type: u64, read: u64, id: u64| {
            let flags = if self.form.is_big { FLAGS.reverse_bits() } else { FLAGS };
            let mut attr = self.bytes();
            attr.word(kind)
                .word(112)
                .long(config)
                .long(1000)
                .long(sample_type)
                .long(read)
                .long(flags);
            attr.word(0).word(0).long(0).long(0).long(0).long(0b101).word(0).word(BOOTTIME);
            attr.long(0).word(0).short(0).short(0);
            (attr, id)
        };
        // `TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING | ID | GROUP`.
        vec![one(1, 1, FEW, 0, CLOCK), one(0, 0, MANY, 15, CYCLES)]
    }

    fn kallsyms(&mut self) {
        let list = "ffff800000000100 T do_idle\nffff800000000200 t schedule\t[sched]\n0 T hidden\n";
        // More than a short record holds: it comes in pieces.
        let mut whole = self.bytes();
        let mut body = self.bytes();
        body.word(list.len() as u32).text(list);
        whole.record(32769, 0, &body);
        let (first, second) = whole.bytes.split_at(24);
        for (kind, part) in [(32772, first), (32772, second), (32773, &[][..])] {
            let mut piece = self.bytes();
            piece.raw(part);
            self.push(kind, 0, &piece);
        }
    }

    /// The functions of the library, as its newer and older forms hold them.
    fn features(&self) -> Vec<(u32, Bytes)> {
        let string = |text: &str| {
            let mut body = self.bytes();
            body.word(64).raw(text.as_bytes()).raw(&vec![0; 64 - text.len()]);
            body
        };
        let mut features = vec![(4, string("5.10.66-android")), (6, string("aarch64"))];
        if self.form.writer == Writer::Perf {
            let mut events = self.bytes();
            events.word(2).word(112);
            for ((attr, id), name) in self.attrs().into_iter().zip(["task-clock", "cpu-cycles"]) {
                events
                    .raw(&attr.bytes)
                    .word(1)
                    .word(16)
                    .raw(format!("{name:\0<16}").as_bytes())
                    .long(id);
            }
            features.push((12, events));
            return features;
        }
        let mut meta = self.bytes();
        let words = [
            ("simpleperf_version", "1.build.1"),
            ("event_type_info", "task-clock,1,1\ncpu-cycles,0,0"),
            ("product_props", "Google:Pixel 6:oriole"),
            ("android_sdk_version", "33"),
        ];
        for (name, value) in words {
            meta.raw(name.as_bytes()).raw(&[0]).raw(value.as_bytes()).raw(&[0]);
        }
        let mut files = self.bytes();
        let dex = ("/data/app/base.vdex", 3, "void a.b.C.run(int)", 0x100);
        // The library's code begins at 0x4500 in its own addresses, at 0x500 in the file.
        let library = ("/data/app/libx.so", 2, "draw", 0x4500 + 0x100);
        for (path, kind, function, at) in [library, dex] {
            let mut file = self.bytes();
            if self.form.writer == Writer::Simpleperf1 {
                file.raw(path.as_bytes()).raw(&[0]).word(kind).long(0x4500).word(1);
                file.long(at).word(0x80).raw(function.as_bytes()).raw(&[0]);
                if kind == 3 {
                    file.word(1).long(0x28);
                } else {
                    file.long(0x500);
                }
            } else {
                let mut message = wattle_wire::Writer::new();
                message.string(1, path);
                message.varint(2, u64::from(kind));
                message.varint(3, 0x4500);
                message.message(4, |symbol| {
                    symbol.varint(1, at);
                    symbol.varint(2, 0x80);
                    symbol.string(3, function);
                });
                match kind {
                    3 => message.message(5, |dex| dex.varint(1, 0x28)),
                    _ => message.message(6, |elf| elf.varint(1, 0x500)),
                }
                file.raw(message.as_bytes());
            }
            files.word(file.bytes.len() as u32).raw(&file.bytes);
        }
        if self.form.writer == Writer::Simpleperf1 {
            features.push((128, files.clone()));
        }
        features.push((129, meta));
        if self.form.writer == Writer::Simpleperf2 {
            features.push((132, files));
        }
        features
    }

    fn symbol_records(&mut self) {
        for (id, kind, path, at, function) in [
            (1, 2, "/data/app/libx.so", 0x4500 + 0x100 - 0x4500, "draw"),
            (2, 3, "/data/app/base.vdex", 0x100, "void a.b.C.run(int)"),
        ] {
            let mut dso = self.bytes();
            dso.long(kind).long(id).long(0).text(path);
            self.push(32770, 0, &dso);
            let mut symbol = self.bytes();
            symbol.long(at).long(0x80).long(id).text(function);
            self.push(32771, 0, &symbol);
        }
    }

    /// The whole file.
    pub fn finish(mut self) -> Vec<u8> {
        if self.form.writer != Writer::Perf {
            self.kallsyms();
        }
        if self.form.writer == Writer::SimpleperfRecords {
            self.symbol_records();
        }
        let (attrs, features) = (self.attrs(), self.features());
        let mut file = self.bytes();
        file.raw(if self.form.is_big { b"2ELIFREP" } else { b"PERFILE2" });
        if self.form.is_pipe {
            file.long(16);
            for (attr, id) in attrs {
                let mut body = attr;
                body.long(id);
                file.record(64, 0, &body);
            }
            for (id, feature) in features {
                let mut body = self.bytes();
                body.long(u64::from(id)).raw(&feature.bytes);
                while !body.bytes.len().is_multiple_of(8) {
                    body.raw(&[0]);
                }
                file.record(80, 0, &body);
            }
            return file.raw(&self.records.bytes).bytes.clone();
        }
        let entry = 112 + 16;
        file.long(104)
            .long(entry)
            .long(104 + 8 * attrs.len() as u64)
            .long(entry * attrs.len() as u64);
        let at_attrs = 104 + 8 * attrs.len() as u64;
        let at_data = at_attrs + entry * attrs.len() as u64;
        file.long(at_data).long(self.records.bytes.len() as u64).long(0).long(0);
        for word in 0..4 {
            let bits = features.iter().filter(|(id, _)| id / 64 == word);
            file.long(bits.map(|(id, _)| 1_u64 << (id % 64)).sum());
        }
        for (_, id) in &attrs {
            file.long(*id);
        }
        for (index, (attr, _)) in attrs.iter().enumerate() {
            file.raw(&attr.bytes).long(104 + 8 * index as u64).long(8);
        }
        file.raw(&self.records.bytes);
        let mut at = file.bytes.len() as u64 + 16 * features.len() as u64;
        for (_, feature) in &features {
            file.long(at).long(feature.bytes.len() as u64);
            at += feature.bytes.len() as u64;
        }
        for (_, feature) in &features {
            file.raw(&feature.bytes);
        }
        file.bytes
    }
}

/// Writes the file that tests read.
pub fn story(form: Form) -> Vec<u8> {
    let mut file = File::new(form);
    file.switch(START, (8, 3), false);
    file.sample(
        START + 10,
        (8, 3),
        500,
        (&[0xffff_8000_0000_0210, 0xffff_8000_0000_0110], &[0x1110, 0x10_0121]),
    );
    file.lost(START + 20, 3);
    // Written by another CPU before, read later.
    file.sample(START + 5, (7, 2), 400, (&[], &[0x1120]));
    file.full_sample(START + 30, 600, &[0x1130, 0x1171], 16);
    file.full_sample(START + 40, 1500, &[0x1130, 0x1171], 0);
    file.unwinding_failed(START + 50);
    file.sample(START + 50, (8, 3), 300, (&[], &[0x1140]));
    file.others(START + 60);
    file.switch(START + 100, (8, 3), true);
    file.finish()
}
