package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Patterns that are recorded, replayed with new payload as soon as their last round is executed, and recorded again
 * over the sections of those that were closed.
 */
final class ReplayWorkload implements Workload {
    private static final int PATTERNS = 3;
    private static final int ROUNDS = 5;
    private static final int SENDS = 3;
    private static final int ID = 9;
    private static final int PAYLOAD = 48;
    private static final int LANES = 2;

    /** One section more than patterns, all of equal length, so that a section is free or none. */
    private static final int SECTIONS = LANES + 1;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small()
                .patternSlots(SECTIONS * SENDS)
                .patterns(2)
                .runSlots(2)
                .windowBytes(4096)
                .dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window source = nodes.client(0).window(LANES * SENDS * PAYLOAD);
        final Reader reader = new Reader(nodes);
        for (int lane = 0; lane < LANES; lane++) {
            final int from = lane;
            nodes.context(1)
                    .handler(
                            ID + lane,
                            (origin, buffer, m, ml, p, pl) -> reader.onMessage(from, Endpoint.task(origin), m, p));
        }
        final boolean closes = chance.nextBoolean();
        return List.of(
                nodes.application(() -> new Replayer(nodes, source, closes).run()),
                nodes.engine(0),
                nodes.application(reader::read));
    }

    private static long content(int lane, long number, int index) {
        return 1_000_000L * lane + 100L * number + index + 1;
    }

    private static final class Replayer {
        private final WeakNodes nodes;
        private final Window source;
        private final boolean closes;
        private final Message message = new Message();
        private final UnsafeBuffer kind = new UnsafeBuffer(new byte[8]);
        private final long[] sent = new long[LANES];

        Replayer(WeakNodes nodes, Window source, boolean closes) {
            this.nodes = nodes;
            this.source = source;
            this.closes = closes;
        }

        /** Runs two patterns in turn: starts a round of one while a round of the other is pending. */
        void run() {
            for (int generation = 0; generation < PATTERNS; generation++) {
                final Pattern[] patterns = new Pattern[LANES];
                for (int lane = 0; lane < LANES; lane++) {
                    patterns[lane] = record(lane);
                }
                for (int round = 1; round < ROUNDS; round++) {
                    for (int lane = 0; lane < LANES; lane++) {
                        awaitComplete(patterns[lane]);
                        write(lane);
                        replay(patterns[lane]);
                    }
                }
                for (int lane = 0; lane < LANES; lane++) {
                    awaitComplete(patterns[lane]);
                    if (closes) {
                        patterns[lane].close();
                    }
                    nodes.require(patterns[lane].errorAcquire() == 0, "a round was refused");
                }
            }
        }

        private Pattern record(int lane) {
            write(lane);
            final Context context = nodes.context(0);
            Pattern recorded = null;
            while (recorded == null) {
                try {
                    recorded = context.record(lane, Rounds.ORDERED_BY_CALLER, () -> sendAll(lane));
                } catch (IllegalStateException notYet) {
                    // The sections of others are not free yet: nothing was sent.
                    nodes.require(sent[lane] % SENDS == 0, notYet.toString());
                    nodes.pause();
                }
            }
            return recorded;
        }

        private void sendAll(int lane) {
            for (int i = 0; i < SENDS; i++) {
                kind.putLong(0, i);
                message.to(1, ID + lane)
                        .metadata(kind, 0, 8)
                        .payload(source, (long) (lane * SENDS + i) * PAYLOAD, PAYLOAD);
                nodes.context(0).send(message);
            }
        }

        private void write(int lane) {
            final Memory arena = nodes.node(0).arena();
            for (int i = 0; i < SENDS; i++) {
                for (int j = 0; j < PAYLOAD; j += Long.BYTES) {
                    arena.putLong(
                            source.base() + (long) (lane * SENDS + i) * PAYLOAD + j, content(lane, sent[lane], j));
                }
                sent[lane]++;
            }
        }

        private void awaitComplete(Pattern pattern) {
            while (!pattern.isComplete()) {
                nodes.pause();
            }
        }

        private void replay(Pattern pattern) {
            while (nodes.context(0).replay(pattern) < 0) {
                nodes.pause();
            }
        }
    }

    private static final class Reader {
        private final WeakNodes nodes;
        private final long[] received = new long[LANES];

        Reader(WeakNodes nodes) {
            this.nodes = nodes;
        }

        void read() {
            while (received[0] + received[1] < (long) LANES * PATTERNS * ROUNDS * SENDS) {
                if (nodes.context(1).advance() == 0) {
                    nodes.pause();
                }
            }
        }

        void onMessage(int lane, int origin, int metadataOffset, int payloadOffset) {
            final NodeMemory node = nodes.node(1);
            final long at = node.laneOffset(0, origin);
            final long number = received[lane]++;
            final long kind = node.peers().getLong(at + metadataOffset);
            nodes.require(kind == number % SENDS, "send # of lane # where # is next", kind, lane, number % SENDS);
            for (int j = 0; j < PAYLOAD; j += Long.BYTES) {
                final long found = node.peers().getLong(at + payloadOffset + j);
                nodes.require(found == content(lane, number, j), "send # of lane # holds #", number, lane, found);
            }
        }
    }
}
