package org.segno.context;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.segno.fifo.InjectionFifoProducer;

/** The further injection FIFOs of a context, which share its slots and its rules. The thread that holds the context, but for {@link #close}. */
final class FifoSet {
    private final NodeShare share;
    private final Context context;
    private final Reception reception;
    private final int index;
    private final List<InjectionFifo> opened = new CopyOnWriteArrayList<>();

    FifoSet(NodeShare share, Context context, Reception reception, int index) {
        this.share = share;
        this.context = context;
        this.reception = reception;
        this.index = index;
    }

    InjectionFifo open() {
        context.requireOpen();
        final int number = opened.size() + 1;
        final int limit = share.node().layout().dimensions().fifos();
        if (number >= limit) {
            throw new IllegalStateException(
                    "all " + limit + " injection FIFOs of the context are open: raise NodeConfig.withFifos");
        }
        final InjectionFifo fifo =
                new InjectionFifo(share, context, InjectionFifoProducer.open(share.node(), index, number), number);
        opened.add(fifo);
        return fifo;
    }

    /** Has {@code event} run when the threshold of FIFO {@code number} was crossed. */
    void onThreshold(int number, Runnable event) {
        reception.onFifoEvent(number, event);
    }

    boolean areEmpty() {
        for (int i = 0; i < opened.size(); i++) {
            if (!opened.get(i).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Throws unless the slots of {@code fifo} are its alone among those that are served. */
    void requireSlots(InjectionFifo fifo) {
        if (fifo.overlaps(context.fifo)) {
            throw new IllegalStateException(fifo + " has slots of the context's own FIFO");
        }
        for (final InjectionFifo other : opened) {
            if (!other.equals(fifo) && other.isInUse() && fifo.overlaps(other.fifo)) {
                throw new IllegalStateException(fifo + " has slots of " + other + ", which is active: deactivate that");
            }
        }
    }

    /** Any thread: nothing is injected through any of them from now on. */
    void close(String reason) {
        opened.forEach(fifo -> fifo.endInjection(reason));
    }

    /** Throws in a handler, and inside a recording. */
    void requireInjection(InjectionFifo through) {
        if (context.inHandler) {
            throw new IllegalStateException("a handler cannot send through " + through + ": note what to send and send"
                    + " it after advance has returned");
        }
        if (context.patterns.recorder() != null) {
            throw new IllegalStateException(
                    "what goes through " + through + " is not recorded: inside record inject through the context");
        }
    }
}
