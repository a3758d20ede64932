package org.segno.bench.segno;

import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;
import org.segno.status.Status;

/**
 * PUTs of one range after the other. The receiver replies to each with a PUT of one word, and the sender waits for it.
 * One operation is one range and its reply.
 */
final class AnsweredPut implements Side {
    private final Role role;
    private final NodeEnd ends;
    private final Context context;
    private final int size;

    AnsweredPut(Role role, NodeEnd ends, int size) {
        this.role = role;
        this.ends = ends;
        this.context = ends.context();
        this.size = size;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final long beginNs = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            if (role == Role.ORIGIN) {
                put(size);
                receive(Long.BYTES);
            } else {
                receive(size);
                put(Long.BYTES);
            }
        }
        figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
    }

    private void put(int bytes) {
        while (context.put(ends.target(), 0, ends.outgoing(), 0, bytes) == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.advance();
    }

    private void receive(int bytes) {
        ends.counter().expect(bytes);
        context.await(ends.counter(), NodeEnd.deadline());
    }

    @Override
    public void close() {
        ends.close();
    }
}
