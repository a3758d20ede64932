package org.segno.context;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoProducer;

/** The further injection FIFOs of a context, which share its slots and its rules. The thread that holds the context, but for {@link #close}. */
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

    /** Throws unless one more can be opened. */
    void requireOneMore() {
        // The last is for what handlers send.
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

    /** True if there is a FIFO for what handlers send. */
    boolean canReply() {
        return share.node().layout().dimensions().fifos() >= 2;
    }

    /** Sets up what handlers send through; may be called again. */
    void openReplies() {
        if (!canReply()) {
            throw new IllegalStateException("what handlers send needs a FIFO of its own: raise NodeConfig.withFifos");
        }
        if (replies == null) {
            replies = InjectionFifoProducer.openReplies(share.node(), index);
        }
    }

    /** What handlers send through, or null. */
    @Nullable
    InjectionFifoProducer replies() {
        return replies;
    }

    /** Has {@code event} run when the threshold of FIFO {@code number} was crossed. */
    void onThreshold(int number, Runnable event) {
        reception.onFifoEvent(number, event);
    }

    /** Notes what has been injected through any of them until now. */
    void mark() {
        for (int i = 0; i < opened.size(); i++) {
            opened.get(i).mark();
        }
        if (replies != null) {
            repliesMark = replies.metadata().tailAcquire();
        }
    }

    /** True once what was noted by {@link #mark} is carried out. */
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

    /** Throws unless the slots of {@code fifo} are its alone among those that are served. */
    void requireSlots(InjectionFifo fifo) {
        if (fifo.overlaps(context.fifo)) {
            throw new IllegalStateException(fifo + " has slots of the context's own FIFO");
        }
        if (replies != null && fifo.overlaps(replies)) {
            throw new IllegalStateException(fifo + " has slots of the FIFO for what handlers send");
        }
        for (final InjectionFifo other : opened) {
            if (!other.equals(fifo) && other.isInUse() && fifo.overlaps(other.fifo)) {
                throw new IllegalStateException(fifo + " has slots of " + other + ", which is active: deactivate that");
            }
        }
    }

    /**
     * What the engine has not carried out yet: of each FIFO the first descriptor, and for whom that is, in words that go on after what
     * was waited for. For messages: it allocates.
     */
    String standing() {
        final StringBuilder all = new StringBuilder();
        addStanding(all, "the context's own FIFO", context.fifo);
        for (final InjectionFifo other : opened) {
            addStanding(all, other.toString(), other.fifo);
        }
        if (replies != null) {
            addStanding(all, "the FIFO for what handlers send", replies);
        }
        return all.toString();
    }

    /** Returns the name of a FIFO that the engine does not serve any more, because its words are impossible, or null. */
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
            return "the FIFO for what handlers send";
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
        all.append("; ").append(name).append(" stands at a ").append(Operation.name(operation));
        if (!isLocal) {
            all.append(" for ").append(first.ranks());
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
