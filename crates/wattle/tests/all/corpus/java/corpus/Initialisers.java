package corpus;

/** Static initialisers: their order, once each, failing ones. */
public final class Initialisers {
    static class Base {
        static int a = note("Base.a", 1);
        int x = note("Base.x", 2);

        static { note("Base static", 0); }

        { note("Base instance", x); }
    }

    static class Derived extends Base {
        static final int CONSTANT = 5;
        static final String TEXT = note("Derived.TEXT", 3) + "text";
        int y = note("Derived.y", x + 1);

        Derived() { note("Derived()", y); }
    }

    static class Failing {
        static int value = compute();

        static int compute() {
            note("about to fail", 0);
            throw new IllegalStateException("initialiser");
        }
    }

    static class Division {
        static final int[] TABLE = new int[4];

        static {
            for (int i = 0; i < 5; i++) TABLE[i] = i * i;
        }
    }

    static class First {
        static int value = Second.value + 1;
    }

    static class Second {
        static int value = First.value + 10;
    }

    static class Caught {
        static final int VALUE;

        static {
            int value;
            try {
                value = Integer.parseInt("no number");
            } catch (NumberFormatException e) {
                value = note("caught", -1);
            } finally {
                note("finally", 0);
            }
            VALUE = value;
        }
    }

    static int note(String what, int value) {
        Say.line(what, value);
        return value;
    }

    static void attempt(Runnable body) {
        try {
            body.run();
        } catch (Throwable e) {
            Say.line(e.getClass().getName(), e.getMessage());
            Throwable cause = e.getCause();
            if (e instanceof ExceptionInInitializerError) Say.line(cause, cause.getStackTrace()[0].getLineNumber());
        }
    }

    public static void main(String[] args) throws Exception {
        Say.line(Derived.CONSTANT);
        new Derived();
        new Derived();
        Say.line(Derived.TEXT);
        for (int i = 0; i < 2; i++) {
            attempt(new Runnable() {
                @Override public void run() { Say.line(Failing.value); }
            });
            attempt(new Runnable() {
                @Override public void run() { Say.line(Division.TABLE.length); }
            });
        }
        Say.line(First.value, Second.value, Caught.VALUE);
        try {
            Class.forName("corpus.Initialisers$Failing");
        } catch (Throwable e) {
            Say.line(e.getClass().getName());
        }
    }
}
