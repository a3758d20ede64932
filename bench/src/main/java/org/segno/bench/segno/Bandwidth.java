package org.segno.bench.segno;

import org.agrona.UnsafeApi;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.status.Status;

/**
 * Bandwidth of PUTs or REMOTE_GETs, one at a time, beside a plain copy of windows of the same size. The two alternate
 * within one slice. One operation is one transfer and one copy.
 */
final class Bandwidth implements Side {
    private static final int GROUP = 4;

    private final Role role;
    private final NodeEnd ends;
    private final Context context;
    private final InjectionCounter injected;
    private final int size;
    private final boolean gets;

    /** Creates one end, whose windows have {@code size} bytes. */
    Bandwidth(Role role, NodeEnd ends, int size, boolean gets) {
        this.gets = gets;
        this.role = role;
        this.ends = ends;
        this.context = ends.context();
        this.injected = ends.client().injectionCounter();
        this.size = size;
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
        final long source = ends.outgoing().buffer().addressOffset();
        final long target = ends.incoming().buffer().addressOffset();
        final int groups = Math.max(1, operations / GROUP);
        long transferNs = 0;
        long copyNs = 0;
        for (int group = 0; group < groups; group++) {
            final long beginNs = System.nanoTime();
            for (int i = 0; i < GROUP; i++) {
                transfer();
            }
            final long betweenNs = System.nanoTime();
            for (int i = 0; i < GROUP; i++) {
                UnsafeApi.copyMemory(source, target, size);
            }
            copyNs += System.nanoTime() - betweenNs;
            transferNs += betweenNs - beginNs;
        }
        figures.set(0, transferNs / (double) (groups * GROUP));
        figures.set(1, copyNs / (double) transferNs);
    }

    private long inject() {
        return gets
                ? context.get(ends.target(), 0, ends.outgoing(), 0, size, injected)
                : context.put(ends.target(), 0, ends.outgoing(), 0, size, injected);
    }

    private void transfer() {
        injected.expect(size);
        while (inject() == Status.BACK_PRESSURED) {
            ends.pause(context.advance(), 0);
        }
        while (injected.valueAcquire() > 0) {
            ends.pause(context.advance(), 0);
        }
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
