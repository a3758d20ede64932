package org.segno.engine.dma;

import java.util.LinkedHashMap;
import java.util.Map;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/**
 * Snapshot of those parts of the owner's half of a node that never change after setup; compares later contents with it.
 */
final class OwnerHalfSnapshot {
    private static final Part[] SETTLED = {
        Part.HEADER, Part.NAMES, Part.RUN_RINGS, Part.PATTERN_BUFFER, Part.COUNTER_SETTINGS, Part.WINDOW_TABLE
    };

    private final NodeMemory node;
    private final Map<Part, long[]> before = new LinkedHashMap<>();

    OwnerHalfSnapshot(NodeMemory node) {
        this.node = node;
        for (final Part part : SETTLED) {
            before.put(part, words(part));
        }
    }

    private long[] words(Part part) {
        final long[] words = new long[(int) (node.layout().length(part) / Long.BYTES)];
        for (int i = 0; i < words.length; i++) {
            words[i] = node.owner().getLong(node.layout().offset(part) + (long) i * Long.BYTES);
        }
        return words;
    }

    /** Fails if a word of them has changed. */
    void require(String as) {
        final Memory memory = node.owner();
        before.forEach((part, words) -> {
            for (int i = 0; i < words.length; i++) {
                if (memory.getLong(node.layout().offset(part) + (long) i * Long.BYTES) != words[i]) {
                    throw new AssertionError(as + ": word " + i + " of " + part + " of rank " + node.rank());
                }
            }
        });
    }
}
