package corpus;

/** What the programs print with. */
final class Say {
    private Say() {}

    static void line(Object... parts) {
        StringBuilder text = new StringBuilder();
        for (Object part : parts) {
            if (text.length() > 0) text.append(' ');
            text.append(part);
        }
        System.out.println(text);
    }

    /** An exception with every frame and line, its causes and what it suppressed. */
    static void thrown(Throwable thrown) {
        print("", thrown);
    }

    private static void print(String indent, Throwable thrown) {
        System.out.println(indent + thrown);
        for (StackTraceElement frame : thrown.getStackTrace()) {
            System.out.println(indent + "  " + frame.getClassName() + "." + frame.getMethodName() + ":"
                    + frame.getFileName() + ":" + frame.getLineNumber());
        }
        for (Throwable suppressed : thrown.getSuppressed()) print(indent + "  suppressed ", suppressed);
        if (thrown.getCause() != null) print(indent + "  cause ", thrown.getCause());
    }
}
