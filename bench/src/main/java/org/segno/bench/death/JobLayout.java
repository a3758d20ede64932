package org.segno.bench.death;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.segno.node.JobConfig;

/**
 * Places of the ranks of a job: all on one host, or the same number on each of two, both of which are this machine. The
 * hosts share no directory, and reach each other by the loopback interface.
 */
final class JobLayout implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int SECRET_BYTES = 32;
    private static final int ONE_HOST = 3;
    private static final int LOCAL_SIZE = 2;

    private final int hosts;
    private final Path directory;

    private JobLayout(int hosts, Path directory) {
        this.hosts = hosts;
        this.directory = directory;
    }

    /** Returns the layout of jobs of one host or of two, with a new directory for all of them. */
    static JobLayout of(int hosts) throws IOException {
        final Path directory = Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "segno-death-")
                : Files.createTempDirectory("segno-death-");
        return new JobLayout(hosts, directory);
    }

    int size() {
        return hosts == 1 ? ONE_HOST : hosts * LOCAL_SIZE;
    }

    /** Returns the host of a rank, from 0. */
    int host(int rank) {
        return hosts == 1 ? 0 : rank / LOCAL_SIZE;
    }

    /** Returns true for the first rank of a host. Its process runs the hub of that host. */
    boolean isHub(int rank) {
        return rank % (size() / hosts) == 0;
    }

    /**
     * Returns the ranks that may die alone. The death of a hub is that of one host's only hub, which its other ranks
     * survive; of several hosts, it ends the job for a host.
     */
    List<Integer> victims() {
        return IntStream.range(0, size())
                .filter(rank -> hosts == 1 || !isHub(rank))
                .boxed()
                .toList();
    }

    /** Returns the words that name a new job to each of its ranks, for {@link #job}. */
    List<String> orders(String job) throws IOException {
        final List<String> orders = new ArrayList<>();
        final int port = hosts == 1 ? 0 : freePort();
        final Path secret = hosts == 1 ? directory : secret();
        for (int rank = 0; rank < size(); rank++) {
            final Path own = Files.createDirectories(directory.resolve("host-" + host(rank)));
            final int localSize = size() / hosts;
            orders.add(String.join(
                    " ",
                    job,
                    Integer.toString(rank),
                    Integer.toString(size()),
                    Integer.toString(rank % localSize),
                    Integer.toString(localSize),
                    own.toString(),
                    Integer.toString(port),
                    secret.toString()));
        }
        return orders;
    }

    /** Returns the configuration of a rank from the words of {@link #orders}. */
    static JobConfig job(String[] words) {
        final JobConfig job = JobConfig.of(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]))
                .withLocal(Integer.parseInt(words[3]), Integer.parseInt(words[4]))
                .withDirectory(Path.of(words[5]));
        final int port = Integer.parseInt(words[6]);
        return port == 0
                ? job
                : job.withHub(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Path.of(words[7]));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Writes the secret of the jobs, which are of this user alone. */
    private Path secret() throws IOException {
        final Path file = directory.resolve("secret");
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, "5e".repeat(SECRET_BYTES));
        }
        return file;
    }

    /** Removes what killed ranks have left. */
    @Override
    public void close() throws IOException {
        final List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(directory)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
