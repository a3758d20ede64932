package org.segno.simulator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Call;
import org.segno.collective.CollectiveKind;
import org.segno.collective.Lengths;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;

/**
 * A collective that a simulation has drawn: what its members call, equal at all of them. Its lengths are known for each
 * pair of members.
 */
final class DrawnCall {
    private final int number;
    private final CollectiveKind kind;
    private final int members;
    private final int root;
    private final long[] lengths;
    private final boolean isVarying;
    private final @Nullable Elements elements;

    /**
     * Creates a call.
     *
     * @param number different for each, by which its data differ from those of others
     * @param members number of members
     * @param root the root, 0 for a kind without one
     * @param lengths of the blocks; of one block, for a kind that is not divided
     * @param elements how they are combined; null unless the kind combines
     */
    DrawnCall(int number, CollectiveKind kind, int members, int root, long[] lengths, @Nullable Elements elements) {
        this.number = number;
        this.kind = kind;
        this.members = members;
        this.root = kind.isRooted() ? root : 0;
        this.lengths = lengths.clone();
        this.isVarying = Arrays.stream(lengths).distinct().count() > 1;
        this.elements = elements;
    }

    /**
     * Elements that are combined.
     *
     * @param type of the elements
     * @param operator null for the operator {@link ReferenceOperator#AFFINE} of the simulation
     */
    record Elements(ElementType type, @Nullable Operator operator) {
        Reduction reduction() {
            return operator == null
                    ? Reduction.of(type, ReferenceOperator.AFFINE_NUMBER)
                    : Reduction.of(type, operator);
        }
    }

    int number() {
        return number;
    }

    CollectiveKind kind() {
        return kind;
    }

    int members() {
        return members;
    }

    int root() {
        return root;
    }

    @Nullable
    Elements elements() {
        return elements;
    }

    /** Returns the call of a member, without windows. */
    Call call(int self) {
        return switch (kind) {
            case BARRIER -> Call.barrier();
            case BROADCAST -> Call.broadcast(root, lengths[0]);
            case REDUCE -> Call.reduce(root, lengths[0], reduction());
            case ALLREDUCE -> Call.allreduce(lengths[0], reduction());
            case REDUCE_SCATTER -> Call.reduceScatter(blocks(), reduction());
            case SCAN -> Call.scan(lengths[0], reduction());
            case EXCLUSIVE_SCAN -> Call.exclusiveScan(lengths[0], reduction());
            case GATHER -> Call.gather(root, blocks());
            case SCATTER -> Call.scatter(root, blocks());
            case ALLGATHER -> Call.allgather(blocks());
            case ALL_TO_ALL -> isVarying ? Call.allToAll(sent(self), received(self)) : Call.allToAll(lengths[0]);
        };
    }

    private Reduction reduction() {
        if (elements == null) {
            throw new IllegalStateException(kind + " without elements");
        }
        return elements.reduction();
    }

    private Lengths blocks() {
        return isVarying ? Lengths.of(lengths) : Lengths.equal(lengths[0]);
    }

    private Lengths sent(int self) {
        final long[] sent = new long[members];
        Arrays.setAll(sent, to -> block(self, to));
        return Lengths.of(sent);
    }

    private Lengths received(int self) {
        final long[] received = new long[members];
        Arrays.setAll(received, from -> block(from, self));
        return Lengths.of(received);
    }

    /** Returns the length of the block of a member; for a kind that is not divided, of the one block. */
    int block(int member) {
        return (int) (kind.isDivided() ? lengths[member] : lengths[0]);
    }

    /** Returns the length of what one member sends to another in an all-to-all. */
    int block(int from, int to) {
        return (int) lengths[(from + to) % members];
    }

    /** Returns the offset of a member's block. */
    int offset(int member) {
        int sum = 0;
        for (int before = 0; before < member; before++) {
            sum += block(before);
        }
        return sum;
    }

    /** Returns the length of all blocks. */
    int total() {
        return offset(members);
    }

    /** Returns the bytes of a member's contribution. */
    int sourceBytes(int member) {
        return switch (kind) {
            case BARRIER -> 0;
            case BROADCAST -> member == root ? block(0) : 0;
            case REDUCE, ALLREDUCE, SCAN, EXCLUSIVE_SCAN -> block(0);
            case SCATTER -> member == root ? total() : 0;
            case REDUCE_SCATTER, ALL_TO_ALL -> total();
            case GATHER, ALLGATHER -> block(member);
        };
    }

    /** Returns the bytes of a member's result. */
    int targetBytes(int member) {
        return switch (kind) {
            case BARRIER -> 0;
            case BROADCAST -> member == root ? 0 : block(0);
            case REDUCE -> member == root ? block(0) : 0;
            case ALLREDUCE, SCAN, EXCLUSIVE_SCAN -> block(0);
            case GATHER -> member == root ? total() : 0;
            case REDUCE_SCATTER, SCATTER -> block(member);
            case ALLGATHER, ALL_TO_ALL -> total();
        };
    }

    @Override
    public String toString() {
        return "collective " + number + ", " + call(0);
    }
}
