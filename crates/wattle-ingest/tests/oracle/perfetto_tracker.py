"""Who is who in a Perfetto trace: the identity rules of Perfetto's `process_tracker.cc`, retold.

Kernel ids are reused, so an event's (tid, time) has to be resolved to one life of a thread. Wattle's answer
is tested against this one, which shares no code with it.
"""

from dataclasses import dataclass, field


@dataclass
class Process:
    pid: int
    name: str | None = None
    uid: int | None = None
    parent: int | None = None
    start: int | None = None
    end: int | None = None
    threads: list = field(default_factory=list)


@dataclass
class Thread:
    tid: int
    name: str | None = None
    rank: int = 0
    process: int | None = None
    start: int | None = None
    end: int | None = None


# Later words of at least the rank of the earlier one win (`ThreadNamePriority`).
OTHER, FTRACE, PROCESS_TREE, CONSTANT = 0, 1, 2, 3


class Tracker:
    def __init__(self):
        self.processes = [Process(0)]
        self.threads = [Thread(0, "swapper", CONSTANT, 0)]
        self.pids = {0: 0}
        self.tids = {0: [0]}
        self.pending = []
        self.pending_parents = []

    def alive(self, utid):
        thread = self.threads[utid]
        if thread.end is not None:
            return False
        if thread.process is None:
            return True
        process = self.processes[thread.process]
        return process.end is None and self.pids.get(process.pid, thread.process) == thread.process

    def find(self, tid, pid=None):
        for utid in reversed(self.tids.get(tid, [])):
            if not self.alive(utid):
                continue
            upid = self.threads[utid].process
            if pid is None or upid is None or self.processes[upid].pid == pid:
                return utid
        return None

    def start_thread(self, time, tid):
        self.threads.append(Thread(tid, start=time))
        utid = len(self.threads) - 1
        self.tids.setdefault(tid, []).append(utid)
        return utid

    def thread(self, tid):
        utid = self.find(tid)
        return self.start_thread(None, tid) if utid is None else utid

    def name_thread(self, utid, name, rank):
        if name and rank >= self.threads[utid].rank:
            self.threads[utid].name = name
            self.threads[utid].rank = rank

    def end_thread(self, time, tid):
        utid = self.find(tid)
        if utid is None:
            return
        thread = self.threads[utid]
        thread.end = time
        self.tids[tid].remove(utid)
        if thread.process is not None and self.processes[thread.process].pid == tid:
            self.processes[thread.process].end = time
            self.pids.pop(tid, None)

    def process(self, pid):
        if pid not in self.pids:
            self.processes.append(Process(pid))
            self.pids[pid] = len(self.processes) - 1
            self.bind(pid, pid)
        return self.pids[pid]

    def bind(self, tid, pid):
        """`UpdateThread`: the thread `tid` belongs to the process `pid`."""
        upid = self.process(pid)
        utid = self.find(tid, pid)
        if utid is None:
            utid = self.start_thread(None, tid)
        lives = self.tids[tid]
        if lives[-1] != utid:
            lives.remove(utid)
            lives.append(utid)
        if self.threads[utid].process is None:
            self.threads[utid].process = upid
        self.resolve(utid, self.threads[utid].process)
        return utid

    def start_process(self, time, pid, name):
        self.pids.pop(pid, None)
        self.tids.pop(pid, None)
        self.name_thread(self.start_thread(time, pid), name, FTRACE)
        upid = self.process(pid)
        self.processes[upid].start = time
        self.processes[upid].name = name
        return upid

    def parent_by_thread(self, upid, utid):
        parent = self.threads[utid].process
        if parent is None:
            self.pending_parents.append((utid, upid))
        else:
            self.processes[upid].parent = parent

    def associate(self, one, other):
        upid_one, upid_other = self.threads[one].process, self.threads[other].process
        if upid_one is not None and upid_other is None:
            self.threads[other].process = upid_one
            self.resolve(other, upid_one)
        elif upid_other is not None and upid_one is None:
            self.threads[one].process = upid_other
            self.resolve(one, upid_other)
        elif upid_one is None:
            self.pending.append((one, other))

    def resolve(self, utid, upid):
        todo = [utid]
        while todo:
            now = todo.pop()
            for parent, child in [p for p in self.pending_parents if p[0] == now]:
                self.processes[child].parent = upid
                self.pending_parents.remove((parent, child))
            for pair in [p for p in self.pending if now in p]:
                other = pair[1] if pair[0] == now else pair[0]
                if self.threads[other].process is None:
                    self.threads[other].process = upid
                self.pending.remove(pair)
                todo.append(other)
