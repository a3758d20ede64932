package org.segno.engine.program;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The standard streams of ranks that are threads. A launcher that needs them separately passes its socket in a
 * property. Each stream of a rank is a connection, and so is each report about a rank:
 *
 * <pre>
 *  property              value
 *  segno.rank-socket     path of the launcher's Unix-domain socket
 *  segno.rank-output     true: the ranks' output goes there; else it goes to the process's own streams
 *  segno.rank-input      the rank that reads standard input, all others read nothing
 *
 *  a connection's first line   its further contents
 *  out R, err R                output of rank R, byte for byte
 *  failed R                    nothing: rank R was the first to fail, or one of them
 * </pre>
 */
final class RankStreams {
    private static final String SOCKET = "segno.rank-socket";
    private static final String OUTPUT = "segno.rank-output";
    private static final String INPUT = "segno.rank-input";
    private static final int NOBODY = -1;

    /** Inherited, so that the output of a rank's helper threads is attributed to the rank too. */
    private static final InheritableThreadLocal<Integer> RANK = new InheritableThreadLocal<>();

    private final UnixDomainSocketAddress address;

    private RankStreams(UnixDomainSocketAddress address) {
        this.address = address;
    }

    /** Assigns the calling thread, and the threads that it starts, to a rank. */
    static void enter(int rank) {
        RANK.set(rank);
    }

    /**
     * Replaces the process's own streams by those of {@code size} ranks. Returns null if there is no launcher that
     * receives them.
     */
    static @Nullable RankStreams install(int size) throws IOException {
        System.setIn(new InputOfOne(System.in, Integer.getInteger(INPUT, 0)));
        final String socket = System.getProperty(SOCKET);
        if (socket == null) {
            return null;
        }
        final RankStreams streams = new RankStreams(UnixDomainSocketAddress.of(socket));
        if (Boolean.getBoolean(OUTPUT)) {
            System.setOut(print(new OutputOfEach(streams.connectAll("out", size), System.out)));
            System.setErr(print(new OutputOfEach(streams.connectAll("err", size), System.err)));
        }
        return streams;
    }

    private static PrintStream print(OutputStream target) {
        return new PrintStream(target, true, StandardCharsets.UTF_8);
    }

    private OutputStream[] connectAll(String stream, int size) throws IOException {
        final OutputStream[] targets = new OutputStream[size];
        for (int rank = 0; rank < size; rank++) {
            targets[rank] = connect(stream + " " + rank);
        }
        return targets;
    }

    private OutputStream connect(String line) throws IOException {
        final OutputStream target = Channels.newOutputStream(SocketChannel.open(address));
        target.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        return target;
    }

    /** Notifies the launcher that a rank has failed. */
    void failed(int rank) {
        try {
            connect("failed " + rank).close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot notify the launcher that rank " + rank + " has failed", e);
        }
    }

    private static int rankOfThisThread() {
        final Integer rank = RANK.get();
        return rank == null ? NOBODY : rank;
    }

    /**
     * Output stream that writes to the target of the calling thread's rank, or to that of the process for other
     * threads.
     */
    private static final class OutputOfEach extends OutputStream {
        private final OutputStream[] targets;
        private final OutputStream rest;

        OutputOfEach(OutputStream[] targets, OutputStream rest) {
            this.targets = targets;
            this.rest = rest;
        }

        private OutputStream target() {
            final int rank = rankOfThisThread();
            return rank == NOBODY ? rest : targets[rank];
        }

        @Override
        public void write(int octet) throws IOException {
            target().write(octet);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            target().flush();
        }
    }

    /** Input stream that is standard input for one rank and empty for all others. */
    private static final class InputOfOne extends InputStream {
        private final InputStream input;
        private final int reader;

        InputOfOne(InputStream input, int reader) {
            this.input = input;
            this.reader = reader;
        }

        private boolean isEmpty() {
            final int rank = rankOfThisThread();
            return rank != NOBODY && rank != reader;
        }

        @Override
        public int read() throws IOException {
            return isEmpty() ? -1 : input.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return isEmpty() ? -1 : input.read(bytes, offset, length);
        }

        @Override
        public int available() throws IOException {
            return isEmpty() ? 0 : input.available();
        }
    }
}
