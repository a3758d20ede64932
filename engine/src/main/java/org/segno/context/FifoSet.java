package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeMemory;
import org.segno.geometry.Endpoint;
import org.segno.pattern.PatternBuffer;

/**
 * The FIFOs of a context: its own injection FIFO, further ones, the one for sends of handlers, and those of its
 * patterns. Used by the thread that holds the context; other threads may ask whether it is drained.
 */
final class FifoSet {
    private static final String REPLIES = "the FIFO for sends of handlers";

    private final NodeMemory node;
    private final int index;
    private final InjectionFifoProducer own;
    private final PatternBuffer patterns;

    /** The open injection FIFOs, the context's own first. */
    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    /** Further FIFOs that an earlier use of the context has opened and closed, in the order of their numbers. */
    private final List<InjectionFifoProducer> spare;

    private @Nullable InjectionFifoProducer replies;
    private @Nullable InjectionFifoProducer refusals;
    private int furtherCount;

    /** True if some open FIFOs share slots. Only one of them may then be active or hold descriptors. */
    private boolean sharing;

    /** An open FIFO and its mark. */
    private static final class Entry {
        final String name;
        final InjectionFifoProducer fifo;
        long mark;

        Entry(String name, InjectionFifoProducer fifo) {
            this.name = name;
            this.fifo = fifo;
        }
    }

    /** Creates the set of context {@code index}. */
    FifoSet(NodeMemory node, int index, ContextParts parts) {
        this.node = node;
        this.index = index;
        this.own = parts.own();
        this.patterns = parts.patterns();
        this.spare = parts.spare();
        entries.add(new Entry("the context's own FIFO", own));
        final InjectionFifoProducer opened = parts.replies();
        if (opened != null) {
            addReplies(opened);
        }
    }

    /** Throws an exception unless one more FIFO can be opened. */
    void requireOneMore() {
        final int limit = furtherLimit();
        if (furtherCount + 1 >= limit) {
            throw new IllegalStateException(
                    "all " + limit + " injection FIFOs of the context are open: raise NodeConfig.withFifos");
        }
    }

    /** Returns the number of the FIFO that {@link #open} opens next. */
    int nextNumber() {
        return furtherCount + 1;
    }

    /** Opens a further FIFO. */
    InjectionFifoProducer open() {
        requireOneMore();
        final int number = nextNumber();
        requireOwnSlots(number, name(number));
        final InjectionFifoProducer fifo =
                furtherCount < spare.size() ? spare.get(furtherCount) : InjectionFifoProducer.open(node, index, number);
        if (furtherCount < spare.size()) {
            fifo.openAgain();
        }
        add(new Entry(name(number), fifo));
        furtherCount = number;
        return fifo;
    }

    /** Returns the name of a further FIFO. */
    static String name(int number) {
        return "injection FIFO " + number;
    }

    /** Returns true if the node has a FIFO for sends of handlers. */
    boolean canReply() {
        return node.layout().dimensions().fifos() >= 2;
    }

    /** Opens the FIFO for sends of handlers. Idempotent. */
    void openReplies() {
        if (!canReply()) {
            throw new IllegalStateException("sends of handlers need a FIFO of their own: raise NodeConfig.withFifos");
        }
        if (replies == null) {
            requireOwnSlots(furtherLimit(), REPLIES);
            addReplies(InjectionFifoProducer.openReplies(node, index));
        }
    }

    private void addReplies(InjectionFifoProducer opened) {
        add(new Entry(REPLIES, opened));
        replies = opened;
    }

    private void add(Entry opened) {
        entries.add(opened);
        sharing = isSharing();
    }

    /**
     * Ends the service of the further FIFOs of a closed context, once their descriptors are carried out. Returns a
     * description of what is left, or null when nothing is. Called until it returns null.
     */
    @Nullable
    String retire() {
        String left = "";
        for (int i = 0; i < entries.size(); i++) {
            final Entry entry = entries.get(i);
            final FifoMetadata metadata = entry.fifo.metadata();
            if (metadata.quarantineAcquire() != 0) {
                continue;
            }
            final boolean further = isFurther(entry);
            if (metadata.fill() != 0) {
                left += "; " + metadata.fill() + " descriptors of " + entry.name;
                if (further && !metadata.isInUse()) {
                    metadata.activate();
                }
            } else if (further && metadata.isRequested()) {
                metadata.deactivate();
            }
            if (further && left.isEmpty() && metadata.isActive()) {
                left = "; the end of " + entry.name;
            }
        }
        if (!patterns.isDrained() && !patterns.isQuarantined()) {
            // Empty if the last round has ended since.
            left += patterns.pending();
        }
        return left.isEmpty() ? null : left.substring(2) + pending();
    }

    /** Returns the FIFOs of a closed context for its next use. Valid after {@link #retire} has returned null. */
    ContextParts parts(Reception.Lanes lanes) {
        final List<InjectionFifoProducer> further = new ArrayList<>(spare);
        for (int number = spare.size() + 1; number <= furtherCount; number++) {
            for (final Entry entry : entries) {
                if (entry.name.equals(name(number))) {
                    further.add(entry.fifo);
                }
            }
        }
        own.metadata().reset();
        if (replies != null) {
            replies.metadata().reset();
        }
        patterns.reset();
        return new ContextParts(own, replies, List.copyOf(further), patterns, lanes);
    }

    /** Returns the FIFO for sends of handlers, or null. */
    @Nullable
    InjectionFifoProducer replies() {
        return replies;
    }

    /**
     * Returns the FIFO for refusals of announced replies, which is opened when first requested, or null if no FIFO is
     * left, or another one uses its slots. Its descriptors need no room in a lane, so it empties also while replies
     * wait.
     */
    @Nullable
    InjectionFifoProducer refusals() {
        if (refusals == null && furtherCount + 1 < furtherLimit() && ownSlotsUser(nextNumber()) == null) {
            refusals = open();
        }
        return refusals;
    }

    private int furtherLimit() {
        // The last FIFO is reserved for sends of handlers.
        return node.layout().dimensions().fifos() - 1;
    }

    /** Sets the mark of each FIFO at its current tail. */
    void mark() {
        for (int i = 0; i < entries.size(); i++) {
            final Entry entry = entries.get(i);
            entry.mark = entry.fifo.metadata().tailAcquire();
        }
    }

    /** Returns true once everything before the marks set by {@link #mark} is carried out. */
    boolean isPastMarks() {
        for (int i = 0; i < entries.size(); i++) {
            final Entry entry = entries.get(i);
            if (entry.fifo.metadata().headAcquire() < entry.mark) {
                return false;
            }
        }
        return patterns.isDrained();
    }

    /** Describes the descriptors before the marks that are not carried out. */
    String beforeMarks() {
        final Entry first = entries.get(0);
        boolean others = false;
        for (int i = 1; i < entries.size(); i++) {
            final Entry entry = entries.get(i);
            others |= entry.fifo.metadata().headAcquire() < entry.mark;
        }
        return Math.max(0, first.mark - own.metadata().headAcquire())
                + " descriptors of the context's own FIFO are not carried out"
                + (others ? ", and some of its other FIFOs" : "")
                + patterns.pending();
    }

    boolean isDrained() {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).fifo.metadata().fill() != 0) {
                return false;
            }
        }
        return patterns.isDrained();
    }

    /**
     * Returns true if the engine has something to carry out here, or holds a round. Reads only the node's memory, so
     * that any thread may call it.
     */
    boolean isAtWork() {
        for (int i = 0; i < entries.size(); i++) {
            if (isAtWork(entries.get(i).fifo.metadata())) {
                return true;
            }
        }
        return isAtWork(patterns.replays().metadata()) || isAtWork(patterns.recordingFifo());
    }

    private static boolean isAtWork(FifoMetadata metadata) {
        return metadata.quarantineAcquire() == 0 && (metadata.fill() != 0 || metadata.heldAcquire() != 0);
    }

    /**
     * Returns true if nothing is left except what is held at WAITs for counters whose sources {@code lost} accepts. True
     * as well if nothing is left.
     */
    boolean isHeldBy(IntPredicate lost) {
        for (int i = 0; i < entries.size(); i++) {
            final InjectionFifoProducer fifo = entries.get(i).fifo;
            if (fifo.metadata().fill() != 0
                    && !isHeldBy(fifo.slot(fifo.metadata().headAcquire()), lost)) {
                return false;
            }
        }
        return patterns.isHeldBy(lost);
    }

    private boolean isHeldBy(long slot, IntPredicate lost) {
        final Descriptor first = new Descriptor(node.owner()).wrap(slot);
        if (first.operation() != Operation.WAIT || first.has(Descriptor.INJECTION)) {
            return false;
        }
        final int counter = first.target();
        return node.values().getLongAcquire(node.receptionValueOffset(counter)) > first.targetOffset()
                && lost.test(CounterSettings.sources(node.owner(), node.counterSettingsOffset(counter)));
    }

    /**
     * Moves an inactive, empty FIFO to other slots of the context.
     *
     * @throws IllegalStateException if another FIFO uses one of them; the message names it
     */
    void place(InjectionFifoProducer fifo, String name, int firstSlot, int slots) {
        requireUnused(user(fifo, firstSlot, slots), name);
        fifo.place(firstSlot, slots);
        sharing = isSharing();
    }

    /** Throws an exception if {@code fifo} shares slots with another FIFO that is served or holds descriptors. */
    void requireSlots(InjectionFifoProducer fifo, String name) {
        if (sharing) {
            requireUnused(user(fifo, fifo.firstSlot(), fifo.slots()), name);
        }
    }

    private void requireUnused(@Nullable Entry user, String name) {
        if (user != null) {
            throw new IllegalStateException(name + " cannot use slots of " + user.name
                    + (isFurther(user)
                            ? ", which is active or holds descriptors: let that run empty and deactivate it, or point"
                                    + " one of them at other slots"
                            : ": point it at other slots"));
        }
    }

    /** Throws an exception if the FIFO of this number cannot be opened, because another one uses its slots. */
    private void requireOwnSlots(int number, String name) {
        final Entry user = ownSlotsUser(number);
        if (user != null) {
            throw new IllegalStateException(
                    name + " cannot be opened, because " + user.name + " uses its slots: point that at other slots");
        }
    }

    private @Nullable Entry ownSlotsUser(int number) {
        final int slots = node.layout().dimensions().fifoSlots();
        return user(null, number * slots, slots);
    }

    /** Returns a FIFO other than {@code fifo} that uses one of these slots, or null. */
    private @Nullable Entry user(@Nullable InjectionFifoProducer fifo, int firstSlot, int slots) {
        for (final Entry other : entries) {
            if (other.fifo != fifo
                    && overlap(firstSlot, slots, other.fifo)
                    && (!isFurther(other)
                            || isInUse(other.fifo)
                            || other.fifo.metadata().fill() != 0)) {
                return other;
            }
        }
        return null;
    }

    private boolean isFurther(Entry entry) {
        return entry.fifo != own && entry.fifo != replies;
    }

    private boolean isSharing() {
        for (final Entry one : entries) {
            for (final Entry other : entries) {
                if (one != other && overlap(one.fifo.firstSlot(), one.fifo.slots(), other.fifo)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean overlap(int firstSlot, int slots, InjectionFifoProducer other) {
        return other.firstSlot() < firstSlot + slots && firstSlot < other.firstSlot() + other.slots();
    }

    /** Returns true if the engine serves the FIFO, will serve it, or has not yet confirmed its deactivation. */
    static boolean isInUse(InjectionFifoProducer fifo) {
        return fifo.metadata().isInUse();
    }

    /**
     * Describes the descriptors that are not carried out: the first one of each FIFO and its target. The text continues
     * a sentence about the condition of a wait. For messages: it allocates.
     */
    String pending() {
        final StringBuilder all = new StringBuilder();
        for (final Entry entry : entries) {
            addPending(all, entry);
        }
        return all.toString();
    }

    private void addPending(StringBuilder all, Entry entry) {
        final FifoMetadata metadata = entry.fifo.metadata();
        final long head = metadata.headAcquire();
        if (metadata.tailAcquire() <= head) {
            return;
        }
        final Descriptor first = new Descriptor(node.owner()).wrap(entry.fifo.slot(head));
        final int operation = first.operation();
        final boolean isLocal = operation == Operation.WAIT
                || operation == Operation.COPY
                || operation == Operation.COMBINE
                || operation == Operation.ARM;
        all.append("; the next descriptor of ")
                .append(entry.name)
                .append(" is a ")
                .append(Operation.name(operation));
        if (operation == Operation.WAIT) {
            all.append(first.has(Descriptor.INJECTION) ? " for injection counter " : " for reception counter ")
                    .append(first.target());
        } else if (operation == Operation.SEND || operation == Operation.MULTICAST) {
            all.append(" for ").append(receivers(first)).append(" (if a lane is full, advance its context there)");
        } else if (!isLocal) {
            all.append(" for ").append(first.ranks());
        }
    }

    private static String receivers(Descriptor message) {
        final StringJoiner all = new StringJoiner(", ");
        final int count = message.operation() == Operation.SEND ? 1 : Math.max(1, message.targets());
        for (int i = 0; i < Math.min(count, Descriptor.MAX_TARGETS); i++) {
            all.add("context " + Endpoint.contextOf(message.targetContext(i)) + " of rank " + message.targetRank(i));
        }
        return all.toString();
    }

    /** Returns the name of a FIFO that the engine no longer serves because its words are invalid, or null. */
    @Nullable
    String quarantined() {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).fifo.metadata().quarantineAcquire() != 0) {
                return entries.get(i).name;
            }
        }
        return patterns.isQuarantined() ? "the FIFO of its patterns" : null;
    }
}
