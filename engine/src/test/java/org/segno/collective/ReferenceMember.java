package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;

/** One member, which compares results with a reference. Long values are {@code value(member, index, round)}. */
final class ReferenceMember {
    private static final int OPERATOR = 5;

    /** Composition of functions, which is not commutative. */
    static final Reduction AFFINE = Reduction.of(ElementType.LONG_PAIR, OPERATOR);

    private static final int ROUNDS = 3;
    private static final int GUARD = 64;
    private static final int PASSES = 4;

    private final Geometry world;
    private final int self;
    private final int size;
    private final Window memory;
    private final long half;
    private final Random chance;
    private int cases;
    private int parts;

    ReferenceMember(Client client, Context... contexts) {
        client.operator(OPERATOR, new Affine());
        this.world = Geometry.world(client, contexts, "all", InProcessJob.deadline());
        this.self = world.self();
        this.size = world.size();
        this.half = 1 << 19;
        this.chance = new Random(self);
        this.memory = client.window(2 * half);
    }

    /** Composition of functions x -> a x + b, given as pairs of longs: associative, not commutative. */
    static final class Affine implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            for (int i = 0; i < count * 2 * Long.BYTES; i += 2 * Long.BYTES) {
                final long a = left.getLong(i);
                final long b = left.getLong(i + Long.BYTES);
                final long c = right.getLong(i);
                final long d = right.getLong(i + Long.BYTES);
                result.putLong(i, a * c);
                result.putLong(i + Long.BYTES, a * d + b);
            }
        }

        @Override
        public boolean isCommutative() {
            return false;
        }
    }

    static long value(int member, long index, long round) {
        return member * 1_000_003L + index * 10_007L + round * 101L + 3;
    }

    Geometry world() {
        return world;
    }

    /** Returns the number of collectives that were compared. */
    int cases() {
        return cases;
    }

    /** Returns the largest number of parts of a collective. */
    int parts() {
        return parts;
    }

    /** Compares a few rounds of a call by each of its algorithms. */
    void check(Call call, boolean inPlace) {
        for (final String algorithm : world.algorithms(call)) {
            check(call.by(algorithm), inPlace, ROUNDS);
        }
    }

    /** Compares rounds of a call by an algorithm. No member waits for another one between them. */
    void check(Call unplaced, boolean inPlace, int rounds) {
        final long sourceBytes = unplaced.sourceBytes(self, size);
        final long targetBytes = unplaced.targetBytes(self, size);
        final long targetAt = inPlace ? 0 : half + GUARD;
        final Call call = unplaced.kind() == CollectiveKind.BROADCAST
                ? unplaced.in(memory, targetAt)
                : unplaced.from(memory, sourceAt(unplaced, inPlace)).into(memory, targetAt);
        final long guarded =
                call.kind() == CollectiveKind.BROADCAST ? call.lengths().length(0) : targetBytes;
        try (Collective collective = world.prepare(call, InProcessJob.deadline())) {
            assertThat(collective.algorithm()).isEqualTo(unplaced.algorithm());
            parts = Math.max(parts, collective.parts());
            for (int round = 1; round <= rounds; round++) {
                guard(targetAt, guarded);
                for (long i = 0; i < sourceBytes; i += Long.BYTES) {
                    memory.putLong(call.sourceOffset() + i, value(self, i / Long.BYTES, round));
                }
                if (rounds > ROUNDS) {
                    drift();
                }
                collective.run(InProcessJob.deadline());
                verify(call, targetAt, targetBytes, round);
                verifyGuard(call, targetAt, guarded);
            }
        }
        cases++;
    }

    /** Lets other members run ahead now and then. */
    private void drift() {
        for (int i = chance.nextInt(2 * PASSES); i > PASSES; i--) {
            WorldMember.yieldCore();
        }
    }

    private long sourceAt(Call call, boolean inPlace) {
        return switch (call.kind()) {
            case GATHER, ALLGATHER -> inPlace ? call.lengths().offset(self) : 0;
            default -> 0;
        };
    }

    private void guard(long at, long bytes) {
        if (at != 0) {
            memory.putLong(at - Long.BYTES, -1);
            memory.putLong(at + bytes, -2);
        }
    }

    private void verify(Call call, long at, long bytes, int round) {
        for (long i = 0; i < bytes; i += Long.BYTES) {
            if ((call.kind() == CollectiveKind.EXCLUSIVE_SCAN && self == 0)
                    || (call.targetBlocks() != null && owner(call.lengths(), i) < 0)) {
                continue;
            }
            final long expected = expected(call, i, round);
            if (memory.getLong(at + i) != expected) {
                // There are millions of words: an assertion for each would take most of the time.
                assertThat(memory.getLong(at + i))
                        .as("%s at member %d, byte %d of round %d", call, self, i, round)
                        .isEqualTo(expected);
            }
        }
    }

    private void verifyGuard(Call call, long at, long bytes) {
        if (at != 0) {
            assertThat(memory.getLong(at - Long.BYTES)).as("before %s", call).isEqualTo(-1);
            assertThat(memory.getLong(at + bytes)).as("behind %s", call).isEqualTo(-2);
        }
    }

    private long expected(Call call, long offset, int round) {
        final Lengths lengths = call.lengths();
        final long index = offset / Long.BYTES;
        return switch (call.kind()) {
            case BARRIER -> throw new AssertionError();
            case BROADCAST -> value(call.root(), index, round);
            case REDUCE, ALLREDUCE -> combined(call, index, round, size);
            case SCAN -> combined(call, index, round, self + 1);
            case EXCLUSIVE_SCAN -> combined(call, index, round, self);
            case REDUCE_SCATTER -> combined(call, (lengths.offset(self) + offset) / Long.BYTES, round, size);
            case SCATTER -> value(call.root(), (lengths.offset(self) + offset) / Long.BYTES, round);
            case GATHER, ALLGATHER -> {
                final int from = owner(lengths, offset);
                yield value(from, (offset - lengths.offset(from)) / Long.BYTES, round);
            }
            case ALL_TO_ALL -> {
                final int from = owner(lengths, offset);
                yield value(from, (lengths.offset(self) + offset - lengths.offset(from)) / Long.BYTES, round);
            }
        };
    }

    private int owner(Lengths lengths, long offset) {
        for (int member = 0; member < size; member++) {
            final long at = offset - lengths.offset(member);
            if (at >= 0 && at < lengths.length(member)) {
                return member;
            }
        }
        return -1;
    }

    private long combined(Call call, long index, int round, int members) {
        if (Objects.equals(call.reduction(), AFFINE)) {
            final long pair = index & ~1L;
            long a = value(0, pair, round);
            long b = value(0, pair + 1, round);
            for (int member = 1; member < members; member++) {
                b = a * value(member, pair + 1, round) + b;
                a *= value(member, pair, round);
            }
            return (index & 1) == 0 ? a : b;
        }
        long sum = 0;
        for (int member = 0; member < members; member++) {
            sum += value(member, index, round);
        }
        return sum;
    }
}
