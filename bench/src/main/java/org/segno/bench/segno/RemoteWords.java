package org.segno.bench.segno;

import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.operation.Rmw;
import org.segno.status.Status;

/**
 * Words of the peer, one at a time: read by a REMOTE_GET or changed by an RMW, from the call until the word has arrived
 * and is read.
 *
 * <p>The peer does not access them meanwhile. The figure is the median of groups of {@value #GROUP}.
 */
final class RemoteWords implements Side {
    /** Operations on the word. */
    enum Kind {
        GET,
        FETCH_ADD
    }

    private static final int GROUP = 8;
    private static final int GROUP_LIMIT = 1 << 16;

    private final Role role;
    private final NodeEnd ends;
    private final Context context;
    private final Kind kind;
    private final InjectionCounter done;
    private final Rmw change;
    private final TimeHistogram groupTimes = new TimeHistogram();
    private long sum;

    RemoteWords(Role role, NodeEnd ends, Kind kind) {
        this.role = role;
        this.ends = ends;
        this.context = ends.context();
        this.kind = kind;
        this.done = ends.client().injectionCounter();
        this.change = new Rmw().fetchAdd(1).result(ends.outgoing(), 0).completes(done);
    }

    @Override
    public void enter() {
        ends.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        if (role == Role.ECHO) {
            return;
        }
        groupTimes.reset();
        final int groups = Math.max(1, Math.min(operations / GROUP, GROUP_LIMIT));
        for (int group = 0; group < groups; group++) {
            final long beginNs = System.nanoTime();
            for (int i = 0; i < GROUP; i++) {
                fetch();
            }
            groupTimes.record((System.nanoTime() - beginNs) / (double) GROUP);
        }
        figures.set(0, groupTimes.medianNs());
    }

    private void fetch() {
        done.expect(Long.BYTES);
        while (inject() == Status.BACK_PRESSURED) {
            ends.pause(context.advance(), 0);
        }
        int spins = 0;
        do {
            spins = ends.pause(context.advance(), spins);
        } while (done.valueAcquire() > 0);
        sum += ends.outgoing().buffer().getLong(0);
    }

    private long inject() {
        return kind == Kind.GET
                ? context.get(ends.target(), 0, ends.outgoing(), 0, Long.BYTES, done)
                : context.rmw(ends.target(), 0, change);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
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
