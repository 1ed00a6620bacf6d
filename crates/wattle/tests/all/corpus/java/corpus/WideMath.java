package corpus;

/** Longs and doubles in every position, and calls with more arguments than fit without a range. */
public final class WideMath {
    final long bias;

    WideMath(int a, long bias, float b, double c) {
        this.bias = bias + a + (long) b + (long) c;
    }

    static long first(long a, int b, Object c) { return a * b + c.hashCode(); }

    static double middle(int a, double b, int c) { return a * b - c; }

    static long last(Object a, int b, long c) { return a.hashCode() ^ b ^ c; }

    static double mixed(byte a, long b, short c, double d, char e, float f, boolean g, long h) {
        return a + b * 3.0 - c / d + e * f + (g ? h : -h);
    }

    long instance(long a, double b, long c, double d, int e) {
        long sum = bias;
        for (int i = 0; i < e; i++) {
            sum = sum * 31 + a - (long) (b * i);
            sum ^= c >>> i;
            d = d / 2 + sum % 7;
        }
        return sum + Double.doubleToLongBits(d) % 1000;
    }

    static long twenty(long a, int b, long c, int d, long e, int f, long g, int h, long i, int j,
            long k, int l, long m, int n, long o, int p, long q, int r, long s, double t) {
        if (b > 0) return twenty(a + c, b - 1, c + e, d, e + g, f, g + i, h, i + k, j, k + m, l, m + o, n,
                o + q, p, q + s, r, s + a, t * 1.5);
        return a ^ c ^ e ^ g ^ i ^ k ^ m ^ o ^ q ^ s ^ (d + f + h + j + l + n + p + r) ^ (long) t;
    }

    static long identity(long a) { return a; }

    static double identity(double a) { return a; }

    static long second(int a, long b) { return b; }

    static long shifts(long value) {
        long sum = 0;
        for (int by = 0; by < 70; by += 7) sum += (value << by) ^ (value >> by) ^ (value >>> by);
        return sum;
    }

    static String conversions(double value) {
        return (int) value + "," + (long) value + "," + (float) value + "," + (char) value + "," + (byte) value;
    }

    static int compare(long a, long b, double c, double d) {
        int bits = 0;
        if (a < b) bits |= 1;
        if (a >= b) bits |= 2;
        if (c < d) bits |= 4;
        if (!(c < d)) bits |= 8;
        if (c != d) bits |= 16;
        if ((float) c > (float) d) bits |= 32;
        return bits;
    }

    public static void main(String[] args) {
        Say.line(first(1L << 40, 3, 5), middle(2, 0.25, 7), last("x", 9, -1L));
        Say.line(mixed((byte) -3, 1L << 50, (short) 300, 0.125, 'Z', 2.5f, true, Long.MIN_VALUE));
        Say.line(new WideMath(1, 2, 3, 4).instance(5, 6.5, 7, 8.5, 9));
        Say.line(twenty(1, 6, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1.25));
        Say.line(identity(Long.MAX_VALUE), identity(Math.PI), second(1, 2));
        Say.line(shifts(0x123456789abcdefL), shifts(-5));
        for (double d : new double[] {0, -1.5, 65.9, 1e20, Double.NaN, Double.POSITIVE_INFINITY}) {
            Say.line(conversions(d), compare((long) d, 3, d, 2.5));
        }
        try {
            Say.line(Long.MIN_VALUE / -1, Long.MIN_VALUE % identity(0L));
        } catch (ArithmeticException e) {
            Say.thrown(e);
        }
    }
}
