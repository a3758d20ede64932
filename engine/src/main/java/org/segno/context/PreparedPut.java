package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * PUTs from one window to one target, for loops of many: rank, counters, window and their words of the descriptor are
 * checked and computed once. A call checks the two ranges and writes the rest. It does the same as {@link
 * Injector#put}, in the same order with other calls, inside {@code record} and inside a batch too, but it is never
 * split. Used by the thread that holds the context. Allocates nothing.
 */
public final class PreparedPut {
    private final NodeMemory node;
    private final Ranges ranges;
    private final SinkSelector sinks;
    private final SkippedOperations skipped;
    private final Target target;
    private final Window source;
    private final @Nullable InjectionCounter counter;
    private final long targetLength;
    private final long headWord;
    private final long targetWord;
    private final long sourceWord;

    PreparedPut(Injector injector, Target target, Window source, @Nullable InjectionCounter counter) {
        this.node = injector.node();
        this.ranges = injector.ranges();
        this.sinks = injector.sinks();
        this.skipped = injector.skipped();
        this.target = target;
        this.source = source;
        this.counter = counter;
        if (target.isNowhere()) {
            MemoryAccess.requireOf(source, node);
            this.targetLength = -1;
            this.headWord = 0;
            this.targetWord = 0;
        } else {
            ranges.requireCopy(target, 0, source, 0, 0, counter);
            this.targetLength = target.length();
            this.headWord = DescriptorWriter.putHead(target, source);
            this.targetWord = DescriptorWriter.target(target);
        }
        this.sourceWord = DescriptorWriter.source(source, counter);
    }

    /**
     * Copies {@code length} bytes as {@link Injector#put} does.
     *
     * @return position of the descriptor, or {@link org.segno.status.Status#BACK_PRESSURED}
     * @throws IllegalArgumentException if a range lies outside the window or the target
     * @throws org.segno.status.ClosedException if the window, the counter or the node was closed
     */
    public long put(long targetOffset, long sourceOffset, long length) {
        if (targetOffset < 0
                || targetOffset > targetLength - length
                || !MemoryAccess.contains(source, sourceOffset, length)
                || (counter != null && !MemoryAccess.isIn(counter, node.values()))) {
            return unusual(targetOffset, sourceOffset, length);
        }
        final InjectionFifoProducer fifo = sinks.roomyFifo();
        if (fifo == null || target.alternate()) {
            return sink(targetOffset, sourceOffset, length);
        }
        write(fifo.memory(), fifo.nextSlot(), targetOffset, sourceOffset, length);
        return fifo.publishClaimed();
    }

    private void write(Memory memory, long slot, long targetOffset, long sourceOffset, long length) {
        DescriptorWriter.putWords(memory, slot, headWord, targetWord, sourceWord);
        DescriptorWriter.putRanges(memory, slot, targetOffset, sourceOffset, length);
    }

    private long sink(long targetOffset, long sourceOffset, long length) {
        final long slot = sinks.claim(target);
        if (slot >= 0) {
            write(node.owner(), slot, targetOffset, sourceOffset, length);
        }
        return sinks.publish(slot);
    }

    private long unusual(long targetOffset, long sourceOffset, long length) {
        if (target.isNowhere()) {
            return skipped.copy(source, sourceOffset, length, counter);
        }
        ranges.requireCopy(target, targetOffset, source, sourceOffset, length, counter);
        throw new AssertionError("a range that was refused is valid: " + this);
    }

    @Override
    public String toString() {
        return "prepared PUT from " + source + " to " + target;
    }
}
