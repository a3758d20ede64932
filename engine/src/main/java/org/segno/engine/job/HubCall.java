package org.segno.engine.job;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The call of the hub of a further host to the hub of the job.
 *
 * @param hubs addresses of the job's hub, which are tried in turn
 * @param secret of the job
 * @param silence time without a sign of the job's hub after which it is lost
 * @param timeout for the call
 */
public record HubCall(List<InetSocketAddress> hubs, JobSecret secret, Duration silence, Duration timeout) {
    /** Copies the addresses. */
    public HubCall {
        hubs = List.copyOf(hubs);
    }

    /** Returns the intervals of the hubs' clock after which the job's hub is lost. */
    int silenceTicks() {
        return HubNetwork.ticks(silence);
    }
}
