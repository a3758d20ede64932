package org.segno.engine.job;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a rank for numbers that ranks in other processes own. Requests and replies are letters through the hub,
 * and membership threads carry them out, so that the owner need not make a pass. There is one request at a time to each
 * rank: letters to one that is stopped do not accumulate. Any thread may call any method.
 */
public final class Inquiries {
    /** In place of a number that is not known, or not any more. */
    public static final long UNKNOWN = -1;

    /** First words of the letters. Those of transports are 0 or above. */
    private static final int REQUEST = -1;

    private static final int REPLY = -2;

    private final Post post;
    private final Map<Long, WeakReference<LongSupplier>> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, Request> requests = new ConcurrentHashMap<>();

    /** Creates the requests and replies of a rank that sends letters by {@code post}. */
    public Inquiries(Post post) {
        this.post = post;
    }

    /** Returns those of a rank without a job. No request has a reply. */
    public static Inquiries none() {
        return new Inquiries((to, word, second, third) -> {});
    }

    /** Sends a letter to another rank, as {@link Membership#write}. */
    @FunctionalInterface
    public interface Post {
        /** Sends the words to {@code to}. Does not wait. */
        void write(int to, int word, long second, long third);
    }

    /** A request to one rank. */
    public static final class Request {
        private final long key;
        private volatile @Nullable Long reply;

        private Request(long key) {
            this.key = key;
        }

        /** Returns true once the reply is here. */
        public boolean hasReply() {
            return reply != null;
        }

        /** Returns the number in the reply; {@link #UNKNOWN} before it is here, or if the owner has no such number. */
        public long reply() {
            final Long known = reply;
            return known == null ? UNKNOWN : known;
        }
    }

    /**
     * Lets other ranks request a number of this one, until {@link #withdraw}, or until nothing else refers to it.
     *
     * @param key unique at this rank
     * @param number called on the membership thread; does not wait
     */
    public void offer(long key, LongSupplier number) {
        if (!numbers.isEmpty()) {
            numbers.values().removeIf(offered -> offered.get() == null);
        }
        numbers.put(key, new WeakReference<>(number));
    }

    /** Ends the offer of a number. */
    public void withdraw(long key) {
        numbers.remove(key);
    }

    /** Requests the number with a key at a rank. Returns null while the last request to that rank has no reply. */
    public @Nullable Request request(int rank, long key) {
        final Request request = new Request(key);
        final Request sent = requests.compute(rank, (unused, last) -> last == null || last.hasReply() ? request : last);
        if (sent != request) {
            return null;
        }
        post.write(rank, REQUEST, key, 0);
        return request;
    }

    /** Handles a letter of another rank. Returns false if it is neither a request nor a reply. */
    public boolean received(int from, int word, long second, long third) {
        switch (word) {
            case REQUEST -> post.write(from, REPLY, second, number(second));
            case REPLY -> {
                final Request last = requests.get(from);
                if (last != null && last.key == second) {
                    last.reply = third;
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
