package org.segno.context;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
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
            "the record cannot lie in its lane: an engine with a thread of its own writes it, or a link carries it";

    private final Context context;
    private final NodeMemory node;
    private final SinkSelector sinks;
    private final DescriptorWriter writer;
    private final LoanPlace ranges = new StagedRange();
    private final LoanPlace records = new StagedRecord();

    StagedLoans(Context context) {
        this.context = context;
        this.node = context.node();
        this.sinks = context.sinks();
        this.writer = new DescriptorWriter(node.owner());
    }

    /** Claims a range that lies inside the target. */
    long claim(Loan loan, Target target, long offset, int length) {
        final Window staging = requireStaging(loan, "rank " + target.rank() + " is reached over a link");
        if (isRead(loan)) {
            return Status.BACK_PRESSURED;
        }
        loan.open(ranges, target, offset, node.arena(), staging.base() + loan.stagingOffset(), length);
        return 0;
    }

    /** Claims a record, whose target and metadata the loan has. */
    long claimRecord(Loan loan, int length) {
        final Window staging = requireStaging(loan, NO_LANE);
        if (isRead(loan)) {
            return Status.BACK_PRESSURED;
        }
        loan.open(records, node.arena(), staging.base() + loan.stagingOffset(), length);
        return 0;
    }

    private Window requireStaging(Loan loan, String reason) {
        final Window staging = loan.staging();
        if (staging == null) {
            throw new IllegalStateException("the loan needs local memory, because " + reason
                    + ": make it with Context.loan(window, offset, length)");
        }
        MemoryAccess.requireOf(staging, node);
        return staging;
    }

    private boolean isRead(Loan loan) {
        return loan.readAt() >= 0 && !context.isCarriedOut(loan.readAt());
    }

    private void requireReady(Loan loan, @Nullable InjectionCounter counter) {
        sinks.requireLoansPossible();
        MemoryAccess.requireOf(staging(loan), node);
        if (counter != null) {
            counter.requireOf(node);
        }
    }

    private static Window staging(Loan loan) {
        return Objects.requireNonNull(loan.staging());
    }

    private static long published(Loan loan, long position) {
        if (position >= 0) {
            loan.readAt(position);
            loan.end();
        }
        return position;
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
                writer.put(slot, target, staging(loan), counter);
                writer.putRanges(slot, loan.targetOffset(), loan.stagingOffset(), loan.length());
                if (notification != null) {
                    writer.notifies(slot, handlers, OperationAccess.dispatchId(notification));
                }
            }
            return published(loan, sinks.publish(slot));
        }

        @Override
        public void abandon(Loan loan) {
            // Nothing has been read, and nothing was sent.
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
            Loans.requireNoNotification(notification);
            requireReady(loan, counter);
            final Message message = loan.record().payload(staging(loan), loan.stagingOffset(), loan.length());
            OperationAccess.completes(message, counter);
            return published(loan, context.send(message));
        }

        @Override
        public void abandon(Loan loan) {
            // Nothing has been read, and nothing was sent.
        }

        @Override
        public String describe(Loan loan) {
            return "for a message to rank " + OperationAccess.rank(loan.record());
        }
    }
}
