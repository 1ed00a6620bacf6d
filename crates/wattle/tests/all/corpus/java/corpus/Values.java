package corpus;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Equality, hashing, comparison, cloning, serialization. */
public final class Values {
    static final class Point implements Comparable<Point>, Cloneable, Serializable {
        private static final long serialVersionUID = 7;
        final int x;
        final long y;
        transient String note = "transient";

        Point(int x, long y) {
            this.x = x;
            this.y = y;
        }

        @Override public boolean equals(Object other) {
            if (this == other) return true;
            if (!(other instanceof Point)) return false;
            Point point = (Point) other;
            return x == point.x && y == point.y;
        }

        @Override public int hashCode() { return 31 * x + (int) (y ^ y >>> 32); }

        @Override public int compareTo(Point other) { return x != other.x ? Integer.compare(x, other.x) : Long.compare(y, other.y); }

        @Override public Point clone() throws CloneNotSupportedException { return (Point) super.clone(); }

        @Override public String toString() { return "(" + x + "," + y + "," + note + ")"; }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeUTF("extra");
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            note = in.readUTF();
            if (x < 0) throw new InvalidObjectException("negative");
        }

        private Object readResolve() { return x == 0 ? ORIGIN : this; }
    }

    static final Point ORIGIN = new Point(0, 0);

    static Object again(Object value) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    public static void main(String[] args) throws Exception {
        Set<Point> hashed = new HashSet<>();
        Set<Point> ordered = new TreeSet<>();
        for (int i = 0; i < 12; i++) {
            hashed.add(new Point(i % 4, i % 3));
            ordered.add(new Point(i % 3, -i));
        }
        Say.line(hashed.size(), hashed.contains(new Point(1, 1)), ordered);
        Point point = new Point(3, 1L << 40);
        Say.line(point.clone().equals(point), point.equals("point"), point.equals(null), point.hashCode());
        Say.line(again(point), again(new Point(0, 0)) == ORIGIN);
        try {
            again(new Point(-1, 0));
        } catch (InvalidObjectException e) {
            Say.line(e.getMessage());
        }
    }
}
