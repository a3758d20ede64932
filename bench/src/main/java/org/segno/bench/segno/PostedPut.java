package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.ParkedEcho;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.Transfer;
import org.segno.context.Context;
import org.segno.context.PreparedPut;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/**
 * PUTs of one size into the memory of a rank that has joined and sleeps: a PUT into mapped memory needs no thread of
 * its target. The caller sees that a PUT has landed by the position of its descriptor, or at an injection counter.
 */
final class PostedPut implements Transfer {
    /** Ways of the caller. */
    enum Kind {
        /** {@code put}, and {@code isCarriedOut} of its position. */
        POSITION("put"),

        /** {@code PreparedPut.put}, and {@code isCarriedOut} of its position. */
        PREPARED("prepared_put"),

        /** {@code expect} and {@code put} with an injection counter, and {@code await} of that. */
        COUNTER("counted_put");

        private final String test;

        Kind(String test) {
            this.test = test;
        }

        /** Returns the beginning of the names of its tests. */
        String test() {
            return test;
        }
    }

    /** Factory of the measurement of transfers. */
    @FunctionalInterface
    interface Measurement {
        Side of(Transfer transfer);
    }

    private static final int PAGE_LENGTH = 4096;

    private final NodeEnd ends;
    private final Context context;
    private final Target target;
    private final Window source;
    private final PreparedPut prepared;
    private final @Nullable InjectionCounter counter;
    private final Kind kind;
    private final int size;
    private final boolean invoked;
    private long last = -1;
    private long deadlineNs;

    private PostedPut(NodeEnd ends, Threading threading, Kind kind, int size) {
        this.ends = ends;
        this.context = ends.context();
        this.target = ends.target();
        this.source = ends.outgoing();
        this.prepared = context.preparePut(target, source, null);
        this.counter = kind == Kind.COUNTER ? ends.client().injectionCounter() : null;
        this.kind = kind;
        this.size = size;
        this.invoked = threading == Threading.INVOKER;
        source.buffer().setMemory(0, size, (byte) 1);
    }

    static Side open(Role role, Path directory, Threading threading, Kind kind, int size, Measurement measurement)
            throws IOException {
        final LentCore core = LentCore.share(role, directory);
        final NodeEnd ends = NodeEnd.toParked(role, directory, threading, core, Math.max(PAGE_LENGTH, size));
        return new ParkedEcho(role, measurement.of(new PostedPut(ends, threading, kind, size)), core);
    }

    @Override
    public void enter() {
        deadlineNs = NodeEnd.deadline();
        ends.enter();
    }

    @Override
    public void start(int count) {
        for (int i = 0; i < count; i++) {
            put();
        }
    }

    @Override
    public void await() {
        if (counter != null) {
            context.await(counter, deadlineNs);
            return;
        }
        int spins = 0;
        do {
            spins = ends.pause(invoked ? context.advance() : 0, spins);
        } while (!context.isCarriedOut(last));
    }

    @Override
    public void oneByOne(int count) {
        for (int i = 0; i < count; i++) {
            put();
            await();
        }
    }

    private void put() {
        if (counter != null) {
            counter.expect(size);
        }
        long position = inject();
        while (position == Status.BACK_PRESSURED) {
            ends.pause(context.advance(), 0);
            position = inject();
        }
        last = position;
    }

    private long inject() {
        return kind == Kind.PREPARED ? prepared.put(0, 0, size) : context.put(target, 0, source, 0, size, counter);
    }

    @Override
    public void leave() {
        ends.leave();
    }

    @Override
    public void close() {
        ends.close();
    }
}
