package org.segno.transport.aeron;

import io.aeron.AeronCounters;
import io.aeron.driver.status.StreamCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * A link of another process, read from the counters file of its driver.
 *
 * @param end its node, the peer and the engine
 * @param addresses of this end and, once it knows it, of the peer's
 * @param mtu bytes of the payload of the longest datagram
 * @param bytesSent bytes of its streams that have left, with headers, each counted once
 * @param bytesReceived bytes of its streams that have arrived without a gap, with headers, each counted once
 * @param lossReported requests of this end for lost data
 * @param lossOfPeer requests of the peer for lost data, which are sent again
 * @param backPressured frames that had no room
 */
public record ObservedLink(
        AeronEnd end,
        String addresses,
        int mtu,
        long bytesSent,
        long bytesReceived,
        long lossReported,
        long lossOfPeer,
        long backPressured) {

    /**
     * Reads the open links of a process, by node, peer and engine.
     *
     * @param file as {@link DriverCounts#read} takes it
     * @throws IOException as {@link DriverCounts#read} does
     */
    public static List<ObservedLink> read(Path file) throws IOException {
        return CountersFile.read(file, ObservedLink::read);
    }

    private static List<ObservedLink> read(CountersReader counters) {
        final Streams streams = new Streams();
        counters.forEach((id, typeId, key, label) -> streams.add(typeId, key, counters.getCounterValue(id)));
        final List<ObservedLink> links = new ArrayList<>();
        counters.forEach((id, typeId, key, label) -> {
            if (typeId == LinkCounter.TYPE_ID) {
                final int incoming = LinkCounter.incoming(key);
                final int outgoing = LinkCounter.outgoing(key);
                links.add(new ObservedLink(
                        LinkCounter.end(key),
                        label,
                        LinkCounter.mtu(key),
                        streams.sum(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID, outgoing),
                        streams.sum(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, incoming),
                        streams.sum(AeronCounters.DRIVER_RECEIVER_NAKS_SENT_TYPE_ID, incoming),
                        streams.sum(AeronCounters.DRIVER_SENDER_NAKS_RECEIVED_TYPE_ID, outgoing),
                        counters.getCounterValue(id)));
            }
        });
        links.sort(Comparator.comparingInt((ObservedLink link) -> link.end.node())
                .thenComparingInt(link -> link.end.peer())
                .thenComparingInt(link -> link.end.engine()));
        return links;
    }

    /** Sums of Aeron's counters over the streams of a session, by type. */
    private static final class Streams {
        private final Map<Counted, Long> sums = new HashMap<>();

        private record Counted(int typeId, int session) {}

        void add(int typeId, DirectBuffer key, long value) {
            sums.merge(new Counted(typeId, key.getInt(StreamCounter.SESSION_ID_OFFSET)), value, Long::sum);
        }

        long sum(int typeId, int session) {
            return sums.getOrDefault(new Counted(typeId, session), 0L);
        }
    }
}
