package org.segno.dma;

import org.jspecify.annotations.Nullable;
import org.segno.fifo.FifoAnnouncements;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.metrics.Metric;
import org.segno.metrics.NodeMetrics;

/**
 * Serves the active injection FIFOs of a node in turn, each up to its quantum. A FIFO whose descriptor finds no room waits for its
 * next visit and holds up nobody else. One thread, the engine's.
 */
final class InjectionUnit {
    /** Passes with work from one look at the announcements of changed settings to the next. */
    private static final int ANNOUNCEMENT_PASSES = 16;

    private final NodeMemory node;
    private final DescriptorUnit descriptors;
    private final Visit visit;
    private final NodeMetrics metrics;
    private final FifoAnnouncements[] announcements;
    private final @Nullable InjectionFifoConsumer[] fifos;
    private final Memory memory;
    private final long[] tailOffsets;
    private final long[] idleTails;
    private final int fifosPerContext;
    private int active;
    private int passes;

    InjectionUnit(NodeMemory node, DescriptorUnit descriptors, Visit visit, NodeMetrics metrics) {
        this.node = node;
        this.descriptors = descriptors;
        this.visit = visit;
        this.metrics = metrics;
        final int contexts = node.layout().dimensions().contexts();
        this.fifosPerContext = node.layout().dimensions().fifos() + 2;
        this.fifos = new InjectionFifoConsumer[contexts * fifosPerContext];
        this.memory = node.owner();
        this.tailOffsets = new long[fifos.length];
        this.idleTails = new long[fifos.length];
        this.announcements = new FifoAnnouncements[contexts];
        for (int context = 0; context < contexts; context++) {
            announcements[context] = new FifoAnnouncements(node, context);
        }
    }

    int doWork() {
        final int work = visitAll();
        // Changed settings are rare: they are looked for when there is nothing else to do, and now and then.
        final boolean look = work == 0 || (++passes & (ANNOUNCEMENT_PASSES - 1)) == 0;
        return look && readAnnouncements() ? work + visitAll() : work;
    }

    private int visitAll() {
        final Memory words = memory;
        final long[] offsets = tailOffsets;
        final long[] idle = idleTails;
        final int count = active;
        int work = 0;
        for (int i = 0; i < count; i++) {
            // Tails of a context lie side by side: an idle FIFO costs this one look.
            if (words.getLongAcquire(offsets[i]) != idle[i]) {
                work += visit(i);
            }
        }
        return work;
    }

    private int visit(int index) {
        final InjectionFifoConsumer fifo = fifos[index];
        int work = 0;
        if (fifo != null) {
            work = fifo.poll() ? serve(fifo) : 0;
            idleTails[index] = fifo.idleTail();
        }
        return work;
    }

    /** Begins to serve FIFOs that applications have activated; true if there are any. */
    private boolean readAnnouncements() {
        boolean changed = false;
        for (int context = 0; context < announcements.length; context++) {
            if (announcements[context].changed()) {
                activate(context);
                changed = true;
            }
        }
        return changed;
    }

    private void activate(int context) {
        for (int i = 0; i < fifosPerContext; i++) {
            final FifoMetadata metadata = new FifoMetadata(node, context, i);
            if (metadata.wantsActivation()) {
                fifos[active] = InjectionFifoConsumer.activate(node, context, metadata);
                tailOffsets[active] = metadata.tailOffset();
                idleTails[active] = InjectionFifoConsumer.BUSY;
                active++;
            }
        }
    }

    private int serve(InjectionFifoConsumer fifo) {
        visit.begin(fifo);
        final int quantum = fifo.quantumDescriptors();
        int done = 0;
        do {
            done += descriptors.execute(fifo, quantum - done);
            if (fifo.head() != fifo.tail()) {
                if (done < quantum && visit.quantumBytes > 0) {
                    metrics.add(Metric.BLOCKED, 1);
                }
                break;
            }
            // Only a FIFO of runs has more to show: the end of this run, and the next one.
        } while (fifo.hasRuns() && fifo.poll() && done < quantum && visit.quantumBytes > 0);
        fifo.commit();
        final long bytes = fifo.quantumBytes() - visit.quantumBytes;
        metrics.addServed(done, bytes, visit.records);
        // A part of a long message is work too: it must not look like an idle pass.
        return done == 0 && bytes != 0 ? 1 : done;
    }
}
