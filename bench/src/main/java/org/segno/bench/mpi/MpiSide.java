package org.segno.bench.mpi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * One end of an exchange by MPI. Each worker controls one process of the program in C over a socket; the origin starts
 * both. A process uses the core of its worker, which sleeps meanwhile, and sleeps between slices.
 *
 * <p>The worker sends lines: {@code core N}, then {@code slice N} for each slice. The process replies to each by a line
 * with the figure. It ends when the connection ends.
 */
final class MpiSide implements Side {
    private static final long START_LIMIT_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long END_LIMIT_S = 10;
    private static final int LINE_LIMIT = 128;

    private final @Nullable Process launcher;
    private final SocketChannel control;
    private final ByteBuffer line = ByteBuffer.allocate(LINE_LIMIT);

    private final double share;

    private MpiSide(@Nullable Process launcher, SocketChannel control, double share) {
        this.launcher = launcher;
        this.control = control;
        this.share = share;
    }

    /**
     * Opens one end.
     *
     * @param plan text of {@link MpiPlan} for the rank of this end
     * @param variant way of the exchange
     * @param share share of the time of a round that is the figure: a half for messages one way
     */
    static MpiSide open(Role role, Path directory, MpiTools tools, String plan, MpiVariant variant, double share)
            throws IOException {
        Files.writeString(directory.resolve("plan-" + role.rank()), plan);
        final UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("control-" + role.rank()));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            final Process launcher = role == Role.ORIGIN ? launch(directory, tools, variant) : null;
            try {
                final MpiSide side = new MpiSide(launcher, accept(server, launcher, directory), share);
                side.ask("core " + Cores.allowed().get(0));
                return side;
            } catch (IOException e) {
                if (launcher != null) {
                    launcher.destroyForcibly();
                }
                throw e;
            }
        }
    }

    private static Process launch(Path directory, MpiTools tools, MpiVariant variant) throws IOException {
        final Path parent = directory.getParent();
        final List<String> command = new ArrayList<>(List.of(tools.launcher().toString(), "-n", "2"));
        command.addAll(variant.placement(directory));
        command.add(
                tools.program(parent == null ? directory : parent, "exchange").toString());
        command.addAll(List.of(directory.toString(), variant.mode()));
        final ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("mpirun.log").toFile());
        for (final String setting : variant.settings()) {
            final int equals = setting.indexOf('=');
            builder.environment().put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return builder.start();
    }

    private static SocketChannel accept(ServerSocketChannel server, @Nullable Process launcher, Path directory)
            throws IOException {
        server.configureBlocking(false);
        final long deadlineNs = System.nanoTime() + START_LIMIT_NS;
        SocketChannel accepted = server.accept();
        while (accepted == null) {
            if (System.nanoTime() - deadlineNs > 0 || (launcher != null && !launcher.isAlive())) {
                final Path log = directory.resolve("mpirun.log");
                throw new IOException("the MPI program did not start: "
                        + (Files.exists(log) ? Files.readString(log).strip() : "no output"));
            }
            LockSupport.parkNanos(POLL_NS);
            accepted = server.accept();
        }
        return accepted;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        try {
            figures.set(0, share * Double.parseDouble(ask("slice " + operations)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a line and returns the line of the reply. */
    private String ask(String command) throws IOException {
        final ByteBuffer request = StandardCharsets.US_ASCII.encode(command + "\n");
        while (request.hasRemaining()) {
            control.write(request);
        }
        line.clear();
        while (line.position() == 0 || line.get(line.position() - 1) != '\n') {
            if (control.read(line) < 0) {
                throw new IOException("the MPI program has ended after: " + command);
            }
        }
        return StandardCharsets.US_ASCII.decode(line.flip()).toString().strip();
    }

    @Override
    public void close() {
        try {
            control.close();
            if (launcher != null && !launcher.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
                launcher.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
