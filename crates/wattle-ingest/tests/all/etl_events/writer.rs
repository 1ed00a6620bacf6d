//! A log with events as a test wants them: the first buffer with the log's header, then a buffer for each CPU.

/// A log that is being written, of Windows 10 with 8-byte pointers and a counter of 10 MHz.
#[derive(Default)]
pub struct Log {
    cpus: Vec<Vec<u8>>,
}

impl Log {
    /// An event of the kernel behind a `PERFINFO_TRACE_HEADER`: its CPU, ticks, version, group and type.
    pub fn kernel(
        &mut self,
        (cpu, time): (usize, u64),
        (version, group, kind): (u8, u8, u8),
        payload: &[u8],
    ) -> &mut Self {
        if self.cpus.len() <= cpu {
            self.cpus.resize_with(cpu + 1, Vec::new);
        }
        let events = &mut self.cpus[cpu];
        events.extend([version, 0, 17, 0xc0]);
        events.extend(((16 + payload.len()) as u16).to_le_bytes());
        events.extend([kind, group]);
        events.extend(time.to_le_bytes());
        events.extend(payload);
        events.resize(events.len().next_multiple_of(8), 0);
        self
    }

    /// An event of a provider, behind an `EVENT_HEADER`: its CPU, ticks, process, provider, number, payload.
    pub fn of_provider(
        &mut self,
        (cpu, time): (usize, u64),
        pid: u32,
        (provider, id): ([u8; 16], u16),
        payload: &[u8],
    ) -> &mut Self {
        let mut event = header(19, (80 + payload.len()) as u16, [0; 4], pid, time);
        event.extend(provider);
        event.extend(id.to_le_bytes());
        event.resize(80, 0);
        self.push(cpu, event, payload)
    }

    /// A classic event, behind an `EVENT_TRACE_HEADER`: its CPU, ticks, process, class, opcode, payload.
    pub fn classic(
        &mut self,
        (cpu, time): (usize, u64),
        pid: u32,
        (class, opcode): ([u8; 16], u8),
        payload: &[u8],
    ) -> &mut Self {
        let mut event = header(20, (48 + payload.len()) as u16, [opcode, 0, 0, 0], pid, time);
        event.extend(class);
        event.resize(48, 0);
        self.push(cpu, event, payload)
    }

    fn push(&mut self, cpu: usize, event: Vec<u8>, payload: &[u8]) -> &mut Self {
        if self.cpus.len() <= cpu {
            self.cpus.resize_with(cpu + 1, Vec::new);
        }
        let events = &mut self.cpus[cpu];
        events.extend(event);
        events.extend(payload);
        events.resize(events.len().next_multiple_of(8), 0);
        self
    }

    /// The whole file. Buffers lie in it from the last CPU to the first.
    pub fn finish(&self) -> Vec<u8> {
        let mut header = vec![0_u8; 280];
        header[0..4].copy_from_slice(&65_536_u32.to_le_bytes());
        header[4..6].copy_from_slice(&[10, 0]);
        header[8..12].copy_from_slice(&19_041_u32.to_le_bytes());
        header[12..16].copy_from_slice(&(self.cpus.len() as u32).to_le_bytes());
        header[44..48].copy_from_slice(&8_u32.to_le_bytes());
        header[256..264].copy_from_slice(&10_000_000_u64.to_le_bytes());
        header[272..276].copy_from_slice(&1_u32.to_le_bytes());
        let mut first = vec![2, 0, 2, 0xc0];
        first.extend(((32 + header.len()) as u16).to_le_bytes());
        first.extend([0, 0]);
        first.resize(16, 0);
        first.extend(900_u64.to_le_bytes());
        first.resize(32, 0);
        first.extend(header);
        let mut log = buffer(0, &first);
        for (cpu, events) in self.cpus.iter().enumerate().rev() {
            log.extend(buffer(cpu as u8, events));
        }
        log
    }
}

/// The first 24 bytes of both kinds, for 64 bits; the thread is 1.
fn header(kind: u8, size: u16, class: [u8; 4], pid: u32, time: u64) -> Vec<u8> {
    let mut bytes = size.to_le_bytes().to_vec();
    bytes.extend([kind, 0xc0]);
    bytes.extend(class);
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(pid.to_le_bytes());
    bytes.extend(time.to_le_bytes());
    bytes
}

fn buffer(cpu: u8, events: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xff_u8; 65_536];
    bytes[..72].fill(0);
    bytes[0..4].copy_from_slice(&65_536_u32.to_le_bytes());
    bytes[0x28] = cpu;
    bytes[0x30..0x34].copy_from_slice(&((72 + events.len()) as u32).to_le_bytes());
    bytes[72..72 + events.len()].copy_from_slice(events);
    bytes
}
