package org.segno.memory;

import java.util.Objects;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterRecording;
import org.segno.engine.counter.HitListener;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class MemoryAccess {
    private MemoryAccess() {}

    /**
     * Adds an expectation although this thread may be recording: for a recorder, which also writes the ARM that repeats
     * it, and for handlers, of which nothing is recorded.
     *
     * @throws org.segno.status.ClosedException if the counter was closed
     */
    public static void add(ReceptionCounter counter, long bytes) {
        counter.add(bytes);
    }

    /** Returns the context whose lane receives the events of a counter, or -1 without events. */
    public static int eventContext(ReceptionCounter counter) {
        return counter.eventContext();
    }

    /** Turns hits into event records in the lane of {@code context}. Called before the counter is published. */
    public static void events(ReceptionCounter counter, int context, HitListener listener) {
        counter.events(context, listener);
    }

    /** Describes the admitted sources and their states. */
    public static String admitted(ReceptionCounter counter) {
        return counter.admitted();
    }

    /** Records that one more pattern arms both counters. */
    public static void arm(CounterPair pair) {
        pair.arm();
    }

    /** Records that one more pattern arms this counter, so that its rounds are awaited through the pattern. */
    public static void arm(ReceptionCounter counter) {
        counter.arm();
    }

    /** Records that rounds of a pattern that did not arm a pair have counted it down. */
    public static void fallen(CounterPair pair) {
        pair.fallen();
    }

    /** Returns true if rounds of a pattern that did not arm a pair, and is closed, have counted it down. */
    public static boolean hasFallen(CounterPair pair) {
        return pair.hasFallen();
    }

    /** Counts bytes down that need not be moved. Called on the thread that holds the counter's context. */
    public static void arrived(ReceptionCounter counter, long bytes) {
        counter.arrived(bytes);
    }

    /** Returns the offset of its base in the node's arena, in bytes. */
    public static long base(ReceptionCounter counter) {
        return counter.base();
    }

    /** Closes a counter that the application no longer uses: waits for it end. */
    public static void close(InjectionCounter counter) {
        counter.close();
    }

    /** Closes a counter that the application no longer uses: waits for it end. */
    public static void close(ReceptionCounter counter) {
        counter.close();
    }

    /** Closes the window. */
    public static void close(Window window) {
        window.close();
    }

    /** Returns true if {@code [offset, offset + bytes)} lies inside the window. */
    public static boolean contains(Window window, long offset, long bytes) {
        return window.contains(offset, bytes);
    }

    /** Copies at most {@link Memory#SHORT_COPY_LIMIT} bytes of a range that the caller has checked. */
    public static void copyShortTo(Window window, long offset, Memory target, long targetOffset, int bytes) {
        window.copyShortTo(offset, target, targetOffset, bytes);
    }

    /** Records that a pattern that armed both counters is gone. */
    public static void disarm(CounterPair pair) {
        pair.disarm();
    }

    /** Records that a pattern that armed this counter is gone. */
    public static void disarm(ReceptionCounter counter) {
        counter.disarm();
    }

    /** Returns the word of a descriptor that names an operand. */
    public static int operand(Operand operand) {
        return operand instanceof Window window ? window.id() : counterOperand((LocalCounter) operand);
    }

    private static int counterOperand(LocalCounter counter) {
        return Descriptor.operand(counter.id(), counter.incarnation());
    }

    /**
     * Returns the flags of a descriptor with this operand.
     *
     * @param counter flag of an operand that is the range of a counter
     * @param alternate flag of an operand that alternates with the round
     */
    public static int operandFlags(Operand operand, int counter, int alternate) {
        return operand instanceof Window ? 0 : operand instanceof CounterPair ? counter | alternate : counter;
    }

    /**
     * Checks that an operand belongs to a node and is open, and that it contains a range.
     *
     * @param name of the range, for the message
     */
    public static void requireOperand(Operand operand, NodeMemory node, String name, long offset, long bytes) {
        if (operand instanceof Window window) {
            window.requireOf(node);
            window.requireRange(name, offset, bytes);
            return;
        }
        final LocalCounter counter = (LocalCounter) Objects.requireNonNull(operand, name);
        counter.requireOf(node);
        requireOperandRange(operand, name, offset, bytes);
    }

    /** Checks that an operand contains a range. */
    public static void requireOperandRange(Operand operand, String name, long offset, long bytes) {
        if (operand instanceof Window window) {
            window.requireRange(name, offset, bytes);
        } else if (offset < 0 || bytes < 0 || offset > operand.length() - bytes) {
            throw new IllegalArgumentException(name + " range [" + offset + ", " + offset + " + " + bytes
                    + ") lies outside the " + operand.length() + " bytes of " + operand);
        }
    }

    /** Packs a refusal into an error word. */
    public static long error(int code, int rank) {
        return InjectionCounter.error(code, rank);
    }

    /** Enables a counter that is disabled and quiet, as use {@code number} of its id. */
    public static void enable(ReceptionCounter counter, int number, CounterRange range) {
        counter.enable(number, range);
    }

    /** Sets the offsets of a pair, whose counters are enabled for another use. */
    public static void offsets(CounterPair pair, long even, long odd) {
        pair.offsets(even, odd);
    }

    /** Returns zero, or the error word of the counter of either kind whose value is at {@code valueOffset}. */
    public static long errorAcquire(Memory values, long valueOffset) {
        return InjectionCounter.errorAcquire(values, valueOffset);
    }

    /** Counts the events of a counter from now on: completions and refusals. */
    public static void events(InjectionCounter counter) {
        counter.events();
    }

    /** Returns the number of events since {@link #events}. They are visible to the caller. */
    public static long eventsAcquire(InjectionCounter counter) {
        return counter.eventsAcquire();
    }

    /** Records that another node's engine has read {@code bytes} from their source. */
    public static void fetched(InjectionCounter counter, long bytes) {
        counter.fetched(bytes);
    }

    /** Returns the state flags of some rights, or those of {@link Right#PUT} if there are none. */
    public static int flags(Right... rights) {
        return Right.flags(rights);
    }

    /** Counts injected bytes down. Returns true if that is an underflow, which the caller reports. */
    public static boolean injected(Memory values, long valueOffset, long bytes) {
        return InjectionCounter.injected(values, valueOffset, bytes);
    }

    /** Returns true if a pattern arms this counter. */
    public static boolean isArmed(ReceptionCounter counter) {
        return counter.isArmed();
    }

    /** Returns true if everything expected so far may be read, without an underflow that is forbidden. */
    public static boolean isComplete(ReceptionCounter counter) {
        return counter.isComplete();
    }

    /** Returns the remaining bytes of a counter that an unexecuted round waits for, even if it was closed. */
    public static long uncheckedValueAcquire(ReceptionCounter counter) {
        return counter.uncheckedValueAcquire();
    }

    /** Returns true unless {@link ReceptionCounter#disable} was called last. */
    public static boolean isEnabled(ReceptionCounter counter) {
        return counter.isEnabled();
    }

    /** Returns true once it is closed. */
    public static boolean isClosed(InjectionCounter counter) {
        return counter.isClosed();
    }

    /** Returns true if it is open and its value lies in this memory. */
    public static boolean isIn(InjectionCounter counter, Memory someArena) {
        return counter.isIn(someArena);
    }

    /** Returns true if the window lies in this arena. */
    public static boolean isIn(Window window, Memory someArena) {
        return window.isIn(someArena);
    }

    /** Creates a counter pair. */
    public static CounterPair newCounterPair(
            ReceptionCounter even, ReceptionCounter odd, long evenOffset, long oddOffset) {
        return new CounterPair(even, odd, evenOffset, oddOffset);
    }

    /** Creates an injection counter. */
    public static InjectionCounter newInjectionCounter(NodeMemory node, int id) {
        return new InjectionCounter(node, id);
    }

    /** Creates a reception counter. */
    public static ReceptionCounter newReceptionCounter(
            CounterRecording recording, NodeMemory node, int id, int incarnation, CounterRange range) {
        return new ReceptionCounter(recording, node, id, incarnation, range);
    }

    /** Creates a window. */
    public static Window newWindow(int id, NodeMemory node, long base, long length) {
        return new Window(id, node, base, length);
    }

    /** Records a refusal. */
    public static void refuse(Memory values, long valueOffset, int code, int rank) {
        InjectionCounter.refuse(values, valueOffset, code, rank);
    }

    /**
     * Records that {@code rank} has refused an operation with this counter that no engine of this node has
     * reported.
     */
    public static void refused(InjectionCounter counter, int code, int rank) {
        counter.refused(code, rank);
    }

    /** Checks that the window belongs to a node and is open. */
    public static void requireOf(Window window, NodeMemory node) {
        window.requireOf(node);
    }

    /** Checks a range that a caller passes. */
    public static void requireRange(Window window, String name, long offset, long bytes) {
        window.requireRange(name, offset, bytes);
    }

    /** Refuses landings from now on, and permanently refuses every use of this incarnation of the id. */
    public static void retire(ReceptionCounter counter) {
        counter.retire();
    }

    /**
     * Describes the reason for a value above {@code value}: the number of missing bytes, the admitted sources
     * and their states.
     */
    public static String shortage(ReceptionCounter counter, long value) {
        return counter.shortage(value);
    }

    /**
     * Returns {@link ReceptionCounter#ANYBODY}, {@link ReceptionCounter#NOBODY}, the only admitted rank or a set of
     * {@link org.segno.engine.counter.RankSets}.
     */
    public static int sources(ReceptionCounter counter) {
        return counter.sources();
    }

    /** Returns the admitted ranks in ascending order if these are a set; otherwise an empty array. It allocates. */
    public static int[] sourceSet(ReceptionCounter counter) {
        return counter.sourceSet();
    }

    /** Returns the id of its window, or -1 for a counter over none. */
    public static int window(ReceptionCounter counter) {
        return counter.window();
    }
}
