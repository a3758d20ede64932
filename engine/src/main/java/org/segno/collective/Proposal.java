package org.segno.collective;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;

/**
 * Flyweight over the proposal of a member for a new collective or a new geometry.
 *
 * <pre>
 *  offset  length  field      meaning
 *       0       8  step       what the member does: a kind of collective, REPEATED + a kind, or a step of a
 *                             geometry; FAILED; 0 before it has arrived
 *       8       4  root       root, colour, or host
 *      12       4  closeable  number of a recorded collective that may be closed to make room; 0 for none
 *      16       8  bytes      bytes of one block, the key in a split, or the contexts of a new geometry
 *      24       8  lengths    digest of the blocks' lengths, or of the list of members
 *      32       8  reduction  key of the reduction, or 0
 *      40       8  algorithm  hash of the algorithm's name
 *      48       8  count      number of inlets, bytes of the reason, or number of the collective that is repeated
 *      56       4  flags      1: no data move before all have begun; 2: the rounds may be compared;
 *                             4: all creators have proposed the same; 8: the operator is not commutative
 *      60       4  rounds     number of rounds of the geometry that the member has started, modulo 2^32
 *      64     192  inlets   id and incarnation of each as ints, the id -1 if there is none; or the reason, UTF-8
 *     256          LENGTH
 * </pre>
 *
 * <p>Written by its member, and copied to all others by a put. A member's own slot among those of the others never
 * receives one; {@link StartedRounds} and {@link FailedRounds} use it.
 */
final class Proposal {
    static final int LENGTH = 256;

    /** Maximum number of inlets. */
    static final int INLETS = 24;

    /** Step of a member that cannot take part. */
    private static final long FAILED = -1;

    /** Step of a member that has no room, and proposes to close a recorded collective. */
    private static final long NO_ROOM = -2;

    /** Step of a member that creates a geometry. */
    static final long CREATE = 100;

    /** Step of a member that divides a geometry. */
    static final long SPLIT = 101;

    /** Step of a member that has opened its part of a divided geometry. */
    static final long JOIN = 102;

    /** Step of a member that has recorded the agreed collective. */
    static final long RECORDED = 103;

    /** Step of a member that calls an all-to-all with blocks of different lengths. */
    static final long EXCHANGE = 104;

    /** Added to the step of a member that starts another round of a collective. */
    private static final long REPEATED = 1L << Integer.SIZE;

    private static final int STEP_OFFSET = 0;
    private static final int ROOT_OFFSET = 8;
    private static final int CLOSEABLE_OFFSET = 12;
    private static final int BYTES_OFFSET = 16;
    private static final int LENGTHS_OFFSET = 24;
    private static final int REDUCTION_OFFSET = 32;
    private static final int ALGORITHM_OFFSET = 40;
    private static final int COUNT_OFFSET = 48;
    private static final int FLAGS_OFFSET = 56;
    private static final int ROUNDS_OFFSET = 60;
    private static final int INLETS_OFFSET = 64;
    private static final int REASON_BYTES = LENGTH - INLETS_OFFSET;
    private static final int SYNCHRONOUS = 1;
    private static final int COMPARABLE = 2;
    private static final int VERIFIED = 4;
    private static final int ORDERED = 8;

    private Proposal() {}

    /** Writes a step without anything else. */
    static void step(MutableDirectBuffer to, long step) {
        to.setMemory(0, LENGTH, (byte) 0);
        to.putLong(STEP_OFFSET, step);
    }

    /** Writes the creation of a geometry, by a member on a host with a number of contexts. */
    static void create(MutableDirectBuffer to, int contexts, int host, Members members) {
        step(to, CREATE);
        to.putLong(LENGTHS_OFFSET, members.digest());
        to.putLong(BYTES_OFFSET, contexts);
        to.putInt(ROOT_OFFSET, host);
    }

    /**
     * Adds what a creation without another geometry needs, also to a failure.
     *
     * @param digest of the members without their order
     * @param pair of the agreement
     */
    static void creator(MutableDirectBuffer to, long digest, CounterPair pair) {
        to.putLong(REDUCTION_OFFSET, digest);
        to.putInt(ALGORITHM_OFFSET, pair.id());
        to.putInt(ALGORITHM_OFFSET + Integer.BYTES, pair.incarnation());
    }

    static long creatorDigest(DirectBuffer from) {
        return from.getLong(REDUCTION_OFFSET);
    }

    /** Marks that all have proposed the same. */
    static void verified(MutableDirectBuffer to) {
        to.putInt(FLAGS_OFFSET, VERIFIED);
    }

    static boolean isVerified(DirectBuffer from) {
        return from.getInt(FLAGS_OFFSET) == VERIFIED;
    }

    /** Returns the pair of the agreement of a member that creates a geometry. */
    static Target creatorPair(DirectBuffer from, int rank) {
        final int incarnation = from.getInt(ALGORITHM_OFFSET + Integer.BYTES);
        return new Target(rank, from.getInt(ALGORITHM_OFFSET), incarnation, Long.MAX_VALUE, true);
    }

    /**
     * Writes a step with a colour and a key.
     *
     * @param list number by which members compare their lists; 0 if each has its own colour and key
     */
    static void split(MutableDirectBuffer to, int colour, int key, long list) {
        step(to, SPLIT);
        to.putLong(LENGTHS_OFFSET, list);
        to.putInt(ROOT_OFFSET, colour);
        to.putLong(BYTES_OFFSET, key);
    }

    /** Writes the failure of this member. */
    static void failed(MutableDirectBuffer to, String reason) {
        reason(to, FAILED, reason);
    }

    /** Writes that this member has no room. */
    static void noRoom(MutableDirectBuffer to, String reason) {
        reason(to, NO_ROOM, reason);
    }

    /** Adds the number of the recorded collective that this member would close to make room; 0 for none. */
    static void closeable(MutableDirectBuffer to, long number) {
        to.putInt(CLOSEABLE_OFFSET, (int) number);
    }

    /** Returns that number. */
    static int closeable(DirectBuffer from) {
        return from.getInt(CLOSEABLE_OFFSET);
    }

    /** Returns true for the proposal of a member that cannot take part. */
    static boolean isFailed(DirectBuffer from) {
        return stepOf(from) == FAILED || isWithoutRoom(from);
    }

    static boolean isWithoutRoom(DirectBuffer from) {
        return stepOf(from) == NO_ROOM;
    }

    private static void reason(MutableDirectBuffer to, long step, String reason) {
        step(to, step);
        final byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(text.length, REASON_BYTES);
        to.putLong(COUNT_OFFSET, length);
        to.putBytes(INLETS_OFFSET, text, 0, length);
    }

    /** Writes a call, which this member carries out by {@code part}, or by it and others of the same algorithm. */
    static void call(MutableDirectBuffer to, Call call, Part part) {
        final Reduction reduction = call.reduction();
        final Shape shape = part.schedule().shape();
        step(to, call.received() == null ? call.kind().code() : EXCHANGE);
        to.putInt(ROOT_OFFSET, call.root());
        if (call.received() == null) {
            to.putLong(BYTES_OFFSET, call.lengths().length(0));
            to.putLong(LENGTHS_OFFSET, call.lengths().digest(shape.members()));
        }
        to.putLong(REDUCTION_OFFSET, reduction == null ? 0 : reduction.key());
        to.putLong(ALGORITHM_OFFSET, part.algorithm().name().hashCode());
        to.putInt(FLAGS_OFFSET, (call.isSynchronous() ? SYNCHRONOUS : 0) | (shape.isOrdered() ? ORDERED : 0));
    }

    /** Writes another round of the collective with this number in the order of recordings. */
    static void repeat(MutableDirectBuffer to, Call call, Part part, long number) {
        call(to, call, part);
        to.putLong(STEP_OFFSET, stepOf(to) + REPEATED);
        to.putLong(COUNT_OFFSET, number);
    }

    /** Removes the proposal of the last round but one from a slot, so that it can be seen when the next one arrives. */
    static void clear(MutableDirectBuffer slot) {
        slot.putLong(STEP_OFFSET, 0);
    }

    /** Adds the inlets of this member. */
    static void inlets(MutableDirectBuffer to, List<@Nullable CounterPair> pairs) {
        if (pairs.size() > INLETS) {
            throw new IllegalStateException("a schedule has at most " + INLETS + " inlets: inlets=" + pairs.size());
        }
        to.putLong(COUNT_OFFSET, pairs.size());
        for (int i = 0; i < pairs.size(); i++) {
            final CounterPair pair = pairs.get(i);
            to.putInt(INLETS_OFFSET + i * Long.BYTES, pair == null ? -1 : pair.id());
            to.putInt(INLETS_OFFSET + i * Long.BYTES + Integer.BYTES, pair == null ? 0 : pair.incarnation());
        }
    }

    /** Adds the number of rounds that this member has started, if others may compare it. */
    static void rounds(MutableDirectBuffer to, long rounds, boolean areComparable) {
        to.putInt(FLAGS_OFFSET, (to.getInt(FLAGS_OFFSET) & (SYNCHRONOUS | ORDERED)) | (areComparable ? COMPARABLE : 0));
        to.putInt(ROUNDS_OFFSET, (int) rounds);
    }

    /** Returns how many of the first {@code rounds} a member had not started, if that may be compared; otherwise 0. */
    static int missing(DirectBuffer from, long rounds) {
        return (from.getInt(FLAGS_OFFSET) & COMPARABLE) == 0
                ? 0
                : Math.max(0, (int) rounds - from.getInt(ROUNDS_OFFSET));
    }

    private static boolean isOrdered(DirectBuffer from) {
        return (from.getInt(FLAGS_OFFSET) & ORDERED) != 0;
    }

    private static boolean isSynchronous(DirectBuffer from) {
        return (from.getInt(FLAGS_OFFSET) & SYNCHRONOUS) != 0;
    }

    static long stepOf(DirectBuffer from) {
        return from.getLong(STEP_OFFSET);
    }

    static int colour(DirectBuffer from) {
        return from.getInt(ROOT_OFFSET);
    }

    /** Returns the host of a member that creates a geometry. */
    static int host(DirectBuffer from) {
        return from.getInt(ROOT_OFFSET);
    }

    static int key(DirectBuffer from) {
        return (int) from.getLong(BYTES_OFFSET);
    }

    /** Returns the reason for which a member has failed. */
    static String reason(DirectBuffer from) {
        final byte[] text = new byte[(int) Math.max(0, Math.min(REASON_BYTES, from.getLong(COUNT_OFFSET)))];
        from.getBytes(INLETS_OFFSET, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** Returns the inlets of a member as targets. Those that it does not have are nowhere. */
    static Target[] targets(DirectBuffer from, int rank) {
        final int count = (int) Math.max(0, Math.min(INLETS, from.getLong(COUNT_OFFSET)));
        final Target[] targets = new Target[count];
        for (int i = 0; i < count; i++) {
            final int id = from.getInt(INLETS_OFFSET + i * Long.BYTES);
            final int incarnation = from.getInt(INLETS_OFFSET + i * Long.BYTES + Integer.BYTES);
            targets[i] = id < 0 ? Target.nowhere() : new Target(rank, id, incarnation, Long.MAX_VALUE, true);
        }
        return targets;
    }

    /** Returns how a proposal differs from another one, or null if both describe the same call. */
    static @Nullable String difference(DirectBuffer one, DirectBuffer other) {
        if (one.getLong(STEP_OFFSET) != other.getLong(STEP_OFFSET)) {
            return describe(one) + ", not " + step(other);
        }
        if (stepOf(one) == SPLIT) {
            return one.getLong(LENGTHS_OFFSET) == other.getLong(LENGTHS_OFFSET)
                    ? null
                    : "chooses other members, not the same";
        }
        if (stepOf(one) == CREATE && one.getLong(LENGTHS_OFFSET) != other.getLong(LENGTHS_OFFSET)) {
            return "gives the members in another order, not the same";
        }
        if (stepOf(one) == CREATE) {
            return one.getLong(BYTES_OFFSET) == other.getLong(BYTES_OFFSET)
                    ? null
                    : "has " + one.getLong(BYTES_OFFSET) + " contexts, not " + other.getLong(BYTES_OFFSET);
        }
        final String what = describe(one) + " with ";
        if (one.getInt(ROOT_OFFSET) != other.getInt(ROOT_OFFSET)) {
            return what + "root " + one.getInt(ROOT_OFFSET) + ", not " + other.getInt(ROOT_OFFSET);
        }
        if (one.getLong(BYTES_OFFSET) != other.getLong(BYTES_OFFSET)) {
            return what + one.getLong(BYTES_OFFSET) + " bytes, not " + other.getLong(BYTES_OFFSET);
        }
        if (one.getLong(LENGTHS_OFFSET) != other.getLong(LENGTHS_OFFSET)) {
            return what + "other lengths of the blocks";
        }
        if (one.getLong(REDUCTION_OFFSET) != other.getLong(REDUCTION_OFFSET)) {
            return what + Reduction.describe(one.getLong(REDUCTION_OFFSET)) + ", not "
                    + Reduction.describe(other.getLong(REDUCTION_OFFSET));
        }
        if (isOrdered(one) != isOrdered(other)) {
            return what + "an operator that is " + (isOrdered(one) ? "not " : "")
                    + "declared commutative, not one that is" + (isOrdered(one) ? "" : " not");
        }
        if (isSynchronous(one) != isSynchronous(other)) {
            return describe(one) + (isSynchronous(one) ? " synchronously" : " asynchronously") + ", not";
        }
        if (one.getLong(ALGORITHM_OFFSET) != other.getLong(ALGORITHM_OFFSET)) {
            return what + "algorithm " + algorithm(one) + ", not " + algorithm(other);
        }
        return stepOf(one) < REPEATED || one.getLong(COUNT_OFFSET) == other.getLong(COUNT_OFFSET)
                ? null
                : describe(one) + " that was recorded as number " + one.getLong(COUNT_OFFSET) + ", not "
                        + other.getLong(COUNT_OFFSET);
    }

    private static String algorithm(DirectBuffer proposal) {
        final long hash = proposal.getLong(ALGORITHM_OFFSET);
        return Arrays.stream(CollectiveKind.values())
                .flatMap(kind -> Algorithms.of(kind).stream())
                .map(Algorithm::name)
                .filter(name -> name.hashCode() == hash)
                .findFirst()
                .orElse("of another version");
    }

    /** Returns true for a proposal that has all arguments of a call. */
    static boolean isWhole(DirectBuffer proposal) {
        return !isFailed(proposal) && stepOf(proposal) != EXCHANGE;
    }

    /** Describes what a member does. */
    static String describe(DirectBuffer proposal) {
        return "calls " + step(proposal);
    }

    private static String step(DirectBuffer proposal) {
        if (stepOf(proposal) > REPEATED) {
            return "another round of a recorded " + step(stepOf(proposal) - REPEATED);
        }
        return step(stepOf(proposal));
    }

    private static String step(long step) {
        if (step == CREATE) {
            return "create";
        }
        if (step == EXCHANGE) {
            return "all-to-all with lengths";
        }
        if (step == SPLIT || step == JOIN) {
            return "split";
        }
        if (step == FAILED || step == NO_ROOM) {
            return "something in which it cannot take part";
        }
        return CollectiveKind.nameOf(step);
    }
}
