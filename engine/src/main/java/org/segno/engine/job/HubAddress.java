package org.segno.engine.job;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where the hub of a job listens for those of other hosts.
 *
 * @param address of an interface; null for all of them
 * @param firstPort least TCP port, 0 for any free one
 * @param lastPort greatest TCP port, 0 for any free one
 */
public record HubAddress(@Nullable InetAddress address, int firstPort, int lastPort) {
    /** Maximum number of a port. */
    public static final int MAX_PORT = 65_535;

    /** Any free port of all interfaces. */
    public static final HubAddress ANY = new HubAddress(null, 0, 0);

    /**
     * Checks the ports.
     *
     * @throws IllegalArgumentException if a port does not exist, or the first one is above the last one
     */
    public HubAddress {
        if (firstPort < 0 || firstPort > lastPort || lastPort > MAX_PORT || (firstPort == 0 && lastPort != 0)) {
            throw new IllegalArgumentException(
                    "ports must be 1 to " + MAX_PORT + ", the first at most the last: " + firstPort + ":" + lastPort);
        }
    }
}
