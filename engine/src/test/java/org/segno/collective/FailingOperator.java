package org.segno.collective;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;

/**
 * A sum of longs that fails after some calls.
 *
 * @param callsLeft calls before it fails
 */
record FailingOperator(AtomicInteger callsLeft) implements UserOperator {
    /** Its number at all members. */
    static final int NUMBER = 3;

    /** Creates one that fails at once, or never. */
    FailingOperator(boolean fails) {
        this(fails ? 0 : Integer.MAX_VALUE);
    }

    /** Creates one that fails after some calls. */
    FailingOperator(int calls) {
        this(new AtomicInteger(calls));
    }

    @Override
    public void combine(
            ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
        if (callsLeft.getAndDecrement() <= 0) {
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
