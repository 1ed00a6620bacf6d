package corpus;

import java.util.Comparator;

/** Default and static interface methods, abstract ones, dispatch. */
public final class Interfaces {
    interface Shape {
        double area();

        default String describe() {
            return name() + " of " + area();
        }

        default String name() {
            return "shape";
        }

        static Shape largest(Shape... shapes) {
            Shape best = null;
            for (Shape shape : shapes) if (best == null || shape.area() > best.area()) best = shape;
            return best;
        }
    }

    interface Named {
        String NAME = Interfaces.constant("computed");

        default String name() {
            return NAME;
        }
    }

    abstract static class Base implements Shape {
        abstract int sides();

        @Override
        public String name() {
            return sides() + "-gon";
        }
    }

    static class Square extends Base implements Named, Comparable<Square> {
        final double side;

        Square(double side) { this.side = side; }

        @Override public double area() { return side * side; }

        @Override int sides() { return 4; }

        @Override public String name() { return Named.super.name() + "/" + super.name(); }

        @Override public int compareTo(Square other) { return Double.compare(side, other.side); }
    }

    static final class Circle implements Shape {
        @Override public double area() { return 3.0; }

        @Override public String describe() { return "round " + Shape.super.describe(); }
    }

    static String constant(String text) {
        Say.line("constant made");
        return text;
    }

    static class Reverse<T extends Comparable<T>> implements Comparator<T> {
        @Override public int compare(T a, T b) { return b.compareTo(a); }
    }

    public static void main(String[] args) {
        Shape[] shapes = {new Square(2), new Circle(), new Square(1.5), new Shape() {
            @Override public double area() { return 0.5; }
        }};
        for (Shape shape : shapes) Say.line(shape.describe(), shape.name(), shape instanceof Named);
        Say.line(Shape.largest(shapes).describe(), Shape.largest() == null);
        Square[] squares = {new Square(1), new Square(3), new Square(2)};
        java.util.Arrays.sort(squares, new Reverse<Square>());
        for (Square square : squares) Say.line(square.side);
        try {
            Shape none = args.length == 0 ? null : shapes[0];
            none.describe();
        } catch (NullPointerException e) {
            Say.thrown(e);
        }
    }
}
