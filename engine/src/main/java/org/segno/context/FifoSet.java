package org.segno.context;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoProducer;

/**
 * The further injection FIFOs of a context, which share its slots and its rules. Used by the thread that holds the
 * context, except for {@link #close}.
 */
final class FifoSet {
    private final NodeShare share;
    private final Context context;
    private final Reception reception;
    private final int index;
    private final List<InjectionFifo> opened = new CopyOnWriteArrayList<>();
    private @Nullable InjectionFifoProducer replies;
    private long repliesMark;

    FifoSet(NodeShare share, Context context, Reception reception, int index) {
        this.share = share;
        this.context = context;
        this.reception = reception;
        this.index = index;
    }

    /** Throws an exception unless one more FIFO can be opened. */
    void requireOneMore() {
        // The last FIFO is reserved for sends of handlers.
        final int limit = share.node().layout().dimensions().fifos() - 1;
        if (opened.size() + 1 >= limit) {
            throw new IllegalStateException(
                    "all " + limit + " injection FIFOs of the context are open: raise NodeConfig.withFifos");
        }
    }

    InjectionFifo open() {
        context.requireOpen();
        requireOneMore();
        final int number = opened.size() + 1;
        final InjectionFifo fifo =
                new InjectionFifo(share, context, InjectionFifoProducer.open(share.node(), index, number), number);
        opened.add(fifo);
        return fifo;
    }

    /** Returns true if the node has a FIFO for sends of handlers. */
    boolean canReply() {
        return share.node().layout().dimensions().fifos() >= 2;
    }

    /** Opens the FIFO for sends of handlers. Idempotent. */
    void openReplies() {
        if (!canReply()) {
            throw new IllegalStateException("sends of handlers need a FIFO of their own: raise NodeConfig.withFifos");
        }
        if (replies == null) {
            replies = InjectionFifoProducer.openReplies(share.node(), index);
        }
    }

    /** Returns the FIFO for sends of handlers, or null. */
    @Nullable
    InjectionFifoProducer replies() {
        return replies;
    }

    /** Registers {@code event} to run after the threshold of FIFO {@code number} was crossed. */
    void onThreshold(int number, Runnable event) {
        reception.onFifoEvent(number, event);
    }

    /** Sets the mark of each FIFO at its current tail. */
    void mark() {
        for (int i = 0; i < opened.size(); i++) {
            opened.get(i).mark();
        }
        if (replies != null) {
            repliesMark = replies.metadata().tailAcquire();
        }
    }

    /** Returns true once everything before the marks set by {@link #mark} is carried out. */
    boolean arePastMark() {
        for (int i = 0; i < opened.size(); i++) {
            if (!opened.get(i).isPastMark()) {
                return false;
            }
        }
        return replies == null || replies.metadata().headAcquire() >= repliesMark;
    }

    boolean areEmpty() {
        if (replies != null && replies.metadata().fill() != 0) {
            return false;
        }
        for (int i = 0; i < opened.size(); i++) {
            if (!opened.get(i).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Throws an exception if {@code fifo} shares slots with another FIFO that is served. */
    void requireSlots(InjectionFifo fifo) {
        if (fifo.overlaps(context.fifo)) {
            throw new IllegalStateException(fifo + " has slots of the context's own FIFO");
        }
        if (replies != null && fifo.overlaps(replies)) {
            throw new IllegalStateException(fifo + " has slots of the FIFO for sends of handlers");
        }
        for (final InjectionFifo other : opened) {
            if (!other.equals(fifo) && other.isInUse() && fifo.overlaps(other.fifo)) {
                throw new IllegalStateException(fifo + " has slots of " + other + ", which is active: deactivate that");
            }
        }
    }

    /**
     * Describes the work that the engine has not carried out yet: the first descriptor of each FIFO and its target. The
     * text continues a sentence about the condition of a wait. For messages: it allocates.
     */
    String standing() {
        final StringBuilder all = new StringBuilder();
        addStanding(all, "the context's own FIFO", context.fifo);
        for (final InjectionFifo other : opened) {
            addStanding(all, other.toString(), other.fifo);
        }
        if (replies != null) {
            addStanding(all, "the FIFO for sends of handlers", replies);
        }
        return all.toString();
    }

    /** Returns the name of a FIFO that the engine no longer serves because its words are invalid, or null. */
    @Nullable
    String quarantined() {
        if (context.fifo().quarantineAcquire() != 0) {
            return "the context's own FIFO";
        }
        for (int i = 0; i < opened.size(); i++) {
            if (opened.get(i).fifo.metadata().quarantineAcquire() != 0) {
                return opened.get(i).toString();
            }
        }
        if (replies != null && replies.metadata().quarantineAcquire() != 0) {
            return "the FIFO for sends of handlers";
        }
        return context.patterns.isQuarantined() ? "the FIFO of its patterns" : null;
    }

    private void addStanding(StringBuilder all, String name, InjectionFifoProducer fifo) {
        final FifoMetadata metadata = fifo.metadata();
        final long head = metadata.headAcquire();
        if (metadata.tailAcquire() <= head) {
            return;
        }
        final Descriptor first = new Descriptor(share.node().owner()).wrap(fifo.slot(head));
        final int operation = first.operation();
        final boolean isLocal = operation == Operation.WAIT
                || operation == Operation.COPY
                || operation == Operation.COMBINE
                || operation == Operation.ARM;
        all.append("; the next descriptor of ").append(name).append(" is a ").append(Operation.name(operation));
        if (!isLocal) {
            all.append(" for ").append(first.ranks());
        }
    }

    /** Ends the injection through every FIFO. Any thread. */
    void close(String reason) {
        opened.forEach(fifo -> fifo.endInjection(reason));
    }

    /** Throws an exception in a handler, and inside a recording. */
    void requireInjection(InjectionFifo through) {
        if (context.inHandler) {
            throw new IllegalStateException("a handler cannot send through " + through + ": store the request and send"
                    + " it after advance has returned");
        }
        if (context.patterns.recorder() != null) {
            throw new IllegalStateException(
                    "descriptors of " + through + " cannot be recorded: inside record inject through the context");
        }
    }
}
