package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;

/**
 * One side of an experiment over a network. After a slice it continues to receive, acknowledge and repeat until the
 * other side has finished the slice, too: that side would wait for ever otherwise.
 *
 * <pre>
 *  offset  length  field   meaning                            written by  access
 *       0       8  origin  meetings in which it is finished   origin      release
 *     128       8  echo    meetings in which it is finished   echo        release
 *     256          LENGTH
 * </pre>
 */
public final class ServedSide implements Side {
    private static final int ECHO_OFFSET = 128;
    private static final int BLOCK_LENGTH = 4096;

    private final Side side;
    private final Server server;
    private final long ownAddress;
    private final long otherAddress;
    private long meetings;

    private ServedSide(Side side, Server server, long ownAddress, long otherAddress) {
        this.side = side;
        this.server = server;
        this.ownAddress = ownAddress;
        this.otherAddress = otherAddress;
    }

    /** Connection of an end to the network. */
    public interface Server {
        /** Sends and receives what is due, without waiting. */
        void serve();

        /** Returns true when this end needs nothing more from the other one. */
        boolean isAtRest();
    }

    /** Returns a side that serves after each slice of another one, and now, after its opening. */
    public static Side of(Role role, Path directory, Side side, Server server) throws IOException {
        final long origin = MappedBlock.share(role, directory.resolve("served"), BLOCK_LENGTH)
                .address();
        final long echo = origin + ECHO_OFFSET;
        final ServedSide served = role == Role.ORIGIN
                ? new ServedSide(side, server, origin, echo)
                : new ServedSide(side, server, echo, origin);
        served.meet();
        return served;
    }

    private void meet() {
        while (!server.isAtRest()) {
            server.serve();
        }
        meetings++;
        UnsafeApi.putLongRelease(null, ownAddress, meetings);
        while (UnsafeApi.getLongAcquire(null, otherAddress) < meetings) {
            server.serve();
        }
    }

    @Override
    public void enter() {
        side.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        side.slice(operations, figures);
        meet();
    }

    @Override
    public void leave() {
        side.leave();
    }

    @Override
    public void close() {
        side.close();
    }
}
