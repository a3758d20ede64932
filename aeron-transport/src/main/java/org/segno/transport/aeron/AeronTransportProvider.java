package org.segno.transport.aeron;

import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/** Factory of links to nodes that this process shares no memory with. */
public final class AeronTransportProvider implements TransportProvider {
    /** Creates a factory, for {@link java.util.ServiceLoader}. */
    public AeronTransportProvider() {}

    @Override
    public String name() {
        return "aeron";
    }

    @Override
    public Transport join(TransportJob job) {
        return AeronTransport.begin(job);
    }
}
