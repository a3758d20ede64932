package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.RemoteReads;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of REMOTE_GETs from nodes with mapped memory. It reads that memory in place, as far as the owner grants the
 * right, into a window or to a reception counter of this node. Used only by the engine's thread.
 *
 * <p>Successive REMOTE_GETs with the same target, landing place and injection counter are a <em>run</em>. Each costs
 * two range checks and the copy. One atomic add at each counter counts the whole run down.
 */
final class GetUnit {
    private static final int FLAGS = Descriptor.ALTERNATE | Descriptor.INTO_COUNTER | Descriptor.ALTERNATE_LANDING;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand window;
    private final Targets targets;
    private final Visit visit;
    private final Landing self;

    private long runHead;
    private long runTarget;
    private long runPlace;
    private long runIncarnation;
    private RemoteReads from;
    private @Nullable Landing into;

    GetUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.window = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.self = targets.self();
        this.from = self.fetching();
    }

    /**
     * Carries out the run of REMOTE_GETs that begins at {@code first}.
     *
     * @return the position of the first remaining descriptor; {@link Visit#result} is the reason if the run had to stop
     *     there
     */
    long run(InjectionFifoConsumer fifo, long first, long end) {
        final int opened = open(fifo.slot(first));
        if (opened != Landing.LANDED) {
            return visit.stop(first, opened);
        }
        final long quantum = visit.quantumBytes;
        long next = first;
        do {
            visit.result = fetch(fifo.slot(next));
            if (visit.result != Landing.LANDED) {
                break;
            }
            next++;
        } while (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next)));
        final long all = quantum - visit.quantumBytes;
        if (into != null) {
            into.close(all);
        }
        targets.injected(Descriptor.injectionCounter(runPlace), all);
        return next;
    }

    /** Validates everything except the ranges, which differ between the REMOTE_GETs of a run. */
    private int open(long slot) {
        runHead = memory.getLong(slot);
        runTarget = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        runPlace = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        runIncarnation = memory.getLong(slot + Descriptor.OPERAND_OFFSET);
        final int rank = Descriptor.rank(runHead);
        final Landing owner = targets.landing(rank);
        if (owner == null) {
            return targets.missing(rank);
        }
        if (!Descriptor.hasOnly(runHead, FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        if (!targets.isInjectionCounter(Descriptor.injectionCounter(runPlace))) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        from = owner.fetching();
        final int opened = from.open(visit.counter(runHead, runTarget), Descriptor.incarnation(runTarget));
        return opened == Landing.LANDED ? openPlace() : opened;
    }

    private int openPlace() {
        if (Descriptor.has(runHead, Descriptor.INTO_COUNTER)) {
            into = self;
            return self.openOwn(visit.landingCounter(runHead, runPlace), Descriptor.landingIncarnation(runIncarnation));
        }
        into = null;
        return window.open(Descriptor.window(runPlace));
    }

    private boolean continues(long slot) {
        return memory.getLong(slot) == runHead
                && memory.getLong(slot + Descriptor.TARGET_OFFSET) == runTarget
                && memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) == runPlace
                && memory.getLong(slot + Descriptor.OPERAND_OFFSET) == runIncarnation;
    }

    /** Fetches as much of one descriptor of the run as the quantum allows. Later visits fetch the rest. */
    private int fetch(long slot) {
        final long placeOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long ownerOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long done = visit.partialBytes;
        if (length < done) {
            // The length is negative, or the descriptor was overwritten after it was begun.
            return Refusal.BAD_LENGTH.code();
        }
        final Landing counter = into;
        // The whole range must fit at both ends, or nothing is fetched.
        final boolean fits = counter == null ? window.admits(placeOffset, length) : counter.admits(placeOffset, length);
        if (!fits) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        if (!from.admits(ownerOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        final long part = Math.min(length - done, visit.quantumBytes);
        final long place = (counter == null ? window.base() : counter.openBase()) + placeOffset + done;
        from.read(ownerOffset + done, arena, place, part);
        visit.moved(part);
        return visit.part(done + part, length);
    }
}
