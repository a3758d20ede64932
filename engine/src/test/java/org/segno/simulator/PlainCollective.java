package org.segno.simulator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Call;
import org.segno.collective.CollectiveKind;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.simulator.DrawnCall.Elements;

/** A collective with blocks of one length, whose results follow from the reference of the simulations. */
public final class PlainCollective {
    private final DrawnCall call;

    private PlainCollective(DrawnCall call) {
        this.call = call;
    }

    /** Returns a collective that combines elements; with a null operator by the operator of {@link #register}. */
    public static PlainCollective reducing(
            CollectiveKind kind, int members, int root, int bytes, ElementType type, @Nullable Operator operator) {
        return new PlainCollective(
                new DrawnCall(1, kind, members, root, lengths(kind, members, bytes), new Elements(type, operator)));
    }

    private static long[] lengths(CollectiveKind kind, int members, int bytes) {
        final long[] lengths = new long[kind.isDivided() ? members : 1];
        Arrays.fill(lengths, bytes);
        return lengths;
    }

    /** Registers the user operator of the reference, which is associative and not commutative. */
    public static void register(Client client) {
        client.operator(ReferenceOperator.AFFINE_NUMBER, ReferenceOperator.AFFINE);
    }

    /** Returns what a member calls. */
    public Call call(int self) {
        return call.call(self);
    }

    /** Returns the contribution of a member to a round. */
    public byte[] contribution(long round, int self) {
        return CollectiveReference.contribution(call, round, self);
    }

    /** Returns the result of a member in a round; empty if it has none. */
    public byte[] result(long round, int self) {
        return CollectiveReference.result(call, round, self);
    }

    @Override
    public String toString() {
        return call.toString();
    }
}
