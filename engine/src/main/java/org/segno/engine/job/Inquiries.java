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

    /** The last request to one rank. */
    private static final class Request {
        private final long key;
        private volatile @Nullable Long reply;

        Request(long key) {
            this.key = key;
        }
    }

    /**
     * Lets other ranks request a number of this one, until {@link #withdraw}, or until nothing else refers to it.
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

    /** Requests the number with a key at a rank. Returns false while the last request to that rank has no reply. */
    public boolean request(int rank, long key) {
        final Request request = new Request(key);
        final Request sent =
                requests.compute(rank, (unused, last) -> last == null || last.reply != null ? request : last);
        if (sent != request) {
            return false;
        }
        post.write(rank, REQUEST, key, 0);
        return true;
    }

    /** Returns true once the last request to a rank has a reply, or there is none. */
    public boolean hasReply(int rank) {
        final Request last = requests.get(rank);
        return last == null || last.reply != null;
    }

    /** Returns the number in the reply to the last request to a rank, if that had this key, or {@link #UNKNOWN}. */
    public long reply(int rank, long key) {
        final Request last = requests.get(rank);
        final Long reply = last == null || last.key != key ? null : last.reply;
        return reply == null ? UNKNOWN : reply;
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
