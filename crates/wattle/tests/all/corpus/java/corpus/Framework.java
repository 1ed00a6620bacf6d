package corpus;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Calls of the framework: in loops and branches, through subclasses, super and interfaces, throwing. */
public final class Framework {
    /** A subclass of the framework with one method of its own, one overridden, the rest inherited. */
    static class Log extends ArrayList<String> {
        int added;

        @Override public boolean add(String text) {
            added++;
            return super.add("[" + text + "]");
        }

        String joined() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < size(); i++) text.append(get(i)).append(i % 2 == 0 ? ',' : ';');
            return text.toString();
        }
    }

    static class Deeper extends Log {
        @Override public int size() { return super.size() * 1; }
    }

    /** The framework calls back into the program. */
    static class Cache extends LinkedHashMap<String, Integer> {
        @Override protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > 2;
        }
    }

    static int loop(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += Math.abs(i - 3);
            if (i % 2 == 0) sum += Integer.parseInt("1" + i);
            else if (i % 3 == 0) sum -= Long.valueOf(i).intValue();
        }
        return sum;
    }

    static String wide(long a, double b, float c) {
        return Long.toString(a, 7) + Double.toString(Math.pow(b, 2)) + Float.toString(Math.max(c, 0.5f));
    }

    static int throwing(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static int uncaught(List<Integer> list, int index) {
        return list.get(index).intValue() + 1;
    }

    static int inside(int index) {
        try {
            return uncaught(Collections.singletonList(4), index);
        } catch (IndexOutOfBoundsException e) {
            return index;
        } finally {
            Thread.interrupted();
        }
    }

    synchronized int held(Map<String, Integer> map) {
        Integer got = map.get("a");
        map.put("a", got == null ? 1 : got + 1);
        return map.size();
    }

    static boolean unused(String text) {
        text.isEmpty();
        new StringBuilder(text).append(1).reverse();
        return text.equals("x") || text.startsWith("y") && text.endsWith("z");
    }

    static char[] chars(String text) {
        char[] chars = new char[text.length()];
        text.getChars(0, chars.length, chars, 0);
        return chars;
    }

    public static void main(String[] args) {
        Say.line(loop(10), wide(123456789012L, 1.5, 0.25f), throwing("12"), throwing("1x"));
        Log log = new Deeper();
        log.add("a");
        log.add("b");
        ((List<String>) log).add("c");
        Collections.addAll(log, "d", "e");
        Say.line(log.joined(), log.added, log.contains("[a]"));
        Cache cache = new Cache();
        for (String key : new String[] {"a", "b", "c", "d"}) cache.put(key, key.length());
        Say.line(cache.keySet());
        Say.line(inside(0), inside(7));
        Framework framework = new Framework();
        Map<String, Integer> map = new HashMap<>();
        Say.line(framework.held(map), framework.held(map), map);
        Say.line(unused("x"), unused("yz"), new String(chars("text")), new String(new char[] {'a', 'b', 'c'}, 1, 2));
        try {
            Thread.sleep(1);
            new Object().wait(1);
        } catch (InterruptedException e) {
            Say.line("interrupted");
        } catch (IllegalMonitorStateException e) {
            Say.line("not owner");
        }
    }
}
