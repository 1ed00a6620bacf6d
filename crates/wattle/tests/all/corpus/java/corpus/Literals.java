package corpus;

/** Constants at the edges of their forms, strings of every kind. */
public final class Literals {
    static final long[] LONGS = {0, 7, -8, 8, 32767, -32768, 32768, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE,
        1L << 31, 1L << 48, 1L << 62, Long.MIN_VALUE, Long.MAX_VALUE, 0x123456789abcdef0L};
    static final float F = 1.0f, G = 1.1f;
    static final double D = 1.0, E = Double.MIN_VALUE;
    static final String EMPTY = "", TEXT = "a\0b\u00e9\u4e2d\ud83d\ude00\ud800", QUOTE = "\"\\\n\t";
    static final char C = '\uffff';

    static int ints(int pick) {
        switch (pick) {
            case 0: return -8;
            case 1: return 7;
            case 2: return -32768;
            case 3: return 0x7fff0000;
            case 4: return 0x12345678;
            case 5: return Integer.MIN_VALUE;
            default: return 0;
        }
    }

    static float floats(int pick) { return pick == 0 ? 1e-45f : pick == 1 ? Float.NaN : -0f; }

    static double doubles(int pick) { return pick == 0 ? Math.E : pick == 1 ? 1e308 : 2.0; }

    static Object classes(int pick) {
        return pick == 0 ? int[][].class : pick == 1 ? Literals.class : pick == 2 ? void.class : java.util.Map.Entry.class;
    }

    static int operators(int x) {
        x = x + 127;
        x = x * -128 + 1000;
        x = 100 - x;
        x ^= 0x7fff;
        x = x >> 3 << 2 >>> 1;
        x = x % 97 | 1;
        return ~x & -x / 3;
    }

    public static void main(String[] args) {
        for (long value : LONGS) Say.line(value, (int) value, value + 1, operators((int) value));
        for (int i = 0; i < 7; i++) Say.line(ints(i), floats(i), doubles(i), classes(i));
        Say.line(F + G, D + E, EMPTY.length(), TEXT.length(), QUOTE, (int) C, TEXT.hashCode());
        for (char c : TEXT.toCharArray()) Say.line((int) c);
        Say.line("interned", TEXT == ("a\0b\u00e9\u4e2d\ud83d\ude00\ud800").intern());
    }
}
