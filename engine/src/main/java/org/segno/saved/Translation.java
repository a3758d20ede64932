package org.segno.saved;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.FlagNames;
import org.segno.engine.descriptor.Operation;
import org.segno.pattern.PatternBuffer;

/**
 * Translation of all references in descriptors; unused words become zero. This is the only place, for saving and for
 * loading, that defines which word of which operation holds a reference.
 */
abstract class Translation {
    /** Indexes of the words in a descriptor. */
    private static final int TARGET = Descriptor.TARGET_OFFSET / Long.BYTES;

    private static final int SOURCE_OFFSET = Descriptor.SOURCE_OFFSET_OFFSET / Long.BYTES;
    private static final int SOURCE = Descriptor.SOURCE_OPERAND_OFFSET / Long.BYTES;
    private static final int AMOUNT = Descriptor.TARGET_OFFSET_OFFSET / Long.BYTES;
    private static final int OPERAND = Descriptor.OPERAND_OFFSET / Long.BYTES;
    private static final int COMPARAND = Descriptor.COMPARAND_OFFSET / Long.BYTES;

    /**
     * Key of a counter or a context of a rank in a map.
     *
     * @param rank rank
     * @param number id of the counter or of the context
     */
    record Numbered(int rank, int number) {}

    /** Translates the id of a window of this node. */
    abstract int window(int id);

    /** Translates a reception counter of this node, or a pair of them: id and incarnation. */
    abstract long reception(int id, int incarnation, boolean pair);

    /** Returns the incarnation of a reception counter of this node, as descriptors name it before the translation. */
    abstract int incarnation(int counter);

    /** Translates the id of an injection counter of this node. */
    abstract int injection(int id);

    /** Translates a counter of a peer, or a pair of them: id and incarnation. */
    abstract long target(int rank, int counter, int incarnation, boolean pair);

    /** Translates the id of a peer's context. */
    abstract int context(int rank, int context);

    static int operation(long[] words, int at) {
        return Descriptor.operation(words[at]);
    }

    static boolean has(long[] words, int at, int flag) {
        return Descriptor.has(words[at], flag);
    }

    /** Returns the counter id of an ARM or a WAIT. */
    static int counter(long[] words, int at) {
        return Descriptor.counter(words[at + TARGET]);
    }

    /** Returns the amount of an ARM, or the value of a WAIT. */
    static long amount(long[] words, int at) {
        return words[at + AMOUNT];
    }

    /** Translates every descriptor of {@code words} in place. */
    final void translate(long[] words) {
        for (int at = 0; at < words.length; at += PatternBuffer.WORDS) {
            translate(words, at);
        }
    }

    private void translate(long[] words, int at) {
        final int operation = operation(words, at);
        if (Descriptor.reserved(words[at]) != 0) {
            throw new IllegalStateException("it has a descriptor whose reserved field is not zero: "
                    + Operation.name(operation) + " with 0x"
                    + Integer.toHexString(Descriptor.reserved(words[at])) + "; record the patterns again");
        }
        switch (operation) {
            case Operation.PUT -> put(words, at);
            case Operation.REMOTE_GET -> get(words, at);
            case Operation.SEND -> send(words, at);
            case Operation.MULTICAST -> multicast(words, at);
            case Operation.RMW -> {
                target(words, at);
                source(words, at, Descriptor.window(words[at + SOURCE]) != Descriptor.NO_WINDOW);
            }
            case Operation.COUNT -> {
                target(words, at);
                source(words, at, false);
                clear(words, at + OPERAND, at + COMPARAND);
            }
            case Operation.WAIT, Operation.ARM -> {
                local(words, at);
                source(words, at, false);
                clear(words, at + OPERAND, at + COMPARAND);
            }
            case Operation.COPY -> {
                words[at + TARGET] = Descriptor.operandTarget(localTarget(words, at));
                source(words, at, true);
                clear(words, at + OPERAND, at + COMPARAND);
            }
            case Operation.COMBINE -> combine(words, at);
            default ->
                throw new IllegalStateException(
                        "it has a descriptor that cannot be saved: " + Operation.name(operation));
        }
    }

    private void put(long[] words, int at) {
        target(words, at);
        source(words, at, true);
        clear(words, at + COMPARAND, at + COMPARAND);
        if (has(words, at, Descriptor.NOTIFY)) {
            final long notice = words[at + OPERAND];
            final int context = context(rank(words, at), Descriptor.context(notice));
            words[at + OPERAND] = Descriptor.notice(Descriptor.dispatchId(notice), context);
        } else {
            words[at + OPERAND] = 0;
        }
    }

    private void get(long[] words, int at) {
        target(words, at);
        clear(words, at + COMPARAND, at + COMPARAND);
        if (has(words, at, Descriptor.INTO_COUNTER)) {
            final long place = words[at + SOURCE];
            final boolean pair = has(words, at, Descriptor.ALTERNATE_LANDING);
            final long counter = reception(
                    Descriptor.landingCounter(place), Descriptor.landingIncarnation(words[at + OPERAND]), pair);
            words[at + SOURCE] =
                    Descriptor.source(Descriptor.counter(counter), injectionOrNone(Descriptor.injectionCounter(place)));
            words[at + OPERAND] = Descriptor.incarnation(counter);
        } else {
            source(words, at, true);
            words[at + OPERAND] = 0;
        }
    }

    private void combine(long[] words, int at) {
        words[at + TARGET] = Descriptor.withOperand(words[at + TARGET], localTarget(words, at));
        source(words, at, true);
        if (has(words, at, Descriptor.THIRD)) {
            final int third = Descriptor.window(words[at + COMPARAND]);
            words[at + COMPARAND] = Integer.toUnsignedLong(
                    operand(words, at, third, Descriptor.THIRD_COUNTER, Descriptor.ALTERNATE_THIRD));
        } else {
            clear(words, at + OPERAND, at + COMPARAND);
        }
    }

    /** Translates the target operand of a COPY or a COMBINE. */
    private int localTarget(long[] words, int at) {
        final int into = Descriptor.window(words[at + TARGET]);
        return operand(words, at, into, Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
    }

    private void firstContext(long[] words, int at) {
        final long target = words[at + TARGET];
        final int context = context(rank(words, at), Descriptor.context(target));
        words[at + TARGET] = Descriptor.withContext(target, context);
    }

    private void multicast(long[] words, int at) {
        final int targets = Descriptor.targets(words[at + TARGET]);
        if (targets < 1 || targets > Descriptor.MAX_TARGETS) {
            throw new IllegalStateException("it has a multicast to " + targets + " targets instead of 1 to "
                    + Descriptor.MAX_TARGETS + "; save the patterns again");
        }
        firstContext(words, at);
        source(words, at, true);
        final long metadata = words[at + OPERAND];
        words[at + OPERAND] = Descriptor.metadata(metadata(words, at), Descriptor.payloadLength(metadata));
        for (int i = 1; i < targets; i++) {
            final int further = Descriptor.furtherTarget(words, at, i);
            final int rank = Descriptor.furtherRank(further);
            final int context = context(rank, Descriptor.furtherContext(further));
            Descriptor.putFurtherTarget(words, at, i, Descriptor.furtherTarget(rank, context));
        }
    }

    private void send(long[] words, int at) {
        firstContext(words, at);
        if (has(words, at, Descriptor.IMMEDIATE)) {
            clear(words, at + SOURCE_OFFSET, at + SOURCE);
            return;
        }
        source(words, at, true);
        if (has(words, at, Descriptor.METADATA_WINDOW)) {
            words[at + OPERAND] = Descriptor.metadata(metadata(words, at), 0);
            words[at + COMPARAND] = 0;
        }
    }

    private void target(long[] words, int at) {
        final long target = words[at + TARGET];
        words[at + TARGET] = target(
                rank(words, at),
                Descriptor.counter(target),
                Descriptor.incarnation(target),
                has(words, at, Descriptor.ALTERNATE));
    }

    private void local(long[] words, int at) {
        if (operation(words, at) == Operation.WAIT && has(words, at, Descriptor.CUMULATIVE)) {
            throw new IllegalStateException("it is a collective, whose counters have no meaning in another run:"
                    + " prepare the collective again");
        }
        if (has(words, at, Descriptor.CUMULATIVE)
                && !Descriptor.hasExactly(words[at], Descriptor.ALTERNATE | Descriptor.CUMULATIVE)) {
            throw new IllegalStateException("it expects bytes without an ARM, but not at a pair alone: "
                    + FlagNames.of(words[at]) + "; record the patterns again");
        }
        final long target = words[at + TARGET];
        words[at + TARGET] = has(words, at, Descriptor.INJECTION)
                ? Descriptor.counterTarget(injection(Descriptor.counter(target)), 0)
                : reception(
                        Descriptor.counter(target),
                        Descriptor.incarnation(target),
                        has(words, at, Descriptor.ALTERNATE));
    }

    private void source(long[] words, int at, boolean hasOperand) {
        final long source = words[at + SOURCE];
        final int id = Descriptor.window(source);
        final int translated = !hasOperand
                ? id
                : Descriptor.hasSource(operation(words, at))
                        ? operand(words, at, id, Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE)
                        : window(id);
        words[at + SOURCE] = Descriptor.source(translated, injectionOrNone(Descriptor.injectionCounter(source)));
    }

    private int metadata(long[] words, int at) {
        final int id = Descriptor.window(words[at + OPERAND]);
        return operand(words, at, id, Descriptor.METADATA_COUNTER, Descriptor.ALTERNATE_METADATA);
    }

    private int operand(long[] words, int at, int id, int counterFlag, int alternateFlag) {
        if (!has(words, at, counterFlag)) {
            return window(id);
        }
        final int counter = Descriptor.operandCounter(id);
        final int incarnation = incarnation(counter);
        if (!Descriptor.isOperandOf(id, incarnation)) {
            throw new IllegalStateException("reception counter " + counter
                    + ", an operand, is in another use by now; record the pattern again");
        }
        final long translated = reception(counter, incarnation, has(words, at, alternateFlag));
        return Descriptor.operand(Descriptor.counter(translated), Descriptor.incarnation(translated));
    }

    private int injectionOrNone(int counter) {
        return counter == Descriptor.NO_COUNTER ? counter : injection(counter);
    }

    private static void clear(long[] words, int first, int last) {
        for (int i = first; i <= last; i++) {
            words[i] = 0;
        }
    }

    private static int rank(long[] words, int at) {
        return Descriptor.rank(words[at]);
    }
}
