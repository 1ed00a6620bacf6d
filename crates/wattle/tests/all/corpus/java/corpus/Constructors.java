package corpus;

/** Chains of constructors, throwing ones, with try in them, inner and anonymous classes. */
public final class Constructors {
    static class Base {
        final String made;

        Base(String made) {
            Say.line("Base", made);
            this.made = made;
            hook();
        }

        Base(int a, long b, double c) {
            this(a + "/" + b + "/" + c);
        }

        void hook() { Say.line("base hook"); }
    }

    static class Middle extends Base {
        int field = 4;

        Middle(boolean choice) {
            super(choice ? pick(1) : pick(2));
        }

        Middle(Object... parts) {
            super(parts.length, 1L << 40, 2.5);
            try {
                field = ((String) parts[0]).length();
            } catch (ClassCastException e) {
                field = -1;
            } catch (ArrayIndexOutOfBoundsException e) {
                field = -2;
                if (parts.length == 0) throw new IllegalArgumentException("empty", e);
            } finally {
                Say.line("made", field);
            }
        }

        @Override void hook() { Say.line("middle hook", field); }
    }

    static final class Throwing extends Middle {
        Throwing(int kind) {
            super(check(kind));
            if (kind == 2) throw new IllegalStateException("after super");
        }

        static boolean check(int kind) {
            if (kind == 1) throw new IllegalArgumentException("before super");
            return kind == 0;
        }
    }

    static class Empty {}

    static class Wide {
        final long a;
        final double b;

        Wide(long a, double b) {
            this.a = a;
            this.b = b;
        }

        Wide(double b) { this((long) b, b); }
    }

    static String pick(int kind) { return "picked " + kind; }

    final int outer;

    Constructors(int outer) { this.outer = outer; }

    class Inner {
        final int inner;

        Inner(int inner) { this.inner = inner; }

        class Innermost {
            int sum() { return outer * 100 + inner; }
        }
    }

    Base anonymous(final int captured) {
        return new Base("anonymous") {
            final int own = captured + outer;

            @Override void hook() { Say.line("anonymous hook", own, captured); }
        };
    }

    private Constructors() { this(77); }

    static class Friend {
        Constructors make() { return new Constructors(); }
    }

    public static void main(String[] args) {
        Say.line(new Middle(true).made, new Middle("four").field, new Middle(4).field);
        try {
            new Middle(new Object[0]);
        } catch (IllegalArgumentException e) {
            Say.thrown(e);
        }
        for (int kind = 0; kind < 3; kind++) {
            try {
                Say.line(new Throwing(kind).made);
            } catch (RuntimeException e) {
                Say.thrown(e);
            }
        }
        Say.line(new Empty() != null, new Wide(2.75).a, new Wide(3L, 4).b);
        Constructors outer = new Constructors(5);
        Inner inner = outer.new Inner(6);
        Say.line(inner.new Innermost().sum(), new Friend().make().outer);
        outer.anonymous(9).hook();
        class Local extends Inner {
            Local() { outer.super(8); }
        }
        Say.line(new Local().inner);
    }
}
