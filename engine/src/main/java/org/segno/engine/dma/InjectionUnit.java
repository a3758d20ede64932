package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoAnnouncements;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.FifoThreshold;
import org.segno.engine.fifo.FifoTrace;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;

/**
 * Server of a node's active injection FIFOs. It visits them in turn, each up to its quantum. If a descriptor finds no
 * room, its FIFO waits for its next visit and delays no other FIFO. If many FIFOs are active, every pass checks those
 * with recent work, and some of the others in turn, so that an idle FIFO costs almost nothing. Used only by the
 * engine's thread.
 */
final class InjectionUnit implements DirectUnit.Server {
    /** Number of passes with work between two checks of the announcements of changed settings. */
    private static final int ANNOUNCEMENT_PASSES = 16;

    /** Number of FIFOs checked in every pass. If more are active, these are the ones that had work last. */
    private static final int HOT = 8;

    /** Number of further FIFOs that a pass checks, in turn. */
    private static final int COLD_LOOKS = 4;

    private final NodeMemory node;
    private final DmaEngine.Share share;
    private final DescriptorUnit descriptors;
    private final DescriptorUnit replies;
    private final DirectUnit direct;
    private final RefusalReport report;
    private final Targets targets;
    private final Visit visit;
    private final NodeMetrics metrics;
    private final DueEvents due = new DueEvents();
    private final FifoAnnouncements[] announcements;
    private final @Nullable InjectionFifoConsumer[] known;
    private final @Nullable InjectionFifoConsumer[] fifos;
    private final Memory memory;
    private final long[] tailOffsets;
    private final long[] idleTails;
    private final int fifosPerContext;
    private int active;
    private int cold = HOT;
    private int coolest;
    private int highestPriority;
    private int passes;
    private boolean blocked;
    private @Nullable TraceRing trace;
    private @Nullable PayloadTrace payloads;
    private TraceScope traceScope = TraceScope.ALL;

    /**
     * Executors of descriptors.
     *
     * @param ordinary executor of the sends of applications
     * @param replies executor of the sends of their handlers
     * @param report recorder of FIFOs that are no longer served
     * @param direct executor of lone SENDs between two passes
     */
    record Units(DescriptorUnit ordinary, DescriptorUnit replies, RefusalReport report, DirectUnit direct) {}

    InjectionUnit(
            DmaEngine.Share share, NodeMemory node, Units units, Targets targets, Visit visit, NodeMetrics metrics) {
        this.share = share;
        this.node = node;
        this.descriptors = units.ordinary();
        this.replies = units.replies();
        this.direct = units.direct();
        this.report = units.report();
        this.targets = targets;
        this.visit = visit;
        this.metrics = metrics;
        final int contexts = node.layout().dimensions().contexts();
        this.fifosPerContext = node.layout().dimensions().fifos() + 2;
        this.known = new InjectionFifoConsumer[contexts * fifosPerContext];
        this.fifos = new InjectionFifoConsumer[known.length];
        this.memory = node.owner();
        this.tailOffsets = new long[fifos.length];
        this.idleTails = new long[fifos.length];
        this.announcements = new FifoAnnouncements[contexts];
        for (int context = 0; context < contexts; context++) {
            announcements[context] = new FifoAnnouncements(node, context);
        }
    }

    /** Traces the FIFOs that become active from now on. Called before the first pass, so that these are all. */
    void trace(TraceRing ring, TraceScope scope, boolean withPayloads) {
        trace = ring;
        traceScope = scope;
        payloads = withPayloads ? new PayloadTrace(ring, node, targets, visit) : null;
    }

    int doWork() {
        blocked = false;
        final int work = visitEach();
        // Settings change rarely: check for changes when there is nothing else to do, and periodically.
        final boolean look = work == 0 || (++passes & (ANNOUNCEMENT_PASSES - 1)) == 0;
        return look && readAnnouncements() ? work + visitEach() : work;
    }

    /** Returns true if a descriptor found no room at its target in the last pass. Nobody reports that there is room. */
    boolean isBlocked() {
        return blocked;
    }

    @Override
    public boolean isIdle() {
        final Memory words = memory;
        final long[] offsets = tailOffsets;
        final long[] idle = idleTails;
        // The compiler would unroll a loop over an int, which costs more than the few turns of this one.
        for (long i = 0; i < active; i++) {
            if (words.getLongAcquire(offsets[(int) i]) != idle[(int) i]) {
                return false;
            }
        }
        return active <= HOT && !announcements[share.engine()].isPending();
    }

    private int visitEach() {
        final int hot = Math.min(HOT, active);
        int work = visitAll(0, hot, 0);
        // Serve higher priorities again, each priority once more than the one below. They are served more often, and no
        // FIFO starves.
        for (int priority = 1; priority <= highestPriority; priority++) {
            work += visitAll(0, hot, priority);
        }
        if (active > HOT) {
            work += visitCold();
        }
        if (!due.isEmpty()) {
            raiseEvents();
        }
        return work;
    }

    /** Checks some of the FIFOs that had no work lately. From here on, every pass checks one that has work now. */
    private int visitCold() {
        final int first = cold < active ? cold : HOT;
        cold = Math.min(first + COLD_LOOKS, active);
        int work = 0;
        for (int i = first; i < cold; i++) {
            final int done = visitAll(i, i + 1, 0);
            if (done != 0) {
                swap(i, coolest);
                coolest = (coolest + 1) % HOT;
                work += done;
            }
        }
        return work;
    }

    private int visitAll(int first, int end, int priority) {
        final Memory words = memory;
        final long[] offsets = tailOffsets;
        final long[] idle = idleTails;
        int work = 0;
        for (int i = first; i < end; i++) {
            // The tails of a context are adjacent: an idle FIFO costs only this one comparison.
            if (words.getLongAcquire(offsets[i]) != idle[i]) {
                work += visit(i, priority);
            }
        }
        return work;
    }

    private void swap(int one, int other) {
        final InjectionFifoConsumer fifo = fifos[one];
        final long tailOffset = tailOffsets[one];
        final long idleTail = idleTails[one];
        move(other, one);
        fifos[other] = fifo;
        tailOffsets[other] = tailOffset;
        idleTails[other] = idleTail;
    }

    private void move(int from, int to) {
        fifos[to] = fifos[from];
        tailOffsets[to] = tailOffsets[from];
        idleTails[to] = idleTails[from];
    }

    private int visit(int index, int priority) {
        final InjectionFifoConsumer fifo = fifos[index];
        int work = 0;
        if (fifo != null && fifo.service().priority() >= priority) {
            work = fifo.poll() ? serve(fifo) : 0;
            if (fifo.service().takeQuarantine()) {
                quarantined(fifo);
            }
            idleTails[index] = fifo.idleTail();
        }
        return work;
    }

    private void quarantined(InjectionFifoConsumer fifo) {
        for (int at = 0; at < known.length; at++) {
            if (known[at] == fifo) {
                report.quarantined(at / fifosPerContext, at % fifosPerContext);
            }
        }
    }

    /** Applies the settings that applications have changed. Returns true if any has changed. */
    private boolean readAnnouncements() {
        boolean changed = false;
        for (int context = 0; context < announcements.length; context++) {
            if (announcements[context].changed()) {
                settle(context);
                changed = true;
            }
        }
        return changed;
    }

    private void settle(int context) {
        for (int i = 0; i < fifosPerContext; i++) {
            if (!share.serves(context, i)) {
                continue;
            }
            final int at = context * fifosPerContext + i;
            final FifoMetadata metadata = new FifoMetadata(node, context, i);
            final int index = indexOf(known[at]);
            // Read this once: the application may change its request meanwhile, and announces that change again.
            final boolean wanted = metadata.wantsService();
            if (wanted && index < 0) {
                activate(at, metadata);
            } else if (wanted) {
                configure(fifos[index]);
            } else {
                deactivate(index);
                end(known[at], metadata);
            }
        }
        highestPriority = 0;
        for (int i = 0; i < active; i++) {
            highestPriority = Math.max(highestPriority, priority(fifos[i]));
        }
    }

    private static void end(@Nullable InjectionFifoConsumer fifo, FifoMetadata metadata) {
        if (fifo == null) {
            metadata.confirmInactive();
        } else {
            fifo.end();
        }
    }

    private static int priority(@Nullable InjectionFifoConsumer fifo) {
        return fifo == null ? 0 : fifo.service().priority();
    }

    private static void configure(@Nullable InjectionFifoConsumer fifo) {
        if (fifo != null) {
            fifo.configure();
        }
    }

    private int indexOf(@Nullable InjectionFifoConsumer fifo) {
        for (int i = 0; i < active && fifo != null; i++) {
            if (fifo.equals(fifos[i])) {
                return i;
            }
        }
        return -1;
    }

    private void activate(int at, FifoMetadata metadata) {
        InjectionFifoConsumer fifo = known[at];
        if (fifo == null) {
            fifo = InjectionFifoConsumer.activate(node, at / fifosPerContext, metadata, due);
            known[at] = fifo;
            if (trace != null && (traceScope == TraceScope.ALL || fifo.hasRuns())) {
                fifo.service().trace(new FifoTrace(trace, node, at / fifosPerContext, at % fifosPerContext, metadata));
            }
        } else {
            fifo.begin();
        }
        // Payloads are copied before a descriptor is carried out, in a pass.
        if (at == share.directFifo(fifosPerContext) && payloads == null) {
            direct.executeFrom(fifo);
        } else if (at == share.replayFifo(fifosPerContext)) {
            direct.executeRuns(fifo, this);
        }
        fifos[active] = fifo;
        tailOffsets[active] = metadata.tailOffset();
        idleTails[active] = InjectionFifoConsumer.BUSY;
        active++;
    }

    private void deactivate(int index) {
        if (index < 0) {
            return;
        }
        active--;
        move(active, index);
        fifos[active] = null;
    }

    /**
     * Publishes events of crossed thresholds to contexts through the lane from their own node. Events that find no room
     * are published later.
     */
    private void raiseEvents() {
        for (int at = 0; at < known.length; at++) {
            final InjectionFifoConsumer fifo = known[at];
            if (fifo != null) {
                final int number = at % fifosPerContext;
                final ReceptionFifoProducer lane = targets.self().lane(at / fifosPerContext);
                raise(lane, number, fifo.service().fillThreshold());
                raise(lane, number | LaneRecord.FREE_EVENT, fifo.service().freeThreshold());
            }
        }
    }

    private void raise(ReceptionFifoProducer lane, int event, FifoThreshold threshold) {
        if (threshold.isEventDue() && lane.claim(0) >= 0) {
            lane.publishFifoEvent(event);
            threshold.eventRaised();
            due.raised();
            targets.self().arrivedAt(-1);
        }
    }

    private boolean isSetAside(InjectionFifoConsumer fifo) {
        return visit.heldBy != Visit.NOT_HELD && fifo.hold(visit.heldBy, visit.heldLimit);
    }

    @Override
    public void serveRun(InjectionFifoConsumer fifo) {
        visit.begin(fifo);
        final int quantum = fifo.service().quantumDescriptors();
        int done = 0;
        do {
            done += execute(descriptors, fifo, quantum - done);
        } while (fifo.proceed() && done < quantum && visit.quantumBytes > 0);
        if (fifo.head() != fifo.tail()) {
            stopped(done < quantum);
        }
        end(fifo, done);
    }

    private int serve(InjectionFifoConsumer fifo) {
        final DescriptorUnit unit = fifo.service().isReply() ? replies : descriptors;
        visit.begin(fifo);
        final int quantum = fifo.service().quantumDescriptors();
        int done = direct.begin(fifo);
        do {
            done += execute(unit, fifo, quantum - done);
            if (fifo.head() != fifo.tail() && !isSetAside(fifo)) {
                stopped(done < quantum);
                break;
            }
            // Only a FIFO of runs can provide more descriptors: the end of this run, and the next run.
        } while (fifo.hasRuns() && fifo.poll() && done < quantum && visit.quantumBytes > 0);
        direct.end(fifo, done);
        final long bytes = end(fifo, done);
        // A part of a long message is work too, and must not appear as an idle pass.
        return done == 0 && bytes != 0 ? 1 : done;
    }

    private int execute(DescriptorUnit unit, InjectionFifoConsumer fifo, int limit) {
        if (fifo.head() == fifo.tail()) {
            return 0;
        }
        return payloads == null ? unit.execute(fifo, limit) : payloads.execute(unit, fifo, limit);
    }

    /** Records that a visit has stopped at a descriptor: for want of room, if nothing else is the reason. */
    private void stopped(boolean hasQuantum) {
        if (hasQuantum && visit.heldBy == Visit.NOT_HELD && visit.quantumBytes > 0) {
            metrics.add(Metric.BLOCKED, 1);
            blocked = true;
        }
    }

    /** Ends a visit, and returns the bytes that it has moved. */
    private long end(InjectionFifoConsumer fifo, int done) {
        fifo.commit();
        final long bytes = fifo.service().quantumBytes() - visit.quantumBytes;
        metrics.addServed(done, bytes - visit.sentBytes, visit.records);
        return bytes;
    }
}
