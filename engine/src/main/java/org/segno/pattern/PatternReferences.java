package org.segno.pattern;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongHashSet;
import org.segno.engine.counter.RankSets;
import org.segno.engine.descriptor.Descriptor;
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

    /** Adds the rank with which a descriptor communicates. */
    void addRank(Descriptor descriptor) {
        ranks.add(descriptor.rank());
    }

    /** Adds the ranks of a MULTICAST. */
    void addRanks(Descriptor descriptor) {
        addRank(descriptor);
        for (int target = 1; target < descriptor.targets(); target++) {
            ranks.add(descriptor.targetRank(target));
        }
    }

    /** Adds the injection counter that a descriptor names. */
    void addCounter(Descriptor descriptor) {
        if (descriptor.injectionCounter() != Descriptor.NO_COUNTER) {
            pin(Pins.injection(descriptor.injectionCounter()));
        }
    }

    /** Adds the source of a descriptor, or the window of a REMOTE_GET. */
    void addSource(Descriptor descriptor) {
        addOperand(descriptor, descriptor.sourceOperand(), Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE);
    }

    void addMetadata(Descriptor descriptor) {
        addOperand(
                descriptor, descriptor.metadataOperand(), Descriptor.METADATA_COUNTER, Descriptor.ALTERNATE_METADATA);
    }

    /** Adds the target of a COPY or a COMBINE. */
    void addTarget(Descriptor descriptor) {
        addOperand(descriptor, descriptor.target(), Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
    }

    /** Adds the third operand of a COMBINE. */
    void addThird(Descriptor descriptor) {
        addOperand(descriptor, descriptor.thirdOperand(), Descriptor.THIRD_COUNTER, Descriptor.ALTERNATE_THIRD);
    }

    private void addOperand(Descriptor descriptor, int operand, int counterFlag, int alternateFlag) {
        if (descriptor.has(counterFlag)) {
            addReception(Descriptor.operandCounter(operand), descriptor.has(alternateFlag));
        } else {
            pin(Pins.window(operand));
        }
    }

    /** Adds the counter of this node in which the bytes of a REMOTE_GET land. */
    void addLanding(Descriptor descriptor) {
        addReception(descriptor.sourceOperand(), descriptor.has(Descriptor.ALTERNATE_LANDING));
    }

    /** Adds the window of an RMW's result. */
    void addResult(Descriptor descriptor) {
        if (descriptor.sourceOperand() >= 0) {
            pin(Pins.window(descriptor.sourceOperand()));
        }
    }

    /** Adds the counter of a WAIT. */
    void addAwaited(Descriptor descriptor) {
        if (descriptor.has(Descriptor.INJECTION)) {
            pin(Pins.injection(descriptor.target()));
        } else {
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
