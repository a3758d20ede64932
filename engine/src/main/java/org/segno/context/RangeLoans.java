package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterAdmission;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.RankTable;
import org.segno.engine.reuse.LoanCount;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;

/**
 * Loans of ranges in the mapped memory of ranks. A claim makes the checks that a landing makes, so that the application
 * writes only where an engine would for it. The published message is a PUT whose bytes are in place: the engine makes
 * the same checks again, counts and notifies, and copies nothing. Used by the thread that holds the context.
 */
final class RangeLoans implements LoanPlace {
    private final Injector context;
    private final NodeMemory node;
    private final PeerStates states;
    private final SinkSelector sinks;
    private final DescriptorWriter writer;
    private final LoanCount count;
    private final RankTable<CounterAdmission> admissions;
    private final LoanPlace refused = new Refused();

    RangeLoans(Context context, LoanCount count) {
        this.context = context;
        this.node = context.node();
        this.states = context.states();
        this.sinks = context.sinks();
        this.writer = new DescriptorWriter(node.owner());
        this.count = count;
        this.admissions = new RankTable<>(context.ranks());
    }

    /** Claims a range that lies inside the target. */
    long claim(Loan loan, Target target, long offset, int length) {
        final NodeMemory peer = context.peer(target.rank()).requireMemory();
        // First: from now on closers wait for the end of this loan, or the check finds what they have disabled.
        final int epoch = count.begin();
        final CounterAdmission admission = admission(target.rank());
        final int flags = admission.admit(target.counter(), target.incarnation(), node.rank(), CounterSettings.PUT);
        if (flags < 0) {
            count.end(epoch);
            return claimRefused(loan, flags, target, offset, length);
        }
        final Memory settings = peer.owner();
        final long at = admission.settingsAt(target.counter());
        final long base = CounterSettings.base(settings, at);
        final long limit = CounterSettings.limit(settings, at);
        // Validate the owner's settings against this process's mapping, and the range against the owner's settings.
        if (!peer.arena().contains(base, limit) || offset > limit - length) {
            count.end(epoch);
            return claimRefused(loan, Refusal.TARGET_OUT_OF_BOUNDS.code(), target, offset, length);
        }
        loan.epoch(epoch);
        loan.open(this, target, offset, peer.arena(), base + offset, length);
        return 0;
    }

    private CounterAdmission admission(int rank) {
        final CounterAdmission known = admissions.get(rank);
        if (known != null) {
            return known;
        }
        final CounterAdmission admission =
                new CounterAdmission(context.peer(rank).requireMemory(), states);
        admissions.set(rank, admission);
        return admission;
    }

    /** Claims memory that nobody reads for a range that is not admitted: the published message is refused as a put. */
    private long claimRefused(Loan loan, int code, Target target, long offset, int length) {
        if (code == Refusal.PEER_DEAD.code()) {
            throw new PeerFailedException(
                    target.rank(),
                    "a loan of " + context.ranges().describe(target) + " is not possible: rank " + target.rank()
                            + " has died");
        }
        loan.openNowhere(refused, target, offset, length);
        return 0;
    }

    @Override
    public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
        final long position = inject(loan, counter, notification);
        if (position >= 0) {
            // The application no longer writes there. If the counter is closed from now on, the engine refuses the
            // message.
            abandon(loan);
            loan.end();
        }
        return position;
    }

    private long inject(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
        sinks.requireLoansPossible();
        final Target target = loan.target();
        if (counter != null) {
            counter.requireOf(node);
        }
        final int handlers = notification == null
                ? 0
                : context.contexts().context(target.rank(), OperationAccess.context(notification));
        final long slot = sinks.claim();
        if (slot < 0) {
            return slot;
        }
        writer.inPlace(slot, target, loan.targetOffset(), loan.length());
        if (notification != null) {
            writer.notifies(slot, handlers, OperationAccess.dispatchId(notification));
        }
        if (counter != null) {
            writer.completes(slot, counter);
        }
        return sinks.publish(slot);
    }

    @Override
    public void abandon(Loan loan) {
        count.end(loan.epoch());
    }

    @Override
    public String describe(Loan loan) {
        return describe(context, loan);
    }

    /** Describes an open range. */
    static String describe(Injector context, Loan loan) {
        return "at offset " + loan.targetOffset() + " of " + context.ranges().describe(loan.target());
    }

    /** Ranges that are not admitted. The engine makes the same checks, and refuses them. */
    private final class Refused implements LoanPlace {
        @Override
        public long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification) {
            final long position = inject(loan, counter, notification);
            if (position >= 0) {
                loan.end();
            }
            return position;
        }

        @Override
        public void abandon(Loan loan) {
            // Its memory belongs to the loan.
        }

        @Override
        public String describe(Loan loan) {
            return RangeLoans.describe(context, loan) + ", which does not admit it";
        }
    }
}
