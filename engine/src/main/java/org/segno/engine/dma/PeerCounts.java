package org.segno.engine.dma;

import java.util.Arrays;
import org.segno.engine.memory.Memory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Frame;

/**
 * Counts by which a peer acknowledges packets, as its frames bring them. Those of a frame that has overtaken replies of
 * the peer are kept until these are processed: refusals of acknowledged packets are among them.
 */
final class PeerCounts {
    private final Unlanded requests;
    private final Unlanded handlerReplies;
    private final NodeMetrics metrics;
    private final Counts[] byStream = new Counts[Frame.STREAMS];

    /** Hits that the metrics include, modulo 2^32. */
    private int countedHits = Frame.FIRST;

    /** Last counts that the frames of one stream have brought. */
    private static final class Counts {
        private int requests = Frame.FIRST;
        private int handlerReplies = Frame.FIRST;
        private int hits = Frame.FIRST;

        /** True while the counts wait for replies, and the number of the reply behind the last of them. */
        private boolean areKept;

        private int repliesEnd;
    }

    /** Creates the counts for the packets of two logs. */
    PeerCounts(Unlanded requests, Unlanded handlerReplies, NodeMetrics metrics) {
        this.requests = requests;
        this.handlerReplies = handlerReplies;
        this.metrics = metrics;
        Arrays.setAll(byStream, stream -> new Counts());
    }

    /**
     * Receives the counts of a frame.
     *
     * @param replies number of the peer's reply that is processed next
     * @return false if they run backwards, or exceed what was sent; they are ignored
     */
    boolean received(int stream, Memory memory, long frame, int replies) {
        final Counts last = byStream[stream];
        final int landed = Frame.requests(memory, frame);
        final int landedReplies = Frame.handlerReplies(memory, frame);
        final int hits = Frame.hits(memory, frame);
        // Each packet is counted by at most one hit, at the latest when it is acknowledged.
        if (landed - last.requests < 0
                || landedReplies - last.handlerReplies < 0
                || hits - last.hits < 0
                || !requests.hasSent(landed)
                || !handlerReplies.hasSent(landedReplies)
                || hits - countedHits > requests.count() + handlerReplies.count()) {
            return false;
        }
        last.requests = landed;
        last.handlerReplies = landedReplies;
        last.hits = hits;
        final int missing = stream == Frame.REPLIES ? 0 : Frame.missingReplies(memory, frame, replies);
        last.areKept = missing > 0;
        last.repliesEnd = replies + missing;
        if (!last.areKept) {
            apply(last);
        }
        return true;
    }

    /** Applies the counts that have waited for the reply before number {@code end}. */
    void repliesProcessed(int end) {
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            final Counts last = byStream[stream];
            if (last.areKept && end - last.repliesEnd >= 0) {
                last.areKept = false;
                apply(last);
            }
        }
    }

    private void apply(Counts counts) {
        final int hits = counts.hits - countedHits;
        if (hits > 0) {
            countedHits = counts.hits;
            metrics.add(Metric.HITS, hits);
        }
        // After the hits: a thread that sees its position carried out reads them.
        requests.acknowledge(counts.requests);
        handlerReplies.acknowledge(counts.handlerReplies);
    }
}
