package org.segno.transport.aeron;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.AgentTerminationException;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/** The transport over Aeron, whose driver a test can end, as Aeron ends an agent that cannot go on. */
public final class EndingTransport implements TransportProvider {
    /** Name of the transport. */
    static final String NAME = "aeron-ending";

    private static final Map<Path, AeronTransport> JOINED = new ConcurrentHashMap<>();

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public EndingTransport() {}

    /** Ends the driver of the host whose job directory lies in a directory. */
    static void endDriver(Path parent) {
        JOINED.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(parent))
                .forEach(entry -> entry.getValue().driver().fail(new AgentTerminationException("ended by a test")));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        final AeronTransport begun = AeronTransport.begin(job);
        JOINED.put(job.directory(), begun);
        return begun;
    }
}
