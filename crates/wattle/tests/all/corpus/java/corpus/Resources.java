package corpus;

/** Try with resources, and what is suppressed. */
public final class Resources {
    static final class Door implements AutoCloseable {
        final String name;
        final boolean stuck;

        Door(String name, boolean jammed, boolean stuck) {
            if (jammed) throw new IllegalArgumentException(name + " jammed");
            this.name = name;
            this.stuck = stuck;
            Say.line("open", name);
        }

        int use(int kind) {
            if (kind == 1) throw new IllegalStateException(name + " used");
            return kind;
        }

        @Override
        public void close() {
            Say.line("close", name);
            if (stuck) throw new UnsupportedOperationException(name + " stuck");
        }
    }

    static int walk(int kind, boolean jammed, boolean stuck) {
        try (Door front = new Door("front", false, stuck); Door back = new Door("back", jammed, stuck)) {
            return front.use(kind) + back.use(kind);
        } finally {
            Say.line("outside");
        }
    }

    static int nothing() throws Exception {
        try (Door none = null) {
            return 5;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int kind = 0; kind < 8; kind++) {
            try {
                Say.line(walk(kind & 1, (kind & 2) != 0, (kind & 4) != 0));
            } catch (RuntimeException e) {
                Say.thrown(e);
            }
        }
        Say.line(nothing());
    }
}
