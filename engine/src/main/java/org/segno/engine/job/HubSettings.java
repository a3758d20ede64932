package org.segno.engine.job;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The job's hub, as the first rank of each host finds it: rank 0 makes it at this address, the others call it there.
 *
 * @param hub address of the job's hub
 * @param secretFile file with the secret of the job
 * @param silence time without a sign of a host after which its ranks are dead
 * @param timeout for the call
 */
public record HubSettings(InetSocketAddress hub, Path secretFile, Duration silence, Duration timeout) {
    /**
     * Returns what the job's hub needs.
     *
     * @throws org.segno.status.SegnoException if the secret cannot be read
     */
    HubNetwork network() {
        return new HubNetwork(
                new HubAddress(hub.getAddress(), hub.getPort(), hub.getPort()), JobSecret.read(secretFile), silence);
    }

    /**
     * Returns what the hub of another host needs.
     *
     * @throws org.segno.status.SegnoException if the secret cannot be read
     */
    HubCall call() {
        return new HubCall(List.of(hub), JobSecret.read(secretFile), silence, timeout);
    }
}
