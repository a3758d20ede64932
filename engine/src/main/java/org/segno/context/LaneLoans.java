package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.LoanCount;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;
import org.segno.status.Status;

/**
 * Loans of records in the lanes of ranks, where the thread that holds the context also runs its engine, the only writer
 * of these lanes. Used by that thread.
 *
 * <p>A record is claimed only when the engine has carried out everything in the context's own FIFO, so that it keeps
 * the order of that FIFO. Until it ends, the lane has no room for the engine.
 */
final class LaneLoans implements LoanPlace {
    private final Context context;
    private final NodeMemory node;
    private final SinkSelector sinks;
    private final FifoMetadata fifo;
    private final PassRunner passes;
    private final NodeMetrics metrics;
    private final LoanCount count;
    private final ContextDirectory contexts;
    private final PeerStates states;
    private final DescriptorWriter writer;
    private final LoanPlace refused = new Refused();
    private final int index;

    LaneLoans(Context context, int index, LoanCount count, NodeMetrics metrics) {
        this.context = context;
        this.count = count;
        this.contexts = context.contexts();
        this.states = context.states();
        this.node = context.node();
        this.writer = new DescriptorWriter(node.owner());
        this.sinks = context.sinks();
        this.fifo = context.fifo();
        this.passes = context.passes();
        this.metrics = metrics;
        this.index = index;
    }

    /**
     * Claims a record in the lane of the context of its message. The loan has its target and its metadata. If the
     * client of the context was closed, the loan lies in memory that nobody reads, and its message is refused when
     * published.
     *
     * <p>The client of that context may be closed while the record is open. The next use of the context waits for the
     * end of the loan, as it waits for engines.
     */
    long claimRecord(Loan loan, ReceptionFifoProducer lane, int length) {
        final Message message = loan.record();
        final int rank = OperationAccess.rank(message);
        if (fifo.fill() != 0) {
            passes.runEngine();
            if (fifo.fill() != 0) {
                return Status.BACK_PRESSURED;
            }
        }
        final int metadataLength = OperationAccess.metadataLength(message);
        final int id = loan.contextId();
        loan.lane(lane);
        // First: from now on closers wait for the end of this loan, or the check finds the context closed.
        final int epoch = count.begin();
        if (!contexts.admits(rank, id)) {
            count.end(epoch);
            openRefused(loan, length);
            return 0;
        }
        final long body = lend(lane, metadataLength + length);
        if (body < 0) {
            count.end(epoch);
            return body;
        }
        Loans.copyMetadata(message, node, lane.memory(), body);
        loan.epoch(epoch);
        loan.open(this, lane.memory(), body + metadataLength, length);
        return 0;
    }

    /**
     * Lends a record of the lane. Receptions by other threads may write to the same lane, but not while it is lent:
     * then they find no room.
     */
    private long lend(ReceptionFifoProducer lane, int length) {
        final Exclusion exclusion = passes.exclusion();
        if (!exclusion.tryBegin()) {
            return Status.BACK_PRESSURED;
        }
        try {
            return lane.from(contexts.origin(index)) ? lane.lend(length) : Status.BACK_PRESSURED;
        } finally {
            exclusion.end();
        }
    }

    /** Opens a record that is refused, or dropped because its rank has left, once it is published. */
    private void openRefused(Loan loan, int length) {
        loan.openNowhere(refused, Target.nowhere(), 0, length);
    }

    private boolean isAdmitted(int rank, int id) {
        return !states.isDead(rank) && !states.hasLeft(rank) && contexts.admits(rank, id);
    }

    @Override
    public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
        Loans.requirePublishable(context, counter, notification);
        final Message message = loan.record();
        final int length = loan.length();
        if (!isAdmitted(OperationAccess.rank(message), loan.contextId())) {
            // Nobody would read the record. Its descriptor is reported as that of any other message.
            abandon(loan);
            loan.end();
            openRefused(loan, length);
            return refused.publish(loan, counter, notification);
        }
        final ReceptionFifoProducer lane = loan.lane();
        final Exclusion exclusion = passes.exclusion();
        exclusion.begin();
        try {
            lane.publishLent(OperationAccess.dispatchId(message), OperationAccess.metadataLength(message));
        } finally {
            exclusion.end();
        }
        metrics.addLent(length + OperationAccess.metadataLength(message));
        if (counter != null) {
            MemoryAccess.fetched(counter, length);
        }
        count.end(loan.epoch());
        passes.arrived(OperationAccess.rank(message), Endpoint.contextOf(loan.contextId()));
        loan.end();
        return 0;
    }

    @Override
    public void abandon(Loan loan) {
        final Exclusion exclusion = passes.exclusion();
        exclusion.begin();
        try {
            loan.lane().takeBack();
        } finally {
            exclusion.end();
        }
        count.end(loan.epoch());
    }

    @Override
    public boolean isRecord() {
        return true;
    }

    @Override
    public String describe(Loan loan) {
        return "in a lane of rank " + OperationAccess.rank(loan.record());
    }

    /**
     * Records for a context that no longer accepts them. The engine repeats the check and refuses or skips the message.
     */
    private final class Refused implements LoanPlace {
        @Override
        public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
            Loans.requirePublishable(context, counter, notification);
            final Message message = loan.record();
            final long slot = sinks.claim();
            if (slot < 0) {
                return slot;
            }
            writer.unsendable(
                    slot,
                    OperationAccess.rank(message),
                    loan.contextId(),
                    OperationAccess.dispatchId(message),
                    loan.length());
            if (counter != null) {
                writer.completes(slot, counter);
            }
            final long position = sinks.publish(slot);
            loan.end();
            return position;
        }

        @Override
        public void abandon(Loan loan) {
            // Its memory belongs to the loan.
        }

        @Override
        public boolean isRecord() {
            return true;
        }

        @Override
        public String describe(Loan loan) {
            return LaneLoans.this.describe(loan) + ", which does not admit it";
        }
    }
}
