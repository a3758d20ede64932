package org.segno.node;

/**
 * What a client is given of its node: for good, and for itself. Immutable; every {@code with} answers a changed copy.
 *
 * @param name by which its peers find it: 1 to 31 bytes in UTF-8, no slash
 * @param contexts threading points, each with injection FIFOs, lanes and a pattern buffer of its own
 * @param injectionCounters at a time
 * @param receptionCounters at a time
 * @param windowBytes registered memory, of which it opens windows; rounded up to whole lines of 128
 */
public record ClientConfig(String name, int contexts, int injectionCounters, int receptionCounters, long windowBytes) {
    private static final int DEFAULT_COUNTERS = 16;

    public ClientConfig {
        if (contexts < 1) {
            throw new IllegalArgumentException("a client has at least one context: contexts=" + contexts);
        }
        if (injectionCounters < 0 || receptionCounters < 0 || windowBytes < 0) {
            throw new IllegalArgumentException("a client's share is not negative: injectionCounters="
                    + injectionCounters + " receptionCounters=" + receptionCounters + " windowBytes=" + windowBytes);
        }
    }

    /** A client with one context, 16 counters of each kind and no windows. */
    public static ClientConfig named(String name) {
        return new ClientConfig(name, 1, DEFAULT_COUNTERS, DEFAULT_COUNTERS, 0);
    }

    /** As many contexts. */
    public ClientConfig withContexts(int value) {
        return new ClientConfig(name, value, injectionCounters, receptionCounters, windowBytes);
    }

    /** As many counters of bytes read, and of bytes that come. */
    public ClientConfig withCounters(int injection, int reception) {
        return new ClientConfig(name, contexts, injection, reception, windowBytes);
    }

    /** As much memory for windows. */
    public ClientConfig withWindowBytes(long value) {
        return new ClientConfig(name, contexts, injectionCounters, receptionCounters, value);
    }
}
