package org.segno.bench.segno;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Role;
import org.segno.context.Context;
import org.segno.context.PreparedPut;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Messages to one neighbour, the same in every round: PUTs to one counter or SENDs of 8 bytes. They are recorded as one
 * or several equal patterns, or injected one by one.
 */
final class Traffic implements AutoCloseable {
    /** Kinds of messages. */
    enum Kind {
        PUT,

        /** PUTs whose window, target and counters are checked once. */
        PREPARED_PUT,
        SEND
    }

    /**
     * Messages of one round.
     *
     * @param kind kind of all messages
     * @param count number of messages
     * @param size bytes of each
     */
    record Round(Kind kind, int count, int size) {}

    private static final int DISPATCH_ID = 1;
    private static final int DESCRIPTOR_LENGTH = 64;
    private static final int SMALLEST_BUFFER = 1 << 20;

    private final NodeEnd ends;
    private final Context context;
    private final Kind kind;
    private final int count;
    private final int size;
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[Long.BYTES]);
    private final PreparedPut prepared;
    private final Pattern[] patterns;
    private long received;
    private long awaited;
    private long sum;

    private Traffic(NodeEnd ends, Round round, int patternCount) {
        this.size = round.size;
        this.ends = ends;
        this.context = ends.context();
        this.kind = round.kind;
        this.count = round.count;
        this.prepared = context.preparePut(ends.target(), ends.outgoing(), null);
        this.patterns = new Pattern[patternCount];
        if (kind == Kind.SEND) {
            context.handler(DISPATCH_ID, this::onMessage);
        }
        context.barrier(NodeEnd.deadline());
        for (int id = 0; id < patternCount; id++) {
            patterns[id] = context.record(id, Rounds.ORDERED_BY_CALLER, this::injectOnce);
            expect();
            while (!isExecuted(patterns[id])) {
                context.advance();
            }
            receive();
        }
        context.barrier(NodeEnd.deadline());
    }

    /** Records one pattern at ends that other experiments use, too. They must have FIFOs and windows of its size. */
    static Traffic over(NodeEnd ends, Round round) {
        return new Traffic(ends, round, 1);
    }

    static Traffic open(Role role, Path directory, Threading threading, Round round, int patternCount) {
        final long patternBytes = (long) patternCount * round.count * DESCRIPTOR_LENGTH;
        final NodeConfig config = NodeConfig.defaults()
                .withFifoSlots(Math.max(1024, Integer.highestOneBit(round.count) * 2))
                .withPatternBufferBytes(Math.max(SMALLEST_BUFFER, patternBytes));
        final int windowBytes = Math.max(4096, round.count * round.size);
        return new Traffic(NodeEnd.open(role, directory, threading, config, windowBytes), round, patternCount);
    }

    private void onMessage(
            long origin, DirectBuffer buffer, int metadataOffset, int metadataLength, int offset, int length) {
        received++;
        sum += buffer.getLong(offset);
    }

    /** Injects every message, into a recording or one by one. */
    void injectOnce() {
        if (kind == Kind.PREPARED_PUT) {
            for (int i = 0; i < count; i++) {
                while (prepared.put((long) i * size, (long) i * size, size) == Status.BACK_PRESSURED) {
                    context.advance();
                }
            }
        } else if (kind == Kind.PUT) {
            for (int i = 0; i < count; i++) {
                while (context.put(ends.target(), (long) i * size, ends.outgoing(), (long) i * size, size)
                        == Status.BACK_PRESSURED) {
                    context.advance();
                }
            }
        } else {
            for (int i = 0; i < count; i++) {
                while (context.sendImmediate(ends.peer(), DISPATCH_ID, immediate, 0, Long.BYTES)
                        == Status.BACK_PRESSURED) {
                    context.advance();
                }
            }
        }
    }

    /** Starts one round of a pattern. */
    void replay(int pattern) {
        while (context.replay(patterns[pattern]) < 0) {
            context.advance();
        }
    }

    /** Sends one round of a pattern, and waits until it is executed. */
    void run(int pattern) {
        context.run(patterns[pattern], NodeEnd.deadline());
    }

    /** Expects one round from the peer. */
    void expect() {
        if (kind != Kind.SEND) {
            ends.counter().expect((long) count * size);
        } else {
            awaited += count;
        }
    }

    /** Waits until all expected messages have arrived. */
    void receive() {
        if (kind != Kind.SEND) {
            context.await(ends.counter(), NodeEnd.deadline());
        } else {
            int spins = 0;
            while (received < awaited) {
                spins = ends.pause(context.advance(), spins);
            }
        }
    }

    /** Executes all started messages. */
    void drain() {
        while (!context.isDrained()) {
            ends.pause(context.advance(), 0);
        }
    }

    private static boolean isExecuted(Pattern pattern) {
        return pattern.executedAcquire() >= pattern.generation();
    }

    Context context() {
        return context;
    }

    NodeEnd ends() {
        return ends;
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        ends.close();
    }
}
