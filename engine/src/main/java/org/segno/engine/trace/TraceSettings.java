package org.segno.engine.trace;

import java.nio.file.Path;

/**
 * Settings of the trace of a node.
 *
 * @param scope part of the traffic
 * @param directory where it is stored
 * @param withPayloads true if the payloads of messages are stored too
 * @param ringBytes capacity of the ring of each engine
 * @param syncIntervalNs time after which stored records are forced to the storage device, in nanoseconds
 */
public record TraceSettings(
        TraceScope scope, Path directory, boolean withPayloads, int ringBytes, long syncIntervalNs) {}
