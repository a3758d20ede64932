package org.segno.context;

import org.agrona.DirectBuffer;
import org.segno.descriptor.Descriptor;
import org.segno.dispatch.DispatchTable;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.geometry.Endpoint;
import org.segno.operation.DescriptorWriter;
import org.segno.operation.Message;
import org.segno.pattern.PatternBuffer;
import org.segno.work.ThreadRule;

/**
 * Operations that send a message to the handler of a dispatch id in another context of any rank. Each message is one
 * record in the lane of that context.
 */
public abstract sealed class Sending extends Injection permits OneSided {
    Sending(NodeShare share, InjectionFifoProducer fifo, PatternBuffer patterns, ThreadRule threads, Homes homes) {
        super(share, fifo, patterns, threads, homes);
    }

    /**
     * Sends up to 32 bytes, by value, to the handler of {@code dispatchId} at the first context of the same client at
     * {@code rank}. The buffer may be reused at once. The handler receives the bytes as payload.
     */
    public final long sendImmediate(int rank, int dispatchId, DirectBuffer buffer, int offset, int length) {
        requireRank(rank);
        return sendImmediate(rank | (long) homes.first(rank) << Integer.SIZE, dispatchId, buffer, offset, length);
    }

    /**
     * Sends as the other {@code sendImmediate}, to the context of an {@link Endpoint}, which may be of this rank, too.
     */
    public final long sendImmediate(long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        final int rank = Endpoint.task(endpoint);
        if (length < 0 || length > Descriptor.MAX_IMMEDIATE_LENGTH) {
            throw new IllegalArgumentException("an immediate message has 0 to " + Descriptor.MAX_IMMEDIATE_LENGTH
                    + " bytes; send longer ones from a window: length=" + length);
        }
        if (((rank | dispatchId) < 0) || rank >= peers.length || dispatchId >= DispatchTable.IDS) {
            requireRank(rank);
            DispatchTable.requireId(dispatchId);
        }
        // The first context always exists; any other number is checked against the peer's layout, at the cost of an
        // access.
        if (endpoint >> Integer.SIZE != 0) {
            DescriptorWriter.requireContext(peers[rank], Endpoint.context(endpoint));
        }
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.sendImmediate(slot, endpoint, dispatchId, buffer, offset, length);
        return sink.publish();
    }

    /**
     * Sends metadata and a payload from a window, together at most a quarter of the target's lane. The payload belongs
     * to the engine until it has been read; {@link Message#completes} sets the counter that reports this.
     *
     * @throws IllegalArgumentException if the message has no payload window, is too long, has an invalid rank or
     *     context, or its window or counter belongs to another node
     */
    public final long send(Message message) {
        final int rank = message.rank();
        requireRank(rank);
        message.requireOf(node());
        message.requireFits(peers[rank], replies != null);
        final int context = homes.context(rank, message);
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.send(slot, message, context);
        return sink.publish();
    }

    /**
     * Sends one message to several endpoints with one descriptor, as {@link #send} to each in turn. Each handler
     * receives its own message, and a counter counts the payload once for each. Metadata must lie in a window. Of the
     * values set by {@link Message#to}, only the dispatch id is used; it applies to all endpoints.
     *
     * @param endpoints array that holds the targets: {@code count} endpoints from index {@code first} on, 1 to
     *     {@link Descriptor#MAX_TARGETS}
     * @throws IllegalArgumentException as {@link #send} does, or if the metadata were given by value
     */
    public final long multicast(Message message, long[] endpoints, int first, int count) {
        if (count < 1 || count > Descriptor.MAX_TARGETS || first < 0 || first > endpoints.length - count) {
            throw new IllegalArgumentException("a multicast descriptor has 1 to " + Descriptor.MAX_TARGETS + " of "
                    + endpoints.length + " endpoints: first=" + first + " count=" + count);
        }
        message.requireOf(node());
        message.requireMetadataWindow();
        for (int i = first; i < first + count; i++) {
            final int rank = Endpoint.task(endpoints[i]);
            requireRank(rank);
            if (Endpoint.context(endpoints[i]) != 0) {
                DescriptorWriter.requireContext(peers[rank], Endpoint.context(endpoints[i]));
            }
            message.requireFits(peers[rank], replies != null);
        }
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.multicast(slot, message, endpoints, first, count);
        return sink.publish();
    }

    /**
     * Sends metadata and payload, together up to 32 bytes, by value: both may be changed at once. Inside {@code record}
     * every replay sends the same bytes again, whereas {@link #send} reads them again.
     *
     * @throws IllegalArgumentException as {@link #send} does, if the message is longer, or if it has a counter
     */
    public final long sendImmediate(Message message) {
        requireRank(message.rank());
        message.requireImmediate(node());
        final int context = homes.context(message.rank(), message);
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.sendImmediate(slot, message, context);
        return sink.publish();
    }

    /**
     * Returns the limit of the payload, in bytes, that {@link #send} accepts with the target and the metadata of
     * {@code message}.
     */
    public final long longestFor(Message message) {
        requireRank(message.rank());
        return message.longest(peers[message.rank()]);
    }
}
