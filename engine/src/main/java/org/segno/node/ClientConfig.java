package org.segno.node;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A client's permanent and exclusive share of its node. Immutable; every {@code with} method returns a changed copy.
 *
 * @param name name by which its peers find it: 1 to 31 bytes in UTF-8, no slash
 * @param contexts threading points, each with its own injection FIFOs, lanes and pattern buffer
 * @param injectionCounters maximum number open at a time
 * @param receptionCounters maximum number open at a time
 * @param windowBytes registered memory for its windows, rounded up to whole lines of 128 bytes
 * @param tasks ranks that take part, in any order; empty for all ranks of the job
 */
public record ClientConfig(
        String name,
        int contexts,
        int injectionCounters,
        int receptionCounters,
        long windowBytes,
        List<Integer> tasks) {
    private static final int DEFAULT_COUNTERS = 16;

    public ClientConfig {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(tasks, "tasks");
        if (contexts < 1) {
            throw new IllegalArgumentException("withContexts must be at least 1: contexts=" + contexts);
        }
        if (injectionCounters < 0 || receptionCounters < 0 || windowBytes < 0) {
            throw new IllegalArgumentException(
                    "withCounters and withWindowBytes must not be negative: injectionCounters=" + injectionCounters
                            + " receptionCounters=" + receptionCounters + " windowBytes=" + windowBytes);
        }
        tasks = List.copyOf(tasks);
    }

    /** Returns a client with one context, 16 counters of each kind and no windows. */
    public static ClientConfig named(String name) {
        return new ClientConfig(name, 1, DEFAULT_COUNTERS, DEFAULT_COUNTERS, 0, List.of());
    }

    /** Returns a copy with this number of contexts. */
    public ClientConfig withContexts(int value) {
        return new ClientConfig(name, value, injectionCounters, receptionCounters, windowBytes, tasks);
    }

    /** Returns a copy with these numbers of injection counters and reception counters. */
    public ClientConfig withCounters(int injection, int reception) {
        return new ClientConfig(name, contexts, injection, reception, windowBytes, tasks);
    }

    /** Returns a copy with this number of bytes for windows. */
    public ClientConfig withWindowBytes(long value) {
        return new ClientConfig(name, contexts, injectionCounters, receptionCounters, value, tasks);
    }

    /**
     * Returns a copy for these ranks alone, in any order, the opening one included. Without any, all ranks take part.
     * Every task gives the same ranks. Barriers of the client wait for its tasks only, and the end of another rank does
     * not concern them.
     */
    public ClientConfig withTasks(int... ranks) {
        Objects.requireNonNull(ranks, "ranks");
        return new ClientConfig(
                name,
                contexts,
                injectionCounters,
                receptionCounters,
                windowBytes,
                IntStream.of(ranks).boxed().toList());
    }
}
