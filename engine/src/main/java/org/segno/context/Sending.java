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
 * What a context injects for the handler of a dispatch id in another context, of any rank: one record in its lane.
 */
public abstract sealed class Sending extends Injection permits OneSided {
    Sending(NodeShare share, InjectionFifoProducer fifo, PatternBuffer patterns, ThreadRule threads, Homes homes) {
        super(share, fifo, patterns, threads, homes);
    }

    /**
     * Sends up to 32 bytes, by value, to the handler of {@code dispatchId} at the first context of the same client at {@code rank}.
     * The buffer may be used again at once; the handler gets them as payload.
     */
    public final long sendImmediate(int rank, int dispatchId, DirectBuffer buffer, int offset, int length) {
        requireRank(rank);
        return sendImmediate(rank | (long) homes.first(rank) << Integer.SIZE, dispatchId, buffer, offset, length);
    }

    /** As the other {@code sendImmediate}, to the context that an {@link Endpoint} names: of this rank too. */
    public final long sendImmediate(long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        final int rank = Endpoint.task(endpoint);
        if (length < 0 || length > Descriptor.MAX_IMMEDIATE_LENGTH) {
            throw new IllegalArgumentException("an immediate message has 0 to " + Descriptor.MAX_IMMEDIATE_LENGTH
                    + " bytes, longer ones are sent from a window: length=" + length);
        }
        if (((rank | dispatchId) < 0) || rank >= peers.length || dispatchId >= DispatchTable.IDS) {
            requireRank(rank);
            DispatchTable.requireId(dispatchId);
        }
        // Beyond the first context it depends on the peer, which is asked by those alone that go there.
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
     * Sends metadata and a payload from a window; together at most a quarter of the target's lane. The payload belongs to the
     * engine until it has been read: {@link Message#completes}.
     *
     * @throws IllegalArgumentException if the message has no payload window, is too long, or its rank or context is none, or
     *     another node made its window or its counter
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
     * Sends one message to several endpoints by one descriptor: as {@link #send} to each in turn, whose handler gets a message of its
     * own; a counter counts the payload once for each. Metadata lie in a window. Of what {@link Message#to} said the dispatch id holds
     * for all of them, and nothing else.
     *
     * @param endpoints of which {@code count} are meant, from {@code first} on: 1 to {@link Descriptor#MAX_TARGETS}
     * @throws IllegalArgumentException as {@link #send} does, or if the metadata were given by value
     */
    public final long multicast(Message message, long[] endpoints, int first, int count) {
        if (count < 1 || count > Descriptor.MAX_TARGETS || first < 0 || first > endpoints.length - count) {
            throw new IllegalArgumentException("a multicast's descriptor has 1 to " + Descriptor.MAX_TARGETS + " of "
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
     * Sends metadata and payload, together up to 32 bytes, by value: both may be changed at once. Inside {@code record} every replay
     * sends the same bytes again; {@link #send} reads them anew.
     *
     * @throws IllegalArgumentException as {@link #send} does, if they are more, or if a counter is to count them
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

    /** The most bytes of payload that {@link #send} takes with the target and the metadata of {@code message}. */
    public final long longestFor(Message message) {
        requireRank(message.rank());
        return message.longest(peers[message.rank()]);
    }
}
