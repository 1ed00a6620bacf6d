package shop;

public class NoConstructorTest {
    NoConstructorTest(int number) {}
    public void testNever() {}
}
