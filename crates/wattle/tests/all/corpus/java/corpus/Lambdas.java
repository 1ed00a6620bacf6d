package corpus;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Lambdas, method references, call sites, method handles. */
public final class Lambdas {
    interface Operation {
        int apply(int a, int b);

        default Operation twice() {
            return (a, b) -> apply(apply(a, b), b);
        }
    }

    interface Thrower {
        void run() throws Exception;
    }

    final String name;

    Lambdas(String name) {
        this.name = name;
    }

    String greet(String other) {
        return name + " greets " + other;
    }

    static int add(int a, int b) {
        return a + b;
    }

    Supplier<String> capturing(int number, long wide) {
        return () -> name + number + wide;
    }

    static int run(Operation operation, int a, int b) {
        return operation.apply(a, b);
    }

    static void attempt(Thrower thrower) {
        try {
            thrower.run();
        } catch (Exception e) {
            Say.line(e.getClass().getName(), e.getMessage());
        }
    }

    static Function<Integer, Integer> compose(int depth) {
        return depth == 0 ? x -> x + 1 : compose(depth - 1).andThen(x -> x * 2);
    }

    public static void main(String[] args) throws Throwable {
        Say.line(run((a, b) -> a * b, 6, 7), run(Lambdas::add, 1, 2), run(Math::max, 3, 9));
        Operation minus = (a, b) -> a - b;
        Say.line(minus.twice().apply(10, 3));
        Function<String, Lambdas> make = Lambdas::new;
        Function<String, String> bound = make.apply("bound")::greet;
        BiFunction<Lambdas, String, String> unbound = Lambdas::greet;
        Say.line(bound.apply("you"), unbound.apply(make.apply("unbound"), "all"));
        Say.line(make.apply("c").capturing(3, 4L).get(), compose(5).apply(1));
        IntBinaryOperator gcd = (a, b) -> {
            while (b != 0) {
                int rest = a % b;
                a = b;
                b = rest;
            }
            return a;
        };
        Say.line(gcd.applyAsInt(48, 36));
        List<String> words = new ArrayList<>(Arrays.asList("pear", "fig", "apple", "kiwi"));
        words.sort((a, b) -> a.length() != b.length() ? a.length() - b.length() : a.compareTo(b));
        Say.line(words, words.stream().map(String::toUpperCase).filter(w -> w.length() > 3).count());
        attempt(() -> { throw new IllegalStateException("in a lambda"); });
        attempt(() -> Say.line("no exception"));
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle handle = lookup.findStatic(Lambdas.class, "add", MethodType.methodType(int.class, int.class, int.class));
        int sum = (int) handle.invokeExact(20, 22);
        MethodHandle greet = lookup.findVirtual(Lambdas.class, "greet", MethodType.methodType(String.class, String.class));
        Say.line(sum, (String) greet.invoke(new Lambdas("handle"), "caller"));
    }
}
