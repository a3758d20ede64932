package org.segno.collective;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;

/**
 * A sum of longs that fails at one member.
 *
 * @param fails true at that member
 */
record FailingOperator(boolean fails) implements UserOperator {
    /** Its number at all members. */
    static final int NUMBER = 3;

    @Override
    public void combine(
            ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
        if (fails) {
            throw new IllegalStateException("no sum today");
        }
        for (int i = 0; i < count * Long.BYTES; i += Long.BYTES) {
            result.putLong(i, left.getLong(i) + right.getLong(i));
        }
    }

    @Override
    public boolean isCommutative() {
        return true;
    }
}
