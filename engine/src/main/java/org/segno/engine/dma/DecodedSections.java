package org.segno.engine.dma;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;

/**
 * The short sections that are replayed, as they were validated. Used only by the engine's thread.
 *
 * <p>Each section has one place for its rounds of each parity, by its first slot. It takes the place after some visits
 * at its begin, usually one for each round, between which the section that has the place was not executed. Their number
 * doubles whenever another section takes a place, so that sections that alternate there are not decoded again and
 * again.
 */
final class DecodedSections {
    /** Maximum number of descriptors of a section. Longer ones have runs, of which only the begin is validated. */
    private static final int MAX_DESCRIPTORS = 64;

    private static final int PLACES = 512;
    private static final int MIN_VISITS = 2;
    private static final int MAX_VISITS = 4096;

    private final Memory memory;
    private final DescriptorUnit unit;
    private final @Nullable DecodedSection[] sections = new DecodedSection[PLACES];

    /** Section that wants each place, and the number of visits at its begin. */
    private final long[] wanted = new long[PLACES];

    private final int[] visits = new int[PLACES];

    /** Number of visits after which a section takes each place. */
    private final int[] needed = new int[PLACES];

    DecodedSections(Memory memory, DescriptorUnit unit) {
        this.memory = memory;
        this.unit = unit;
        Arrays.fill(needed, MIN_VISITS);
    }

    /** Returns the section that a FIFO is at, or null if its descriptors are to be validated. */
    @Nullable
    DecodedSection of(InjectionFifoConsumer fifo, int alternate) {
        final int place = (int) (fifo.base() / Descriptor.LENGTH * 2 + alternate) & (PLACES - 1);
        final DecodedSection known = sections[place];
        return known != null && known.isOf(fifo) ? known : want(place, fifo);
    }

    private @Nullable DecodedSection want(int place, InjectionFifoConsumer fifo) {
        final DecodedSection known = sections[place];
        if (fifo.head() != 0 || fifo.tail() > MAX_DESCRIPTORS) {
            return null;
        }
        if ((known != null && known.wasUsed()) || wanted[place] != fifo.base()) {
            wanted[place] = fifo.base();
            visits[place] = 0;
        }
        visits[place]++;
        if (visits[place] < needed[place]) {
            return null;
        }
        if (known != null && !known.isAt(fifo)) {
            needed[place] = Math.min(2 * needed[place], MAX_VISITS);
        }
        final DecodedSection made = new DecodedSection(memory, fifo);
        made.decode(unit, fifo);
        sections[place] = made;
        return made;
    }
}
