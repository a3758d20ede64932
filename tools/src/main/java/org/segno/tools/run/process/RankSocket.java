package org.segno.tools.run.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.segno.status.OpenFiles;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.StandardOutput;
import org.segno.tools.run.plan.LaunchPlan;

/**
 * The socket for ranks that are threads of one process. They send their output over one connection per stream, and
 * report a failure over a connection of its own. The first line of a connection states its purpose, in the format that
 * {@code org.segno.engine.program} writes.
 *
 * <p>One daemon thread accepts connections and passes those with output to {@link RankOutputs}.
 */
public final class RankSocket implements AutoCloseable {
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> SOCKET_MODE = PosixFilePermissions.fromString("rw-------");
    private static final String END = "end 0";
    private static final int LINE_LIMIT = 64;
    private static final long END_LIMIT_MS = 2_000;

    private final Path directory;
    private final UnixDomainSocketAddress address;
    private final ServerSocketChannel server;
    private final RankOutputs outputs;
    private final Consumer<Event> events;
    private final Thread thread = new Thread(this::accept, "segno-rank-socket");

    private RankSocket(
            Path directory,
            UnixDomainSocketAddress address,
            ServerSocketChannel server,
            RankOutputs outputs,
            Consumer<Event> events) {
        this.directory = directory;
        this.address = address;
        this.server = server;
        this.outputs = outputs;
        this.events = events;
    }

    /** Creates the socket in a temporary directory and listens. The report of a failed rank becomes an event. */
    public static RankSocket open(RankOutputs outputs, Consumer<Event> events) {
        Path directory = null;
        RankSocket socket = null;
        try {
            directory = Files.createTempDirectory("segno-ranks-");
            // The umask has restricted the mode at creation.
            Files.setPosixFilePermissions(directory, DIRECTORY_MODE);
            final UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
            final ServerSocketChannel server = listen(address);
            socket = new RankSocket(directory, address, server, outputs, events);
            socket.thread.setDaemon(true);
            socket.thread.start();
            return socket;
        } catch (final IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "cannot create the socket for the ranks' output: " + e.getMessage() + "; "
                            + OpenFiles.remedy(e, "set java.io.tmpdir to another directory"));
        } finally {
            if (socket == null && directory != null) {
                remove(directory);
            }
        }
    }

    private static ServerSocketChannel listen(UnixDomainSocketAddress address) throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(address, 2 * LaunchPlan.RANK_LIMIT);
            Files.setPosixFilePermissions(address.getPath(), SOCKET_MODE);
            return server;
        } catch (final IOException e) {
            server.close();
            throw e;
        }
    }

    private static void remove(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve("socket"));
            Files.deleteIfExists(directory);
        } catch (final IOException ignored) {
            // The exception that caused the removal is already being thrown.
        }
    }

    /** Returns the options that pass the socket and the plan's streams to the process of the ranks. */
    public List<String> javaOptions(LaunchPlan plan) {
        return List.of(
                "-Dsegno.rank-socket=" + address.getPath(),
                "-Dsegno.rank-output=" + plan.captured(),
                "-Dsegno.rank-input=" + plan.inputRank());
    }

    /** Accepts all connections that the process had opened before it ended. */
    public void finish() throws InterruptedException {
        try (SocketChannel last = SocketChannel.open(address)) {
            last.write(ByteBuffer.wrap((END + "\n").getBytes(StandardCharsets.UTF_8)));
            thread.join(END_LIMIT_MS);
        } catch (final IOException ignored) {
            // The socket was closed: its thread has ended, or ends with the process.
            thread.join(END_LIMIT_MS);
        }
    }

    private void accept() {
        try {
            boolean open = true;
            while (open) {
                final InputStream source = Channels.newInputStream(server.accept());
                open = begin(line(source), source);
            }
        } catch (final IOException e) {
            if (server.isOpen()) {
                events.accept(Event.outputLost(StandardOutput.lost(e)));
            }
        }
    }

    private boolean begin(String line, InputStream source) throws IOException {
        final String[] words = line.split(" ", -1);
        final int rank = words.length == 2 ? Integer.parseInt(words[1]) : 0;
        switch (words[0]) {
            case "out" -> outputs.start(rank, false, source);
            case "err" -> outputs.start(rank, true, source);
            case "failed" -> {
                source.close();
                events.accept(Event.of(Event.Kind.FAILED, rank));
            }
            default -> source.close();
        }
        return !line.equals(END);
    }

    private static String line(InputStream source) throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int letter = source.read(); letter >= 0 && letter != '\n' && line.length() < LINE_LIMIT; ) {
            line.append((char) letter);
            letter = source.read();
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(address.getPath());
            Files.deleteIfExists(directory);
        } catch (final IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FIT, "cannot remove the socket for the ranks' output: " + e.getMessage());
        }
    }
}
