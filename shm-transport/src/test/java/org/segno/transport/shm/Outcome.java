package org.segno.transport.shm;

import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/** Outcome of a wait, in one line. */
final class Outcome {
    private Outcome() {}

    static String of(SegnoException failure) {
        final String kind = failure.getClass().getSimpleName();
        return (failure instanceof PeerFailedException peer ? kind + ' ' + peer.rank() : kind) + ": "
                + failure.getMessage();
    }
}
