package org.segno.engine.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Lookups of names that linked peers publish, of which this process has mapped no directory. A context looks for one
 * name at a time: it stores its question here, and the engine with the link asks the peer and stores the answer.
 * Neither waits for the other.
 *
 * <p>Questions and answers are immutable objects in process memory. A lookup allocates; it belongs to the set-up of a
 * program.
 */
public final class NameLookups {
    /** Lookups of a node that has mapped all its peers. */
    public static final NameLookups NONE = new NameLookups(0);

    private final AtomicReferenceArray<@Nullable Question> questions;
    private final AtomicReferenceArray<@Nullable Answer> answers;

    /** Creates the lookups of a node's contexts. */
    public NameLookups(int contexts) {
        this.questions = new AtomicReferenceArray<>(contexts);
        this.answers = new AtomicReferenceArray<>(contexts);
    }

    /**
     * A name to look for. Each question is an object of its own, so that an answer to an earlier one cannot be taken
     * for its answer.
     */
    public static final class Question {
        private final int rank;
        private final String name;
        private final long[] encoded;

        Question(int rank, String name, long[] encoded) {
            this.rank = rank;
            this.name = name;
            this.encoded = encoded;
        }

        /** Returns the rank that publishes the name. */
        public int rank() {
            return rank;
        }

        /** Returns true if it looks for this name of this rank. */
        public boolean isFor(int ofRank, String ofName) {
            return rank == ofRank && name.equals(ofName);
        }

        /** Returns the number of words of the encoded name. */
        public int words() {
            return encoded.length;
        }

        /** Returns a word of the name in the encoding of {@link NameDirectory#encode}. */
        public long word(int index) {
            return encoded[index];
        }
    }

    /** Entry that a peer has found, and of a client the ids of its contexts, in their present use. */
    public static final class Found {
        private final NameDirectory.Entry entry;
        private final int[] contextIds;

        /** Creates the result of a lookup. */
        public Found(NameDirectory.Entry entry, int[] contextIds) {
            this.entry = entry;
            this.contextIds = contextIds.clone();
        }

        /** Returns the entry of the name. */
        public NameDirectory.Entry entry() {
            return entry;
        }

        /** Returns the ids of a client's contexts; empty for other names. */
        public int[] contextIds() {
            return contextIds.clone();
        }
    }

    /** Answer to a question; without a result while the name is not published. */
    private record Answer(Question question, @Nullable Found found) {}

    /** Returns the number of contexts. */
    public int contexts() {
        return questions.length();
    }

    /**
     * Begins a lookup. An earlier one of the same name continues if its answer is outstanding; any other is forgotten.
     * Called by the thread that holds the context.
     *
     * @throws IllegalArgumentException if it is not a name
     */
    public void begin(int context, int rank, String name) {
        final Question asked = questions.getPlain(context);
        final Answer answer = answers.getAcquire(context);
        final boolean isOutstanding = asked != null && (answer == null || answer.question != asked);
        if (!isOutstanding || !asked.isFor(rank, name)) {
            questions.setRelease(context, new Question(rank, name, NameDirectory.encode(name)));
        }
    }

    /**
     * Returns true once a question of a context is answered, whatever the answer. Called by the thread that holds the
     * context.
     */
    public boolean isAnswered(int context, Question question) {
        final Answer answer = answers.getAcquire(context);
        return answer != null && answer.question == question;
    }

    /**
     * Returns the result of the lookup, or null while it is outstanding. If the name was not published, or another one
     * was looked for meanwhile, the lookup begins again. Called by the thread that holds the context.
     */
    public @Nullable Found find(int context, int rank, String name) {
        final Question asked = questions.getPlain(context);
        if (asked == null || !asked.isFor(rank, name)) {
            begin(context, rank, name);
            return null;
        }
        final Answer answer = answers.getAcquire(context);
        if (answer == null || answer.question != asked) {
            return null;
        }
        questions.setRelease(
                context, answer.found == null ? new Question(asked.rank, asked.name, asked.encoded) : null);
        return answer.found;
    }

    /** Returns the question of a context, or null for none. Called by the engine. */
    public @Nullable Question question(int context) {
        return questions.getAcquire(context);
    }

    /** Answers a question. Called by the engine. */
    public void answer(int context, Question question, @Nullable Found found) {
        answers.setRelease(context, new Answer(question, found));
    }
}
