package org.segno.pattern;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;

/**
 * Counters at which a recording expects bytes, and its WAITs for them. A section that waits for all of them is executed
 * only after everything that it expects has arrived. Used by the one thread that holds the context.
 */
final class ExpectedCounters {
    private final List<LocalCounter> expected = new ArrayList<>();
    private final LongHashSet awaited = new LongHashSet();
    private final boolean sends;

    /** Creates the counters of a recording; {@code sends} is true if the recording is itself a round. */
    ExpectedCounters(boolean sends) {
        this.sends = sends;
    }

    /** Adds an expectation. */
    void expect(LocalCounter counter) {
        if (!expected.contains(counter)) {
            expected.add(counter);
        }
        if (sends) {
            // A replay with a WAIT arms all counters first, but in a recorded round an earlier WAIT does not cover this
            // one.
            awaited.remove(key(counter));
        }
    }

    /** Adds a WAIT. */
    void await(Descriptor descriptor) {
        if (descriptor.targetOffset() <= 0) {
            awaited.add(key(descriptor.target(), descriptor.has(Descriptor.INJECTION)));
        }
    }

    /** Returns a counter at which bytes are expected without a WAIT for all of them, or null. */
    @Nullable
    LocalCounter unawaited() {
        for (final LocalCounter counter : expected) {
            if (!awaited.contains(key(counter))) {
                return counter;
            }
        }
        return null;
    }

    /** Returns true if some counter must have every byte expected before it arrives. */
    boolean forbidUnderflow() {
        for (final LocalCounter counter : expected) {
            if (counter.forbidsUnderflow()) {
                return true;
            }
        }
        return false;
    }

    private static long key(LocalCounter counter) {
        return key(counter.id(), counter instanceof InjectionCounter);
    }

    private static long key(int id, boolean injection) {
        return 2L * id + (injection ? 1 : 0);
    }
}
