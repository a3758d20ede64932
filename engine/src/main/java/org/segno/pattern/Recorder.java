package org.segno.pattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.DescriptorSink;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.FreeSpace;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/**
 * Sink that writes descriptors into a new section of the pattern buffer. It publishes each one to the engine, which
 * carries it out as part of an open run; if the section is only prepared, it keeps them. Used by the one thread that
 * holds the context.
 *
 * <p>Expectations are added to their counters at once. They become ARM descriptors at the end of the section, where the
 * engine does not reach them while it carries out the recording. A replay carries them out first.
 */
public final class Recorder implements DescriptorSink {
    // Shared by all patterns without pairs, counters or waits, so that they stay in the cache.
    private static final CounterPair[] NO_PAIRS = {};
    private static final ReceptionCounter[] NO_COUNTERS = {};
    private static final Threshold[] NO_THRESHOLDS = {};
    private static final int UNARMED = Descriptor.ALTERNATE | Descriptor.CUMULATIVE;
    private static final int[] NO_LOCAL_WAITS = {};

    /**
     * A value of a counter, at or below which a WAIT ends or a round without a WAIT for the counter is complete.
     *
     * @param counter a reception counter, or a pair of them
     * @param value at or below which it must be
     * @param bytes of each round that no ARM adds to the counter, which then falls for ever; otherwise 0
     */
    record Threshold(LocalCounter counter, long value, long bytes) {
        /** Returns the value that the counter of a round must reach. */
        long limit(long generation) {
            return Descriptor.cumulativeLimit(value, bytes, generation);
        }

        ReceptionCounter of(long generation) {
            return counter instanceof CounterPair pair ? pair.counter(generation) : (ReceptionCounter) counter;
        }
    }

    private final Memory memory;
    private final RunRing runs;
    private final long start;
    private final FreeSpace.Extent room;
    private final PatternReferences references;
    private final FixedOperands operands;
    private final ExpectedCounters expected;
    private final Rounds rounds;
    private final long generation;
    private final boolean sends;
    private final Descriptor descriptor;
    private final List<long[]> arms = new ArrayList<>();
    private final List<CounterPair> pairs = new ArrayList<>();
    private final List<ReceptionCounter> counters = new ArrayList<>();
    private final List<Threshold> waits = new ArrayList<>();
    private final List<Threshold> unarmed = new ArrayList<>();
    private final Map<LocalCounter, Long> cumulative = new HashMap<>();
    private final IntArrayList localWaits = new IntArrayList();
    private int slots;
    private boolean failed;

    Recorder(
            NodeMemory node,
            RunRing runs,
            long start,
            FreeSpace.Extent room,
            PatternReferences references,
            Round round) {
        this.memory = node.owner();
        this.operands = new FixedOperands(node);
        this.expected = new ExpectedCounters(round.sends());
        this.runs = runs;
        this.start = start;
        this.room = room;
        this.references = references;
        this.rounds = round.rounds();
        this.generation = round.generation();
        this.sends = round.sends();
        this.descriptor = new Descriptor(memory);
    }

    /**
     * Parameters of a recording.
     *
     * @param rounds how its rounds are kept apart
     * @param generation of this round; of the last round before it if nothing is sent
     * @param sends true if the recording is also carried out
     */
    record Round(Rounds rounds, long generation, boolean sends) {}

    @Override
    public long claim() {
        if (slots + arms() >= room.length()) {
            failed = true;
            throw new IllegalStateException("the recording outgrows the pattern buffer: " + slots + " descriptors and "
                    + arms() + " expectations fill its largest free section of " + room.length()
                    + " slots; raise NodeConfig.withPatternBufferBytes, or close patterns");
        }
        return cleared(start + (room.start() + slots) * NodeLayout.DESCRIPTOR_LENGTH);
    }

    /** Clears a slot. Unused words are thus always zero, and equal descriptors are equal word for word. */
    private long cleared(long slot) {
        for (int i = 0; i < PatternBuffer.WORDS; i++) {
            memory.putLong(slot + (long) i * Long.BYTES, 0);
        }
        return slot;
    }

    // Longer than the compiler inlines: recording is a rare way through each call that injects.
    @Override
    public long publish() {
        final boolean failedBefore = failed;
        failed = true;
        descriptor.wrap(start + (room.start() + slots) * NodeLayout.DESCRIPTOR_LENGTH);
        switch (descriptor.operation()) {
            case Operation.PUT -> {
                requireOfRound();
                addSource();
                addRemote();
            }
            case Operation.SEND -> {
                references.addRank(descriptor);
                if (!descriptor.has(Descriptor.IMMEDIATE)) {
                    addSource();
                    references.addCounter(descriptor);
                }
                if (descriptor.has(Descriptor.METADATA_WINDOW)) {
                    addMetadata();
                }
            }
            case Operation.MULTICAST -> {
                addSource();
                addMetadata();
                references.addRanks(descriptor);
                references.addCounter(descriptor);
            }
            case Operation.REMOTE_GET -> {
                requireOfRound();
                if (!descriptor.has(Descriptor.INTO_COUNTER)) {
                    addSource();
                } else {
                    references.addLanding(descriptor);
                }
                addRemote();
            }
            case Operation.RMW -> {
                // Completes nothing at its target and is therefore valid in any round.
                operands.addResult(descriptor);
                references.addResult(descriptor);
                addRemote();
            }
            case Operation.COUNT -> {
                requireOfRound();
                references.addRank(descriptor);
            }
            case Operation.COPY, Operation.COMBINE -> addLocal();
            case Operation.WAIT -> addWait();
            default -> throw new IllegalStateException("cannot be recorded: " + descriptor);
        }
        failed = failedBefore;
        slots++;
        if (sends) {
            runs.extendRelease(slots);
        }
        return slots - 1L;
    }

    private void addSource() {
        operands.addSource(descriptor);
        references.addSource(descriptor);
    }

    /** Adds the operands of a descriptor that writes memory of this node. */
    private void addLocal() {
        addSource();
        operands.addTarget(descriptor);
        references.addTarget(descriptor);
        references.addCounter(descriptor);
        if (descriptor.operation() == Operation.COMBINE && descriptor.has(Descriptor.THIRD)) {
            operands.addThird(descriptor);
            references.addThird(descriptor);
        }
    }

    private void addMetadata() {
        operands.addMetadata(descriptor);
        references.addMetadata(descriptor);
    }

    /** Adds the peer of a descriptor and the injection counter that it names. */
    private void addRemote() {
        references.addRank(descriptor);
        references.addCounter(descriptor);
    }

    private void addWait() {
        if (descriptor.has(Descriptor.INJECTION)) {
            localWaits.addInt(Descriptor.counter(descriptor.target()));
        } else {
            requireOfRound();
        }
        expected.await(descriptor);
        references.addAwaited(descriptor);
    }

    /** Adds an encoded descriptor: the words of {@code words} starting at {@code from}. */
    public void write(long[] words, int from) {
        final long slot = claim();
        for (int i = 0; i < PatternBuffer.WORDS; i++) {
            memory.putLong(slot + (long) i * Long.BYTES, words[from + i]);
        }
        publish();
    }

    /** Checks that a descriptor names the counter of its round, if the recording keeps its rounds apart by pairs. */
    private void requireOfRound() {
        if (rounds == Rounds.ALTERNATE && !descriptor.has(Descriptor.ALTERNATE)) {
            throw new IllegalStateException("cannot be replayed with Rounds.ALTERNATE: " + descriptor
                    + (descriptor.operation() == Operation.REMOTE_GET
                            ? " reads from a single counter, and an owner that runs a round ahead would be read in the"
                                    + " wrong round;"
                            : " goes to a single counter, and a sender that runs a round ahead would complete the wrong"
                                    + " round;")
                    + " publish a CounterPair, or order the rounds yourself and use Rounds.ORDERED_BY_CALLER");
        }
    }

    /** Expects bytes in this and every later round, at the counter of its generation. */
    public void expect(CounterPair pair, long bytes) {
        LocalCounter.requireExpectable(bytes);
        addOperand(pair);
        expected.expect(pair);
        addArm(Descriptor.ALTERNATE, pair.id(), pair.counter(generation).incarnation(), bytes);
        if (!pairs.contains(pair)) {
            pairs.add(pair);
            MemoryAccess.arm(pair);
            references.add(pair.counter(0));
            references.add(pair.counter(1));
        }
        if (sends) {
            MemoryAccess.add(pair.counter(generation), bytes);
        }
    }

    /**
     * Expects bytes in every round, at the counter of its generation, without ARMs: the values of both counters fall by
     * them for ever, and each WAIT ends at a value that is lower than that of the round before. An ARM would be an
     * atomic add to a cache line that peers hold, before the first message. The recording is only prepared, nothing has
     * arrived at the pair before, nothing else uses it, and every round waits for all of the bytes; nobody reads the
     * counters' values.
     */
    public void expectCumulative(CounterPair pair, long bytes) {
        final boolean isUsed = cumulative.containsKey(pair) || pairs.contains(pair) || isAwaited(pair);
        if (sends || generation != 0 || rounds != Rounds.ALTERNATE || pair.forbidsUnderflow() || isUsed) {
            failed = true;
            throw new IllegalStateException("cannot be awaited without ARMs in this recording: " + pair);
        }
        addOperand(pair);
        expected.expect(pair);
        references.add(pair.counter(0));
        references.add(pair.counter(1));
        cumulative.put(pair, bytes);
    }

    /**
     * Expects bytes in every round, at the counter of its generation, without ARMs, as {@link #expectCumulative} does,
     * and without WAITs: the engine has nothing to do, and the round is complete once the counter has fallen by the
     * bytes of all rounds up to it. Only one pattern may count the pair down: {@link PatternAccess#expectUnarmed}
     * checks that.
     */
    void expectUnarmed(CounterPair pair, long bytes) {
        LocalCounter.requireExpectable(bytes);
        final boolean isUsed = cumulative.containsKey(pair) || pairs.contains(pair) || isAwaited(pair) || falls(pair);
        if (sends || generation != 0 || rounds != Rounds.ALTERNATE || pair.forbidsUnderflow() || isUsed) {
            failed = true;
            throw new IllegalStateException("cannot be expected without ARMs in this recording: " + pair);
        }
        addOperand(pair);
        expected.expect(pair);
        claim();
        references.add(pair.counter(0));
        references.add(pair.counter(1));
        unarmed.add(new Threshold(pair, 0, bytes));
    }

    private boolean falls(CounterPair pair) {
        return unarmed.stream().anyMatch(each -> each.counter() == pair);
    }

    private boolean isAwaited(CounterPair pair) {
        return waits.stream().anyMatch(wait -> wait.counter() == pair);
    }

    /** Returns true if the values of some counters fall for ever. Every round then waits for all that it expects. */
    boolean isCumulative() {
        return !cumulative.isEmpty();
    }

    /** Expects bytes in this and every later round, at one counter. */
    public void expect(ReceptionCounter counter, long bytes) {
        LocalCounter.requireExpectable(bytes);
        if (rounds == Rounds.ALTERNATE) {
            failed = true;
            throw new IllegalStateException("cannot be replayed with Rounds.ALTERNATE: " + counter
                    + " is a single counter; expect at a CounterPair, or use Rounds.ORDERED_BY_CALLER");
        }
        expected.expect(counter);
        addArm(0, counter.id(), counter.incarnation(), bytes);
        if (!counters.contains(counter)) {
            counters.add(counter);
            MemoryAccess.arm(counter);
            references.add(counter);
        }
        if (sends) {
            MemoryAccess.add(counter, bytes);
        }
    }

    /** Expects bytes to be injected in this and every later round. */
    public void expect(InjectionCounter counter, long bytes) {
        LocalCounter.requireExpectable(bytes);
        expected.expect(counter);
        addArm(Descriptor.INJECTION, counter.id(), 0, bytes);
        references.add(counter);
        if (sends) {
            counter.expect(bytes);
        }
    }

    /** Counts bytes down, in this and every later round, that need not be moved; at the counter of the generation. */
    public void arrives(CounterPair pair, long bytes) {
        addDown(Descriptor.ALTERNATE, pair.id(), pair.counter(generation).incarnation(), bytes);
        references.add(pair.counter(0));
        references.add(pair.counter(1));
        if (sends) {
            MemoryAccess.arrived(pair.counter(generation), bytes);
        }
    }

    /** Counts bytes down, in this and every later round, that need not be moved; at one counter. */
    public void arrives(ReceptionCounter counter, long bytes) {
        addDown(0, counter.id(), counter.incarnation(), bytes);
        references.add(counter);
        if (sends) {
            MemoryAccess.arrived(counter, bytes);
        }
    }

    /** Counts bytes down, in this and every later round, that need not be read from their source. */
    public void completes(InjectionCounter counter, long bytes) {
        addDown(Descriptor.INJECTION, counter.id(), 0, bytes);
        references.add(counter);
        if (sends) {
            MemoryAccess.fetched(counter, bytes);
        }
    }

    /**
     * Records the condition of the WAIT in the claimed slot, so that a wait for the round can report it. A WAIT for a
     * cumulative counter gets the bytes of its rounds.
     */
    public void waits(LocalCounter counter, long value) {
        if (counter instanceof CounterPair pair) {
            addOperand(pair);
        }
        final long bytes = cumulative.getOrDefault(counter, 0L);
        if (bytes != 0) {
            final long slot = start + (room.start() + slots) * NodeLayout.DESCRIPTOR_LENGTH;
            memory.putLong(slot, Descriptor.withFlags(memory.getLong(slot), Descriptor.CUMULATIVE));
            memory.putLong(slot + Descriptor.LENGTH_OFFSET, bytes);
        }
        waits.add(new Threshold(counter, value, bytes));
    }

    private void addOperand(CounterPair pair) {
        final boolean failedBefore = failed;
        failed = true;
        operands.add(pair);
        failed = failedBefore;
    }

    private void addDown(int flags, int counter, int incarnation, long bytes) {
        if (bytes != 0) {
            // A saved pattern has only ARMs: those below zero are read as this, the others as expectations.
            addArm(flags, counter, incarnation, -bytes);
        }
    }

    private void addArm(int flags, int counter, int incarnation, long bytes) {
        claim();
        arms.add(new long[] {
            Descriptor.head(Operation.ARM, flags, 0), Descriptor.counterTarget(counter, incarnation), bytes
        });
    }

    /** Writes what it expects after the body and ends the open run before that. */
    void close() {
        long slot = room.start() + slots;
        for (final long[] arm : arms) {
            writeArm(slot++, arm);
        }
        for (final Threshold each : unarmed) {
            final long target =
                    Descriptor.counterTarget(each.counter().id(), each.counter().incarnation());
            writeArm(slot++, new long[] {Descriptor.head(Operation.ARM, UNARMED, 0), target, each.bytes()});
        }
        if (sends) {
            runs.closeRelease(slots);
        }
    }

    private void writeArm(long slot, long[] arm) {
        final long offset = cleared(start + slot * NodeLayout.DESCRIPTOR_LENGTH);
        memory.putLong(offset, arm[0]);
        memory.putLong(offset + Descriptor.TARGET_OFFSET, arm[1]);
        memory.putLong(offset + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(0, Descriptor.NO_COUNTER));
        memory.putLong(offset + Descriptor.TARGET_OFFSET_OFFSET, arm[2]);
    }

    /** Allows the counters to be awaited individually again, because the recording does not become a pattern. */
    void disarm() {
        pairs.forEach(MemoryAccess::disarm);
        counters.forEach(MemoryAccess::disarm);
    }

    /** Returns the number of descriptors sent so far. */
    int sent() {
        return sends ? slots : 0;
    }

    /** Returns true if an operation was refused because it cannot be recorded or replayed. */
    public boolean hasFailed() {
        return failed;
    }

    /** Returns true if the recording is also carried out. */
    boolean sends() {
        return sends;
    }

    /** Returns the round that is the last one started when the recording ends. */
    long generation() {
        return generation;
    }

    PatternReferences references() {
        return references;
    }

    Rounds rounds() {
        return rounds;
    }

    FreeSpace.Extent room() {
        return room;
    }

    FreeSpace.Extent section() {
        return new FreeSpace.Extent(room.start(), (long) slots + arms());
    }

    /** Returns the number of its last slots, which hold what it expects. The engine does not use the unarmed ones. */
    int arms() {
        return arms.size() + unarmed.size();
    }

    /**
     * Returns the number of ARMs that a replay carries out before everything else. The others follow the body: each is
     * an atomic add on a cache line that a peer may hold, which would delay the first message. A WAIT, and a counter
     * that forbids underflow, need all ARMs first.
     */
    int armsFirst() {
        return waits.isEmpty() && localWaits.isEmpty() && !expected.forbidUnderflow() ? 0 : arms.size();
    }

    CounterPair[] pairs() {
        return pairs.isEmpty() ? NO_PAIRS : pairs.toArray(NO_PAIRS);
    }

    /** Returns a counter at which bytes are expected without a WAIT for all of them, or null. */
    @Nullable
    LocalCounter unawaited() {
        return expected.unawaited();
    }

    /** Returns the ids of the injection counters that its WAITs name. */
    int[] localWaits() {
        return localWaits.isEmpty() ? NO_LOCAL_WAITS : localWaits.toIntArray();
    }

    Threshold[] waits() {
        return waits.isEmpty() ? NO_THRESHOLDS : waits.toArray(NO_THRESHOLDS);
    }

    /** Returns the expectations for which nothing is armed; their slots follow those of the ARMs. */
    Threshold[] unarmed() {
        return unarmed.isEmpty() ? NO_THRESHOLDS : unarmed.toArray(NO_THRESHOLDS);
    }

    ReceptionCounter[] counters() {
        return counters.isEmpty() ? NO_COUNTERS : counters.toArray(NO_COUNTERS);
    }
}
