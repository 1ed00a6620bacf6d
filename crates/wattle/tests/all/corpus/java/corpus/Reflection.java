package corpus;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Comparator;

/** What a program sees of itself must not change. */
public final class Reflection {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        String value() default "none";

        int[] numbers() default {1, 2};
    }

    @Marked("target")
    static class Target {
        private int secret = 5;
        static long counter;

        Target() {}

        private Target(@Marked(numbers = {}) String text, long wide) throws IllegalStateException {
            if (wide < 0) throw new IllegalStateException(text);
            secret = text.length();
        }

        @Marked(numbers = 3)
        private int hidden(int a, double b) { return secret + a + (int) b; }

        static synchronized final String fixed() { return "fixed"; }

        void throwing() throws Exception { throw new Exception("target"); }

        strictfp double generic(java.util.List<? extends Number> list) { return list.get(0).doubleValue(); }
    }

    interface Echo {
        String echo(String text, int times);
    }

    static final class Handler implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (((Integer) arguments[1]) < 0) throw new IllegalArgumentException("negative");
            return method.getName() + arguments[0] + arguments[1];
        }
    }

    static <T> T[] ordered(T[] items) {
        Arrays.sort(items, Comparator.comparing(Object::toString));
        return items;
    }

    public static void main(String[] args) throws Exception {
        Class<?> target = Class.forName("corpus.Reflection$Target");
        Say.line(target.getName(), target.getModifiers(), target.getSuperclass(), target.isMemberClass(),
                target.getEnclosingClass(), target.getAnnotation(Marked.class).value());
        for (Method method : ordered(target.getDeclaredMethods())) {
            Say.line(method.toGenericString(), method.getModifiers(), method.isSynthetic(),
                    Arrays.toString(method.getExceptionTypes()), method.getAnnotations().length);
        }
        for (Constructor<?> constructor : ordered(target.getDeclaredConstructors())) {
            Say.line(constructor, constructor.getParameterAnnotations().length, constructor.getExceptionTypes().length);
        }
        for (Field field : ordered(target.getDeclaredFields())) Say.line(field, Modifier.isStatic(field.getModifiers()));
        for (Class<?> inner : ordered(Reflection.class.getDeclaredClasses())) Say.line(inner);
        for (Method method : ordered(Reflection.class.getDeclaredMethods())) Say.line(method);

        Constructor<?> make = target.getDeclaredConstructor(String.class, long.class);
        make.setAccessible(true);
        Object made = make.newInstance("seven!!", 1L);
        Method hidden = target.getDeclaredMethod("hidden", int.class, double.class);
        hidden.setAccessible(true);
        Say.line(hidden.invoke(made, 10, 2.5), target.getDeclaredMethod("fixed").invoke(null));
        Say.line(Arrays.toString(hidden.getAnnotation(Marked.class).numbers()));
        try {
            make.newInstance("text", -1L);
        } catch (InvocationTargetException e) {
            Say.line(e.getCause(), e.getCause().getStackTrace()[0].getLineNumber());
        }
        try {
            target.getDeclaredMethod("throwing").invoke(made);
        } catch (InvocationTargetException e) {
            Say.line(e.getCause(), e.getCause().getStackTrace()[0].getLineNumber());
        }
        Echo echo = (Echo) Proxy.newProxyInstance(Reflection.class.getClassLoader(), new Class<?>[] {Echo.class}, new Handler());
        Say.line(echo.echo("!", 3));
        try {
            echo.echo("?", -1);
        } catch (IllegalArgumentException e) {
            Say.line(e.getMessage());
        }
    }
}
