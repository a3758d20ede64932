package org.segno.simulator;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.simulator.DrawnCall.Elements;

/**
 * Contributions of all members to the rounds of a collective, which follow from a few numbers, and the results that
 * follow from these. Sums and products of floating-point numbers are exact, so that the order of combination does not
 * matter for them.
 */
final class CollectiveReference {
    private static final long FACTOR = 0x9E3779B97F4A7C15L;
    private static final double[] FACTORS = {1, -1, 2, -2, 0.5, -0.5, 1, 1};

    private CollectiveReference() {}

    private static long mix(DrawnCall call, long round, int member, int index) {
        long word = (call.number() * 31L + round) * FACTOR ^ ((long) member << Integer.SIZE | index);
        word = (word ^ word >>> 29) * FACTOR;
        return word ^ word >>> 32;
    }

    /** Returns the contribution of a member to a round. */
    static byte[] contribution(DrawnCall call, long round, int member) {
        final byte[] bytes = new byte[call.sourceBytes(member)];
        final Elements elements = call.elements();
        if (elements == null) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) mix(call, round, member, i);
            }
            return bytes;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        for (int at = 0; at < bytes.length; at += elements.type().length()) {
            write(buffer, at, elements, mix(call, round, member, at));
        }
        return bytes;
    }

    private static void write(UnsafeBuffer to, int at, Elements elements, long word) {
        final ElementType type = elements.type();
        // A zero in four, for the logical operators; small values of pairs, so that many are equal.
        final long integer = (word & 3) == 0 ? 0 : word >> 2;
        final int small = Math.floorMod(word, 7) - 3;
        final double real = elements.operator() == Operator.PRODUCT ? FACTORS[(int) (word & 7)] : small;
        switch (type) {
            case BYTE -> to.putByte(at, (byte) integer);
            case SHORT -> to.putShort(at, (short) integer);
            case INT -> to.putInt(at, (int) integer);
            case LONG -> to.putLong(at, integer);
            case FLOAT -> to.putFloat(at, (float) real);
            case DOUBLE -> to.putDouble(at, real);
            case BYTE_PAIR -> to.putByte(at, (byte) small);
            case SHORT_PAIR -> to.putShort(at, (short) small);
            case INT_PAIR -> to.putInt(at, small);
            case LONG_PAIR -> to.putLong(at, elements.operator() == null ? word : small);
            case FLOAT_PAIR -> to.putFloat(at, (float) small);
            case DOUBLE_PAIR -> to.putDouble(at, small);
        }
        if (elements.operator() == null) {
            to.putLong(at + Long.BYTES, word * FACTOR);
        } else if (type.isPair()) {
            to.putInt(at + type.indexOffset(), (int) (word >>> 32) & 3);
        }
    }

    /** Returns the result of a member in a round. The first member has none in an exclusive scan. */
    static byte[] result(DrawnCall call, long round, int self) {
        final int members = call.members();
        return switch (call.kind()) {
            case BARRIER -> new byte[0];
            case BROADCAST -> part(call, contribution(call, round, call.root()), 0, call.targetBytes(self));
            case REDUCE -> self == call.root() ? combined(call, round, members) : new byte[0];
            case ALLREDUCE -> combined(call, round, members);
            case SCAN -> combined(call, round, self + 1);
            case EXCLUSIVE_SCAN -> self == 0 ? new byte[0] : combined(call, round, self);
            case REDUCE_SCATTER -> part(call, combined(call, round, members), call.offset(self), call.block(self));
            case SCATTER -> part(call, contribution(call, round, call.root()), call.offset(self), call.block(self));
            case GATHER -> self == call.root() ? gathered(call, round) : new byte[0];
            case ALLGATHER -> gathered(call, round);
            case ALL_TO_ALL -> exchanged(call, round, self);
        };
    }

    private static byte[] part(DrawnCall call, byte[] whole, int offset, int length) {
        if (offset + length > whole.length) {
            throw new IllegalStateException("no such part of " + call + ": offset=" + offset + " length=" + length);
        }
        final byte[] part = new byte[length];
        System.arraycopy(whole, offset, part, 0, length);
        return part;
    }

    /** Combines the contributions of the first members, in their order. */
    private static byte[] combined(DrawnCall call, long round, int members) {
        final Elements elements = call.elements();
        final byte[] sum = contribution(call, round, 0);
        if (elements == null) {
            throw new IllegalStateException(call + " combines nothing");
        }
        final UnsafeBuffer left = new UnsafeBuffer(sum);
        for (int member = 1; member < members; member++) {
            final UnsafeBuffer right = new UnsafeBuffer(contribution(call, round, member));
            for (int at = 0; at < sum.length; at += elements.type().length()) {
                ReferenceOperator.combine(elements.type(), elements.operator(), left, right, at);
            }
        }
        return sum;
    }

    private static byte[] gathered(DrawnCall call, long round) {
        final byte[] all = new byte[call.total()];
        for (int member = 0; member < call.members(); member++) {
            final byte[] block = contribution(call, round, member);
            System.arraycopy(block, 0, all, call.offset(member), block.length);
        }
        return all;
    }

    private static byte[] exchanged(DrawnCall call, long round, int self) {
        final byte[] all = new byte[call.targetBytes(self)];
        int end = 0;
        for (int member = 0; member < call.members(); member++) {
            int offset = 0;
            for (int before = 0; before < self; before++) {
                offset += call.block(member, before);
            }
            final int length = call.block(member, self);
            System.arraycopy(contribution(call, round, member), offset, all, end, length);
            end += length;
        }
        return all;
    }
}
