package org.segno.engine.reuse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.PairRange;
import org.segno.engine.memory.NameDirectory;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;

/**
 * Closes the windows and counters of a client, and keeps the pending closings. Used under the monitor that the node's
 * clients share.
 */
public final class Closings {
    private final Shared shared;
    private final WindowArena windows;
    private final CounterGroup counters;
    private final NameDirectory names;
    private final QuietEngines engines;
    private final Pins pins;
    private final List<PendingClosing> pending = new ArrayList<>();
    private final Map<ReceptionCounter, PendingClosing> ofCounters = new HashMap<>();

    /** Waits for the quiet of counters that are disabled, and are to be enabled again. */
    private final Map<ReceptionCounter, PendingClosing> disabled = new HashMap<>();

    /** Pairs that are closed once a round has ended. */
    private final List<LastRound> lastRounds = new ArrayList<>();

    /** A pair, and the counter of the last round that uses it, with the value at which that round is complete. */
    private record LastRound(CounterPair pair, ReceptionCounter counter, long value) {}

    /** Source of snapshots of the injected work. */
    @FunctionalInterface
    public interface Injected {
        /**
         * Takes a snapshot of the injected work. The supplier describes the part of it that is not carried out yet, or
         * returns null when all of it is.
         */
        Supplier<@Nullable String> now();
    }

    /**
     * State that all clients of a node share. Its monitor guards this state and all opening and closing.
     *
     * @param self the node's rank
     * @param names its directory
     * @param engines engines of the job
     * @param injected snapshots of the work of the node's engines
     * @param pins objects that patterns hold
     */
    public record Shared(int self, NameDirectory names, QuietEngines engines, Injected injected, Pins pins) {}

    /** Creates the closings of one client, which has these windows and counters. */
    public Closings(Shared shared, WindowArena windows, CounterGroup counters) {
        this.shared = shared;
        this.windows = windows;
        this.counters = counters;
        this.names = shared.names();
        this.engines = shared.engines();
        this.pins = shared.pins();
    }

    /** Completes the closings that can be completed now. */
    public void poll() {
        if (!lastRounds.isEmpty()) {
            lastRounds.removeIf(this::isClosed);
        }
        if (!pending.isEmpty()) {
            pending.removeIf(Closing::isDone);
        }
    }

    /** Returns those that were not completed. */
    public List<Closing> pending() {
        return List.copyOf(pending);
    }

    /**
     * Closes a window of this node that no open counter covers and no pattern uses. Peers access it only through
     * counters. Once those are closed, only this node's engine accesses it.
     */
    public PendingClosing close(Window window) {
        windows.requireOwn(window);
        final ReceptionCounter over = counters.over(window);
        if (over != null && !over.isClosed()) {
            throw new IllegalStateException(over + " covers " + window + "; close the counter first, or call"
                    + " Messenger.release if a messenger opened it");
        }
        final long thing = Pins.window(window.id());
        requireUnpinned(thing, window);
        final Supplier<@Nullable String> before = shared.injected().now();
        final String what = window.toString();
        final long bytes = window.length();
        windows.close(window);
        return add(
                new PendingClosing.Steps(
                        what,
                        () -> first(unfinished(thing), before.get(), closing(window)),
                        () -> windows.disable(window),
                        () -> windows.release(window, bytes)),
                this::isSelf);
    }

    /**
     * Describes a counter over the window that is not closed yet, and its pending work, or returns null. Checks the
     * progress of each.
     */
    private @Nullable String closing(Window window) {
        ReceptionCounter over = counters.over(window);
        while (over != null) {
            final PendingClosing closing = ofCounters.get(over);
            if (closing == null || !closing.isDone()) {
                return closing + ", and covers it";
            }
            over = counters.over(window);
        }
        return null;
    }

    /**
     * Closes an object that every engine of the job may write to. The engines refuse operations on it already.
     *
     * @param what name of the object
     * @param needed description of the pending work before engines are awaited, or null if there is none
     * @param release releases the object for reuse
     */
    public PendingClosing close(String what, Supplier<@Nullable String> needed, Runnable release) {
        return add(new PendingClosing.Steps(what, needed, () -> {}, release), any -> true);
    }

    /** Closes a reception counter of this node that no pattern arms, and withdraws its names. */
    public PendingClosing close(ReceptionCounter counter) {
        counters.requireOwn(counter);
        requireUnpinned(Pins.reception(counter.id()), counter);
        names.withdrawAll(counter.id(), counter.incarnation());
        return close(counter.toString(), counter);
    }

    /** Closes both counters of a pair. */
    public PendingClosing close(CounterPair pair) {
        final ReceptionCounter even = pair.counter(0);
        final ReceptionCounter odd = pair.counter(1);
        counters.requireOwn(even);
        requireUnpinned(Pins.reception(even.id()), pair);
        // A pattern may use only one of the two.
        requireUnpinned(Pins.reception(odd.id()), pair);
        names.withdrawAll(even.id(), even.incarnation());
        return close(pair.toString(), even, odd);
    }

    /**
     * Closes both counters of a pair once the engine has executed the last round that uses it, and everything has
     * arrived that this round expects: the round's counter is at or below {@code value}. Until then the pair is open,
     * so that the pieces of others are not refused. Its pattern is closed.
     */
    public void closeAfter(CounterPair pair, long round, long value) {
        counters.requireOwn(pair.counter(0));
        names.withdrawAll(pair.id(), pair.incarnation());
        lastRounds.add(new LastRound(pair, pair.counter(round), value));
    }

    /** Returns true if a pair is closed, and closes it if its last round has ended. */
    private boolean isClosed(LastRound last) {
        final ReceptionCounter counter = last.counter;
        if (counter.isClosed()) {
            return true;
        }
        if (unfinished(Pins.reception(counter.id())) != null || counter.valueAcquire() > last.value) {
            return false;
        }
        close(last.pair);
        return true;
    }

    /** Closes counters that admit the same sources. */
    private PendingClosing close(String what, ReceptionCounter... together) {
        final List<ReceptionCounter> each = List.of(together);
        final ReceptionCounter first = together[0];
        each.forEach(counters::close);
        each.forEach(disabled::remove);
        final PendingClosing closing = new PendingClosing(
                shared,
                new PendingClosing.Steps(
                        what,
                        () -> each.stream()
                                .map(counter -> unfinished(Pins.reception(counter.id())))
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElse(null),
                        () -> each.forEach(counters::disable),
                        () -> each.forEach(this::release)),
                engines,
                writersOf(first));
        each.forEach(counter -> ofCounters.put(counter, closing));
        return looked(closing);
    }

    private void release(ReceptionCounter counter) {
        ofCounters.remove(counter);
        counters.release(counter);
    }

    /**
     * Enables a disabled counter that no pattern arms, over another range. Its names refer to the new use of its id.
     *
     * @return false, without a change, while an operation that the counter admitted before may still land
     */
    public boolean enable(ReceptionCounter counter, CounterRange range) {
        counters.requireOwn(counter);
        if (counters.table().isPaired(counter)) {
            throw new IllegalArgumentException(
                    counter + " is one of a pair: enable both by Client.enable with the pair");
        }
        requireDisabled(counter);
        if (!isQuiet(counter)) {
            return false;
        }
        disabled.remove(counter);
        final int before = counter.incarnation();
        counters.enable(counter, range);
        names.renew(
                before,
                new NameDirectory.Entry(NameDirectory.COUNTER, counter.id(), counter.incarnation(), counter.length()));
        return true;
    }

    /**
     * Enables both counters of a pair, as {@link #enable(ReceptionCounter, CounterRange)} enables one, once both can be.
     * Until then neither is changed.
     */
    public boolean enable(CounterPair pair, PairRange range) {
        final ReceptionCounter even = pair.counter(0);
        final ReceptionCounter odd = pair.counter(1);
        counters.requireOwn(even);
        requireDisabled(even);
        requireDisabled(odd);
        // Both begin to observe the engines in the first call.
        final boolean isEvenQuiet = isQuiet(even);
        if (!isQuiet(odd) || !isEvenQuiet) {
            return false;
        }
        disabled.remove(even);
        disabled.remove(odd);
        final int before = pair.incarnation();
        counters.enable(pair, range);
        names.renew(before, new NameDirectory.Entry(NameDirectory.PAIR, pair.id(), pair.incarnation(), pair.length()));
        return true;
    }

    /** Checks that a counter is disabled and that no pattern arms it. */
    private void requireDisabled(ReceptionCounter counter) {
        if (MemoryAccess.isEnabled(counter)) {
            throw new IllegalStateException(counter + " is enabled; call its disable() before its range changes");
        }
        requireUnpinned(Pins.reception(counter.id()), counter);
    }

    /** Returns true once nothing that a disabled counter admitted before can still land. */
    private boolean isQuiet(ReceptionCounter counter) {
        final long thing = Pins.reception(counter.id());
        return disabled.computeIfAbsent(
                        counter,
                        one -> new PendingClosing(
                                shared,
                                new PendingClosing.Steps(one.toString(), () -> unfinished(thing), () -> {}, () -> {}),
                                engines,
                                writersOf(one)))
                .isDone();
    }

    /** Closes an injection counter of this node that no pattern uses. */
    public PendingClosing close(InjectionCounter counter) {
        counters.requireOwn(counter);
        final long thing = Pins.injection(counter.id());
        requireUnpinned(thing, counter);
        final Supplier<@Nullable String> before = shared.injected().now();
        counters.close(counter);
        return add(
                new PendingClosing.Steps(
                        counter.toString(),
                        () -> first(unfinished(thing), before.get(), null),
                        () -> {},
                        () -> counters.release(counter)),
                this::isSelf);
    }

    private boolean isSelf(int rank) {
        return rank == shared.self();
    }

    private IntPredicate writersOf(ReceptionCounter counter) {
        final int sources = MemoryAccess.sources(counter);
        return rank -> rank == shared.self() || counters.sets().admits(sources, rank);
    }

    private PendingClosing add(PendingClosing.Steps steps, IntPredicate concerned) {
        return looked(new PendingClosing(shared, steps, engines, concerned));
    }

    private PendingClosing looked(PendingClosing closing) {
        if (!closing.isDone()) {
            pending.add(closing);
        }
        return closing;
    }

    private void requireUnpinned(long thing, Object named) {
        final Pin holder = pins.holder(thing);
        if (holder != null) {
            throw new IllegalStateException(named + " is used by " + holder + ": close the pattern first");
        }
    }

    private @Nullable String unfinished(long thing) {
        final Pin holder = pins.unfinished(thing);
        return holder == null ? null : "the queued rounds of " + holder;
    }

    private static @Nullable String first(@Nullable String one, @Nullable String two, @Nullable String three) {
        return one != null ? one : two != null ? two : three;
    }
}
