package org.segno.context;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;

/**
 * Memory at another rank in which the application writes a message in place: a range of a peer's window, or a record of
 * its lane. <em>Claim</em> it, write through {@link #buffer}, then <em>publish</em> or <em>abandon</em> it.
 *
 * <pre>{@code
 * Loan loan = context.loan();                                 // once
 * if (loan.claim(target, 0, 1 << 20) != Status.BACK_PRESSURED) {
 *     encoder.wrap(loan.buffer(), 0).price(12);               // in the peer's window
 *     loan.publish();                                         // counts its counter down, as a put of 1 MiB does
 * }
 * }</pre>
 *
 * <p><b>Copies.</b> A range of a rank on this host is its window itself: nothing is copied, and a claim and a
 * publication cost the same for any length. A record lies in the lane itself if this thread runs the engine
 * ({@code INVOKER}). A record under {@code DEDICATED} and {@code SHARED}, and any loan for a rank that is reached over
 * a link, lies in local memory: a window of its client, or the range that {@link Context#loan(Window, long, int)}
 * provides. Publishing it sends an ordinary put or message, with one copy. The calls are the same, and so is what they
 * refuse; only a lack of local memory is refused where it is needed.
 *
 * <p><b>Refusals.</b> A claim throws for what this rank knows: arguments, and ranks that have died. All else is refused
 * when the message is published, as a put or a message is, and the injection counter reports it. A loan of a counter
 * that is closed, or does not admit this rank, lies in memory that nobody reads.
 *
 * <p><b>Order.</b> Everything written before {@code publish} is visible to every thread that sees the counter counted
 * down, the notification or the message. Before that the target sees no message, but it sees the bytes of a range
 * change while they are written. A published range has the order of a put that is injected then. Of a loan that is
 * abandoned, or whose process dies, nothing becomes visible but these bytes; of a record nothing at all.
 *
 * <p>A record is delivered after the messages that this context sent to its target before the claim, and before
 * those that it sends there after the publication. A message sent between the two is delivered before or after the
 * record, which is unspecified. Messages of the context's further FIFOs have no order with it.
 *
 * <p><b>Reuse.</b> While a loan of a range is open, closings of counters that this rank may write, at any rank, and of
 * windows of this rank do not end: {@link org.segno.memory.Closing#awaited} names this rank. Hold it as long as it
 * takes to write the message, and abandon it if there is none. If the range's counter is closed meanwhile, the loan
 * remains valid, and the published message is refused as a put would be. So is a record if the client of its context is
 * closed meanwhile.
 *
 * <p>A loan belongs to its context and is used by the thread that holds it. It can be claimed again after its end. A
 * context has any number of loans, open or not, but at most one open record for each context that receives them. In a
 * handler and inside {@code record} a loan can only be abandoned. Closing the node abandons the loans of its thread,
 * and logs them. Metadata in memory must not overlap the loan's own memory.
 */
public final class Loan {
    private static final byte[] NOTHING = {};

    private final Loans loans;

    /** Local memory that the application has provided, or null. */
    private final @Nullable LoanMemory own;

    /** Local memory in which the open loan lies, if it does. */
    private @Nullable LoanMemory memory;

    private final View view = new View();
    private @Nullable ByteBuffer scratch;

    /** Place of the open loan, or null. */
    private @Nullable LoanPlace place;

    private Target target = Target.nowhere();
    private long targetOffset;
    private int epoch;
    private int contextId;
    private final Message record = new Message();
    private @Nullable ReceptionFifoProducer lane;

    Loan(Loans loans, @Nullable LoanMemory own) {
        this.loans = loans;
        this.own = own;
    }

    /**
     * Claims {@code length} bytes of a target, from {@code offset} on. They contain what was there before; if the loan
     * lies in local memory, the publication replaces all of them. Several loans, and puts of
     * others, may cover the same bytes: the application keeps them apart.
     *
     * <p>A loan of {@link Target#nowhere()}, of a rank that has left, or of a counter that does not admit it, lies in
     * memory that the loan allocates when it is first needed.
     *
     * @return 0, or {@link org.segno.status.Status#BACK_PRESSURED} while local memory is still read for its last
     *     publication: advance then
     * @throws IllegalArgumentException if the range lies outside the target or the local memory
     * @throws IllegalStateException if the loan is open, inside {@code record}, in a handler, for a pair of counters,
     *     or if it needs local memory and the client has no window memory left for it
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public long claim(Target target, long offset, int length) {
        requireEnded();
        return loans.claim(this, target, offset, length);
    }

    /**
     * Claims a record of exactly {@code length} bytes of payload in the lane of a message's target. Target, dispatch id
     * and metadata are those of {@code message}; its payload and its counter do not matter. The metadata are copied
     * now; those in memory need room in the local memory that the program provides, too.
     *
     * <p>While it is open, other messages of this context to that lane may wait, with all that was injected after them,
     * and so may puts that notify or raise events there. So do not await them before the loan has ended, nor another
     * claim, which may be back-pressured until they are carried out.
     *
     * @return 0, or {@link org.segno.status.Status#BACK_PRESSURED} while the lane has no room, the engine has not
     *     carried out what was injected before, or local memory is still read for its last publication: advance then
     * @throws IllegalArgumentException if the message does not fit a quarter of the target's lane or the local memory
     * @throws IllegalStateException in each case in which the other {@code claim} throws it; inside {@code batch},
     *     because the record could arrive before the descriptors of the batch; and while this context has another open
     *     record for the same target context
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public long claim(Message message, int length) {
        requireEnded();
        return loans.claim(this, message, length);
    }

    /**
     * Returns the claimed memory, in the machine's byte order by default. Its capacity is the claimed length, and 0
     * after the end of the loan. Every call returns the same buffer. It must not be used after the end, from no thread.
     */
    public MutableDirectBuffer buffer() {
        return view;
    }

    /** Returns true from a successful claim to the publication or abandonment. */
    public boolean isOpen() {
        return place != null;
    }

    /**
     * Publishes the message. Its bytes no longer belong to the application.
     *
     * @return its position, as a put or a send: of a record that is in its lane already, one that is carried out. Or
     *     {@link org.segno.status.Status#BACK_PRESSURED} while the injection FIFO is full: the loan remains open, and
     *     the caller advances, then retries
     * @throws IllegalStateException if the loan is not open, inside {@code record}, in a handler, or for a record in
     *     {@code batch}
     * @throws org.segno.status.ClosedException once the node is closed; the loan may still be abandoned
     */
    public long publish() {
        return requireOpen().publish(this, null, null);
    }

    /**
     * Publishes as the other {@code publish}. The counter is counted down by the length when the message is carried
     * out, and reports its refusal. The bytes to wait for must be expected first.
     */
    public long publish(InjectionCounter counter) {
        return requireOpen().publish(this, Objects.requireNonNull(counter, "counter"), null);
    }

    /**
     * Publishes a range as the other {@code publish}, and notifies a handler at the target as
     * {@link Context#putNotifying}, with the counter of {@code notification}.
     *
     * @throws IllegalStateException also if the loan is a record, whose own handler receives it
     */
    public long publish(Notification notification) {
        return requireOpen().publish(this, notification.injectionCounter(), notification);
    }

    /**
     * Ends the loan without a message. Nothing is counted, and nobody is notified. Has no effect on a loan that is not
     * open. Possible in handlers, and after the node was closed.
     */
    public void abandon() {
        final LoanPlace open = place;
        if (open != null) {
            open.abandon(this);
            end();
        }
    }

    private LoanPlace requireOpen() {
        final LoanPlace open = place;
        if (open == null) {
            throw new IllegalStateException("the loan is not open: claim it first, and publish it once");
        }
        return open;
    }

    private void requireEnded() {
        if (place != null) {
            throw new IllegalStateException(this + " is open: publish or abandon it before the next claim");
        }
    }

    /** Opens a range in memory of its rank. */
    void open(LoanPlace where, Target to, long offset, Memory memory, long start, int length) {
        target = to;
        targetOffset = offset;
        view.of(memory, start, length);
        place = where;
        loans.opened(this);
    }

    /** Opens a range, or a record, in local memory. */
    void open(LoanPlace where, Target to, long offset, Memory arena, LoanMemory local, int length) {
        memory = local;
        open(where, to, offset, arena, local.base(), length);
    }

    /** Opens a loan in memory that nobody reads: its target does not exist, has left, or does not admit it. */
    void openNowhere(LoanPlace where, Target to, long offset, int length) {
        ByteBuffer unread = scratch;
        if (unread == null || unread.capacity() < length) {
            unread = ByteBuffer.allocateDirect(length);
            scratch = unread;
        }
        target = to;
        targetOffset = offset;
        view.wrap(unread, 0, length);
        place = where;
        loans.opened(this);
    }

    /** Opens the record of {@link #record} in memory. */
    void open(LoanPlace where, Memory memory, long start, int length) {
        open(where, Target.nowhere(), 0, memory, start, length);
    }

    /** Ends the loan: its memory is no longer visible through it. */
    void end() {
        place = null;
        view.wrap(NOTHING);
        loans.ended(this);
    }

    /** Returns the target of an open range. */
    Target target() {
        return target;
    }

    long targetOffset() {
        return targetOffset;
    }

    /** Returns the length of the open loan in bytes. */
    int length() {
        return view.capacity();
    }

    /** Returns the epoch of an open range in the count of its context. */
    int epoch() {
        return epoch;
    }

    void epoch(int begun) {
        epoch = begun;
    }

    /** Returns the target and the metadata of the record, as they were claimed. */
    Message record() {
        return record;
    }

    /** Sets the target and the metadata of the record, and the id of its context. */
    void record(Message message, int id) {
        contextId = id;
        OperationAccess.like(record, message, OperationAccess.dispatchId(message));
    }

    /** Returns true if it is open, and is a record that lies in its lane. */
    boolean isInLane() {
        return place instanceof LaneLoans;
    }

    /** Returns the lane of an open record that lies in it. */
    ReceptionFifoProducer lane() {
        return Objects.requireNonNull(lane);
    }

    /** Returns the id of the context that receives the record. */
    int contextId() {
        return contextId;
    }

    void lane(ReceptionFifoProducer into) {
        lane = into;
    }

    /** Returns true if it is open, and is a record for context {@code number} of a rank. */
    boolean isRecordFor(int rank, int number) {
        final LoanPlace open = place;
        return open != null
                && open.isRecord()
                && OperationAccess.rank(record) == rank
                && Endpoint.contextOf(contextId) == number;
    }

    /** Returns the local memory that the application has provided, or null. */
    @Nullable
    LoanMemory own() {
        return own;
    }

    /** Returns the local memory in which the open loan lies. */
    LoanMemory memory() {
        return Objects.requireNonNull(memory);
    }

    @Override
    public String toString() {
        final LoanPlace open = place;
        return open == null ? "a loan that is not open" : "the loan of " + length() + " bytes " + open.describe(this);
    }

    /** View of claimed memory, which it keeps reachable: a mapping without references may be released. */
    private static final class View extends UnsafeBuffer {
        @SuppressWarnings({"unused", "FieldCanBeLocal"})
        private @Nullable Memory memory;

        View() {
            super(NOTHING);
        }

        void of(Memory where, long start, int length) {
            memory = where;
            where.wrap(this, start, length);
        }
    }
}
