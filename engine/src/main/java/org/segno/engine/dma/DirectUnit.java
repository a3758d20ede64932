package org.segno.engine.dma;

import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.FifoTrace;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.reuse.QuietCount;

/**
 * Executor of lone SENDs and RMWs at their injection, and of rounds at their start. They do not wait for the next pass,
 * and for the steps of a pass that precede the execution of a descriptor.
 *
 * <p>The descriptor of a SEND is complete in its slot, and the next visit to the FIFO passes it. Positions, the fill
 * and the order of the FIFO therefore mean the same for all descriptors.
 *
 * <p>At most one descriptor is direct between two visits, and only if the last visit carried out a single one. Those of
 * a stream share the publication of a batch.
 *
 * <p>The check of the target and the publication lie between the same two quiet points. An engine at rest is quiet, so
 * it sends nothing directly.
 */
final class DirectUnit extends DirectExecution {
    /**
     * Further looks at the counters of a direct run before it holds: they take about 0.6 us. The caller
     * does nothing but wait, and a pass, in which it would look again, takes as long as several of them.
     */
    private static final int LOOKS = 32;

    /** Number of direct runs among which one has these looks although they were too few for the last one. */
    private static final int LOOKS_TURN = 8;

    private final QuietCount quiet;
    private final SendUnit sends;
    private final RmwUnit atomics;
    private final Visit visit;
    private final Runnable landed;

    /** FIFO of the runs that may be executed directly, and its server; null until the engine serves it. */
    private @Nullable InjectionFifoConsumer runs;

    private @Nullable Server server;

    /** FIFO of the descriptors that may be executed directly; null until the engine serves it. */
    private @Nullable InjectionFifoConsumer fifo;

    /** Trace of this FIFO. */
    private @Nullable FifoTrace trace;

    /** True from a direct execution to the visit that passes its descriptor. */
    private boolean done;

    /** Bytes and records of that descriptor. */
    private long bytes;

    private int records;

    /** True if the last direct run with {@link #LOOKS} was finished in its visit, and the number of the others. */
    private boolean isLooking = true;

    private int withoutLooks;

    /** True if the calling thread shares its core. */
    private boolean isSharing;

    /** True if the calling thread shares its core, and the last direct run stands at a WAIT. */
    private boolean isHeld;

    private Exclusion exclusion = Exclusion.NONE;
    private ErrorHandler errors = failure -> {
        throw new IllegalStateException("nothing handles failures of direct execution", failure);
    };

    /** Server of FIFOs between two passes. */
    interface Server {
        /** Returns true if the next pass would find nothing in any FIFO, and no new settings. */
        boolean isIdle();

        /** Visits the FIFO of runs, which has begun one, up to the end of that run at most. */
        void serveRun(InjectionFifoConsumer fifo);
    }

    /** Creates the executor of one engine; {@code landed} wakes the waiters for which a run has landed something. */
    DirectUnit(QuietCount quiet, DescriptorUnit unit, Visit visit, Runnable landed) {
        this.quiet = quiet;
        this.landed = landed;
        this.sends = unit.sends();
        this.atomics = unit.atomics();
        this.visit = visit;
    }

    /** Sets the FIFO of the descriptors that may be executed directly. */
    void executeFrom(InjectionFifoConsumer own) {
        fifo = own;
        trace = own.service().trace();
    }

    /** Sets the FIFO of the runs that may be executed directly, and its server. */
    void executeRuns(InjectionFifoConsumer own, Server ofRuns) {
        runs = own;
        server = ofRuns;
    }

    /**
     * Sets what excludes other threads that use the engine, and the handler of its exceptions. The injecting call does
     * not throw them.
     */
    void use(Exclusion excluding, ErrorHandler handler) {
        exclusion = excluding;
        errors = handler;
    }

    @Override
    protected void executeSend(long position) {
        if (!exclusion.tryBegin()) {
            return;
        }
        try {
            final InjectionFifoConsumer from = prepare(position);
            if (from != null) {
                done = sends.tryOne(from.slot(position));
                keep(from, 1);
            }
        } catch (RuntimeException | Error e) {
            errors.onError(e);
        } finally {
            exclusion.end();
        }
    }

    @Override
    protected void executeRmw(long position) {
        if (!exclusion.tryBegin()) {
            return;
        }
        try {
            final InjectionFifoConsumer from = prepare(position);
            if (from != null) {
                done = atomics.tryOne(from.slot(position));
                keep(from, 0);
            }
        } catch (RuntimeException | Error e) {
            errors.onError(e);
        } finally {
            exclusion.end();
        }
    }

    @Override
    public boolean executeRun(int first, int slots, int arms, int pattern, long generation) {
        final InjectionFifoConsumer from = runs;
        final Server fifos = server;
        isHeld = false;
        if (from == null || fifos == null || !exclusion.tryBegin()) {
            return false;
        }
        boolean isBegun = false;
        boolean isFinished = false;
        try {
            // Within the turn: the thread that had it before may have left the engine at rest.
            isBegun = !quiet.isResting() && fifos.isIdle() && from.beginDirect(first, slots, arms, pattern, generation);
            if (isBegun) {
                visit.extraLooks = looks();
                fifos.serveRun(from);
                landed.run();
            }
        } catch (RuntimeException | Error e) {
            errors.onError(e);
        } finally {
            isFinished = isBegun && from.endDirect();
            isHeld = isSharing && isBegun && !isFinished && visit.heldBy != Visit.NOT_HELD;
            isLooking = visit.extraLooks == 0 ? isLooking : isFinished;
            visit.extraLooks = 0;
            exclusion.end();
        }
        return isFinished;
    }

    @Override
    public boolean isHeld() {
        return isHeld;
    }

    @Override
    public void shareCore() {
        isSharing = true;
    }

    /** Returns the number of further looks. Peers that come late, or share the core, are not waited for here. */
    private int looks() {
        if (isSharing) {
            return Visit.LOOK_ONCE;
        }
        return isLooking || (++withoutLooks & (LOOKS_TURN - 1)) == 0 ? LOOKS : 0;
    }

    /** Begins a direct execution, and returns the FIFO; null if a pass must carry the descriptor out. */
    private @Nullable InjectionFifoConsumer prepare(long position) {
        ready(false);
        final InjectionFifoConsumer from = fifo;
        if (from == null || quiet.isResting() || !from.isNext(position)) {
            return null;
        }
        visit.begin(from);
        visit.load(from);
        return from;
    }

    /** Keeps what the next visit counts. */
    private void keep(InjectionFifoConsumer from, int written) {
        bytes = from.service().quantumBytes() - visit.quantumBytes;
        records = written;
    }

    /** Passes a direct descriptor at the beginning of a visit. Returns the number of carried out descriptors. */
    int begin(InjectionFifoConsumer visited) {
        return done && visited == fifo ? pass(visited) : 0;
    }

    private int pass(InjectionFifoConsumer visited) {
        done = false;
        if (trace != null) {
            trace.executed(visited, visited.head(), visited.head() + 1);
        }
        visited.advance(visited.head() + 1, 0);
        visit.moved(bytes);
        visit.records += records;
        return 1;
    }

    /** Ends a visit that has carried out {@code count} descriptors. */
    void end(InjectionFifoConsumer visited, int count) {
        if (visited == fifo) {
            ready(count == 1);
        }
    }
}
