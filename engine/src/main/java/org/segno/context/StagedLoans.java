package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;
import org.segno.status.Status;

/**
 * Loans that lie in local memory, because their target does not: ranges of ranks that are reached over a link, and
 * records that only the engine's thread may write. The published message is an ordinary PUT or SEND. Used by the thread
 * that holds the context.
 */
final class StagedLoans {
    private static final String NO_LANE =
            "an engine with a thread of its own writes the lane of the record, or a link carries it";

    private final Context context;
    private final NodeMemory node;
    private final SinkSelector sinks;
    private final DescriptorWriter writer;
    private final LoanWindows windows;
    private final LoanPlace ranges = new StagedRange();
    private final LoanPlace records = new StagedRecord();

    StagedLoans(Context context) {
        this.context = context;
        this.node = context.node();
        this.sinks = context.sinks();
        this.writer = new DescriptorWriter(node.owner());
        this.windows = new LoanWindows(context);
    }

    /** Returns the memory of loans that have none of their own. */
    LoanWindows windows() {
        return windows;
    }

    /** Claims a range that lies inside the target. */
    long claim(Loan loan, Target target, long offset, int length) {
        final LoanMemory memory = memory(loan, length, "rank " + target.rank() + " is reached over a link");
        if (memory == null) {
            return Status.BACK_PRESSURED;
        }
        loan.open(ranges, target, offset, node.arena(), memory, length);
        return 0;
    }

    /**
     * Claims a record. The loan contains its message, with the target and the metadata. Metadata that lie in a window
     * or a counter's range are copied to the place directly after the payload.
     */
    long claimRecord(Loan loan, int length) {
        final Message message = loan.record();
        final int metadataLength = Loans.metadataInMemory(message);
        final LoanMemory memory = memory(loan, length + metadataLength, NO_LANE);
        if (memory == null) {
            return Status.BACK_PRESSURED;
        }
        if (metadataLength > 0) {
            Loans.copyMetadata(message, node, node.arena(), memory.base() + length);
            message.metadata(memory.window(), memory.offset() + length, metadataLength);
        }
        loan.open(records, Target.nowhere(), 0, node.arena(), memory, length);
        return 0;
    }

    /** Returns the memory for a loan, its own or that of the context, or null while it is still read. */
    private @Nullable LoanMemory memory(Loan loan, int length, String reason) {
        final LoanMemory own = loan.own();
        if (own == null) {
            return windows.take(length, reason);
        }
        MemoryAccess.requireOf(own.window(), node);
        return own.isRead(context) ? null : own;
    }

    private void requireReady(Loan loan, @Nullable InjectionCounter counter) {
        sinks.requireLoansPossible();
        MemoryAccess.requireOf(loan.memory().window(), node);
        if (counter != null) {
            counter.requireOf(node);
        }
    }

    private long published(Loan loan, long position) {
        if (position >= 0) {
            loan.memory().readAt(position);
            giveBack(loan);
            loan.end();
        }
        return position;
    }

    private void giveBack(Loan loan) {
        if (loan.own() == null) {
            windows.give(loan.memory());
        }
    }

    /** Ranges of ranks that are reached over a link. */
    private final class StagedRange implements LoanPlace {
        @Override
        public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
            requireReady(loan, counter);
            final Target target = loan.target();
            final int handlers = notification == null
                    ? 0
                    : context.contexts().context(target.rank(), OperationAccess.context(notification));
            final long slot = sinks.claim();
            if (slot >= 0) {
                writer.put(slot, target, loan.memory().window(), counter);
                writer.putRanges(slot, loan.targetOffset(), loan.memory().offset(), loan.length());
                if (notification != null) {
                    writer.notifies(slot, handlers, OperationAccess.dispatchId(notification));
                }
            }
            return published(loan, sinks.publish(slot));
        }

        @Override
        public void abandon(Loan loan) {
            // Nothing was sent.
            giveBack(loan);
        }

        @Override
        public String describe(Loan loan) {
            return RangeLoans.describe(context, loan);
        }
    }

    /** Records that the engine writes. */
    private final class StagedRecord implements LoanPlace {
        @Override
        public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
            Loans.requirePublishable(context, counter, notification);
            final LoanMemory memory = loan.memory();
            final Message message = loan.record().payload(memory.window(), memory.offset(), loan.length());
            OperationAccess.completes(message, counter);
            return published(loan, context.send(message));
        }

        @Override
        public void abandon(Loan loan) {
            // Nothing was sent.
            giveBack(loan);
        }

        @Override
        public boolean isRecord() {
            return true;
        }

        @Override
        public String describe(Loan loan) {
            return "for a message to rank " + OperationAccess.rank(loan.record());
        }
    }
}
