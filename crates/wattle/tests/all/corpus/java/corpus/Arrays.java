package corpus;

/** Arrays of every kind, and the checks that they make. */
public final class Arrays {
    static final byte[] BYTES = {1, -2, 3};
    static final short[] SHORTS = {300, -300, 7};
    static final char[] CHARS = {'a', '\uffff', '\0'};
    static final int[] INTS = {1 << 30, -1, 0, 7, 8, 9};
    static final long[] LONGS = {1L << 60, -1, 0};
    static final float[] FLOATS = {0.5f, -0f, Float.NaN};
    static final double[] DOUBLES = {0.25, 1e300, -1};
    static final boolean[] FLAGS = {true, false, true};
    static final String[][] TEXTS = {{"a", null}, {}, {"b"}};

    static long sums() {
        long sum = 0;
        for (byte x : BYTES) sum += x;
        for (short x : SHORTS) sum += x;
        for (char x : CHARS) sum += x;
        for (int x : INTS) sum += x;
        for (long x : LONGS) sum += x;
        for (float x : FLOATS) sum += Float.floatToIntBits(x);
        for (double x : DOUBLES) sum += Double.doubleToLongBits(x);
        for (boolean x : FLAGS) sum = sum * 2 + (x ? 1 : 0);
        return sum;
    }

    static int[][][] cube(int a, int b, int c) {
        int[][][] cube = new int[a][b][c];
        for (int i = 0; i < a; i++) for (int j = 0; j < b; j++) for (int k = 0; k < c; k++) cube[i][j][k] = i * j + k;
        return cube;
    }

    static int[] sorted(int... numbers) {
        for (int i = 1; i < numbers.length; i++) {
            int number = numbers[i], j = i;
            while (j > 0 && numbers[j - 1] > number) numbers[j] = numbers[--j];
            numbers[j] = number;
        }
        return numbers;
    }

    // Android 11's fast interpreter books a failing store to the last instruction that could throw, so there is one.
    static void store(Object[] array, int index, Object value) {
        try {
            Say.line("storing", index, value);
            array[index] = value;
            Say.line("stored", array.getClass().getName());
        } catch (ArrayStoreException | ArrayIndexOutOfBoundsException | NullPointerException e) {
            Say.thrown(e);
        }
    }

    static String kind(Object o) {
        if (o instanceof int[]) return "ints";
        if (o instanceof Object[][]) return "rows";
        if (o instanceof String[]) return "texts";
        if (o instanceof Object[]) return "objects";
        if (o instanceof Number) return "number";
        return o == null ? "null" : "other";
    }

    public static void main(String[] args) {
        Say.line(sums(), cube(3, 4, 5)[2][3][4], java.util.Arrays.toString(sorted(5, 2, 9, -1, 0)));
        store(new Object[2], 1, "x");
        store(new Integer[2], 1, "x");
        store(new Integer[2], 2, 1);
        store(new Integer[2], -1, 1);
        store(null, 0, null);
        for (Object o : new Object[] {INTS, TEXTS, TEXTS[0], new Object[0], 5, null, 'c'}) Say.line(kind(o));
        int[] copy = INTS.clone();
        copy[0]++;
        copy[1] += copy[2]-- - ++copy[3];
        copy[4] >>>= 1;
        Say.line(java.util.Arrays.toString(copy), INTS[0], TEXTS.length, TEXTS[1].length);
        try {
            cube(1, -1, 1);
        } catch (NegativeArraySizeException e) {
            Say.thrown(e);
        }
    }
}
