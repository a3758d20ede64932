package org.segno.simulator;

import java.util.List;

/** Canaries in patterns, their rounds and multisends. */
final class PatternCanaries {
    private static final String INJECTION = "engine.fifo.InjectionFifoConsumer";
    private static final String MULTICAST = "engine.dma.MulticastUnit";
    private static final String WAITS = "engine.dma.WaitUnit";

    private PatternCanaries() {}

    /** Defects of the runs of a FIFO. */
    static List<Canary> ofRuns() {
        return List.of(
                new Canary(
                        "the executed word of a round is that of the next one",
                        "engine.fifo.UnlandedRuns",
                        "reader.executedRelease(patterns[group], generations[group]);",
                        "reader.executedRelease(patterns[group], generations[group] + 1);"),
                new Canary(
                        "the executed word of a round is that of the last one",
                        INJECTION,
                        "runs.executedRelease(pattern, generation);",
                        "runs.executedRelease(pattern, generation - 1);"),
                new Canary(
                        "the last descriptor of a recording is not carried out",
                        "engine.fifo.RunRing",
                        "memory.putLongRelease(entry + END_OFFSET, slots + 1L);",
                        "memory.putLongRelease(entry + END_OFFSET, slots);"),
                new Canary(
                        "a run begins at the second slot of its section",
                        INJECTION,
                        "head = 0; tail = count;",
                        "head = count > 1 ? 1 : 0; tail = count;"),
                new Canary("a run that was held begins again", INJECTION, "head = run.head;", "head = 0;"),
                new Canary(
                        "a decoded PUT sends the bytes behind its own",
                        "engine.dma.DecodedPut",
                        "target.land(arena, sourceAt, targetAt, length);",
                        "target.land(arena, sourceAt + 1, targetAt, length);"));
    }

    /** Defects of WAITs, and of rounds that alternate or are queued. */
    static List<Canary> ofRounds() {
        return List.of(
                new Canary(
                        "a queued round begins before the one before it is executed",
                        INJECTION,
                        "if (!runs.isExecuted(runs.pattern, runs.predecessor)) { return holdQueued(); }",
                        ""),
                new Canary(
                        "the generation of a round is off by one",
                        "engine.dma.Visit",
                        "alternate = (int) fifo.generation() & 1;",
                        "alternate = (int) (fifo.generation() + 1) & 1;"),
                new Canary(
                        "a local operand that alternates is that of even rounds",
                        "engine.dma.LocalOperand",
                        "Descriptor.operandCounter(operand) + alternate;",
                        "Descriptor.operandCounter(operand);"),
                new Canary(
                        "a target that alternates is that of even rounds",
                        "engine.dma.Visit",
                        "return Descriptor.counter(target) + Descriptor.alternate(head) * alternate;",
                        "return Descriptor.counter(target);"),
                new Canary(
                        "a WAIT ends at its value only, not below",
                        "engine.fifo.HeldRuns",
                        "isTurn || values.getLongAcquire(run.valueOffset) <= run.limit",
                        "values.getLongAcquire(run.valueOffset) == run.limit"),
                new Canary(
                        "a WAIT ends before the last piece has arrived",
                        WAITS,
                        "waitFor(value, limit);",
                        "waitFor(value, limit + 48);"));
    }

    /** Defects of multicasts. */
    static List<Canary> ofMultisends() {
        return List.of(
                new Canary(
                        "a multicast forgets its last target",
                        MULTICAST,
                        "for (int i = first; i < count && result != Landing.NO_ROOM; i++) {",
                        "for (int i = first; i < Math.max(1, count - 1) && result != Landing.NO_ROOM; i++) {"),
                new Canary(
                        "a multicast that found no room begins again",
                        MULTICAST,
                        "final int first = (int) visit.partialBytes;",
                        "final int first = 0;"),
                new Canary(
                        "a round of a multisend begins before the last one is reported",
                        "multisend.RoundCompletion",
                        "return awaiting;",
                        "return false;"),
                new Canary(
                        "a multisend is complete as soon as it is started",
                        "multisend.RecordedMultisend",
                        "return replayed == null || replayed.isComplete();",
                        "return true;"));
    }
}
