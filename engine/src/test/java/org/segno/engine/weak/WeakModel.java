package org.segno.engine.weak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Memory of one run, as weak as the requested orderings allow.
 *
 * <p>Every store is kept. A thread has a <em>view</em>: for each byte the oldest store that it may still see. A plain
 * load sees any store that is not older; it never sees a store older than its last one. A release store carries the
 * view of its thread, and an acquire load that sees it merges that view into its own. Without that, the stores of
 * another thread become visible in any order. An atomic add sees the newest store, and is a full fence. Stores overtake
 * earlier accesses by an {@link EarlyStore}. An aligned access never tears a word, a longer copy does.
 *
 * <p>A full fence by itself takes effect only in a run that {@link #keepFences keeps fences}. It acquires the stores
 * that its thread has loaded before, and the thread's later stores release the accesses that precede the fence. All
 * fences have one order.
 *
 * <p>This is the axiomatic release-acquire model of C++ and Java's access modes, made operational after the "promising
 * semantics" of Kang, Hur, Lahav, Vafeiadis and Dreyer (POPL 2017): views, and one promise.
 */
final class WeakModel {
    private static final int[] STALE_PERCENT = {0, 20, 50, 80};
    private static final long STEP_LIMIT = 100_000;

    /** Key of a fence, which accesses no word. */
    private static final long NO_WORD = -1;

    private final SplittableRandom chance;
    private final Orderings orderings;
    private final @Nullable EarlyStore hoist;
    private final int stale;
    private final List<String> violations = new ArrayList<>();
    private int[][] views = {};
    private int[] sequential = {};

    /** View of each thread at its last fence, which its later stores carry, or null. */
    private int[] @Nullable [] fenced = {};

    /** Views by thread of the stores that it saw without an acquire: its next fence merges them. */
    private List<List<int[]>> unacquired = List.of();

    private boolean keepsFences;
    private AccessLog[] logs = {};
    private @Nullable Interleaving interleaving;
    private final List<Word[]> regions = new ArrayList<>();
    private int words;
    private @Nullable Word early;
    private int earlyNumber;
    private long earlyBefore;
    private int earlyTime;
    private int time;
    private boolean isKept;
    private boolean isImpossible;

    WeakModel(long seed, Orderings orderings, @Nullable EarlyStore hoist) {
        this.chance = new SplittableRandom(seed);
        this.orderings = orderings;
        this.hoist = hoist;
        this.stale = STALE_PERCENT[chance.nextInt(STALE_PERCENT.length)];
    }

    /** Returns randomness for the threads' choices; not used by the model in between. */
    SplittableRandom chance() {
        return chance.split();
    }

    /** Lets full fences take effect. Called before the run. */
    void keepFences() {
        keepsFences = true;
    }

    /** Runs the threads to their ends. */
    void run(ExecutorService workers, List<Runnable> bodies) {
        views = new int[bodies.size()][0];
        fenced = new int[bodies.size()][];
        unacquired = bodies.stream()
                .map(body -> (List<int[]>) new ArrayList<int[]>())
                .toList();
        logs = new AccessLog[bodies.size()];
        Arrays.setAll(logs, i -> new AccessLog());
        final Interleaving order = new Interleaving(chance.split(), bodies.size(), STEP_LIMIT);
        interleaving = order;
        final List<Runnable> guarded = new ArrayList<>();
        for (int i = 0; i < bodies.size(); i++) {
            final int thread = i;
            guarded.add(() -> guard(thread, bodies.get(thread), order));
        }
        order.run(workers, guarded);
        interleaving = null;
    }

    private void guard(int thread, Runnable body, Interleaving order) {
        try {
            body.run();
        } catch (Interleaving.EndedException e) {
            // Another thread has ended the run.
        } catch (EarlyStore.ImpossibleException e) {
            isImpossible = true;
            order.end();
        } catch (Throwable t) {
            violations.add("thread " + thread + " threw " + t);
            if (isReal() || (hoist != null && hoist.thread() == thread)) {
                order.end();
            }
        }
    }

    /** Records an outcome that must never be seen. */
    void violated(String what) {
        violations.add(what);
        final Interleaving order = interleaving;
        if (order != null && isReal()) {
            order.end();
        }
    }

    /** Returns false while the code has not reached a store that was made early. */
    private boolean isReal() {
        return hoist == null || isKept;
    }

    /** Returns the forbidden outcomes that were seen. Empty if the code did not make the store that was made early. */
    List<String> violations() {
        return isPossible() ? violations : List.of();
    }

    /** Returns false if the code did not make a store that was made early: then no outcome of the run counts. */
    boolean isPossible() {
        return isReal() && !isImpossible;
    }

    /** Returns a store that could have been made earlier in this run, or null. */
    @Nullable
    EarlyStore chooseHoist(SplittableRandom by) {
        int thread = by.nextInt(logs.length);
        // Prefers a thread that has lost an ordering.
        for (int tries = 0; tries < logs.length && !logs[thread].isWeakened(); tries++) {
            thread = by.nextInt(logs.length);
        }
        return logs[thread].choose(thread, by);
    }

    /** Switches to another thread, because the running one has nothing to do. */
    void pause() {
        if (interleaving != null) {
            interleaving.pause();
        }
    }

    /** Adds memory of {@code length} bytes; returns its number. */
    int addRegion(long length) {
        regions.add(new Word[(int) (length / Long.BYTES) + 1]);
        return regions.size() - 1;
    }

    /** Returns the word at {@code offset} of a region. */
    Word word(int region, long offset) {
        final Word[] there = regions.get(region);
        final int index = (int) (offset >>> 3);
        Word word = there[index];
        if (word == null) {
            word = new Word(((long) region << 32) | index, words++);
            there[index] = word;
        }
        return word;
    }

    private Access before(Access requested, long key, int mask, long value) {
        final Interleaving order = interleaving;
        if (order == null) {
            orderings.weaken(requested);
            return requested;
        }
        order.step();
        final int thread = order.current();
        final Access access = orderings.weaken(requested);
        final EarlyStore promise = hoist;
        if (promise != null && promise.thread() == thread) {
            if (logs[thread].count() == promise.early()) {
                storeEarly(promise);
                order.rest();
            }
            requireDue(promise, access, key, mask, value);
        }
        logs[thread].add(promise == null, access, access != requested, key, mask, value);
        return access;
    }

    private void storeEarly(EarlyStore promise) {
        final Word word = word((int) (promise.key() >>> 32), (promise.key() & 0xFFFF_FFFFL) << 3);
        early = word;
        earlyBefore = word.newest();
        final long value = promise.access() == Access.STORE ? promise.value() : earlyBefore + promise.value();
        // An atomic add also carries the view of the store before it to its readers.
        final int[] atFence = fenced[promise.thread()];
        final int[] carried = promise.access() == Access.STORE ? atFence : carried(word, atFence);
        earlyNumber = word.append(value, promise.mask(), carried, time++);
        earlyTime = time;
    }

    private void requireDue(EarlyStore promise, Access access, long key, int mask, long value) {
        if (early == null) {
            return;
        }
        if (key == promise.key()) {
            if (access != promise.access() || mask != promise.mask() || value != promise.value()) {
                throw new EarlyStore.ImpossibleException();
            }
            isKept = true;
        }
    }

    /**
     * Requires that an acquire in front of the early store loads a store older than it: at that time it could have seen
     * no newer one.
     */
    private void requireBeforeEarly(int stored, int thread) {
        if (early != null && hoist != null && hoist.thread() == thread && stored >= earlyTime) {
            throw new EarlyStore.ImpossibleException();
        }
    }

    /** Returns true, once, for the access that was made early. */
    private boolean isMade(Word word) {
        if (isKept && word == early) {
            early = null;
            return true;
        }
        return false;
    }

    long load(Word word, int mask, Access requested) {
        final Access access = before(requested, word.key, mask, 0);
        final Interleaving order = interleaving;
        if (order == null) {
            return word.newest();
        }
        final int thread = order.current();
        final int[] view = view(thread);
        final int blind = order.isLate() ? 0 : stale;
        long value = 0;
        int missing = mask;
        for (int i = word.count; i > 0 && missing != 0; i--) {
            final int bytes = word.masks[i - 1] & missing;
            if (bytes != 0 && (isInView(view, word, bytes, i) || chance.nextInt(100) >= blind)) {
                value |= word.values[i - 1] & Word.bits(bytes);
                missing &= ~bytes;
                see(view, word, bytes, i);
                if (access.acquires) {
                    requireBeforeEarly(word.times[i - 1], thread);
                    join(view, word.views[i - 1]);
                } else {
                    seenPlainly(thread, word.views[i - 1]);
                }
            }
        }
        return value | (word.initial() & Word.bits(missing));
    }

    void store(Word word, int mask, long value, Access requested) {
        final Access access = before(requested, word.key, mask, value);
        final Interleaving order = interleaving;
        if (order == null) {
            word.begin(mask, value);
            return;
        }
        final int thread = order.current();
        final int number = isMade(word)
                ? earlyNumber
                : word.append(value, mask, access.releases ? view(thread).clone() : fenced[thread], time++);
        see(view(thread), word, mask, number);
    }

    /** Adds atomically; returns the value before. */
    long add(Word word, long delta) {
        final Access access = before(Access.ATOMIC, word.key, 0xFF, delta);
        final Interleaving order = interleaving;
        if (order == null) {
            final long value = word.newest();
            word.begin(0xFF, value + delta);
            return value;
        }
        final int[] view = view(order.current());
        if (isMade(word)) {
            see(view, word, 0xFF, earlyNumber);
            return earlyBefore;
        }
        final long value = word.newest();
        update(access, order.current(), word, value + delta);
        return value;
    }

    /** Compares and sets atomically. */
    boolean compareAndSet(Word word, long expected, long value) {
        final Access access = before(Access.ATOMIC, word.key, 0xFF, value);
        final Interleaving order = interleaving;
        final long found = word.newest();
        if (found != expected) {
            return false;
        }
        if (order == null) {
            word.begin(0xFF, value);
        } else {
            update(access, order.current(), word, value);
        }
        return true;
    }

    private void update(Access access, int thread, Word word, long value) {
        int[] view = view(thread);
        final int[] seen = word.count == 0 ? null : word.views[word.count - 1];
        final int[] carried;
        if (access.releases) {
            join(view, seen);
            view = view(thread);
            see(view, word, 0xFF, word.count + 1);
            synchronise(view);
            carried = view.clone();
        } else {
            see(view, word, 0xFF, word.count + 1);
            carried = carried(word, fenced[thread]);
        }
        word.append(value, 0xFF, carried, time++);
    }

    /** Returns the view that an unordered atomic carries: of the store before it, and of its thread's last fence. */
    private static int @Nullable [] carried(Word word, int @Nullable [] atFence) {
        final int[] seen = word.count == 0 ? null : word.views[word.count - 1];
        if (seen == null || atFence == null) {
            return seen == null ? atFence : seen;
        }
        final int[] both = Arrays.copyOf(seen, Math.max(seen.length, atFence.length));
        join(both, atFence);
        return both;
    }

    /** Executes a full fence. Without {@link #keepFences} it does nothing. */
    void fence() {
        if (!keepsFences) {
            return;
        }
        final Access access = before(Access.FENCE, NO_WORD, 0, 0);
        final Interleaving order = interleaving;
        if (order == null || access != Access.FENCE) {
            return;
        }
        final int thread = order.current();
        final int[] view = view(thread);
        unacquired.get(thread).forEach(seen -> join(view, seen));
        unacquired.get(thread).clear();
        synchronise(view);
        fenced[thread] = view.clone();
    }

    private void seenPlainly(int thread, int @Nullable [] seen) {
        if (keepsFences && seen != null) {
            unacquired.get(thread).add(seen);
        }
    }

    /** Joins the views of all fences so far with that of the running thread. */
    private void synchronise(int[] view) {
        if (sequential.length < view.length) {
            sequential = Arrays.copyOf(sequential, view.length);
        }
        join(view, sequential);
        join(sequential, view);
    }

    private int[] view(int thread) {
        if (views[thread].length < words * Long.BYTES) {
            views[thread] = Arrays.copyOf(views[thread], Math.max(1024, 2 * words * Long.BYTES));
        }
        return views[thread];
    }

    private static boolean isInView(int[] view, Word word, int bytes, int number) {
        for (int i = 0; i < Long.BYTES; i++) {
            if ((bytes & (1 << i)) != 0 && view[word.id * Long.BYTES + i] >= number) {
                return true;
            }
        }
        return false;
    }

    private static void see(int[] view, Word word, int bytes, int number) {
        for (int i = 0; i < Long.BYTES; i++) {
            if ((bytes & (1 << i)) != 0) {
                view[word.id * Long.BYTES + i] = Math.max(view[word.id * Long.BYTES + i], number);
            }
        }
    }

    private static void join(int[] view, int @Nullable [] other) {
        if (other != null) {
            for (int i = 0; i < Math.min(view.length, other.length); i++) {
                view[i] = Math.max(view[i], other[i]);
            }
        }
    }
}
