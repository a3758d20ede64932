package org.segno.engine.job;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * One end of the connection between a process and the hub: frames of fixed length on a socket that never blocks.
 *
 * <p>Frames that the other end does not accept yet wait in a buffer, which grows up to a bound. The bound is the most
 * that one job can send to one process, so only a foreign process reaches it. A failed write does not indicate the end
 * of the other side: frames that it sent before may still be unread. Reading detects the end.
 *
 * <p>Used by one thread only.
 */
final class HubConnection {
    /** Receiver of frames. */
    interface FrameHandler {
        /** Called for each frame, in order. Returns false if the connection must not be read further. */
        boolean onFrame(HubConnection connection, Frame frame);
    }

    /**
     * One message between a process and the hub. Processes are identified by {@link Platform#process}.
     *
     * <pre>
     *  offset  length  field   meaning, little-endian
     *       0       4  type    one of the types below
     *       4       4  rank    rank that the frame concerns
     *       8       8  first   depends on the type
     *      16       8  second
     *      24       8  third
     *      32          LENGTH
     * </pre>
     */
    record Frame(int type, int rank, long first, long second, long third) {
        static final int LENGTH = 32;

        static final int TYPE_OFFSET = 0;
        static final int RANK_OFFSET = 4;
        static final int FIRST_OFFSET = 8;
        static final int SECOND_OFFSET = 16;
        static final int THIRD_OFFSET = 24;

        /** Version of the protocol. Every change of the frames changes it. */
        static final int VERSION = 5;

        private static final int TYPES = 0x5e640000;

        /** To the hub: protocol version, size, process. */
        static final int HELLO = TYPES | 1;

        /** To the hub, which forwards it to all: the rank's node file is complete; process. */
        static final int MADE = TYPES | 2;

        /** To the hub, which forwards it to all: the rank has mapped every node file. */
        static final int MAPPED = TYPES | 3;

        /** To the hub: the rank leaves. */
        static final int GOODBYE = TYPES | 4;

        /**
         * From the hub, the reply to HELLO: upper and lower half of the job id, hub's process times two, plus one if it
         * is the launcher.
         */
        static final int WELCOME = TYPES | 5;

        /** From the hub, the reply to HELLO: reason, the hub's own value. */
        static final int REFUSED = TYPES | 6;

        /** From the hub: every process has mapped every file. */
        static final int GO = TYPES | 7;

        /** From the hub: the rank has sent a goodbye. */
        static final int LEFT = TYPES | 8;

        /** From the hub: the rank's process has ended without a goodbye. */
        static final int DEAD = TYPES | 9;

        /** From the hub: a rank was refused for another size than the hub's; its size. Sent for the first only. */
        static final int REJECTED = TYPES | 10;

        /** To the hub: the rank has failed, although its process still runs. */
        static final int FAILED = TYPES | 11;

        /** From the hub, before the rank can be made: the rank is on a host; the host's number, from 0. */
        static final int PLACE = TYPES | 12;

        /** To the hub, which forwards it to all: what a rank states about itself; topic, two words. */
        static final int STATEMENT = TYPES | 13;

        /**
         * To the hub, which forwards it to one rank: a letter of a rank's transport; receiver in the upper half of the
         * first word, the rest is the letter ({@link #receiver}, {@link #word}).
         */
        static final int LETTER = TYPES | 14;

        /** To the hub: the rank asks for the secret of its links. From the hub: half of it; two words, which half. */
        static final int SECRET = TYPES | 15;

        /** Between the hubs of two hosts: nothing. Its absence shows that the other host is silent. */
        static final int PING = TYPES | 16;

        /** From the hub: the address of a host, as the hubs reach it; number in place of the rank, 16 bytes of IPv6. */
        static final int HOST = TYPES | 17;

        /** Length in bytes of half of the secret of links. */
        static final int SECRET_HALF = 16;

        /** Reason: another process has the rank; that process. */
        static final long RANK_TAKEN = 1;

        /** Reason: the hub's job has another size; that size. */
        static final long SIZE_DIFFERS = 2;

        /** Reason: the hub uses another version; that version. */
        static final long VERSION_DIFFERS = 3;

        static Frame hello(int rank, int size) {
            return new Frame(HELLO, rank, VERSION, size, Platform.process());
        }

        static Frame of(int type, int rank) {
            return new Frame(type, rank, 0, 0, 0);
        }

        static Frame of(int type, int rank, long first) {
            return new Frame(type, rank, first, 0, 0);
        }

        static Frame letter(int from, int to, int word, long second, long third) {
            return new Frame(LETTER, from, (long) to << Integer.SIZE | Integer.toUnsignedLong(word), second, third);
        }

        static Frame statement(int rank, Statement statement) {
            return new Frame(STATEMENT, rank, statement.topic(), statement.upper(), statement.lower());
        }

        static Frame host(int number, InetAddress address) {
            final ByteBuffer bytes = ByteBuffer.wrap(HubNetwork.bytes(address));
            return new Frame(HOST, number, bytes.getLong(), bytes.getLong(), 0);
        }

        /** Returns a half of the secret of links. */
        static Frame secret(int rank, byte[] ofLinks, int half) {
            final ByteBuffer bytes = ByteBuffer.wrap(ofLinks, half * SECRET_HALF, SECRET_HALF);
            return new Frame(SECRET, rank, bytes.getLong(), bytes.getLong(), half);
        }

        /** Returns the rank that receives a letter. */
        int receiver() {
            return (int) (first >> Integer.SIZE);
        }

        /** Returns the first word of a letter. */
        int word() {
            return (int) first;
        }

        /**
         * Returns the reason of a REFUSED frame and the remedy as text for the user; {@code size} is the job's size in
         * the configuration of the refused rank.
         */
        String refusal(String job, Path directory, int size) {
            if (first == RANK_TAKEN) {
                return "rank " + rank + " of " + job + " is taken by process " + Platform.pidOf(second) + ": " + job
                        + " is already running in "
                        + directory + ", choose another name (" + JobVariables.JOB
                        + "), or give each process its own "
                        + JobVariables.RANK;
            }
            if (first == SIZE_DIFFERS) {
                return "rank " + rank + " of " + job + " has " + JobVariables.SIZE + "=" + size
                        + ", the job's hub in " + directory + " has " + second + ": give all the same "
                        + JobVariables.SIZE;
            }
            return "the hub of " + job + " uses version " + second + ", rank " + rank + " uses " + VERSION
                    + ": start all with the same release";
        }

        static Frame read(ByteBuffer buffer, int offset) {
            return new Frame(
                    buffer.getInt(offset + TYPE_OFFSET),
                    buffer.getInt(offset + RANK_OFFSET),
                    buffer.getLong(offset + FIRST_OFFSET),
                    buffer.getLong(offset + SECOND_OFFSET),
                    buffer.getLong(offset + THIRD_OFFSET));
        }

        void write(ByteBuffer buffer, int offset) {
            buffer.putInt(offset + TYPE_OFFSET, type);
            buffer.putInt(offset + RANK_OFFSET, rank);
            buffer.putLong(offset + FIRST_OFFSET, first);
            buffer.putLong(offset + SECOND_OFFSET, second);
            buffer.putLong(offset + THIRD_OFFSET, third);
        }
    }

    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");
    private static final int FRAMES_AT_ONCE = 64;
    private static final int FRAMES_PER_JOB = 16;

    /** Room for waiting frames, 32 KiB, that a connection keeps when none wait. */
    private static final int KEPT_FRAMES = 1 << 10;

    /** Frames about a rank: WELCOME or REFUSED, HOST, PLACE, MADE, MAPPED, LEFT or DEAD once each, and statements. */
    private static final int FRAMES_PER_RANK = 7 + Roster.STATEMENT_LIMIT;

    /**
     * Letters from a rank to another one: for each engine, one for the beginning of a link and one for its failure; and
     * a request and a reply of {@link Inquiries}.
     */
    private static final int LETTERS_PER_PAIR = 2 * 64 + 2;

    /** Maximum of frames that wait for one connection: 128 MiB. */
    private static final int FRAMES_LIMIT = 1 << 22;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final int outgoingLimit;
    private final int host;
    private final ByteBuffer incoming = buffer(FRAMES_AT_ONCE * Frame.LENGTH);
    private ByteBuffer outgoing = buffer(FRAMES_AT_ONCE * Frame.LENGTH);
    private boolean writeFailed;
    private int silentTicks;

    private HubConnection(SocketChannel channel, SelectionKey key, int outgoingLimit, int host) {
        this.channel = channel;
        this.key = key;
        this.outgoingLimit = outgoingLimit;
        this.host = host;
    }

    /** Returns the number of the host at the other end. */
    int host() {
        return host;
    }

    /** Opens the socket of a hub, for later connections. */
    static ServerSocketChannel listen(Path directory, Selector selector, int backlog) throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            final Path socket = JobDirectory.hubIn(directory);
            server.bind(UnixDomainSocketAddress.of(socket), backlog);
            // The umask has cut the mode that it was made with, and a connecting process needs write permission.
            Files.setPosixFilePermissions(socket, MODE);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            return server;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Tries once to connect to the hub, without waiting. Returns null if no hub listens in the directory, or if the hub
     * has no room for a connection now.
     *
     * @throws SegnoException if the directory exists and does not belong to this user, or this process can open no more
     *     files
     */
    static @Nullable HubConnection find(Path directory, Selector selector, int size) {
        try {
            return JobDirectory.isThere(directory) ? connect(directory, selector, size) : null;
        } catch (IOException e) {
            if (OpenFiles.isExhaustedBy(e)) {
                throw outOfFiles(directory, e);
            }
            return null;
        } catch (LinkageError e) {
            // At the limit of open files, the JDK cannot load the libraries of its sockets.
            if (OpenFiles.isExhaustedBy(e)) {
                throw outOfFiles(directory, e);
            }
            throw e;
        }
    }

    private static SegnoException outOfFiles(Path directory, Throwable e) {
        return new SegnoException(
                "cannot open a socket to the hub in " + directory + ": " + e + "; " + OpenFiles.remedy(), e);
    }

    /** Returns true if the socket of a hub exists and no process listens on it: the process of the hub has ended. */
    static boolean isDeserted(Path directory) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(JobDirectory.hubIn(directory)));
            return false;
        } catch (ConnectException ignored) {
            return true;
        } catch (IOException ignored) {
            return false;
        }
    }

    private static HubConnection connect(Path directory, Selector selector, int size) throws IOException {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(JobDirectory.hubIn(directory)))) {
                throw new ConnectException("the hub has no room for another caller now");
            }
            return open(channel, selector, size, 0);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Wraps a connected channel. On failure the channel is closed.
     *
     * @param host number of the host at the other end, from 0
     */
    static HubConnection open(SocketChannel channel, Selector selector, int size, int host) throws IOException {
        try {
            channel.configureBlocking(false);
            final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            // A connection may be that of several ranks, of which each receives letters of all others.
            final long frames = FRAMES_PER_JOB + (FRAMES_PER_RANK + (long) LETTERS_PER_PAIR * size) * size;
            final int limit = (int) Math.max(FRAMES_AT_ONCE, Math.min(frames, FRAMES_LIMIT));
            final HubConnection connection = new HubConnection(channel, key, limit * Frame.LENGTH, host);
            key.attach(connection);
            return connection;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Counts an interval of the owner's clock, in which the other end should have been heard. Returns false if it has
     * been silent for {@code limit} of them. A process that was stopped counts the time of its stop as one.
     */
    boolean tick(int limit) {
        silentTicks++;
        return silentTicks <= limit && send(Frame.of(Frame.PING, 0));
    }

    /**
     * Reads once and passes the complete frames to the handler. Returns false if the other end is closed or the handler
     * refuses further frames.
     */
    boolean read(FrameHandler handler) {
        final int length;
        silentTicks = 0;
        try {
            length = channel.read(incoming);
        } catch (IOException ignored) {
            // Reset: the other end closed without having read everything. This is an end like any other.
            return false;
        }
        int offset = 0;
        boolean wanted = true;
        while (wanted && incoming.position() - offset >= Frame.LENGTH) {
            wanted = handler.onFrame(this, Frame.read(incoming, offset));
            offset += Frame.LENGTH;
        }
        incoming.limit(incoming.position()).position(offset);
        incoming.compact();
        return wanted && length >= 0;
    }

    /** Appends a frame to those that wait. Returns false if there is no room, which no member of a job can cause. */
    boolean send(Frame frame) {
        if (writeFailed) {
            return true;
        }
        if (outgoing.remaining() < Frame.LENGTH) {
            if (outgoing.capacity() == outgoingLimit) {
                return false;
            }
            outgoing = buffer(Math.min(outgoing.capacity() * 2, outgoingLimit)).put(outgoing.flip());
        }
        frame.write(outgoing, outgoing.position());
        outgoing.position(outgoing.position() + Frame.LENGTH);
        return true;
    }

    /** Writes the bytes that the other end accepts now. The rest waits until the selector reports room. */
    void flush() {
        if (outgoing.position() == 0 || !key.isValid()) {
            return;
        }
        final boolean full = (key.interestOps() & SelectionKey.OP_WRITE) != 0;
        if (full && !key.isWritable()) {
            return;
        }
        try {
            channel.write(outgoing.flip());
            outgoing.compact();
            shrink();
        } catch (IOException ignored) {
            writeFailed = true;
            outgoing.clear();
        }
        key.interestOps(SelectionKey.OP_READ | (outgoing.position() == 0 ? 0 : SelectionKey.OP_WRITE));
    }

    /** Gives up the room for many frames, as a new member reads them, once they are written. */
    private void shrink() {
        if (outgoing.position() == 0 && outgoing.capacity() > KEPT_FRAMES * Frame.LENGTH) {
            outgoing = buffer(FRAMES_AT_ONCE * Frame.LENGTH);
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The channel needs no further action.
            key.cancel();
        }
    }
}
