package corpus;

/** Methods with nothing to spare: empty ones, those with no register but their argument. */
public final class Small {
    static void empty() {}

    void emptyInstance() {}

    static int same(int a) { return a; }

    static long same(long a) { return a; }

    static Object same(Object a) { return a; }

    static double same(double a) { return a; }

    Small self() { return this; }

    static int constant() { return 0; }

    static long wideConstant() { return 1L << 50; }

    static Object nothing() { return null; }

    static void argument(int a) {}

    static void wideArgument(long a, double b) {}

    static int first(int a, int b, int c, int d) { return a; }

    static int last(int a, int b, int c, int d) { return d; }

    static int length(int[] a) { return a.length; }

    static RuntimeException thrown(RuntimeException e) { throw e; }

    static void loop(int rounds) { while (rounds-- > 0) empty(); }

    private int field;

    int get() { return field; }

    void set(int field) { this.field = field; }

    Small chain(int field) {
        this.field = field;
        return this;
    }

    static native int absent(int a);

    public static void main(String[] args) {
        empty();
        Small small = new Small();
        small.emptyInstance();
        argument(1);
        wideArgument(1, 2);
        loop(3);
        small.set(9);
        Say.line(same(1), same(2L), same("three"), same(4.5), small.self() == small, constant(), wideConstant(),
                nothing(), first(1, 2, 3, 4), last(1, 2, 3, 4), length(new int[7]), small.get(), small.chain(8).get());
        try {
            thrown(new IllegalStateException("given"));
        } catch (IllegalStateException e) {
            Say.thrown(e);
        }
        try {
            length(null);
        } catch (NullPointerException e) {
            Say.thrown(e);
        }
        try {
            absent(1);
        } catch (UnsatisfiedLinkError e) {
            Say.line("no native method");
        }
    }
}
