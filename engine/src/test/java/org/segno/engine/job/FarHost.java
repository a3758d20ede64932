package org.segno.engine.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.segno.engine.job.HubConnection.Frame;

/**
 * The hubs of a job of two hosts, for rank 0 on one of them, and all other ranks on the other one. Those are played
 * by the frames that their processes and their hub would send.
 */
public final class FarHost implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final int size;
    private final Hub hub;
    private final HostHub near;
    private final SocketChannel channel;
    private final Thread reader;
    private final AtomicInteger made = new AtomicInteger();

    private FarHost(int size, Hub hub, HostHub near, SocketChannel channel) {
        this.size = size;
        this.hub = hub;
        this.near = near;
        this.channel = channel;
        this.reader = Platform.thread("far-host", this::read);
    }

    /**
     * Starts the hubs.
     *
     * @param parent for the directories of both hosts
     * @param job settings of rank 0, which is launched
     */
    public static FarHost start(Path parent, JobSettings job) throws IOException {
        final JobSecret secret = JobSecret.random();
        final Path first = Files.createDirectory(parent.resolve("hub"));
        final HubNetwork network =
                new HubNetwork(new HubAddress(InetAddress.getLoopbackAddress(), 0, 0), secret, LIMIT);
        final Hub hub = Hub.start(
                JobDirectory.create(new JobSettings(job.jobName(), 0, job.size(), first, false, true, null)),
                job.size(),
                true,
                new Hub.Listener() {},
                network);
        final List<InetSocketAddress> hubs =
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), hub.port()));
        final HostHub near = HostHub.start(
                JobDirectory.create(job),
                job.size(),
                true,
                new HubCall(hubs, secret, LIMIT, LIMIT),
                new Hub.Listener() {});
        final FarHost host = new FarHost(job.size(), hub, near, HubDial.call(hubs, secret, LIMIT));
        host.reader.start();
        return host;
    }

    /** Lets all ranks but 0 join, state what is given, and make their nodes. */
    public void make(List<Statement> statements) throws IOException {
        send(rank -> Frame.hello(rank, size));
        for (final Statement statement : statements) {
            send(rank -> Frame.statement(rank, statement));
        }
        send(rank -> Frame.of(Frame.MADE, rank));
    }

    /** Lets all ranks but 0 report that they have connected to their peers. */
    public void map() throws IOException {
        send(rank -> Frame.of(Frame.MAPPED, rank));
    }

    /** Returns the number of ranks of which the hub has told this host that they have made their nodes. */
    public int made() {
        return made.get();
    }

    /** What is sent about a rank. */
    @FunctionalInterface
    private interface News {
        Frame about(int rank);
    }

    private void send(News news) throws IOException {
        final ByteBuffer frames = ByteBuffer.allocate((size - 1) * Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        for (int rank = 1; rank < size; rank++) {
            news.about(rank).write(frames, (rank - 1) * Frame.LENGTH);
        }
        while (frames.hasRemaining()) {
            channel.write(frames);
        }
    }

    private void read() {
        final ByteBuffer frames = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        try {
            while (channel.read(frames) >= 0) {
                final int whole = frames.position() / Frame.LENGTH * Frame.LENGTH;
                for (int offset = 0; offset < whole; offset += Frame.LENGTH) {
                    made.addAndGet(Frame.read(frames, offset).type() == Frame.MADE ? 1 : 0);
                }
                frames.limit(frames.position()).position(whole);
                frames.compact();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        near.close();
        channel.shutdownOutput();
        hub.close();
        channel.close();
    }
}
