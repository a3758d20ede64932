package org.segno.engine.dma;

import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.reuse.QuietCount;

/**
 * Executor of lone SENDs at their injection. Their messages do not wait for the next pass, and for the steps of a pass
 * that precede the execution of a descriptor.
 *
 * <p>The descriptor is complete in its slot, and the next visit to the FIFO passes it. Positions, the fill and the
 * order of the FIFO therefore mean the same for all descriptors.
 *
 * <p>At most one SEND is direct between two visits, and only if the last visit carried out a single descriptor. Those
 * of a stream share the publication of a batch.
 *
 * <p>The check of the target and the publication lie between the same two quiet points. An engine at rest is quiet, so
 * it sends nothing directly.
 */
final class DirectUnit extends DirectExecution {
    private final QuietCount quiet;
    private final SendUnit sends;
    private final Visit visit;

    /** FIFO of the SENDs that may be executed directly; null until the engine serves it. */
    private @Nullable InjectionFifoConsumer fifo;

    /** True from a direct SEND to the visit that passes it. */
    private boolean sent;

    /** Bytes of that SEND. */
    private long bytes;

    private ErrorHandler errors = failure -> {
        throw new IllegalStateException("nothing handles failures of direct execution", failure);
    };

    DirectUnit(QuietCount quiet, SendUnit sends, Visit visit) {
        this.quiet = quiet;
        this.sends = sends;
        this.visit = visit;
    }

    /** Sets the FIFO of the SENDs that may be executed directly. */
    void executeFrom(InjectionFifoConsumer own) {
        fifo = own;
    }

    /** Sets the handler of exceptions of the engine. The injecting call does not throw them. */
    void onError(ErrorHandler handler) {
        errors = handler;
    }

    @Override
    protected void execute(long position) {
        ready(false);
        final InjectionFifoConsumer from = fifo;
        if (from == null || quiet.isResting() || !from.isNext(position)) {
            return;
        }
        try {
            visit.begin(from);
            visit.load(from);
            sent = sends.tryOne(from.slot(position));
            bytes = from.service().quantumBytes() - visit.quantumBytes;
        } catch (RuntimeException | Error e) {
            errors.onError(e);
        }
    }

    /** Passes a direct SEND at the beginning of a visit. Returns the number of carried out descriptors. */
    int begin(InjectionFifoConsumer visited) {
        if (!sent || visited != fifo) {
            return 0;
        }
        sent = false;
        visited.advance(visited.head() + 1, 0);
        visit.moved(bytes);
        visit.records++;
        return 1;
    }

    /** Ends a visit that has carried out {@code count} descriptors. */
    void end(InjectionFifoConsumer visited, int count) {
        if (visited == fifo) {
            ready(count == 1);
        }
    }
}
