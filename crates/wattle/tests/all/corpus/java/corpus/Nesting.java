package corpus;

/** Deep nesting of blocks, conditions and tries; long chains of conditions. */
public final class Nesting {
    static int deep(int a, int b, int c) {
        int n = 0;
        for (int i = 0; i < a; i++) {
            n++;
            for (int j = i; j < b; j++) {
                if ((i ^ j) % 3 == 0) {
                    for (int k = c; k > j; k--) {
                        if (k % 2 == 0) {
                            while (n % 5 != 0) {
                                n++;
                                if (n > 60) {
                                    do {
                                        n -= 7;
                                        if (n < 20) break;
                                    } while (n > 30);
                                }
                            }
                        } else if (k % 7 == 0) {
                            n += k;
                        } else {
                            try {
                                n += 10 / (k - 5);
                            } catch (ArithmeticException e) {
                                try {
                                    n += new int[k][j].length / (j - 1);
                                } catch (ArithmeticException again) {
                                    n += 2;
                                }
                            }
                        }
                    }
                }
            }
        }
        return n;
    }

    static String chain(int x) {
        if (x < 0) return "negative";
        else if (x == 0) return "zero";
        else if (x != 1 && x <= 2) return "two";
        else if (!(x > 3)) return x > 1 ? "three" : "one";
        else if (x >= 10 && (x < 20 || x == 25)) return "teens";
        else if (x > 10 == x > 30) return "same";
        return "rest";
    }

    static boolean logic(boolean a, boolean b, Object c, Object d) {
        return a && !b || c != null && (d == null || c == d) && !(a ^ b);
    }

    static int ternaries(int x) {
        return x < 4 ? x < 2 ? x < 1 ? 0 : 1 : x < 3 ? 2 : 3 : x < 6 ? x < 5 ? 4 : 5 : x < 7 ? 6 : 7;
    }

    static int labels(int[][] grid, int wanted) {
        int seen = 0;
        rows:
        for (int[] row : grid) {
            for (int cell : row) {
                if (cell < 0) continue rows;
                seen++;
                if (cell == wanted) break rows;
            }
        }
        return seen;
    }

    public static void main(String[] args) {
        Say.line(deep(6, 8, 12), deep(1, 2, 3), deep(0, 0, 0));
        for (int i = -1; i < 33; i++) Say.line(i, chain(i), ternaries(i));
        for (int bits = 0; bits < 16; bits++) {
            Say.line(bits, logic((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0 ? "c" : null, (bits & 8) != 0 ? "d" : null));
        }
        Say.line(labels(new int[][] {{1, 2, -1, 3}, {}, {4, 5, 6}}, 5));
    }
}
