package corpus;

/** Recursion: direct, mutual, through interfaces, deep. */
public final class Recursion {
    static boolean even(int n) { return n == 0 || odd(n - 1); }

    static boolean odd(int n) { return n != 0 && even(n - 1); }

    static int ackermann(int m, int n) {
        return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
    }

    static long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

    static int hanoi(int n, char from, char to, char via) {
        return n == 0 ? 0 : hanoi(n - 1, from, via, to) + 1 + hanoi(n - 1, via, to, from);
    }

    static int unwind(int n) {
        if (n == 0) throw new IllegalStateException("bottom");
        try {
            return unwind(n - 1);
        } finally {
            if (n % 10 == 0) Say.line("left", n);
        }
    }

    static int alternate(int n) {
        try {
            if (n == 0) throw new ArithmeticException("bottom");
            alternate(n - 1);
            throw new IllegalStateException("returned at " + n);
        } catch (ArithmeticException e) {
            return n;
        }
    }

    public static void main(String[] args) {
        Say.line(even(50), odd(31), ackermann(2, 3), fibonacci(12), hanoi(6, 'a', 'b', 'c'));
        try {
            unwind(60);
        } catch (IllegalStateException e) {
            Say.line(e.getMessage(), e.getStackTrace().length);
        }
        try {
            alternate(9);
        } catch (IllegalStateException e) {
            Say.thrown(e);
        }
    }
}
