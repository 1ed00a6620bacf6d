package corpus;

/** Line numbers wherever a program can see them. */
public final class StackTraces {
    static void here(String name) {
        for (StackTraceElement frame : Thread.currentThread().getStackTrace()) {
            Say.line(name, frame);
        }
    }

    static int through(
            int a,
            int b) {
        here("through");
        int c = a
                + b;
        int[] array = new int[
                c];
        array
                [0]
                = a;
        return array[0]
                + fails(
                        c,
                        b);
    }

    static int fails(int a, int b) {
        int result = a;

        for (int i = b; i >= 0; i--) {
            result
                    += a / i;
        }
        return result;
    }

    static class Nested {
        final Throwable made = new Throwable("field");

        Throwable method() { return new Throwable("one line"); }

        static Throwable late() {



            Throwable t = null;
            t = new Throwable("late");
            return t;
        }
    }

    static void one() { two(); } static void two() { here("same line"); }

    public static void main(String[] args) {
        try {
            through(1,
                    2);
        } catch (ArithmeticException e) {
            Say.thrown(e);
        }
        one();
        Say.thrown(new Nested().made);
        Say.thrown(new Nested().method());
        Say.thrown(Nested.late());
        new Runnable() {
            @Override
            public void run() {
                here("anonymous");
            }
        }.run();
        Exception cause = new Exception("cause");
        Exception outer = new Exception("outer", cause);
        outer.printStackTrace(System.out);
    }
}
