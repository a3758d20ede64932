package org.segno.engine.reuse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterRecording;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.PairRange;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.FreeSpace;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/**
 * Allocator of a node's counters. An id is reused, as another incarnation, once nothing can change its counter any
 * more, which the caller ensures. Called by one thread at a time.
 */
public final class CounterGroup {
    private final NodeMemory node;
    private int injectionCapacity;
    private int receptionCapacity;
    private final FreeSpace injectionIds;
    private final FreeSpace receptionIds;

    /** Number of uses by id. */
    private final int[] incarnations;

    private final CounterTable table;
    private final RankSetPool sets;

    /** Group that allocated the counter by id, also after its release. */
    private final @Nullable CounterGroup[] injectionOwners;

    private final @Nullable CounterGroup[] receptionOwners;
    private int closingInjections;
    private int closingReceptions;
    private final CounterRecording recording;
    private final Admission admission;

    /**
     * Ranks that counters of a group can admit.
     *
     * @param client name of the client, for messages
     * @param tasks its ranks in ascending order, or null for all of the job
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Admission(String client, int @Nullable [] tasks) {
        void require(int rank) {
            if (tasks != null && rank >= 0 && Arrays.binarySearch(tasks, rank) < 0) {
                throw new IllegalArgumentException("rank " + rank + " is not a task of " + client
                        + ", so its counters cannot admit it: sources=" + rank + " tasks=" + Arrays.toString(tasks)
                        + "; name the rank in ClientConfig.withTasks at every task, or make the counter with a client"
                        + " in which the rank takes part");
            }
        }
    }

    /** Creates the group of all counters of a node. */
    public CounterGroup(NodeMemory node) {
        this.node = node;
        this.injectionCapacity = node.layout().dimensions().injectionCounters();
        this.receptionCapacity = node.layout().dimensions().receptionCounters();
        this.injectionIds = new FreeSpace(injectionCapacity);
        this.receptionIds = new FreeSpace(receptionCapacity);
        this.incarnations = new int[receptionCapacity];
        this.table = new CounterTable(injectionCapacity, receptionCapacity);
        this.sets = new RankSetPool(node);
        this.injectionOwners = new CounterGroup[injectionCapacity];
        this.receptionOwners = new CounterGroup[receptionCapacity];
        this.recording = new CounterRecording();
        this.admission = new Admission("the node's own client", null);
    }

    private CounterGroup(CounterGroup from, int injections, int receptions, Admission admission) {
        this.node = from.node;
        this.injectionCapacity = injections;
        this.receptionCapacity = receptions;
        this.injectionIds = from.injectionIds.part(injections);
        this.receptionIds = from.receptionIds.part(receptions);
        this.incarnations = from.incarnations;
        this.table = from.table;
        this.sets = from.sets;
        this.injectionOwners = from.injectionOwners;
        this.receptionOwners = from.receptionOwners;
        this.recording = from.recording;
        this.admission = admission;
        from.injectionCapacity -= injections;
        from.receptionCapacity -= receptions;
    }

    /**
     * Splits off counters permanently into a group of their own. The caller ensures that {@link #freeInjections} and
     * {@link #freeReceptions} suffice.
     */
    public CounterGroup part(int injections, int receptions, Admission admitted) {
        return new CounterGroup(this, injections, receptions, admitted);
    }

    /** Returns the counters of a group that was split off, of which all are released. */
    public void unite(CounterGroup part) {
        part.injectionIds.giveTo(injectionIds);
        part.receptionIds.giveTo(receptionIds);
        injectionCapacity += part.injectionCapacity;
        receptionCapacity += part.receptionCapacity;
        part.injectionCapacity = 0;
        part.receptionCapacity = 0;
    }

    /** Returns the open reception counters of this group, those of pairs too. */
    public List<ReceptionCounter> openReceptions() {
        final List<ReceptionCounter> open = new ArrayList<>();
        for (final ReceptionCounter counter : table.receptions()) {
            if (counter != null && !counter.isClosed() && receptionOwners[counter.id()] == this) {
                open.add(counter);
            }
        }
        return open;
    }

    /** Returns an open counter of any group whose events go to one of {@code count} contexts, or null. */
    public @Nullable ReceptionCounter withEventsIn(int first, int count) {
        for (final ReceptionCounter counter : table.receptions()) {
            if (counter != null && !counter.isClosed()) {
                final int context = MemoryAccess.eventContext(counter);
                if (context >= first && context < first + count) {
                    return counter;
                }
            }
        }
        return null;
    }

    /** Returns the open injection counters of this group. */
    public List<InjectionCounter> openInjections() {
        final List<InjectionCounter> open = new ArrayList<>();
        for (int id = 0; id < injectionOwners.length; id++) {
            final InjectionCounter counter = table.injection(id);
            if (counter != null && injectionOwners[id] == this) {
                open.add(counter);
            }
        }
        return open;
    }

    /** Begins the next use of a counter without memory that {@link #disable} has disabled, once it is quiet. */
    public void enableBare(ReceptionCounter counter) {
        enable(
                counter,
                new CounterRange(CounterRange.NO_WINDOW, 0, 0, MemoryAccess.sources(counter), CounterSettings.PUT));
    }

    /** Checks that a counter of this node belongs to this group, and not to a group that was split off. */
    public void requireOwn(ReceptionCounter counter) {
        requireOwn(receptionOwners[counter.id()], counter);
    }

    /** Checks an injection counter in the same way. */
    public void requireOwn(InjectionCounter counter) {
        requireOwn(injectionOwners[counter.id()], counter);
    }

    private void requireOwn(@Nullable CounterGroup owner, Object counter) {
        if (owner != this) {
            throw new IllegalArgumentException(counter + " belongs to another client of its node; close it there");
        }
    }

    /** Returns the number of injection counters that can be split off. */
    public long freeInjections() {
        return injectionIds.largest();
    }

    /**
     * Returns the number of reception counters that can be split off. They have adjacent ids, so that they can form
     * pairs.
     */
    public long freeReceptions() {
        return receptionIds.largest();
    }

    /** Returns the number of counter pairs that can be allocated. */
    public long freePairs() {
        return receptionIds.pieces(2);
    }

    /** Allocates a counter of bytes read from their source. */
    public InjectionCounter injection() {
        final int id = (int) injectionIds.take(1);
        if (id < 0) {
            throw new IllegalStateException("all " + injectionCapacity + " injection counters are in use"
                    + beingClosed(closingInjections) + "; close some, or raise withCounters");
        }
        injectionOwners[id] = this;
        final InjectionCounter counter = MemoryAccess.newInjectionCounter(node, id);
        table.add(counter);
        return counter;
    }

    /** Allocates a counter over a range of a window. It grants {@code source} the given rights. */
    public ReceptionCounter reception(Window window, long offset, long length, int source, Right... rights) {
        return open(range(window, offset, length, source, rights), take(1));
    }

    /** Allocates a counter as the other overload does. It grants several ranks the given rights. */
    public ReceptionCounter reception(Window window, long offset, long length, int[] sources, Right... rights) {
        return open(range(window, offset, length, sources, rights), take(1));
    }

    /** Allocates a counter without memory, which only COUNT changes. */
    public ReceptionCounter bare(int sources) {
        final int source = requireSource(sources);
        return open(new CounterRange(CounterRange.NO_WINDOW, 0, 0, source, CounterSettings.PUT), take(1));
    }

    /** Allocates two counters with adjacent ids over two ranges of a window, for alternate use. */
    public CounterPair pair(Window window, long evenOffset, long oddOffset, long length, int source, Right... rights) {
        return open(ranges(window, evenOffset, oddOffset, length, source, rights));
    }

    /** Allocates a pair as the other overload does. It grants several ranks the given rights. */
    public CounterPair pair(
            Window window, long evenOffset, long oddOffset, long length, int[] sources, Right... rights) {
        return open(ranges(window, evenOffset, oddOffset, length, sources, rights));
    }

    /**
     * Allocates a pair over the memory in the lines of its values. A message and its count then need one transfer of a
     * cache line between two cores.
     *
     * @param length of each range, at most {@link NodeLayout#COUNTER_MEMORY_LENGTH}
     */
    public CounterPair pairInLines(int length, int[] ranks) {
        final int sources = requireSources(ranks);
        final int even = take(2);
        return open(
                even,
                new PairRange(
                        line(even, length, sources, CounterSettings.PUT),
                        line(even + 1, length, sources, CounterSettings.PUT),
                        0,
                        0));
    }

    /** Allocates a counter over zeroed memory in the line of its value. It grants {@code source} the given rights. */
    public ReceptionCounter inLine(int length, int source, Right... rights) {
        return inLineFor(length, requireSource(source), rights);
    }

    /** Allocates a counter as the other overload does. It grants several ranks the given rights. */
    public ReceptionCounter inLine(int length, int[] sources, Right... rights) {
        return inLineFor(length, requireSources(sources), rights);
    }

    private ReceptionCounter inLineFor(int length, int sources, Right... rights) {
        if (length < 1 || length > NodeLayout.COUNTER_MEMORY_LENGTH) {
            throw new IllegalArgumentException("a counter has 1 to " + NodeLayout.COUNTER_MEMORY_LENGTH
                    + " bytes of its own: length=" + length + "; open a window for more, and a counter over it");
        }
        final int flags = MemoryAccess.flags(rights);
        final int id = take(1);
        final CounterRange line = line(id, length, sources, flags);
        for (int at = 0; at < NodeLayout.COUNTER_MEMORY_LENGTH; at += Long.BYTES) {
            node.values().putLong(line.base() + at, 0);
        }
        return open(line, id);
    }

    private CounterRange line(int id, int length, int sources, int rights) {
        final long base = node.receptionValueOffset(id) + NodeLayout.COUNTER_MEMORY_OFFSET;
        return new CounterRange(CounterRange.NO_WINDOW, base, length, sources, rights);
    }

    private CounterPair open(PairRange range) {
        return open(take(2), range);
    }

    private CounterPair open(int even, PairRange range) {
        // Both have one incarnation, because a descriptor refers to the pair by one.
        incarnations[even] = Math.max(incarnations[even], incarnations[even + 1]);
        incarnations[even + 1] = incarnations[even];
        final CounterPair pair = MemoryAccess.newCounterPair(
                open(range.even(), even), open(range.odd(), even + 1), range.evenOffset(), range.oddOffset());
        table.add(pair);
        return pair;
    }

    /** Returns the sets of ranks that counters of the node admit. */
    RankSets sets() {
        return sets.sets();
    }

    /** Returns the open counters of the node by their ids. */
    public CounterTable table() {
        return table;
    }

    /** Returns an open counter over the window. If there is none, returns one that is closing, or null. */
    public @Nullable ReceptionCounter over(Window window) {
        ReceptionCounter closing = null;
        for (final ReceptionCounter counter : table.receptions()) {
            if (counter != null && MemoryAccess.window(counter) == window.id()) {
                if (!counter.isClosed()) {
                    return counter;
                }
                closing = counter;
            }
        }
        return closing;
    }

    /** Closes a counter that the application no longer uses: waits for it end. */
    public void close(ReceptionCounter counter) {
        MemoryAccess.close(counter);
        closingReceptions++;
    }

    /** Returns the range of a counter over a part of a window. */
    public CounterRange range(Window window, long offset, long length, int source, Right... rights) {
        return rangeFor(window, offset, length, requireSource(source), rights);
    }

    /** Returns a range as the other overload does, for several ranks. */
    public CounterRange range(Window window, long offset, long length, int[] sources, Right... rights) {
        return rangeFor(window, offset, length, requireSources(sources), rights);
    }

    /** Returns the ranges of a pair over two parts of a window. */
    public PairRange ranges(Window window, long evenOffset, long oddOffset, long length, int source, Right... rights) {
        return rangesFor(window, evenOffset, oddOffset, length, requireSource(source), rights);
    }

    /** Returns ranges as the other overload does, for several ranks. */
    public PairRange ranges(
            Window window, long evenOffset, long oddOffset, long length, int[] sources, Right... rights) {
        return rangesFor(window, evenOffset, oddOffset, length, requireSources(sources), rights);
    }

    private PairRange rangesFor(
            Window window, long evenOffset, long oddOffset, long length, int sources, Right... rights) {
        final CounterRange even = rangeFor(window, evenOffset, length, sources, rights);
        final CounterRange odd = rangeFor(window, oddOffset, length, sources, rights);
        if (evenOffset != oddOffset && Math.abs(evenOffset - oddOffset) < length) {
            throw new IllegalArgumentException("the two sets of a pair must be the same or not overlap: evenOffset="
                    + evenOffset + " oddOffset=" + oddOffset + " length=" + length);
        }
        return new PairRange(even, odd, evenOffset, oddOffset);
    }

    private CounterRange rangeFor(Window window, long offset, long length, int sources, Right... rights) {
        requireRange(window, offset, length);
        return new CounterRange(window.id(), window.base() + offset, length, sources, MemoryAccess.flags(rights));
    }

    /** Enables a counter that is disabled and quiet, over another range and as another use of its id. */
    void enable(ReceptionCounter counter, CounterRange range) {
        final int before = MemoryAccess.sources(counter);
        MemoryAccess.enable(counter, ++incarnations[counter.id()], range);
        sets.use(range.sources());
        sets.release(before);
    }

    /** Enables both counters of a pair in the same way. They keep one incarnation, because they always change it together. */
    void enable(CounterPair pair, PairRange range) {
        enable(pair.counter(0), range.even());
        enable(pair.counter(1), range.odd());
        assert pair.counter(0).incarnation() == pair.counter(1).incarnation();
        MemoryAccess.offsets(pair, range.evenOffset(), range.oddOffset());
    }

    /** Disables a counter: from now on engines refuse messages to it. */
    public void disable(ReceptionCounter counter) {
        MemoryAccess.retire(counter);
    }

    /** Releases the counter's id for reuse, once nothing can change the counter any more. */
    public void release(ReceptionCounter counter) {
        closingReceptions--;
        table.remove(counter);
        receptionIds.give(counter.id(), 1);
        sets.release(MemoryAccess.sources(counter));
    }

    /** Closes a counter that the application no longer uses. */
    public void close(InjectionCounter counter) {
        MemoryAccess.close(counter);
        closingInjections++;
    }

    /** Releases the id of an injection counter in the same way. */
    public void release(InjectionCounter counter) {
        closingInjections--;
        injectionIds.give(counter.id(), 1);
    }

    /**
     * Begins a recording of the calling thread, until {@link #endRecording}: its expectations go through the recorder.
     */
    public void beginRecording() {
        recording.begin();
    }

    /** Ends a recording of the thread that began it. */
    public void endRecording(Thread began) {
        recording.end(began);
    }

    private ReceptionCounter open(CounterRange range, int id) {
        final ReceptionCounter counter =
                MemoryAccess.newReceptionCounter(recording, node, id, ++incarnations[id], range);
        table.add(counter);
        sets.use(range.sources());
        receptionOwners[id] = this;
        return counter;
    }

    /** Takes adjacent ids and returns the first one. */
    private int take(int count) {
        final long first = receptionIds.take(count);
        if (first < 0) {
            throw new IllegalStateException("all " + receptionCapacity + " reception counters are in use"
                    + beingClosed(closingReceptions) + ", " + count + " more"
                    + (count == 1 ? " is" : " with adjacent ids are")
                    + " requested; close some, or raise withCounters");
        }
        return (int) first;
    }

    /** Returns the numbers of used counters as text. */
    @Override
    public String toString() {
        return (injectionCapacity - injectionIds.free()) + " of " + injectionCapacity + " injection counters and "
                + (receptionCapacity - receptionIds.free()) + " of " + receptionCapacity + " reception counters used";
    }

    private static String beingClosed(int count) {
        return count == 0 ? "" : ", " + count + " of them being closed: await that";
    }

    private void requireRange(Window window, long offset, long length) {
        MemoryAccess.requireOf(window, node);
        MemoryAccess.requireRange(window, "counter", offset, length);
    }

    private int requireSource(int source) {
        if (source < CounterSettings.NOBODY
                || source >= node.layout().dimensions().size()) {
            throw new IllegalArgumentException("sources must be ANYBODY, NOBODY, a rank below "
                    + node.layout().dimensions().size() + ", or an array of ranks: sources=" + source);
        }
        admission.require(source);
        final int[] tasks = admission.tasks();
        return source == CounterSettings.ANYBODY && tasks != null ? sets.sources(tasks) : source;
    }

    private int requireSources(int... sources) {
        Objects.requireNonNull(sources, "sources");
        for (final int source : sources) {
            admission.require(source);
        }
        return sets.sources(sources);
    }
}
