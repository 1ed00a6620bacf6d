package corpus;

/** Thrown, caught, rethrown, wrapped, across many frames, by the program and by the machine. */
public final class Exceptions {
    static class Checked extends Exception {
        final int code;

        Checked(String message, int code) {
            super(message);
            this.code = code;
        }

        Checked(Throwable cause) {
            super(cause);
            this.code = -1;
        }
    }

    static final class Narrow extends Checked {
        Narrow(int code) {
            super("narrow " + code, code);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return code % 2 == 0 ? super.fillInStackTrace() : this;
        }
    }

    static int deep(int depth, int kind) throws Checked {
        if (depth == 0) return fail(kind);
        return deep(depth - 1, kind) + 1;
    }

    static int fail(int kind) throws Checked {
        int zero = kind - kind;
        Object text = "text";
        int[] array = new int[kind % 3];
        switch (kind) {
            case 0: return 1 / zero;
            case 1: return array[kind + 5];
            case 2: return ((Integer) text).intValue();
            case 3: return ((String) null).length();
            case 4: throw new Checked("checked", kind);
            case 5: throw new Narrow(kind);
            case 6: throw new Narrow(kind);
            case 7: return new int[zero - 1].length;
            case 8: {
                Object[] strings = new String[1];
                strings[0] = Integer.valueOf(kind);
                return 0;
            }
            case 9: throw null;
            case 10: return (int) (7L % (long) zero);
            case 11: throw new Error("an error");
            case 12: synchronized (nothing()) { return 3; }
            case 13: return text.hashCode() == 0 ? 0 : Integer.parseInt("12x");
            case 14: return nothing().value;
            default: return kind;
        }
    }

    int value;

    static Exceptions nothing() {
        return null;
    }

    static int caught(int kind) {
        try {
            return deep(3, kind);
        } catch (Narrow narrow) {
            Say.line("narrow", narrow.code);
            Say.thrown(narrow);
            return -1;
        } catch (Checked checked) {
            Say.thrown(checked);
            return -2;
        } catch (ArithmeticException | ClassCastException two) {
            Say.thrown(two);
            return -3;
        } catch (RuntimeException any) {
            Say.thrown(any);
            return -4;
        }
    }

    static void rethrow(int kind) throws Checked {
        try {
            deep(1, kind);
        } catch (RuntimeException e) {
            throw e;
        } catch (Checked e) {
            throw new Checked(e);
        }
    }

    static void rethrowSame(int kind) {
        try {
            rethrow(kind);
        } catch (Checked e) {
            throw new IllegalStateException("wrapped", e);
        }
    }

    static int nested(int kind) {
        int steps = 0;
        try {
            steps += 1;
            try {
                steps += 10;
                try {
                    steps += 100;
                    fail(kind);
                    steps += 1000;
                } catch (ArithmeticException e) {
                    steps += 10000;
                    fail(kind + 1);
                }
                steps += 100000;
            } catch (ArrayIndexOutOfBoundsException e) {
                steps += 1000000;
                throw new IllegalArgumentException(e);
            } catch (Checked e) {
                steps += 10000000;
            }
        } catch (IllegalArgumentException e) {
            steps += 100000000;
        } catch (RuntimeException e) {
            steps = -steps;
        }
        return steps;
    }

    static int loop(int rounds) {
        int caught = 0;
        for (int i = 0; i < rounds; i++) {
            try {
                if (i % 3 == 0) throw new Checked("round", i);
                if (i % 3 == 1) continue;
                if (i > 20) break;
                caught += fail(i % 2);
            } catch (Checked e) {
                caught += e.code;
            } catch (RuntimeException e) {
                caught -= 1;
            }
        }
        return caught;
    }

    /** An endless loop that only an exception leaves. */
    static int endless(int[] array) {
        int i = 0, sum = 0;
        try {
            for (;;) sum += array[i++];
        } catch (ArrayIndexOutOfBoundsException end) {
            return sum;
        }
    }

    /** An endless loop that begins with the first instruction, left by an exception through the method. */
    static void spin() {
        for (;;) step();
    }

    static int steps;

    static void step() {
        if (++steps == 5) throw new IllegalStateException("after " + steps);
    }

    public static void main(String[] args) throws Exception {
        for (int kind = 0; kind < 16; kind++) {
            try {
                Say.line(kind, caught(kind));
            } catch (Error e) {
                Say.thrown(e);
            }
        }
        for (int kind : new int[] {0, 4, 5, 6}) {
            try {
                rethrowSame(kind);
            } catch (RuntimeException e) {
                Say.thrown(e);
            }
        }
        for (int kind = 0; kind < 6; kind++) Say.line("nested", nested(kind));
        Say.line("loop", loop(40), "endless", endless(new int[] {1, 2, 3}));
        try {
            spin();
        } catch (IllegalStateException e) {
            Say.thrown(e);
        }
    }
}
