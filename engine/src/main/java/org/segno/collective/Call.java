package org.segno.collective;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.memory.Window;

/**
 * Arguments of a collective. Immutable: each method returns a new value. Equal calls are equal values, by which a
 * geometry finds the recorded collective.
 *
 * <p>Without windows, a collective uses memory of its own, {@link Collective#input} and {@link Collective#output}, to
 * and from which {@link Geometry#run(Call, org.agrona.DirectBuffer, int, org.agrona.MutableDirectBuffer, int, long)}
 * copies any buffer.
 *
 * @param kind of the collective
 * @param root the member that a rooted collective starts from or ends at, otherwise 0
 * @param lengths of the blocks of a divided collective; otherwise the bytes of the one block that all have
 * @param received lengths of the blocks that this member receives in an all-to-all, if they may differ; otherwise null
 * @param reduction how elements are combined, if they are
 * @param source holds this member's contribution; null for the collective's own memory
 * @param sourceOffset of it in bytes
 * @param target where the result of this member goes; null for the collective's own memory
 * @param targetOffset of it in bytes
 * @param algorithm by name; empty for the one that the geometry selects
 * @param isSynchronous true if no data move before all members have begun the round
 */
public record Call(
        CollectiveKind kind,
        int root,
        Lengths lengths,
        @Nullable Lengths received,
        @Nullable Reduction reduction,
        @Nullable Window source,
        long sourceOffset,
        @Nullable Window target,
        long targetOffset,
        String algorithm,
        boolean isSynchronous) {
    public Call {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(lengths, "lengths");
        Objects.requireNonNull(algorithm, "algorithm");
        if (kind.isReduction()) {
            Objects.requireNonNull(reduction, "reduction");
        }
    }

    private static Call of(CollectiveKind kind, int root, Lengths lengths, @Nullable Reduction reduction) {
        return new Call(kind, root, lengths, null, reduction, null, 0, null, 0, "", false);
    }

    /** Returns a barrier. */
    public static Call barrier() {
        return of(CollectiveKind.BARRIER, 0, Lengths.equal(0), null);
    }

    /** Returns a broadcast of {@code bytes} from a member to all; {@link #in} sets its one place. */
    public static Call broadcast(int root, long bytes) {
        return of(CollectiveKind.BROADCAST, root, Lengths.equal(bytes), null);
    }

    /** Returns a reduction of {@code bytes} of elements to a member. */
    public static Call reduce(int root, long bytes, Reduction reduction) {
        return of(CollectiveKind.REDUCE, root, Lengths.equal(bytes), reduction);
    }

    /** Returns a reduction of {@code bytes} of elements to all. */
    public static Call allreduce(long bytes, Reduction reduction) {
        return of(CollectiveKind.ALLREDUCE, 0, Lengths.equal(bytes), reduction);
    }

    /** Returns a reduction of a block for each member, which receives the result of its block. */
    public static Call reduceScatter(Lengths lengths, Reduction reduction) {
        return of(CollectiveKind.REDUCE_SCATTER, 0, lengths, reduction);
    }

    /** Returns the reduction of the {@code bytes} of all members up to each. */
    public static Call scan(long bytes, Reduction reduction) {
        return of(CollectiveKind.SCAN, 0, Lengths.equal(bytes), reduction);
    }

    /**
     * Returns the reduction of the {@code bytes} of all members before each. The first member's target remains
     * unchanged.
     */
    public static Call exclusiveScan(long bytes, Reduction reduction) {
        return of(CollectiveKind.EXCLUSIVE_SCAN, 0, Lengths.equal(bytes), reduction);
    }

    /** Returns a gather of the blocks of all members to one. */
    public static Call gather(int root, Lengths lengths) {
        return of(CollectiveKind.GATHER, root, lengths, null);
    }

    /** Returns a scatter of a member's blocks to all. */
    public static Call scatter(int root, Lengths lengths) {
        return of(CollectiveKind.SCATTER, root, lengths, null);
    }

    /** Returns a gather of the blocks of all members to all. */
    public static Call allgather(Lengths lengths) {
        return of(CollectiveKind.ALLGATHER, 0, lengths, null);
    }

    /** Returns an exchange in which each member sends a block of {@code bytes} to each. */
    public static Call allToAll(long bytes) {
        return of(CollectiveKind.ALL_TO_ALL, 0, Lengths.equal(bytes), null);
    }

    /**
     * Returns an exchange of blocks of different lengths. Sender and receiver of a block give equal lengths for it.
     *
     * @param sent lengths of the blocks for each member
     * @param received lengths of the blocks from each member
     */
    public static Call allToAll(Lengths sent, Lengths received) {
        Objects.requireNonNull(received, "received");
        return new Call(CollectiveKind.ALL_TO_ALL, 0, sent, received, null, null, 0, null, 0, "", false);
    }

    /**
     * Sets where the contribution of this member lies. It belongs to the engine from the start of a round until the
     * round is complete.
     */
    public Call from(Window window, long offset) {
        return placed(Objects.requireNonNull(window, "window"), offset, target, targetOffset);
    }

    /**
     * Sets where the result of this member goes. It belongs to the engine from the start of a round until the round is
     * complete.
     */
    public Call into(Window window, long offset) {
        return placed(source, sourceOffset, Objects.requireNonNull(window, "window"), offset);
    }

    private Call placed(@Nullable Window from, long fromOffset, @Nullable Window into, long intoOffset) {
        return new Call(
                kind, root, lengths, received, reduction, from, fromOffset, into, intoOffset, algorithm, isSynchronous);
    }

    /** Sets one place for the contribution and the result. */
    public Call in(Window window, long offset) {
        return from(window, offset).into(window, offset);
    }

    /** Sets the algorithm, by a name of {@link Geometry#algorithms}; all members set the same. */
    public Call by(String name) {
        return new Call(
                kind,
                root,
                lengths,
                received,
                reduction,
                source,
                sourceOffset,
                target,
                targetOffset,
                name,
                isSynchronous);
    }

    /**
     * Returns the call as a synchronous one: in each round no data move before all members have begun it. A barrier of
     * the engine precedes the data.
     */
    public Call synchronous() {
        return new Call(
                kind, root, lengths, received, reduction, source, sourceOffset, target, targetOffset, algorithm, true);
    }

    /** Returns this call with one place for everything, if it names none: the contribution, and the result after it. */
    Call inOne(Window window, long resultOffset) {
        return from(window, 0).into(window, resultOffset);
    }

    /**
     * Returns the call that carries out a part of this one, which names windows where it has data. A block is divided
     * evenly, or each of the blocks of a divided collective is.
     */
    Call part(int part, int parts, int self, int members) {
        final long unit = Shape.unit(reduction == null ? 1 : reduction.type().length());
        if (!kind.isDivided()) {
            final Lengths slices = Lengths.evenly(lengths.length(0), parts, unit);
            return slice(Lengths.equal(slices.length(part)), slices.offset(part), slices.offset(part));
        }
        final Lengths blocks = lengths.part(part, parts, members, unit);
        final long own = blocks.offset(self) - lengths.offset(self);
        final boolean isOneSource = kind == CollectiveKind.GATHER || kind == CollectiveKind.ALLGATHER;
        final boolean isOneTarget = kind == CollectiveKind.SCATTER || kind == CollectiveKind.REDUCE_SCATTER;
        return slice(blocks, isOneSource ? own : 0, isOneTarget ? own : 0);
    }

    private Call slice(Lengths slices, long sourceFrom, long targetFrom) {
        return new Call(
                kind,
                root,
                slices,
                null,
                reduction,
                source,
                sourceOffset + sourceFrom,
                target,
                targetOffset + targetFrom,
                algorithm,
                isSynchronous);
    }

    /** Returns the bytes of a member's contribution. */
    long sourceBytes(int member, int members) {
        return switch (kind) {
            case BARRIER -> 0;
            case BROADCAST -> member == root ? lengths.length(0) : 0;
            case REDUCE, ALLREDUCE, SCAN, EXCLUSIVE_SCAN -> lengths.length(0);
            case REDUCE_SCATTER, ALL_TO_ALL -> lengths.total(members);
            case SCATTER -> member == root ? lengths.total(members) : 0;
            case GATHER, ALLGATHER -> lengths.length(member);
        };
    }

    /** Returns the bytes of a member's result. */
    long targetBytes(int member, int members) {
        return switch (kind) {
            case BARRIER -> 0;
            case BROADCAST -> member == root ? 0 : lengths.length(0);
            case REDUCE -> member == root ? lengths.length(0) : 0;
            case ALLREDUCE, SCAN, EXCLUSIVE_SCAN -> lengths.length(0);
            case REDUCE_SCATTER, SCATTER -> lengths.length(member);
            case GATHER -> member == root ? lengths.total(members) : 0;
            case ALLGATHER -> lengths.total(members);
            case ALL_TO_ALL -> (received == null ? lengths : received).total(members);
        };
    }

    /** Returns the blocks of a result that has one for each member, otherwise null. */
    @Nullable
    Lengths targetBlocks() {
        return switch (kind) {
            case GATHER, ALLGATHER -> lengths;
            case ALL_TO_ALL -> received == null ? lengths : received;
            default -> null;
        };
    }

    @Override
    public String toString() {
        return (isSynchronous ? "synchronous " : "")
                + kind
                + (kind.isRooted() ? " of root " + root : "")
                + (kind == CollectiveKind.BARRIER
                        ? ""
                        : kind.isDivided() ? " of " + lengths : " of " + lengths.length(0) + " bytes")
                + (reduction == null ? "" : ", " + reduction);
    }
}
