package corpus;

/** The stack runs over and the program goes on. */
public final class StackOverflow {
    static int depth;

    static int fall(int n) {
        depth++;
        return fall(n + 1) + 1;
    }

    static long wide(long a, double b, long c) {
        return wide(c, b + 1, a) + a;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            try {
                fall(0);
            } catch (StackOverflowError e) {
                Say.line("overflow", e.getStackTrace()[50].getMethodName(), e.getStackTrace()[50].getLineNumber());
            }
        }
        try {
            wide(1, 2, 3);
        } catch (StackOverflowError e) {
            Say.line("overflow", depth > 200);
        }
    }
}
