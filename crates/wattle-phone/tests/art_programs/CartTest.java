package shop;

import android.util.Log;
import junit.framework.TestCase;

public class CartTest extends TestCase {
    private String state = "new";

    protected void setUp() { state = "ready"; Log.i("CartTest", "up"); }
    protected void tearDown() { Log.i("CartTest", "down of " + state); }

    public void testPasses() { assertEquals("ready", state); }
    public void testFails() { state = "broken"; assertEquals("ready", state); }
    public void testThrows() { throw new UnsupportedOperationException(); }
    public void notATest() { throw new Error(); }
    public void testWithArgument(int number) { throw new Error(); }
    public static void testStatic() { throw new Error(); }
}
