package org.segno.pattern;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongHashSet;
import org.segno.engine.counter.RankSets;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.reuse.Pin;
import org.segno.engine.reuse.Pins;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/**
 * References of a pattern: the windows and counters of its own node, which it pins from the start of its recording, and
 * the ranks that it communicates with. Used by the one thread that holds the context.
 */
final class PatternReferences {
    /** Limit of ranks that a message lists one by one; it only counts the rest. */
    private static final int LISTED = 8;

    private final Pins pins;
    private final Pin pin;
    private final LongHashSet things = new LongHashSet();
    private final IntHashSet ranks = new IntHashSet();

    /** Creates the references of the pattern {@code name}. */
    PatternReferences(Pins pins, String name) {
        this.pins = pins;
        this.pin = new Pin(name);
    }

    /** Adds the references of a recorded descriptor. */
    void add(Descriptor descriptor) {
        final int operation = descriptor.operation();
        final int source = descriptor.sourceOperand();
        boolean sends = true;
        switch (operation) {
            case Operation.PUT -> addSource(descriptor);
            case Operation.SEND -> addSend(descriptor);
            case Operation.MULTICAST -> addMulticast(descriptor);
            case Operation.REMOTE_GET -> addPlace(descriptor, source);
            case Operation.RMW -> addResult(source);
            case Operation.COUNT -> {}
            default -> {
                sends = false;
                addLocal(descriptor, operation);
            }
        }
        if (sends) {
            ranks.add(descriptor.rank());
        }
        if (!descriptor.isImmediate() && descriptor.injectionCounter() != Descriptor.NO_COUNTER) {
            pin(Pins.injection(descriptor.injectionCounter()));
        }
    }

    private void addSend(Descriptor descriptor) {
        if (!descriptor.has(Descriptor.IMMEDIATE)) {
            addSource(descriptor);
        }
        if (descriptor.has(Descriptor.METADATA_WINDOW)) {
            addMetadata(descriptor);
        }
    }

    private void addSource(Descriptor descriptor) {
        addOperand(descriptor, descriptor.sourceOperand(), Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE);
    }

    private void addMetadata(Descriptor descriptor) {
        addOperand(
                descriptor, descriptor.metadataOperand(), Descriptor.METADATA_COUNTER, Descriptor.ALTERNATE_METADATA);
    }

    private void addOperand(Descriptor descriptor, int operand, int counterFlag, int alternateFlag) {
        if (descriptor.has(counterFlag)) {
            addReception(Descriptor.operandCounter(operand), descriptor.has(alternateFlag));
        } else {
            pin(Pins.window(operand));
        }
    }

    private void addMulticast(Descriptor descriptor) {
        addSource(descriptor);
        addMetadata(descriptor);
        for (int target = 1; target < descriptor.targets(); target++) {
            ranks.add(descriptor.targetRank(target));
        }
    }

    /** Adds the destination of a REMOTE_GET: a window, or a counter of this node. */
    private void addPlace(Descriptor descriptor, int place) {
        if (!descriptor.has(Descriptor.INTO_COUNTER)) {
            pin(Pins.window(place));
        } else {
            addReception(place, descriptor.has(Descriptor.ALTERNATE_LANDING));
        }
    }

    private void addResult(int window) {
        if (window >= 0) {
            pin(Pins.window(window));
        }
    }

    /** Adds the references of an operation without a remote target. */
    private void addLocal(Descriptor descriptor, int operation) {
        if (operation == Operation.COPY) {
            addSource(descriptor);
            addOperand(descriptor, descriptor.target(), Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
        } else if (operation == Operation.WAIT && descriptor.has(Descriptor.INJECTION)) {
            pin(Pins.injection(descriptor.target()));
        } else if (operation == Operation.WAIT) {
            addReception(descriptor.target(), descriptor.has(Descriptor.ALTERNATE));
        }
    }

    private void addReception(int counter, boolean alternate) {
        pin(Pins.reception(counter));
        if (alternate) {
            pin(Pins.reception(counter + 1));
        }
    }

    void add(ReceptionCounter counter) {
        pin(Pins.reception(counter.id()));
        final int sources = MemoryAccess.sources(counter);
        if (sources >= 0) {
            ranks.add(sources);
        } else if (RankSets.isSet(sources)) {
            for (final int rank : MemoryAccess.sourceSet(counter)) {
                ranks.add(rank);
            }
        }
    }

    void add(InjectionCounter counter) {
        pin(Pins.injection(counter.id()));
    }

    private void pin(long thing) {
        if (things.add(thing)) {
            pins.add(thing, pin);
        }
    }

    /** Returns the pin that holds the windows and counters. */
    Pin pin() {
        return pin;
    }

    /** Describes the ranks, for messages: it allocates. */
    String ranks() {
        final int[] named = ranks.stream().mapToInt(Integer::intValue).sorted().toArray();
        final String listed =
                Arrays.stream(named).limit(LISTED).mapToObj(Integer::toString).collect(Collectors.joining(", "));
        return switch (named.length) {
            case 0 -> "no rank";
            case 1 -> "rank " + listed;
            default -> "ranks " + listed + (named.length > LISTED ? " and " + (named.length - LISTED) + " more" : "");
        };
    }

    /** Returns a referenced rank that has died, or -1. */
    int dead(PeerStates peers) {
        final IntHashSet.IntIterator named = ranks.iterator();
        while (named.hasNext()) {
            final int rank = named.nextValue();
            if (peers.isDead(rank)) {
                return rank;
            }
        }
        return -1;
    }
}
