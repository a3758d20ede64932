package org.segno.collective;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.memory.NodeLayout;

/**
 * The steps of one member in every round of a collective, written once by an {@link Algorithm}. The engine carries them
 * out in this order, except that messages to different members have no order between two waits.
 *
 * <p>A schedule keeps rounds apart. Data may land in slots one round early, because slots have two sets; two rounds
 * early is impossible if, within a round, a chain of messages leads from each member to all that send to it. Otherwise,
 * and for data that land in a result, the receiver counts at the sender when it begins a round, and the sender waits
 * for that.
 */
public final class Schedule {
    private static final long ALIGNMENT = 128;

    private final Shape shape;
    private final List<Inlet> inlets = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<Long> awaited = new ArrayList<>();
    private Place source = new Place(Place.Region.SOURCE, -1, 0);
    private long scratchBytes;

    Schedule(Shape shape) {
        this.shape = shape;
    }

    /** A step, which injects descriptors into the section that is being prepared. */
    interface Step {
        void inject(Section section);
    }

    /** Returns the contribution of this member. */
    public Place source() {
        return source;
    }

    /** Copies the blocks of the contribution, which results would overwrite. {@link #source} then returns the copy. */
    void copySource() {
        final Lengths blocks = shape.lengths();
        final Place copy = scratch(blocks.total(shape.members()));
        for (int member = 0; member < shape.members(); member++) {
            final long offset = blocks.offset(member);
            copy(source.at(offset), copy.at(offset), blocks.length(member));
        }
        source = copy;
    }

    /** Returns the result of this member. */
    public Place target() {
        return new Place(Place.Region.TARGET, -1, 0);
    }

    /** Returns memory of its own that no other member writes. */
    public Place scratch(long bytes) {
        final Place place = new Place(Place.Region.SCRATCH, -1, scratchBytes);
        scratchBytes += align(bytes);
        return place;
    }

    /**
     * Returns an inlet in slots.
     *
     * @param length of each set
     * @param expected bytes that arrive at this member in each round; 0 if it has no such slots
     */
    public Inlet slots(long length, long expected) {
        return inlet(Inlet.Memory.SLOTS, length, expected);
    }

    /**
     * Returns an inlet in the result of this member.
     *
     * @param length of the result
     * @param expected bytes that arrive at this member in each round; 0 if none do
     */
    public Inlet result(long length, long expected) {
        return inlet(Inlet.Memory.TARGET, length, expected);
    }

    /**
     * Returns the contribution of this member, for the others to read.
     *
     * @param length of it; 0 if nobody reads it
     */
    public Inlet readable(long length) {
        return inlet(Inlet.Memory.SOURCE, length, 0);
    }

    /** Returns an inlet of {@code expected} counts. */
    public Inlet counts(long expected) {
        return inlet(Inlet.Memory.NONE, 0, expected);
    }

    private Inlet inlet(Inlet.Memory kind, long length, long expected) {
        final Inlet inlet = new Inlet(inlets.size(), kind, length, expected);
        inlets.add(inlet);
        awaited.add(expected);
        return inlet;
    }

    /**
     * Copies bytes to an inlet of another member. No bytes are one count, so that there is a message in any case; the
     * receiver expects {@link #counted}.
     */
    public void put(int member, Inlet inlet, long offset, Place from, long length) {
        if (length != 0) {
            steps.add(section -> section.put(member, inlet.number(), offset, from, length));
        } else {
            count(member, inlet);
        }
    }

    /**
     * Reads bytes of another member into an inlet of this one, where they arrive as from a {@link #put}. The schedule
     * must first wait for a message of that member, and send it one before its bytes may change.
     */
    public void get(int member, Inlet from, long fromOffset, Inlet to, long offset, long length) {
        if (length != 0) {
            final Section.Read read = new Section.Read(from.number(), fromOffset, to.number(), offset, length);
            steps.add(section -> section.get(member, read));
        }
    }

    /** Returns the expectation of an inlet for a {@link #put} of {@code length} bytes. */
    public static long counted(long length) {
        return Math.max(1, length);
    }

    /** Sends one count to an inlet of another member. */
    public void count(int member, Inlet inlet) {
        steps.add(section -> section.count(member, inlet.number()));
    }

    /** Sends one count to an inlet of every other member, the next one first. */
    public void countOthers(Inlet inlet) {
        for (int distance = 1; distance < shape.members(); distance++) {
            count(shape.after(shape.self(), distance), inlet);
        }
    }

    /** Waits until everything expected at an inlet of this member has arrived. */
    public void await(Inlet inlet) {
        await(inlet, 0);
    }

    /**
     * Waits until no more than {@code missing} bytes or counts of this round are missing at an inlet of this member.
     * The value identifies the arrived bytes only if there is a single sender.
     */
    public void await(Inlet inlet, long missing) {
        if (missing < awaited.get(inlet.number())) {
            awaited.set(inlet.number(), missing);
            steps.add(section -> section.await(inlet.number(), missing));
        }
    }

    /** Copies bytes of this member; nothing if the two places are the same. */
    public void copy(Place from, Place to, long length) {
        if (length != 0 && !from.isSameAs(to)) {
            steps.add(section -> section.copy(from, to, length));
        }
    }

    /**
     * Combines elements by the operator of the collective: {@code to = left operator right}. Places are equal or do not
     * overlap.
     */
    public void combine(Place left, Place right, Place to, long length) {
        if (length != 0) {
            steps.add(section -> section.combine(left, right, to, length));
        }
    }

    /**
     * Adds a wait for every inlet without one, so that a round ends within the engine when everything that it expects
     * has arrived, and the next one can be queued.
     */
    void end() {
        inlets.forEach(this::await);
    }

    Shape shape() {
        return shape;
    }

    List<Inlet> inlets() {
        return inlets;
    }

    List<Step> steps() {
        return steps;
    }

    long scratchBytes() {
        return scratchBytes;
    }

    /**
     * Returns the length of each of {@code count} slots with different writers. They share the line of their counter if
     * they fit there. Otherwise each has lines of its own.
     */
    static long slot(long bytes, int count) {
        final long words = (bytes + Long.BYTES - 1) & -Long.BYTES;
        return words * count <= NodeLayout.COUNTER_MEMORY_LENGTH ? words : align(bytes);
    }

    /** Returns a length that keeps places in different blocks of 128 bytes. */
    static long align(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
