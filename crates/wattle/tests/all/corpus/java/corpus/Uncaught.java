package corpus;

/** An exception that nobody catches ends the program. */
public final class Uncaught {
    static void inner(int depth) {
        try {
            if (depth == 0) throw new IllegalStateException("nobody catches this");
            inner(depth - 1);
        } finally {
            Say.line("leaving", depth);
        }
    }

    public static void main(String[] args) {
        Say.line("before");
        try {
            inner(3);
        } catch (IllegalStateException e) {
            throw new RuntimeException("outermost", e);
        }
        Say.line("never");
    }
}
