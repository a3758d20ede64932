package org.segno.engine.descriptor;

/** The functions of an RMW. Each computes the new value of a 64-bit word from its old value and an operand. */
public final class AtomicFunction {
    /** The sum, modulo 2<sup>64</sup>. */
    public static final int FETCH_ADD = 1;

    /** The operand if the word has the value of the comparand; otherwise the word does not change. */
    public static final int COMPARE_AND_SET = 2;

    public static final int AND = 3;

    public static final int OR = 4;

    public static final int XOR = 5;

    /** The operand. */
    public static final int SWAP = 6;

    private AtomicFunction() {}

    /** Returns true for one of these functions. */
    public static boolean isKnown(int function) {
        return function >= FETCH_ADD && function <= SWAP;
    }

    /** Returns the word's new value, in a comparison the value if the comparison holds. */
    public static long apply(int function, long word, long operand) {
        return switch (function) {
            case FETCH_ADD -> word + operand;
            case AND -> word & operand;
            case OR -> word | operand;
            case XOR -> word ^ operand;
            default -> operand;
        };
    }
}
