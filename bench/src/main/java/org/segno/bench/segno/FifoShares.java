package org.segno.bench.segno;

import java.nio.file.Path;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/**
 * Two injection FIFOs of one context, flooded with PUTs at the same time, one of them favoured. The figure is its
 * fraction of all executed descriptors.
 *
 * <p>One operation is one pass of the engine, and neither FIFO is ever empty before or after one.
 */
final class FifoShares implements Side {
    /** Kinds of preference for the second FIFO. */
    enum Kind {
        /** None: a half is expected. */
        EVEN(0, Kind.UNIT_DESCRIPTORS, Kind.AMPLE_BYTES),
        /** Visited four times while the other is visited once: 0.8. */
        PRIORITY_3(3, Kind.UNIT_DESCRIPTORS, Kind.AMPLE_BYTES),
        /** Eight descriptors a visit for each of the other: 8/9. */
        QUANTUM_8(0, 8 * Kind.UNIT_DESCRIPTORS, Kind.AMPLE_BYTES),
        /** Eight bytes a visit for each of the other: 8/9. */
        QUANTUM_BYTES_8(0, 8 * Kind.UNIT_DESCRIPTORS, 8L * Kind.UNIT_DESCRIPTORS * SIZE);

        private static final int UNIT_DESCRIPTORS = 16;
        private static final long AMPLE_BYTES = 1 << 20;

        private final int priority;
        private final int descriptors;
        private final long bytes;

        Kind(int priority, int descriptors, long bytes) {
            this.priority = priority;
            this.descriptors = descriptors;
            this.bytes = bytes;
        }

        /** Configures both FIFOs. If bytes are the measure, descriptors are ample. */
        void configure(InjectionFifo other, InjectionFifo favoured) {
            favoured.priority(priority);
            if (bytes == AMPLE_BYTES) {
                other.quantum(AMPLE_BYTES, UNIT_DESCRIPTORS);
                favoured.quantum(AMPLE_BYTES, descriptors);
            } else {
                other.quantum(bytes / 8, AMPLE_DESCRIPTORS);
                favoured.quantum(bytes, AMPLE_DESCRIPTORS);
            }
        }
    }

    static final int SIZE = 64;
    private static final int AMPLE_DESCRIPTORS = 1 << 16;
    /** Passes until the engine has applied the settings, with work in each of them. */
    private static final int SETTLING_PASSES = 64;

    private final Role role;
    private final NodeEnd ends;
    private final Context context;
    private final InjectionFifo other;
    private final InjectionFifo favoured;

    private FifoShares(Role role, NodeEnd ends, Kind kind) {
        this.role = role;
        this.ends = ends;
        this.context = ends.context();
        this.other = context.injectionFifo();
        this.favoured = context.injectionFifo();
        kind.configure(other, favoured);
    }

    static FifoShares open(Role role, Path directory, Kind kind) {
        return new FifoShares(
                role, NodeEnd.open(role, directory, Threading.INVOKER, NodeConfig.defaults(), 4096), kind);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        if (role == Role.ECHO) {
            return;
        }
        pass(SETTLING_PASSES);
        final long otherBefore = other.descriptors();
        final long favouredBefore = favoured.descriptors();
        pass(operations);
        final long served = favoured.descriptors() - favouredBefore;
        figures.set(0, served / (double) (served + other.descriptors() - otherBefore));
    }

    private void pass(int passes) {
        for (int i = 0; i < passes; i++) {
            fill(other);
            fill(favoured);
            context.advance();
            if (other.isEmpty() || favoured.isEmpty()) {
                throw new IllegalStateException("a FIFO became empty: it had less work than one pass serves");
            }
        }
    }

    private void fill(InjectionFifo fifo) {
        while (!fifo.isFull()) {
            if (fifo.put(ends.target(), 0, ends.outgoing(), 0, SIZE) == Status.BACK_PRESSURED) {
                return;
            }
        }
    }

    @Override
    public void close() {
        ends.close();
    }
}
