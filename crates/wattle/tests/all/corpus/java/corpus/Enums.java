package corpus;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;

/** Enums with bodies, in switches, sets and maps. */
public final class Enums {
    enum Operation {
        PLUS("+") {
            @Override int apply(int a, int b) { return a + b; }
        },
        TIMES("*") {
            @Override int apply(int a, int b) { return a * b; }
        },
        OVER("/") {
            @Override int apply(int a, int b) { return a / b; }
        };

        final String sign;

        Operation(String sign) { this.sign = sign; }

        abstract int apply(int a, int b);

        static Operation of(String sign) {
            for (Operation operation : values()) if (operation.sign.equals(sign)) return operation;
            throw new IllegalArgumentException(sign);
        }
    }

    enum Level { LOW, MIDDLE, HIGH }

    static int weight(Level level) {
        switch (level) {
            case LOW: return 1;
            case HIGH: return 100;
            default: return 10;
        }
    }

    static boolean binds(Operation operation) {
        switch (operation) {
            case TIMES:
            case OVER: return true;
            default: return false;
        }
    }

    public static void main(String[] args) {
        for (Operation operation : Operation.values()) {
            try {
                Say.line(operation, operation.sign, operation.apply(6, 3), operation.apply(6, 0), binds(operation), operation.getDeclaringClass());
            } catch (ArithmeticException e) {
                Say.thrown(e);
            }
        }
        Map<Level, Integer> weights = new EnumMap<>(Level.class);
        for (Level level : EnumSet.complementOf(EnumSet.of(Level.MIDDLE))) weights.put(level, weight(level));
        Say.line(weights, Level.valueOf("MIDDLE").ordinal(), Operation.of("*"));
        try {
            Level.valueOf("NONE");
        } catch (IllegalArgumentException e) {
            Say.line(e.getMessage());
        }
        try {
            weight(null);
        } catch (NullPointerException e) {
            Say.thrown(e);
        }
        try {
            Operation.of("-");
        } catch (IllegalArgumentException e) {
            Say.thrown(e);
        }
    }
}
