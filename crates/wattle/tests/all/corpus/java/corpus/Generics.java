package corpus;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Bridges, varargs, iterators, boxed values. */
public final class Generics {
    abstract static class Node<T extends Comparable<T>> {
        abstract T value();

        Node<T> max(Node<T> other) { return value().compareTo(other.value()) >= 0 ? this : other; }
    }

    static final class Text extends Node<String> {
        final String text;

        Text(String text) { this.text = text; }

        @Override String value() { return text; }

        @Override Text max(Node<String> other) { return (Text) super.max(other); }
    }

    static final class Countdown implements Iterable<Integer> {
        final int from;

        Countdown(int from) { this.from = from; }

        @Override
        public Iterator<Integer> iterator() {
            return new Iterator<Integer>() {
                int next = from;

                @Override public boolean hasNext() { return next > 0; }

                @Override public Integer next() {
                    if (next == 0) throw new NoSuchElementException("over");
                    return next--;
                }

                @Override public void remove() { throw new UnsupportedOperationException(); }
            };
        }
    }

    @SafeVarargs
    static <T> List<T> list(T... items) {
        List<T> list = new ArrayList<>();
        for (T item : items) list.add(item);
        return list;
    }

    static int sum(int... numbers) {
        int sum = 0;
        for (int number : numbers) sum += number;
        return sum;
    }

    static String overload(Object o) { return "object"; }

    static String overload(Integer i) { return "boxed"; }

    static String overload(int i) { return "int"; }

    static String overload(long i) { return "long"; }

    static <K, V extends Comparable<V>> K best(Map<K, V> map) {
        K best = null;
        V most = null;
        for (Map.Entry<K, V> entry : map.entrySet()) {
            if (most == null || entry.getValue().compareTo(most) > 0) {
                best = entry.getKey();
                most = entry.getValue();
            }
        }
        return best;
    }

    public static void main(String[] args) {
        Node<String> a = new Text("a"), b = new Text("b");
        Say.line(a.max(b).value(), new Text("z").max(b).text);
        int total = 0;
        for (int i : new Countdown(5)) total = total * 10 + i;
        Say.line(total, list(1, "two", 3.0), list().size(), sum(), sum(1), sum(1, 2, 3));
        Say.line(overload('c'), overload((Object) 1), overload(Integer.valueOf(1)), overload(1), overload(1L), overload("s"));
        Map<String, Integer> map = new HashMap<>();
        map.put("one", 1);
        map.put("three", 3);
        map.put("two", 2);
        Say.line(best(map));
        Iterator<Integer> over = new Countdown(0).iterator();
        try {
            over.next();
        } catch (NoSuchElementException e) {
            Say.thrown(e);
        }
        try {
            @SuppressWarnings({"unchecked", "rawtypes"})
            Node<String> raw = (Node) new Node<Integer>() {
                @Override Integer value() { return 1; }
            };
            a.max(raw);
        } catch (ClassCastException e) {
            Say.line("class cast", e.getStackTrace()[0].getMethodName());
        }
    }
}
