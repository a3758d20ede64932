package org.segno.engine.job;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Questions of a rank about numbers that ranks in other processes keep. The membership threads pass them on and answer
 * them, as letters through the hub, so that the asked rank need not make a pass. A rank is asked one question at a
 * time: letters to one that is stopped do not pile up. Any thread may call any method.
 */
public final class Inquiries {
    /** In place of a number that is not known, or not any more. */
    public static final long UNKNOWN = -1;

    /** First words of the letters. Those of transports are 0 or above. */
    private static final int QUESTION = -1;

    private static final int ANSWER = -2;

    private final Post post;
    private final Map<Long, WeakReference<LongSupplier>> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, Question> questions = new ConcurrentHashMap<>();

    /** Creates the questions and answers of a rank that sends letters by {@code post}. */
    public Inquiries(Post post) {
        this.post = post;
    }

    /** Returns those of a rank without a job. Nobody answers. */
    public static Inquiries none() {
        return new Inquiries((to, word, second, third) -> {});
    }

    /** Sends a letter to another rank, as {@link Membership#write}. */
    @FunctionalInterface
    public interface Post {
        /** Sends the words to {@code to}. Does not wait. */
        void write(int to, int word, long second, long third);
    }

    /** A question that was sent last to one rank. */
    private static final class Question {
        private final long key;
        private volatile @Nullable Long answer;

        Question(long key) {
            this.key = key;
        }
    }

    /**
     * Lets other ranks ask for a number of this one, until {@link #withdraw}, or until nothing else refers to it.
     *
     * @param key unique at this rank
     * @param number called on the membership thread; does not wait
     */
    public void offer(long key, LongSupplier number) {
        numbers.values().removeIf(offered -> offered.get() == null);
        numbers.put(key, new WeakReference<>(number));
    }

    /** Ends the offer of a number. */
    public void withdraw(long key) {
        numbers.remove(key);
    }

    /** Asks a rank for the number with a key there. Returns false while it has not answered the last question. */
    public boolean ask(int rank, long key) {
        final Question question = new Question(key);
        final Question asked =
                questions.compute(rank, (unused, last) -> last == null || last.answer != null ? question : last);
        if (asked != question) {
            return false;
        }
        post.write(rank, QUESTION, key, 0);
        return true;
    }

    /** Returns true once a rank has answered the last question. */
    public boolean isAnswered(int rank) {
        final Question last = questions.get(rank);
        return last == null || last.answer != null;
    }

    /** Returns the answer of a rank to the last question, if that was about {@code key}, or {@link #UNKNOWN}. */
    public long answer(int rank, long key) {
        final Question last = questions.get(rank);
        final Long answer = last == null || last.key != key ? null : last.answer;
        return answer == null ? UNKNOWN : answer;
    }

    /** Called with a letter of another rank. Returns false if it is neither a question nor an answer. */
    public boolean received(int from, int word, long second, long third) {
        switch (word) {
            case QUESTION -> post.write(from, ANSWER, second, number(second));
            case ANSWER -> {
                final Question last = questions.get(from);
                if (last != null && last.key == second) {
                    last.answer = third;
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private long number(long key) {
        final WeakReference<LongSupplier> offered = numbers.get(key);
        final LongSupplier number = offered == null ? null : offered.get();
        return number == null ? UNKNOWN : number.getAsLong();
    }
}
