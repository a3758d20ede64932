package org.segno.pattern;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of a context that were loaded and that nobody has asked for yet, found by what they do: every word of every descriptor must be
 * the same. A recorder leaves no word to chance. One thread, the one that holds the context.
 */
final class Prepared {
    private final Map<Section, Deque<Pattern>> patterns = new HashMap<>();

    /** Checks that what a pattern does can be prepared once more, to be compared. */
    static void requireRoom(Pattern pattern, long slots, int patterns) {
        if (pattern.descriptors() > slots || patterns == 0) {
            throw new IllegalStateException(pattern + " of " + pattern.owner()
                    + " could not be prepared again, which takes"
                    + " another pattern and as many slots for the moment: " + patterns + " patterns and " + slots
                    + " slots side by side are free; raise patterns or patternBufferBytes, or start without the file");
        }
    }

    /** Takes in a pattern of these {@code words}. */
    void add(long[] words, Pattern pattern) {
        patterns.computeIfAbsent(new Section(words, pattern.arms(), pattern.rounds()), some -> new ArrayDeque<>())
                .add(pattern);
    }

    /** Hands out a pattern that does what was recorded, once; null if there is none. */
    @Nullable
    Pattern take(long[] words, Recorder recorded) {
        final Section section = new Section(words, recorded.arms(), recorded.rounds());
        final Deque<Pattern> same = patterns.get(section);
        if (same == null) {
            return null;
        }
        Pattern found = same.poll();
        // What the application has closed or replays by itself already is not handed out a second time.
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

    /** What a pattern does. No record, because of its words. */
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
