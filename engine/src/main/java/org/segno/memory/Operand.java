package org.segno.memory;

/**
 * Local memory that an operation reads or writes: a {@link Window}, the range of a {@link ReceptionCounter}, from its
 * base on, or the range of a {@link CounterPair}.
 *
 * <p>A pair stands for the counter of the round. Inside {@code record} a pattern so forwards, sends or combines the
 * data that landed in the same round, whereas a window is the same memory in every round. The engine reads the memory
 * when it carries the operation out: a WAIT before it is needed if the data land in the same round.
 */
public sealed interface Operand permits Window, ReceptionCounter, CounterPair {
    /** Returns its length in bytes. Below zero for a closed window. */
    long length();
}
