package corpus;

/** Ends in the midst of everything; what is after it never happens. */
public final class Exit {
    static void leave(int depth) {
        try {
            if (depth > 0) leave(depth - 1);
            else System.exit(3);
        } finally {
            Say.line("never");
        }
    }

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Say.line("hook"), "hook"));
        Say.line("before");
        leave(2);
    }
}
