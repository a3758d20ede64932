package org.segno.bench.segno;

import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.memory.InjectionCounter;
import org.segno.status.Status;

/**
 * Delivery of a range that the application has written, one at a time: by a loan, which is claimed and published, or by
 * a put, which copies it. Measured from the call until the peer's counter is counted down.
 *
 * <p>The application writes one word of each range, so that the figures do not contain its writing. The figure is the
 * median of groups of {@value #GROUP}.
 */
final class RangeDelivery implements Side {
    private static final int GROUP = 8;
    private static final int GROUP_LIMIT = 1 << 16;

    private final Role role;
    private final NodeEnd ends;
    private final Context context;
    private final InjectionCounter done;
    private final Loan loan;
    private final int size;
    private final boolean loans;
    private final TimeHistogram groupTimes = new TimeHistogram();
    private long count;

    /** Creates one end, whose windows have {@code size} bytes. */
    RangeDelivery(Role role, NodeEnd ends, int size, boolean loans) {
        this.role = role;
        this.ends = ends;
        this.context = ends.context();
        this.done = ends.client().injectionCounter();
        this.loan = context.loan();
        this.size = size;
        this.loans = loans;
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
                deliver();
            }
            groupTimes.record((System.nanoTime() - beginNs) / (double) GROUP);
        }
        figures.set(0, groupTimes.medianNs());
    }

    private void deliver() {
        done.expect(size);
        if (loans) {
            claim();
            loan.buffer().putLong(0, ++count);
        } else {
            ends.outgoing().buffer().putLong(0, ++count);
        }
        while (inject() == Status.BACK_PRESSURED) {
            ends.pause(context.advance(), 0);
        }
        int spins = 0;
        do {
            spins = ends.pause(context.advance(), spins);
        } while (done.valueAcquire() > 0);
    }

    private void claim() {
        while (loan.claim(ends.target(), 0, size) == Status.BACK_PRESSURED) {
            ends.pause(context.advance(), 0);
        }
    }

    private long inject() {
        return loans ? loan.publish(done) : context.put(ends.target(), 0, ends.outgoing(), 0, size, done);
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
