package org.segno.pattern;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loaded patterns of a context that the application has not yet obtained. They are found by content: every word of
 * every descriptor must be equal. This works because a recorder initializes every word. Used by the one thread that
 * holds the context.
 */
final class PatternCache {
    private final Map<Section, Deque<Pattern>> patterns = new HashMap<>();

    /** Checks that an equal pattern can be prepared once more, which the comparison requires. */
    static void requireRoom(Pattern pattern, long slots, int patterns) {
        if (pattern.descriptors() > slots || patterns == 0) {
            throw new IllegalStateException(
                    pattern + " of " + pattern.owner()
                            + " could not be prepared again, which temporarily requires"
                            + " another pattern and as many slots: " + patterns + " patterns and " + slots
                            + " adjacent slots are free; raise NodeConfig.withPatterns or withPatternBufferBytes, or start without the file");
        }
    }

    /** Adds a pattern with these {@code words}. */
    void add(long[] words, Pattern pattern) {
        patterns.computeIfAbsent(new Section(words, pattern.arms(), pattern.rounds()), some -> new ArrayDeque<>())
                .add(pattern);
    }

    /** Removes and returns a pattern equal to the recording, or null if there is none. */
    @Nullable
    Pattern take(long[] words, Recorder recorded) {
        final Section section = new Section(words, recorded.arms(), recorded.rounds());
        final Deque<Pattern> same = patterns.get(section);
        if (same == null) {
            return null;
        }
        Pattern found = same.poll();
        // Patterns that the application has since closed or replayed itself are skipped.
        while (found != null && (found.isClosed() || found.generation() != 0)) {
            found = same.poll();
        }
        if (same.isEmpty()) {
            patterns.remove(section);
        }
        return found;
    }

    boolean isEmpty() {
        return patterns.isEmpty();
    }

    void clear() {
        patterns.clear();
    }

    /** Content of a pattern. Not a record, because its array is compared by value. */
    private static final class Section {
        private final long[] words;
        private final int arms;
        private final Rounds rounds;

        Section(long[] words, int arms, Rounds rounds) {
            this.words = words;
            this.arms = arms;
            this.rounds = rounds;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Section section
                    && arms == section.arms
                    && rounds == section.rounds
                    && Arrays.equals(words, section.words);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(words) + arms;
        }
    }
}
