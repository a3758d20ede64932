package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.collective.ProductCase.Placement;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.simulator.PlainCollective;
import org.segno.simulator.PlainRound;

/** One member of the cases of a {@link CollectiveProduct}, which compares all bytes of its memory after each round. */
final class ProductMember {
    /** Bytes of the window in which contributions and results are placed. */
    static final int WINDOW_BYTES = 1 << 20;

    private static final int ROUNDS = 2;
    private static final int LINE = 64;

    private final Geometry world;
    private final int self;
    private final Window window;
    private final Shared shared;
    private final MutableDirectBuffer found = new UnsafeBuffer(new byte[WINDOW_BYTES]);
    private final byte[] image = new byte[WINDOW_BYTES];

    /** State of all members of a job. */
    static final class Shared {
        /** Members are a case apart at most. */
        private static final int RECENT = 8;

        private final AtomicIntegerArray entered;
        private final long[] keys = new long[RECENT];
        private final @Nullable PlainRound[] rounds = new PlainRound[RECENT];

        Shared(int members) {
            entered = new AtomicIntegerArray(members);
        }

        /** Counts the entry of a member to a barrier. Returns the number of its entries. */
        int enter(int member) {
            return entered.incrementAndGet(member);
        }

        int entries(int member) {
            return entered.get(member);
        }

        /** Returns a round of a case, which the first member computes for all. */
        synchronized PlainRound round(ProductCase each, int round) {
            final long key = (long) each.number() * (ROUNDS + 1) + round;
            final int at = (int) (key % RECENT);
            final PlainRound known = rounds[at];
            if (known != null && keys[at] == key) {
                return known;
            }
            final PlainRound next = each.plain().round(round);
            keys[at] = key;
            rounds[at] = next;
            return next;
        }
    }

    ProductMember(WorldMember member, Shared shared) {
        PlainCollective.register(member.client());
        this.world = member.world();
        this.self = member.self();
        this.window = member.client().window(WINDOW_BYTES);
        this.shared = shared;
    }

    /**
     * Where a case has its data in the window.
     *
     * @param source offset of the contribution
     * @param target offset of the result
     * @param end of all
     */
    private record Places(int source, int target, int end) {}

    void check(ProductCase each) {
        world.hosts(each.namedHosts());
        final Call call = each.call(self);
        assertThat(world.algorithms(call)).contains(call.algorithm());
        if (call.kind() == CollectiveKind.BARRIER) {
            checkBarrier(call);
        } else if (each.place() == Placement.OWN) {
            checkOwn(each, call);
        } else {
            checkPlaced(each, call, places(each, call));
        }
    }

    private void checkBarrier(Call call) {
        try (Collective barrier = world.prepare(call, InProcessJob.deadline())) {
            for (int round = 1; round <= ROUNDS; round++) {
                final int entry = shared.enter(self);
                barrier.run(InProcessJob.deadline());
                for (int member = 0; member < world.size(); member++) {
                    assertThat(shared.entries(member))
                            .as("member %d in %s", member, barrier)
                            .isGreaterThanOrEqualTo(entry);
                }
            }
        }
    }

    private void checkOwn(ProductCase each, Call call) {
        final int targetBytes = (int) call.targetBytes(self, world.size());
        try (Collective collective = world.prepare(call, InProcessJob.deadline())) {
            for (int round = 1; round <= ROUNDS; round++) {
                final PlainRound plain = shared.round(each, round);
                if (call.sourceBytes(self, world.size()) > 0) {
                    copy(sourceBlocks(call), plain.contribution(self), collective.input(), 0);
                }
                collective.run(InProcessJob.deadline());
                final byte[] result = plain.result(self);
                if (result.length > 0) {
                    collective.output().getBytes(0, found, 0, targetBytes);
                    collective.output().getBytes(0, image, 0, targetBytes);
                    copy(call.targetBlocks(), result, new UnsafeBuffer(image), 0);
                    requireImage(each, round, targetBytes);
                }
            }
        }
    }

    private void checkPlaced(ProductCase each, Call unplaced, Places places) {
        final Call call = unplaced.from(window, places.source).into(window, places.target);
        final UnsafeBuffer expected = new UnsafeBuffer(image);
        try (Collective collective = world.prepare(call, InProcessJob.deadline())) {
            assertThat(collective.algorithm()).isEqualTo(call.algorithm());
            for (int round = 1; round <= ROUNDS; round++) {
                final PlainRound plain = shared.round(each, round);
                Arrays.fill(image, 0, places.end, (byte) (each.number() + round));
                copy(sourceBlocks(call), plain.contribution(self), expected, places.source);
                window.putBytes(0, expected, 0, places.end);
                collective.run(InProcessJob.deadline());
                copy(call.targetBlocks(), plain.result(self), expected, places.target);
                window.getBytes(0, found, 0, places.end);
                requireImage(each, round, places.end);
            }
        }
    }

    /** Returns the blocks of a contribution that has one for each member, otherwise null. */
    private static @Nullable Lengths sourceBlocks(Call call) {
        return switch (call.kind()) {
            case REDUCE_SCATTER, SCATTER, ALL_TO_ALL -> call.lengths();
            default -> null;
        };
    }

    /** Copies adjacent blocks to their offsets. */
    private void copy(@Nullable Lengths blocks, byte[] from, MutableDirectBuffer to, int base) {
        if (blocks == null || from.length == 0) {
            to.putBytes(base, from);
            return;
        }
        int at = 0;
        for (int member = 0; member < world.size(); member++) {
            final int length = (int) blocks.length(member);
            to.putBytes(base + (int) blocks.offset(member), from, at, length);
            at += length;
        }
    }

    /** Returns places with a line before, between and behind them, unless they are one. */
    private Places places(ProductCase each, Call call) {
        final int sourceBytes = (int) call.sourceBytes(self, world.size());
        final int targetBytes = (int) call.targetBytes(self, world.size());
        final boolean isOdd = each.place() == Placement.UNALIGNED;
        final int source = LINE + (isOdd ? 1 + 2 * self : 0);
        if (call.kind() == CollectiveKind.BROADCAST) {
            return new Places(source, source, source + sourceBytes + targetBytes + LINE);
        }
        if (each.place() != Placement.IN_PLACE) {
            final int target = (source + sourceBytes + 2 * LINE) / LINE * LINE + (isOdd ? 2 * self + 5 : 0);
            return new Places(source, target, target + targetBytes + LINE);
        }
        final int own = (int) call.lengths().offset(self);
        return switch (call.kind()) {
            case GATHER, ALLGATHER -> places(LINE + own, sourceBytes, LINE, targetBytes);
            case SCATTER -> places(LINE, sourceBytes, LINE + own, targetBytes);
            default -> places(LINE, sourceBytes, LINE, targetBytes);
        };
    }

    private static Places places(int source, int sourceBytes, int target, int targetBytes) {
        return new Places(source, target, Math.max(source + sourceBytes, target + targetBytes) + LINE);
    }

    private void requireImage(ProductCase each, int round, int bytes) {
        final int at = Arrays.mismatch(found.byteArray(), 0, bytes, image, 0, bytes);
        if (at >= 0) {
            throw new AssertionError(each + ", round " + round + " at member " + self + ": byte " + at + " of " + bytes
                    + " is " + found.getByte(at) + ", not " + image[at]);
        }
    }
}
