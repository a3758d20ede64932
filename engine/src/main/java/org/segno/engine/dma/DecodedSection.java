package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;

/** The descriptors of a section as they were validated, in rounds with one parity. Used only by the engine's thread. */
final class DecodedSection {
    private static final int WORDS = Descriptor.LENGTH / Long.BYTES;

    private final Memory memory;
    private final long base;

    /** The slots, by which it is recognized when the sections of the FIFO have changed. */
    private final long[] words;

    /** Null for a descriptor that is validated in each round. */
    private final @Nullable Decoded[] steps;

    private long changes;
    private boolean isUsed = true;

    /** Reads the slots of the section that the FIFO is at, before they are validated. */
    DecodedSection(Memory memory, InjectionFifoConsumer fifo) {
        this.memory = memory;
        this.base = fifo.base();
        this.changes = fifo.service().sectionChanges();
        this.steps = new Decoded[(int) fifo.tail()];
        this.words = new long[steps.length * WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = memory.getLong(base + (long) i * Long.BYTES);
        }
    }

    /** Validates the descriptors that each round would validate again. */
    void decode(DescriptorUnit unit, InjectionFifoConsumer fifo) {
        for (int i = 0; i < steps.length; i++) {
            steps[i] = unit.decode(fifo.slot(i), i + 1 < steps.length ? fifo.slot(i + 1L) : -1);
        }
    }

    /** Returns true if this is the section that the FIFO is at. */
    boolean isOf(InjectionFifoConsumer fifo) {
        return isAt(fifo) && (changes == fifo.service().sectionChanges() || isUnchanged(fifo));
    }

    /** Returns true if this section has, or had, the slots that the FIFO is at. */
    boolean isAt(InjectionFifoConsumer fifo) {
        return base == fifo.base();
    }

    private boolean isUnchanged(InjectionFifoConsumer fifo) {
        final long now = fifo.service().sectionChanges();
        for (int i = 0; i < words.length; i++) {
            if (memory.getLong(base + (long) i * Long.BYTES) != words[i]) {
                return false;
            }
        }
        changes = now;
        return true;
    }

    /** Returns true if a round was executed since the last call, so that another section must not take its place. */
    boolean wasUsed() {
        final boolean was = isUsed;
        isUsed = false;
        return was;
    }

    /**
     * Carries out the descriptors from {@code first} on, up to one that must be validated, that waits, or within which
     * the quantum ends.
     *
     * @return the position of the first remaining descriptor
     */
    long run(long first, long end, Visit visit) {
        final Decoded[] all = steps;
        final int last = (int) Math.min(end, all.length);
        int next = (int) first;
        isUsed = true;
        while (next < last && visit.quantumBytes > 0) {
            final Decoded step = all[next];
            if (step == null) {
                break;
            }
            final int result = step.execute(visit);
            if (result != Decoded.DONE) {
                // What has changed will not be as it was.
                all[next] = result == Decoded.CHANGED ? null : step;
                break;
            }
            next++;
        }
        return next;
    }
}
