package org.segno.tools.journal;

import org.agrona.concurrent.SystemEpochNanoClock;
import org.segno.engine.trace.TraceProvider;

/** Storage of traces in journals. Found by {@link java.util.ServiceLoader}, on the class path of a rank. */
public final class JournalProvider implements TraceProvider {
    /** Creates the provider. Called by the service loader. */
    public JournalProvider() {}

    @Override
    public Trace begin(TracedNode node) {
        return JournalRecorder.start(node, SystemEpochNanoClock.INSTANCE);
    }
}
