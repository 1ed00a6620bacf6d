# Run by gdb: stops a program of another machine again and again, and writes its registers, its stack and the functions that gdb finds.
import os

import gdb

machine = os.environ["WATTLE_MACHINE"]
is_arm64 = machine == "aarch64"
names = ["x29", "x30", "sp", "pc"] if is_arm64 else [f"r{n}" for n in range(13)] + ["sp", "lr", "pc"]
bits = 64 if is_arm64 else 32

for setting in ("pagination off", "confirm off", "width 0", "backtrace past-main on"):
    gdb.execute(f"set {setting}")
gdb.execute(f"target remote {os.environ['WATTLE_SOCKET']}")
gdb.execute("break main")
gdb.execute("continue")
gdb.execute("delete")
if not is_arm64:
    # Tables of 32-bit Arm are right behind the first instructions of a function: in the loop of `spin`.
    gdb.execute("break program.c:6")


def go_on(number):
    if is_arm64:
        gdb.execute("stepi 37", to_string=True)
    else:
        gdb.execute(f"ignore 2 {number * 7 % 40}", to_string=True)
        gdb.execute("continue", to_string=True)


def stack_from(address):
    memory = b""
    while len(memory) < 16384:
        try:
            memory += bytes(gdb.selected_inferior().read_memory(address + len(memory), 256))
        except gdb.MemoryError:
            break
    return memory


with open(os.environ["WATTLE_OUTPUT"], "w") as output:
    for number in range(int(os.environ["WATTLE_STOPS"])):
        go_on(number)
        print("stop", file=output)
        values = {name: int(gdb.parse_and_eval(f"(unsigned long long)${name}")) % 2**bits for name in names}
        for name, value in values.items():
            print("register", name, value, file=output)
        frame = gdb.newest_frame()
        while frame is not None:
            print("function", frame.name() or "?", file=output)
            # Signed addresses lead nowhere: this gdb does not know what a signature is.
            try:
                frame = frame.older()
            except gdb.error:
                break
        print("stack", stack_from(values["sp"]).hex(), file=output)
gdb.execute("kill")
