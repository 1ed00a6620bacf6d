package corpus;

/** Dense, sparse, large, on strings, falling through, in loops. */
public final class Switches {
    static int dense(int x) {
        switch (x) {
            case -2: return 20;
            case -1: return 10;
            case 0: return 0;
            case 1: x += 5;
            case 2: return x * 2;
            case 3: break;
            case 4: throw new IllegalArgumentException("four");
            default: x = -x;
        }
        return x;
    }

    static String sparse(int x) {
        switch (x) {
            case Integer.MIN_VALUE: return "least";
            case -1000: return "thousand below";
            case 7: return "seven";
            case 65536: return "2^16";
            case Integer.MAX_VALUE: return "most";
        }
        return "other " + x;
    }

    static int text(String text) {
        switch (text) {
            case "Aa": return 1;
            case "BB": return 2;
            case "": return 3;
            case "longer text": return 4;
            default: return text.length();
        }
    }

    static int machine(String program) {
        int state = 0, value = 0;
        loop:
        for (int i = 0; ; i++) {
            char c = i < program.length() ? program.charAt(i) : 'e';
            switch (state) {
                case 0:
                    switch (c) {
                        case '+': state = 1; continue loop;
                        case '-': state = 2; continue loop;
                        case 'e': break loop;
                        default: throw new IllegalStateException(i + " " + c);
                    }
                case 1: value += c - '0'; state = 0; break;
                case 2: value -= c - '0'; state = 0; break;
            }
        }
        return value;
    }

    static long nested(int a, int b) {
        switch (a) {
            case 0: switch (b) { case 0: return 1L; case 1: return 2L; }
            case 1: switch (b) { case 0: return 3L; case 100: return 4L; case 10000: return 5L; default: return 6L; }
            default: return -1L;
        }
    }

    public static void main(String[] args) {
        for (int i = -3; i < 7; i++) {
            try {
                Say.line(i, dense(i));
            } catch (IllegalArgumentException e) {
                Say.thrown(e);
            }
        }
        for (int i : new int[] {Integer.MIN_VALUE, -1000, -999, 7, 65536, Integer.MAX_VALUE, 0}) Say.line(sparse(i));
        for (String s : new String[] {"Aa", "BB", "", "longer text", "C#"}) Say.line(text(s));
        Say.line(machine("+5-3+9"));
        try {
            machine("+5x");
        } catch (IllegalStateException e) {
            Say.thrown(e);
        }
        for (int a = 0; a < 3; a++) for (int b : new int[] {0, 1, 100, 10000}) Say.line(a, b, nested(a, b));
    }
}
