package org.segno.context;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.LoanCount;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;
import org.segno.status.PeerFailedException;

/**
 * The loans of a context. Checks the arguments of claims and decides where each loan lies. Used by the thread that
 * holds the context, except for {@link #abandonFree}.
 */
final class Loans {
    /** Expected number of open loans. More need a longer list. */
    private static final int USUALLY_OPEN = 16;

    /** Limit of the loans that a message describes. */
    private static final int DESCRIBED = 4;

    private final Context context;
    private final NodeMemory node;
    private final SinkSelector sinks;
    private final RangeLoans ranges;
    private final StagedLoans staged;
    private final LaneLoans lanes;
    private final PeerStates states;
    private final LoanPlace nowhere = new Nowhere("of " + Target.nowhere(), false);
    private final LoanPlace left = new Nowhere("for a rank that has left", false);
    private final LoanPlace leftRecord = new Nowhere("for a rank that has left", true);
    private final List<Loan> open = new ArrayList<>(USUALLY_OPEN);
    private volatile @Nullable Thread user;
    private volatile int count;

    /** Creates the loans of context {@code index}. */
    Loans(Context context, int index, NodeMetrics metrics) {
        this.context = context;
        this.node = context.node();
        this.sinks = context.sinks();
        this.states = context.states();
        final LoanCount count = new LoanCount(node, index);
        this.ranges = new RangeLoans(context, count);
        this.staged = new StagedLoans(context);
        this.lanes = new LaneLoans(context, index, count, metrics);
        context.passes().onPending(this::pending);
    }

    /** Sets the function that opens windows for loans without local memory, of at least the given length. */
    void windowsFrom(IntFunction<Window> client) {
        staged.windows().from(client);
    }

    /** Creates a loan without local memory. */
    Loan create() {
        sinks.requireOpen();
        return new Loan(this, null);
    }

    /** Creates a loan with a range of a window for what cannot lie at its target. */
    Loan create(Window staging, long offset, int length) {
        sinks.requireOpen();
        MemoryAccess.requireOf(staging, node);
        MemoryAccess.requireRange(staging, "loan", offset, length);
        return new Loan(this, new LoanMemory(staging, offset, length));
    }

    long claim(Loan loan, Target target, long offset, int length) {
        sinks.requireLoansPossible();
        requireLength(loan, length, 0);
        if (target.isNowhere()) {
            loan.openNowhere(nowhere, target, 0, length);
            return 0;
        }
        context.ranges().requireTarget(target, offset, length);
        if (target.alternate()) {
            throw SinkSelector.pairOutsideRecording();
        }
        if (hasLeft(target.rank())) {
            loan.openNowhere(left, target, offset, length);
            return 0;
        }
        return context.peer(target.rank()).isMapped()
                ? ranges.claim(loan, target, offset, length)
                : staged.claim(loan, target, offset, length);
    }

    long claim(Loan loan, Message message, int length) {
        sinks.requireLoansPossible();
        requireOutsideBatch(sinks);
        requireLength(loan, length, metadataInMemory(message));
        final int rank = OperationAccess.rank(message);
        context.ranges().requireRank(rank);
        requireMetadata(message);
        final int metadataLength = OperationAccess.metadataLength(message);
        final int most =
                LaneRecord.maxBodyLength(context.peer(rank).dimensions().laneBytes()) - metadataLength;
        if (length > most) {
            throw new IllegalArgumentException("metadata and payload of a record must fit a quarter of the target's"
                    + " lane: metadata=" + metadataLength + " payload=" + length + " most=" + most
                    + "; claim a range of a window, or raise NodeConfig.withLaneBudgetBytes at the target");
        }
        if (hasLeft(rank)) {
            loan.openNowhere(leftRecord, Target.nowhere(), 0, length);
            return 0;
        }
        final int id = context.contexts().context(rank, message);
        requireOnlyRecord(rank, id);
        loan.record(message, id);
        final ReceptionFifoProducer lane = context.passes().lane(rank, Endpoint.contextOf(id));
        if (lane == null) {
            return staged.claimRecord(loan, length);
        }
        return lanes.claimRecord(loan, lane, length);
    }

    /** Returns true if a rank has left: a loan there lies in memory that nobody reads. Throws if it has died. */
    private boolean hasLeft(int rank) {
        if (states.isDead(rank)) {
            throw new PeerFailedException(rank, "a loan at rank " + rank + " is not possible: " + states.loss(rank));
        }
        return states.hasLeft(rank);
    }

    /** Checks the length, also against local memory that is not used: the same calls succeed wherever the loan lies. */
    private static void requireLength(Loan loan, int length, int metadataLength) {
        if (length < 0) {
            throw new IllegalArgumentException("the length of a loan must not be negative: length=" + length);
        }
        final LoanMemory own = loan.own();
        if (own != null && length > own.length() - metadataLength) {
            throw new IllegalArgumentException("the loan has " + own.length() + " bytes of local memory: length="
                    + length + (metadataLength == 0 ? "" : " metadata=" + metadataLength) + "; make it with more");
        }
    }

    /** Returns the length of metadata that lie in memory and are copied at the claim. */
    static int metadataInMemory(Message message) {
        return OperationAccess.metadataOperand(message) == null ? 0 : OperationAccess.metadataLength(message);
    }

    /** Copies the metadata of a message, as they are now. */
    static void copyMetadata(Message message, NodeMemory node, Memory to, long at) {
        final int length = OperationAccess.metadataLength(message);
        final Operand operand = OperationAccess.metadataOperand(message);
        if (operand == null) {
            for (int i = 0; i < length; i++) {
                to.putByte(at + i, OperationAccess.metadata(message).getByte(i));
            }
            return;
        }
        final long base =
                operand instanceof Window window ? window.base() : MemoryAccess.base((ReceptionCounter) operand);
        assert length <= Descriptor.MAX_METADATA_LENGTH;
        node.arena().copyShortTo(base + OperationAccess.metadataOffset(message), to, at, length);
    }

    /** Checks that no batch is open: a record that lies in its lane would overtake the batch's descriptors. */
    private static void requireOutsideBatch(SinkSelector sinks) {
        if (sinks.isBatching()) {
            throw new IllegalStateException("a record is no descriptor of the open batch, and may overtake those:"
                    + " claim and publish it outside Context.batch");
        }
    }

    /** Checks that no other record for a context is open: its lane has room for one at a time. */
    private void requireOnlyRecord(int rank, int id) {
        for (int i = 0; i < open.size(); i++) {
            final Loan other = open.get(i);
            if (other.isRecordFor(rank, Endpoint.contextOf(id))) {
                throw new IllegalStateException(other + " is open, and a context can lend one record of a lane at a"
                        + " time: publish or abandon it before the next claim");
            }
        }
    }

    private void requireMetadata(Message message) {
        final Operand metadata = OperationAccess.metadataOperand(message);
        if (metadata instanceof CounterPair) {
            throw SinkSelector.pairOutsideRecording();
        }
        if (metadata != null) {
            // The range of a counter may have changed since the message was made.
            MemoryAccess.requireOperand(
                    metadata,
                    node,
                    "metadata",
                    OperationAccess.metadataOffset(message),
                    OperationAccess.metadataLength(message));
        }
    }

    /** Checks that a record can be published now. */
    static void requirePublishable(
            Context context, @Nullable InjectionCounter counter, @Nullable Notification notification) {
        if (notification != null) {
            throw new IllegalStateException(
                    "a record notifies the handler of its own dispatch id: publish it without a notification");
        }
        context.sinks().requireLoansPossible();
        requireOutsideBatch(context.sinks());
        if (counter != null) {
            counter.requireOf(context.node());
        }
    }

    void opened(Loan loan) {
        open.add(loan);
        count = open.size();
        final Thread caller = Thread.currentThread();
        if (user != caller) {
            user = caller;
        }
    }

    void ended(Loan loan) {
        open.remove(loan);
        count = open.size();
    }

    /** Returns the number of open loans. Any thread. */
    int count() {
        return count;
    }

    /**
     * Describes the open loans, those that hold up a lane first. The text continues a sentence about the condition of a
     * wait; it is empty if there are none. For messages: it allocates.
     */
    String pending() {
        if (open.isEmpty()) {
            return "";
        }
        final StringBuilder all = new StringBuilder();
        open.stream()
                .sorted(Comparator.comparing(Loan::isInLane).reversed())
                .limit(DESCRIBED)
                .forEach(loan -> all.append("; ")
                        .append(loan)
                        .append(loan.isInLane() ? " is open, and messages to that lane wait for its end" : " is open")
                        .append(": publish or abandon it"));
        if (open.size() > DESCRIBED) {
            all.append("; ").append(open.size() - DESCRIBED).append(" other loans are open");
        }
        return all.toString();
    }

    /**
     * Abandons the open loans unless another living thread claimed the last of them. Describes them, or returns an
     * empty text if there are none. Any thread.
     */
    String abandonFree() {
        final Thread last = user;
        if (last == null || (last.isAlive() && !last.equals(Thread.currentThread()))) {
            return "";
        }
        final StringBuilder abandoned = new StringBuilder();
        while (!open.isEmpty()) {
            final Loan loan = open.get(0);
            abandoned.append("; ").append(loan);
            loan.abandon();
        }
        return abandoned.toString();
    }

    /** Loans of the target that does nothing, and at ranks that have left. */
    private final class Nowhere implements LoanPlace {
        private final String description;
        private final boolean isRecord;

        Nowhere(String description, boolean isRecord) {
            this.description = description;
            this.isRecord = isRecord;
        }

        @Override
        public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
            if (isRecord) {
                requirePublishable(context, counter, notification);
            } else {
                sinks.requireLoansPossible();
            }
            final long position = context.skipped().completes(loan.length(), counter);
            loan.end();
            return position;
        }

        @Override
        public void abandon(Loan loan) {
            // Its memory belongs to the loan.
        }

        @Override
        public String describe(Loan loan) {
            return description;
        }
    }
}
