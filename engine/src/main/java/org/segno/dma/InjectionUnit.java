package org.segno.dma;

import org.jspecify.annotations.Nullable;
import org.segno.fifo.FifoAnnouncements;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.memory.NodeMemory;
import org.segno.metrics.Metric;
import org.segno.metrics.NodeMetrics;

/**
 * Serves the active injection FIFOs of a node in turn, each up to its quantum. A FIFO whose descriptor finds no room waits for its
 * next visit and holds up nobody else. One thread, the engine's.
 */
final class InjectionUnit {
    private final NodeMemory node;
    private final DescriptorUnit descriptors;
    private final Visit visit;
    private final NodeMetrics metrics;
    private final FifoAnnouncements[] announcements;
    private final @Nullable InjectionFifoConsumer[] fifos;
    private final int fifosPerContext;
    private int active;

    InjectionUnit(NodeMemory node, DescriptorUnit descriptors, Visit visit, NodeMetrics metrics) {
        this.node = node;
        this.descriptors = descriptors;
        this.visit = visit;
        this.metrics = metrics;
        final int contexts = node.layout().dimensions().contexts();
        this.fifosPerContext = node.layout().dimensions().fifos() + 2;
        this.fifos = new InjectionFifoConsumer[contexts * fifosPerContext];
        this.announcements = new FifoAnnouncements[contexts];
        for (int context = 0; context < contexts; context++) {
            announcements[context] = new FifoAnnouncements(node, context);
        }
    }

    int doWork() {
        for (int context = 0; context < announcements.length; context++) {
            if (announcements[context].changed()) {
                activate(context);
            }
        }
        int work = 0;
        for (int i = 0; i < active; i++) {
            final InjectionFifoConsumer fifo = fifos[i];
            if (fifo != null && fifo.poll()) {
                work += serve(fifo);
            }
        }
        return work;
    }

    private void activate(int context) {
        for (int i = 0; i < fifosPerContext; i++) {
            final FifoMetadata metadata = new FifoMetadata(node, context, i);
            if (metadata.wantsActivation()) {
                fifos[active++] = InjectionFifoConsumer.activate(node, context, metadata);
            }
        }
    }

    private int serve(InjectionFifoConsumer fifo) {
        descriptors.begin(fifo);
        final int quantum = fifo.quantumDescriptors();
        final long movedBefore = visit.movedBytes;
        int done = 0;
        do {
            final int limit = quantum - done;
            final int carriedOut = descriptors.execute(fifo, limit);
            done += carriedOut;
            if (fifo.head() != fifo.tail()) {
                if (done < quantum && visit.quantumBytes > 0) {
                    metrics.add(Metric.BLOCKED, 1);
                }
                break;
            }
        } while (fifo.poll() && done < quantum && visit.quantumBytes > 0);
        fifo.commit();
        report(done);
        // A part of a long message is work too: it must not look like an idle pass.
        return done == 0 && visit.movedBytes != movedBefore ? 1 : done;
    }

    private void report(int done) {
        if (done != 0) {
            metrics.add(Metric.DESCRIPTORS, done);
        }
        if (visit.movedBytes != 0) {
            metrics.add(Metric.BYTES, visit.movedBytes);
        }
        if (visit.records != 0) {
            metrics.add(Metric.RECORDS, visit.records);
        }
        visit.movedBytes = 0;
        visit.records = 0;
    }
}
