package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Recorder;

/**
 * Operations on {@link Target#nowhere()}. Nothing is injected and no memory changes. Local arguments are checked as
 * usual, and local counters are counted down at once, as if all bytes had been moved. Used by the thread that holds the
 * context.
 */
final class SkippedOperations {
    /** Position of an operation that is not injected: everything before it is carried out. */
    private static final long POSITION = 0;

    private final NodeMemory node;
    private final SinkSelector sinks;

    SkippedOperations(NodeMemory node, SinkSelector sinks) {
        this.node = node;
        this.sinks = sinks;
    }

    /** Skips an operation with a range of local memory. */
    long copy(Operand operand, long offset, long length, @Nullable InjectionCounter counter) {
        MemoryAccess.requireOperand(operand, node, operand instanceof Window ? "window" : "source", offset, length);
        return completes(length, counter);
    }

    /** Skips a get to a counter of this node. */
    long get(ReceptionCounter into, long offset, long length, @Nullable InjectionCounter counter) {
        Ranges.requireLanding(into.length(), offset, length);
        sinks.skip();
        final Recorder recorder = sinks.recorder();
        if (recorder == null) {
            MemoryAccess.arrived(into, length);
        } else {
            recorder.arrives(into, length);
        }
        return completes(length, counter);
    }

    /** Skips a get to the pair's counter of the round. */
    long get(Recorder recorder, CounterPair into, long offset, long length, @Nullable InjectionCounter counter) {
        Ranges.requireLanding(into.length(), offset, length);
        sinks.skip();
        recorder.arrives(into, length);
        return completes(length, counter);
    }

    /** Skips an operation that counts {@code counter} down by {@code length}, if there is one. */
    long completes(long length, @Nullable InjectionCounter counter) {
        sinks.skip();
        if (counter != null) {
            counter.requireOf(node);
            final Recorder recorder = sinks.recorder();
            if (recorder == null) {
                MemoryAccess.fetched(counter, length);
            } else {
                recorder.completes(counter, length);
            }
        }
        return POSITION;
    }
}
