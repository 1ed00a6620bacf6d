package junit.framework;

/** As much of JUnit 3 as the tests need, in the package as on a phone. */
public abstract class TestCase {
    protected void setUp() throws Exception {}
    protected void tearDown() throws Exception {}
    public static void assertEquals(Object wanted, Object found) {
        if (!wanted.equals(found)) throw new AssertionFailedError(wanted + " is not " + found);
    }
}
