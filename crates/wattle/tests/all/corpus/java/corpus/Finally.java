package corpus;

/** Finally that returns, throws, changes what was returned, breaks and continues. */
public final class Finally {
    static StringBuilder log = new StringBuilder();

    @SuppressWarnings("finally")
    static int returnsInFinally(boolean thrown) {
        try {
            if (thrown) throw new IllegalStateException("lost");
            return 1;
        } finally {
            return 2;
        }
    }

    static int keepsValue() {
        int value = 1;
        try {
            return value;
        } finally {
            value = 99;
            log.append(value);
        }
    }

    @SuppressWarnings("finally")
    static int throwsInFinally(int kind) {
        try {
            if (kind == 1) throw new IllegalStateException("first");
            return kind;
        } finally {
            if (kind == 2) throw new IllegalArgumentException("second");
            log.append('f').append(kind);
        }
    }

    @SuppressWarnings("finally")
    static int breaks() {
        int rounds = 0;
        for (int i = 0; i < 10; i++) {
            try {
                rounds++;
                if (i == 2) continue;
                if (i == 5) throw new IllegalStateException("swallowed");
                if (i == 7) return -1;
            } finally {
                if (i == 5) continue;
                if (i == 7) break;
                log.append(i);
            }
        }
        return rounds;
    }

    static long nested(int kind) {
        long steps = 1;
        try {
            try {
                try {
                    steps = steps * 3 + mayThrow(kind);
                } finally {
                    steps = steps * 5 + mayThrow(kind - 1);
                }
            } catch (IllegalStateException e) {
                steps = steps * 7 + mayThrow(kind - 2);
            } finally {
                steps = steps * 11 + mayThrow(kind - 3);
            }
        } catch (RuntimeException e) {
            steps = -steps;
        } finally {
            steps = steps * 13;
        }
        return steps;
    }

    static int mayThrow(int kind) {
        if (kind == 3) throw new IllegalStateException("three");
        if (kind == 5) throw new UnsupportedOperationException("five");
        return kind;
    }

    static double wide(double a, long b) {
        try {
            if (b == 0) throw new ArithmeticException("none");
            return a / b;
        } catch (ArithmeticException e) {
            return Double.NEGATIVE_INFINITY;
        } finally {
            log.append('w').append(b);
        }
    }

    static void onlyFinally(int kind) {
        try {
            mayThrow(kind);
        } finally {
            log.append('o').append(kind);
        }
    }

    public static void main(String[] args) {
        Say.line(returnsInFinally(false), returnsInFinally(true), keepsValue());
        for (int kind = 0; kind < 3; kind++) {
            try {
                Say.line(throwsInFinally(kind));
            } catch (RuntimeException e) {
                Say.thrown(e);
            }
        }
        Say.line(breaks());
        for (int kind = 0; kind < 10; kind++) Say.line(kind, nested(kind));
        Say.line(wide(1.5, 4), wide(2, 0));
        for (int kind = 2; kind < 6; kind++) {
            try {
                onlyFinally(kind);
            } catch (RuntimeException e) {
                Say.thrown(e);
            }
        }
        Say.line(log);
    }
}
