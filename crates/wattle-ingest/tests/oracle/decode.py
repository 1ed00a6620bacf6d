"""An independent reading of a Perfetto trace, for Wattle's ingest to be tested against.

It shares nothing with Wattle: the packets are decoded by Google's protobuf runtime from Perfetto's own schema,
and the few rules of meaning (who a thread is, what closes a slice) are retold from Perfetto's trace processor.

    pip install protobuf grpcio-tools
    python -m grpc_tools.protoc -I PERFETTO/protos/perfetto/trace --python_out=. perfetto_trace.proto
    python decode.py TRACE > ../golden/NAME.json
"""

import collections
import json
import os
import sys

import perfetto_trace_pb2 as schema
from google.protobuf import empty_pb2
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto_tracker import FTRACE, PROCESS_TREE, Tracker

BOOT = 6
CLONE_THREAD = 0x10000
OPEN = None

# Kernel markers that mimic atrace, and where each keeps its fields.
MARKERS = {
    "print", "zero", "tracing_mark_write", "sde_tracing_mark_write", "dpu_tracing_mark_write",
    "g2d_tracing_mark_write", "mali_tracing_mark_write", "samsung_tracing_mark_write",
    "lwis_tracing_mark_write",
}


class Clocks:
    """Any clock into boot time, by the offset of the last snapshot before the instant."""

    def __init__(self, packets):
        self.offsets = collections.defaultdict(list)
        for packet in packets:
            if not packet.HasField("clock_snapshot"):
                continue
            clocks = {c.clock_id: c.timestamp for c in packet.clock_snapshot.clocks}
            if BOOT in clocks:
                for clock, time in clocks.items():
                    self.offsets[clock].append((time, clocks[BOOT] - time))

    def boot(self, clock, time):
        if clock == BOOT or not self.offsets[clock]:
            return time
        past = [offset for at, offset in self.offsets[clock] if at <= time]
        return time + (past[-1] if past else self.offsets[clock][0][1])


def compact(bundle):
    """The events of `compact_sched`, unpacked: (time, kind, fields)."""
    sched = bundle.compact_sched
    time = 0
    for i, delta in enumerate(sched.switch_timestamp):
        time += delta
        comm = sched.intern_table[sched.switch_next_comm_index[i]]
        yield time, "compact_switch", (sched.switch_prev_state[i], sched.switch_next_pid[i], comm)
    time = 0
    for i, delta in enumerate(sched.waking_timestamp):
        time += delta
        comm = sched.intern_table[sched.waking_comm_index[i]]
        yield time, "compact_waking", (sched.waking_pid[i], sched.waking_target_cpu[i], comm)


def marker(kind, event):
    """(phase, tgid, name, value, track) of an atrace-like event; None if it is none."""
    if kind == "print":
        return atrace(event.buf)
    if kind == "zero":
        phase = "B" if event.flag & 1 else "E" if event.flag & 2 else "C" if event.flag & 4 else None
        return phase and (phase, event.pid, event.name, event.value, None)
    if kind == "tracing_mark_write":
        return ("B" if event.trace_begin else "E", event.pid, event.trace_name, 0, None)
    if kind in ("dpu_tracing_mark_write", "g2d_tracing_mark_write", "mali_tracing_mark_write"):
        phase = chr(event.type)
        tgid = 0 if kind.startswith("dpu") and phase != "C" else event.pid
        return (phase, tgid, event.name, event.value, None)
    phase = chr(event.trace_type) if event.trace_type else ("B" if event.trace_begin else "E")
    return (phase, event.pid, event.trace_name, event.value, None)


def whole(text):
    try:
        return int(text)
    except ValueError:
        return None


def atrace(text):
    text = text.rstrip("\n\0")
    parts = text.split("|")
    phase = parts[0][:1]
    tgid = whole(parts[1]) if len(parts) > 1 else None
    if phase == "E":
        return ("E", tgid or 0, "", 0, None)
    if tgid is None or phase not in "BSFICNGH" or not phase:
        return None
    if phase == "B":
        return ("B", tgid, text.split("|", 2)[2] if len(parts) > 2 else "", 0, None)
    if phase in "SFC":
        value = whole(parts[3]) if len(parts) > 3 else None
        return None if value is None or not parts[2] else (phase, tgid, parts[2], value, None)
    if phase == "I":
        return ("I", tgid, parts[2], 0, None) if len(parts) > 2 and parts[2] else None
    if phase == "N":
        return ("N", tgid, parts[3], 0, parts[2]) if len(parts) > 3 and parts[3] else None
    if phase == "G":
        value = whole(parts[4]) if len(parts) > 4 else None
        return None if value is None else ("G", tgid, parts[3], value, parts[2])
    value = whole(parts[4] if len(parts) > 4 and parts[4] else parts[3]) if len(parts) > 3 else None
    return None if value is None else ("H", tgid, "", value, parts[2])


# `FrameTimelineEvent` is an extension of the schema, so that its bytes are among the unknown fields: the number of the pid in each
# message of a beginning (`frameworks_native_trace_packet.proto`).
FRAME_TIMELINE = 76
FRAME_PIDS = {1: 3, 2: 3, 3: 4, 4: 4}


def unknown(message):
    return [(f.field_number, f.data) for f in UnknownFieldSet(message)]


def frame_beginnings(packet):
    """Pids of the frames that begin in a packet."""
    for number, event in unknown(packet):
        if number != FRAME_TIMELINE:
            continue
        for kind, frame in unknown(as_unknown(event)):
            if kind in FRAME_PIDS:
                yield dict(unknown(as_unknown(frame)))[FRAME_PIDS[kind]]


def as_unknown(data):
    """Any message as one of which no field is known."""
    message = empty_pb2.Empty()
    message.ParseFromString(data)
    return message


class Slices:
    def __init__(self):
        self.rows = []  # [scope, owner, name, start, end, depth]
        self.stacks = collections.defaultdict(list)

    def begin(self, track, scope, owner, name, time):
        stack = self.stacks[track]
        self.rows.append([scope, owner, name, time, OPEN, len(stack)])
        stack.append(len(self.rows) - 1)

    def end(self, track, time):
        if self.stacks[track]:
            self.rows[self.stacks[track].pop()][4] = time

    def instant(self, track, scope, owner, name, time):
        self.rows.append([scope, owner, name, time, time, len(self.stacks[track])])


class Reading:
    def __init__(self, path):
        self.trace = schema.Trace()
        with open(path, "rb") as file:
            self.trace.ParseFromString(file.read())
        self.clocks = Clocks(self.trace.packet)
        self.tracker = Tracker()
        self.slices = Slices()
        self.counters = collections.defaultdict(list)
        self.sched = collections.defaultdict(list)  # cpu -> [start, end, tid, utid, state]
        self.frequency = collections.defaultdict(list)
        self.idle = collections.defaultdict(list)
        self.gpu = collections.defaultdict(list)
        self.interrupts = collections.defaultdict(list)
        self.open_interrupts = collections.defaultdict(list)
        self.wakeups = []
        self.last = {}
        self.kinds = collections.Counter()
        self.packets = collections.Counter(p.WhichOneof("data") or "none" for p in self.trace.packet)
        self.mismatched = 0
        self.dropped = 0
        self.seen = []  # times of everything that a timeline holds
        self.read()

    def events(self):
        started = 0
        for packet in self.trace.packet:
            if packet.HasField("service_event") and packet.service_event.tracing_started:
                started = packet.timestamp
        first = {}
        rows = []
        for packet in self.trace.packet:
            for kind in ("process_tree", "process_stats", "track_descriptor"):
                if packet.HasField(kind):
                    rows.append((packet.timestamp, None, None, kind, getattr(packet, kind)))
            for frame in frame_beginnings(packet):
                rows.append((packet.timestamp, None, None, "frame_beginning", frame))
            if not packet.HasField("ftrace_events"):
                continue
            bundle = packet.ftrace_events
            assert not bundle.HasField("ftrace_clock")
            if bundle.cpu not in first:
                first[bundle.cpu] = bundle.previous_bundle_end_timestamp or bundle.last_read_event_timestamp
            for time, kind, event in compact(bundle):
                rows.append((time, bundle.cpu, None, kind, event))
                self.kinds[kind] += 1
            for event in bundle.event:
                kind = event.WhichOneof("event") or "none"
                self.kinds[kind] += 1
                rows.append((event.timestamp, bundle.cpu, event.pid, kind, getattr(event, kind, None)))
        rows.sort(key=lambda row: row[0])
        valid = max(first.values(), default=0)
        for row in rows:
            if row[1] is not None and row[0] < max(valid, started):
                self.dropped += 1
                continue
            yield row

    def read(self):
        for time, cpu, pid, kind, event in self.events():
            if pid is not None and kind != "sched_switch":
                self.tracker.thread(pid)
            handler = getattr(self, "on_" + kind, None)
            if kind in MARKERS:
                handler = self.on_marker
                event = marker(kind, event)
            if handler and event is not None:
                # Perfetto's rule: the first compact switch of a CPU, and compact wake-ups before it, say nothing
                # that can be placed.
                placed = not kind.startswith("compact") or cpu in self.last
                handler(time, cpu, pid, event)
                if kind in ("process_tree", "process_stats", "track_descriptor", "frame_beginning") or not placed:
                    continue
                self.seen.append(time)

    def on_process_stats(self, _time, _cpu, _pid, stats):
        for process in stats.processes:
            self.tracker.process(process.pid)

    def on_frame_beginning(self, _time, _cpu, _pid, pid):
        self.tracker.process(pid)

    def on_track_descriptor(self, _time, _cpu, _pid, descriptor):
        process, thread = descriptor.process, descriptor.thread
        if process.pid:
            upid = self.tracker.process(process.pid)
            name = process.process_name or (process.cmdline[0] if process.cmdline else None)
            self.tracker.processes[upid].name = name or self.tracker.processes[upid].name
        if thread.tid:
            self.tracker.bind(thread.tid, thread.pid)

    def on_process_tree(self, _time, _cpu, _pid, tree):
        tracker = self.tracker
        for process in tree.processes:
            if not process.cmdline:
                continue
            parent = tracker.process(process.ppid)
            upid = tracker.process(process.pid)
            row = tracker.processes[upid]
            if row.parent is None:
                row.parent = parent
            name = process.cmdline[0]
            if len(process.cmdline) == 1:
                name = name.split(" ")[0]
            if process.ppid == 2 and name.startswith("kworker/"):
                name = name.split("-")[0].split("+")[0]
            row.name = name
            if process.HasField("uid"):
                row.uid = process.uid
            if process.HasField("process_start_from_boot") and row.start is None:
                row.start = process.process_start_from_boot
        for thread in tree.threads:
            tracker.bind(thread.tid, thread.tgid)
            if thread.HasField("name"):
                tracker.name_thread(tracker.thread(thread.tid), thread.name, PROCESS_TREE)

    def on_sched_switch(self, time, cpu, _pid, event):
        tracker = self.tracker
        following = tracker.thread(event.next_pid)
        tracker.name_thread(following, event.next_comm, FTRACE)
        pending = self.last.get(cpu)
        if pending is not None:
            row = self.sched[cpu][-1]
            if pending == event.prev_pid:
                row[1], row[4] = time, event.prev_state
            else:
                self.mismatched += 1
        previous = tracker.thread(event.prev_pid)
        tracker.name_thread(previous, event.prev_comm, FTRACE)
        self.sched[cpu].append([time, OPEN, event.next_pid, following, None])
        self.last[cpu] = event.next_pid

    def on_compact_switch(self, time, cpu, _pid, event):
        state, tid, comm = event
        utid = self.tracker.thread(tid)
        self.tracker.name_thread(utid, comm, FTRACE)
        if cpu not in self.last:
            # Perfetto's rule: the first compact switch of a CPU says only who runs from here on.
            self.last[cpu] = tid
            return
        if self.sched[cpu]:
            self.sched[cpu][-1][1], self.sched[cpu][-1][4] = time, state
        self.sched[cpu].append([time, OPEN, tid, utid, None])
        self.last[cpu] = tid

    def on_sched_waking(self, time, cpu, pid, event):
        utid = self.tracker.thread(event.pid)
        self.tracker.name_thread(utid, event.comm, FTRACE)
        self.tracker.thread(pid)
        self.wakeups.append((time, cpu, event.pid, event.target_cpu))

    def on_compact_waking(self, time, cpu, _pid, event):
        tid, target, _comm = event
        if cpu in self.last:
            self.tracker.thread(tid)
            self.wakeups.append((time, cpu, tid, target))

    def on_sched_process_free(self, time, _cpu, _pid, event):
        self.tracker.end_thread(time, event.pid)

    def on_task_newtask(self, time, _cpu, pid, event):
        tracker = self.tracker
        if event.pid == 0:
            return
        if event.clone_flags & CLONE_THREAD:
            source = tracker.thread(pid)
            utid = tracker.start_thread(time, event.pid)
            tracker.name_thread(utid, event.comm, FTRACE)
            tracker.associate(source, utid)
        else:
            upid = tracker.start_process(time, event.pid, event.comm)
            tracker.parent_by_thread(upid, tracker.thread(pid))

    def on_task_rename(self, _time, _cpu, _pid, event):
        tracker = self.tracker
        utid = tracker.thread(event.pid)
        tracker.name_thread(utid, event.newcomm, FTRACE)
        upid = tracker.threads[utid].process
        if upid is not None and tracker.processes[upid].pid == event.pid:
            tracker.processes[upid].name = event.newcomm

    def on_cpu_frequency(self, time, _cpu, _pid, event):
        self.frequency[event.cpu_id].append((time, event.state))

    def on_cpu_idle(self, time, _cpu, _pid, event):
        self.idle[event.cpu_id].append((time, -1 if event.state == 0xFFFFFFFF else event.state))

    def on_gpu_frequency(self, time, _cpu, _pid, event):
        self.gpu[event.gpu_id].append((time, event.state))

    def on_clock_set_rate(self, time, _cpu, _pid, event):
        self.counters["global", 0, event.name + " Frequency"].append((time, event.state))

    def on_clock_enable(self, time, _cpu, _pid, event):
        self.counters["global", 0, event.name + " State"].append((time, event.state))

    on_clock_disable = on_clock_enable

    def on_ipi_entry(self, time, cpu, _pid, event):
        self.open_interrupts[cpu, "hard"].append((time, f"IPI ({event.reason})"))

    def on_ipi_exit(self, time, cpu, _pid, _event):
        self.close_interrupt(time, cpu, "hard")

    def on_irq_handler_entry(self, time, cpu, _pid, event):
        self.open_interrupts[cpu, "hard"].append((time, f"IRQ ({event.name})"))

    def on_irq_handler_exit(self, time, cpu, _pid, _event):
        self.close_interrupt(time, cpu, "hard")

    def on_softirq_entry(self, time, cpu, _pid, event):
        names = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]
        self.open_interrupts[cpu, "soft"].append((time, names[event.vec]))

    def on_softirq_exit(self, time, cpu, _pid, _event):
        self.close_interrupt(time, cpu, "soft")

    def close_interrupt(self, time, cpu, kind):
        if self.open_interrupts[cpu, kind]:
            start, name = self.open_interrupts[cpu, kind].pop()
            if start == time:  # no length, no energy
                return
            self.interrupts[cpu].append((start, time, kind, name))

    def on_marker(self, time, _cpu, pid, point):
        phase, tgid, name, value, track = point
        tracker, slices = self.tracker, self.slices
        if phase in "BEI":
            utid = tracker.bind(pid, tgid) if tgid else tracker.thread(pid)
            tid = tracker.threads[utid].tid
            if phase == "B":
                slices.begin(("thread", utid), "thread", tid, name, time)
            elif phase == "E":
                slices.end(("thread", utid), time)
            else:
                slices.instant(("thread", utid), "thread", tid, name, time)
        elif phase in "SF":
            upid = tracker.process(tgid)
            key = ("async", upid, name, value)
            if phase == "F":
                slices.end(key, time)
            elif not slices.stacks[key]:  # a second S before the F changes nothing
                slices.begin(key, "process", tgid, name, time)
        elif phase in "NGH":
            tracker.thread(pid)
            upid = tracker.process(tgid)
            if phase == "N":
                slices.instant(("instants", upid, track), "process", tgid, name, time)
            elif phase == "G":
                slices.begin(("track", upid, track, value), "process", tgid, name, time)
            else:
                slices.end(("track", upid, track, value), time)
        elif phase == "C":
            if name == "ScreenState" or name.startswith("battery_stats."):
                self.counters["global", 0, name].append((time, value))
            else:
                tracker.process(tgid)
                self.counters["process", tgid, name].append((time, value))


def steps(changes):
    """The documented rules of Wattle's `Steps`: the later word at one instant wins, repeats are dropped."""
    kept = []
    for time, value in changes:
        if kept and time <= kept[-1][0]:
            last, _ = kept.pop()
            if not kept or kept[-1][1] != value:
                kept.append((last, value))
        elif not kept or kept[-1][1] != value:
            kept.append((time, value))
    return kept


def residency(changes):
    """Time in each value between the first and the last event."""
    spent = collections.Counter()
    for (start, value), (end, _) in zip(changes, changes[1:]):
        spent[value] += end - start
    return {str(k): v for k, v in sorted(spent.items())}


def stepped(tracks):
    out = {}
    for key, changes in sorted(tracks.items()):
        kept = steps(changes)
        out[str(key)] = {
            "events": len(changes), "changes": len(kept), "first": list(changes[0]),
            "last": list(changes[-1]), "residency_ns": residency(changes),
        }
    return out


def digest(rows):
    """A short name for many rows (64-bit FNV-1a), for a test that wants them all equal."""
    text = "".join("\t".join("" if c is None else json.dumps(c) if isinstance(c, bool) else str(c) for c in row) + "\n" for row in rows)
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def table(rows, key=None):
    """Many rows as their number, their digest and the few that a reader can check by eye."""
    some = sorted(rows, key=key)[:12] if key else rows[:12]
    return {"count": len(rows), "digest": digest(rows), "some": rows if "--full" in sys.argv else some}


def preemption(reading):
    """The bit of `prev_state` that says preempted, by kernel version (Perfetto's `task_state.cc`)."""
    release = device(reading).get("kernel_release", "4.4").split("-")[0].split(".")
    version = tuple(int(part) for part in release[:2])
    return 0x100 if version >= (4, 14) else 0x1000 if version >= (4, 8) else 0x800


def sched_summary(reading):
    preempted = preemption(reading)
    end = max(reading.seen, default=0)
    cpus, run = {}, collections.Counter()
    for cpu, rows in sorted(reading.sched.items()):
        # A slice that starts with the last event has no length.
        rows = [r for r in rows if r[0] < end]
        closed = [r for r in rows if r[1] is not OPEN]
        for start, finish, tid, _utid, _state in closed:
            if tid:
                run[tid] += finish - start
        cpus[str(cpu)] = {
            "slices": len(rows), "closed": len(closed),
            "busy_ns": sum(r[1] - r[0] for r in closed if r[2]),
            "idle_ns": sum(r[1] - r[0] for r in closed if not r[2]),
            "preempted": sum(1 for r in closed if r[2] and (r[4] == 0 or r[4] & preempted)),
            "first": rows[0][0], "last": rows[-1][0],
        }
    return cpus, run


def slice_summary(rows):
    by_name = collections.defaultdict(lambda: [0, 0, 0])
    for _scope, _owner, name, start, end, _depth in rows:
        entry = by_name[name]
        entry[0] += 1
        if end is OPEN:
            entry[1] += 1
        else:
            entry[2] += end - start
    return {
        "count": len(rows), "unfinished": sum(1 for r in rows if r[4] is OPEN),
        "finished_ns": sum(r[4] - r[3] for r in rows if r[4] is not OPEN),
        "max_depth": max((r[5] for r in rows), default=0),
        "owners": len({r[1] for r in rows}),
        "names": len(by_name),
        "top": sorted([[n, *e] for n, e in by_name.items()], key=lambda r: (-r[3], r[0]))[:40],
    }


def rails(reading):
    names, samples = {}, collections.defaultdict(list)
    for packet in reading.trace.packet:
        if not packet.HasField("power_rails"):
            continue
        session = packet.power_rails.session_uuid
        for rail in packet.power_rails.rail_descriptor:
            names[session, rail.index] = (rail.rail_name, rail.subsys_name, rail.sampling_rate)
        for data in packet.power_rails.energy_data:
            time = data.timestamp_ms * 1_000_000 if data.timestamp_ms else packet.timestamp
            samples[session, data.index].append((time, data.energy))
    return [
        {"name": n, "subsystem": s, "rate": r, "samples": len(samples[k]),
         "first": list(samples[k][0]), "last": list(samples[k][-1])}
        for k, (n, s, r) in sorted(names.items())
    ]


def batteries(reading):
    fields = ["charge_counter_uah", "capacity_percent", "current_ua", "current_avg_ua", "voltage_uv",
              "energy_counter_uwh"]
    return [
        [p.timestamp] + [getattr(p.battery, f) if p.battery.HasField(f) else None for f in fields]
        for p in reading.trace.packet if p.HasField("battery")
    ]


def samples(reading):
    clock, stacks, frames, functions, mappings, paths = BOOT, {}, {}, {}, {}, {}
    rows = []
    defaults = {}
    for packet in reading.trace.packet:
        seq = packet.trusted_packet_sequence_id
        if packet.HasField("trace_packet_defaults"):
            defaults[seq] = packet.trace_packet_defaults.timestamp_clock_id or BOOT
        for text in packet.interned_data.function_names:
            functions[text.iid] = text.str.decode()
        for text in packet.interned_data.mapping_paths:
            paths[text.iid] = text.str.decode()
        for item in packet.interned_data.mappings:
            mappings[item.iid] = [paths.get(i, "") for i in item.path_string_ids]
        for item in packet.interned_data.frames:
            frames[item.iid] = item
        for item in packet.interned_data.callstacks:
            stacks[item.iid] = list(item.frame_ids)
        if packet.HasField("perf_sample"):
            sample = packet.perf_sample
            clock = packet.timestamp_clock_id or defaults.get(seq, BOOT)
            stack = stacks.get(sample.callstack_iid)
            names = stack and [functions.get(frames[f].function_name_id) for f in stack]
            rows.append((reading.clocks.boot(clock, packet.timestamp), sample, names, stack, frames, mappings))
    if not rows:
        return None
    rows.sort(key=lambda row: row[0])
    with_stack = [r for r in rows if r[3]]
    threads = collections.Counter(r[1].tid for r in with_stack)
    first = with_stack[0]
    return {
        "packets": len(rows), "with_stack": len(with_stack),
        "stackless": sum(1 for r in rows if not r[3]),
        "lost": sum(1 for r in rows if r[1].kernel_records_lost),
        "frames_total": sum(len(r[3]) for r in with_stack),
        "deepest": max(len(r[3]) for r in with_stack),
        "cpus": {str(k): v for k, v in sorted(collections.Counter(r[1].cpu for r in with_stack).items())},
        "top_threads": threads.most_common(12),
        "first": {"time": first[0], "cpu": first[1].cpu, "tid": first[1].tid, "depth": len(first[3]),
                  "outermost": first[2][0], "innermost": first[2][-1]},
        "functions": collections.Counter(
            (r[2][-1] or "") for r in with_stack).most_common(8),
        "times": [min(r[0] for r in with_stack), max(r[0] for r in with_stack)],
    }


def device(reading):
    for packet in reading.trace.packet:
        if packet.HasField("system_info"):
            info = packet.system_info
            known = {
                "fingerprint": info.android_build_fingerprint, "sdk": info.android_sdk_version,
                "soc": info.android_soc_model, "manufacturer": info.android_device_manufacturer,
                "kernel_release": info.utsname.release, "machine": info.utsname.machine,
            }
            return {k: v for k, v in known.items() if v}
    return {}


def packages(reading):
    rows = {}
    for packet in reading.trace.packet:
        for item in packet.packages_list.packages if packet.HasField("packages_list") else []:
            rows[item.name, item.uid] = [item.name, item.uid, item.debuggable, item.profileable_from_shell,
                                         item.version_code]
    return sorted(rows.values())


def summary(path):
    reading = Reading(path)
    tracker = reading.tracker
    cpus, run = sched_summary(reading)
    ran = {r[3] for rows in reading.sched.values() for r in rows}
    def process_of(thread):
        return None if thread.process is None else tracker.processes[thread.process].pid

    ran_rows = sorted(
        ([t.tid, process_of(t), t.name] for t in (tracker.threads[u] for u in ran) if t.tid),
        key=lambda r: r[0])
    for process in tracker.processes:
        if process.name is None:
            # A process that nothing names is called as its main thread is.
            process.name = next((t.name for t in tracker.threads if t.tid == process.pid and t.process is not None
                                 and tracker.processes[t.process] is process), None)
    processes = sorted(
        ([p.pid, p.name, p.uid, None if p.parent is None else tracker.processes[p.parent].pid]
         for p in tracker.processes if p.pid), key=lambda r: (r[0], r[1] or ""))
    threads = sorted(([t.tid, process_of(t)] for t in tracker.threads if t.tid),
                     key=lambda r: (r[0], r[1] or 0))
    by_scope = collections.defaultdict(list)
    for row in reading.slices.rows:
        by_scope[row[0]].append(row)
    counter_rows = [
        [scope, owner, name, len(values), *values[0], *values[-1], sum(v for _, v in values)]
        for (scope, owner, name), values in sorted(reading.counters.items())
    ]
    interrupts = {}
    for cpu, rows in sorted(reading.interrupts.items()):
        interrupts[str(cpu)] = {
            kind: [sum(1 for r in rows if r[2] == kind), sum(r[1] - r[0] for r in rows if r[2] == kind)]
            for kind in ("hard", "soft")
        }
    woken = collections.Counter(w[2] for w in reading.wakeups)
    return {
        "trace": os.path.basename(path),
        "packets": dict(sorted(reading.packets.items())),
        "ftrace_events": dict(sorted(reading.kinds.items())),
        "dropped_before_start": reading.dropped,
        "mismatched_switches": reading.mismatched,
        "first_event": min(reading.seen, default=None),
        "last_event": max(reading.seen, default=None),
        "device": device(reading),
        "packages": table(packages(reading)),
        "process_names": table([[r[0], r[1]] for r in processes]),
        "process_uids": table([[r[0], r[2]] for r in processes]),
        "process_parents": table([[r[0], r[3]] for r in processes]),
        "processes_ended": sum(1 for p in tracker.processes if p.end is not None),
        "threads": table(threads),
        "thread_names_that_ran": table([[r[0], r[2]] for r in ran_rows]),
        "thread_processes_that_ran": table([[r[0], r[1]] for r in ran_rows]),
        "cpus": 1 + max((p.ftrace_events.cpu for p in reading.trace.packet if p.HasField("ftrace_events")),
                        default=-1),
        "sched": cpus,
        "run_ns": table(sorted([tid, ns] for tid, ns in run.items()), key=lambda row: (-row[1], row[0])),
        "frequency": stepped(reading.frequency),
        "idle": stepped(reading.idle),
        "gpu_frequency": stepped(reading.gpu),
        "interrupts": interrupts,
        "wakeups": {"count": len(reading.wakeups), "threads": len(woken),
                    "top": [list(kv) for kv in sorted(woken.items(), key=lambda kv: (-kv[1], kv[0]))[:15]],
                    "targets": {str(k): v for k, v in sorted(
                        collections.Counter(w[3] for w in reading.wakeups).items())}},
        "slices": {scope: slice_summary(rows) for scope, rows in sorted(by_scope.items())},
        "counters": table(counter_rows, key=lambda row: -row[3]),
        "rails": rails(reading),
        "battery": batteries(reading),
        "samples": samples(reading),
    }


def compact_json(value, depth=0):
    """JSON with one line an entry at the top two levels, so that a change shows as a line."""
    if isinstance(value, dict) and depth < 2 and value:
        inner = ",\n".join(
            " " * depth + f"{json.dumps(k)}: {compact_json(v, depth + 1)}" for k, v in value.items())
        return "{\n" + inner + "\n" + " " * depth + "}"
    if isinstance(value, list) and depth < 2 and value and isinstance(value[0], (list, dict)):
        return "[\n" + ",\n".join(json.dumps(v) for v in value) + "\n]"
    return json.dumps(value)


if __name__ == "__main__":
    sys.stdout.write(compact_json(summary(sys.argv[1])) + "\n")
