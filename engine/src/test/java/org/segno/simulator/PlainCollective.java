package org.segno.simulator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Call;
import org.segno.collective.CollectiveKind;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.simulator.DrawnCall.Elements;

/** A collective whose results follow from the reference of the simulations. */
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

    /**
     * Returns a collective; {@link #combining} sets the elements of a reduction.
     *
     * @param number different for each, by which its data differ from those of others
     * @param lengths of the blocks; of one block, for a kind that is not divided
     */
    public static PlainCollective of(int number, CollectiveKind kind, int members, int root, long[] lengths) {
        return new PlainCollective(new DrawnCall(number, kind, members, root, lengths, null));
    }

    /** Sets the elements that are combined; with a null operator by the operator of {@link #register}. */
    public PlainCollective combining(ElementType type, @Nullable Operator operator) {
        final long[] lengths = new long[call.kind().isDivided() ? call.members() : 1];
        Arrays.setAll(lengths, call::block);
        return new PlainCollective(new DrawnCall(
                call.number(), call.kind(), call.members(), call.root(), lengths, new Elements(type, operator)));
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

    /** Returns the contributions and results of all members in a round. */
    public PlainRound round(long round) {
        return new PlainRound(call, round);
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
