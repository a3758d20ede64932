package org.segno.tools.observe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.engine.memory.ObservedNode;

/**
 * Search for jobs among the open files of all processes that this user may inspect, and in the parent of job
 * directories.
 *
 * <p>A job's directory is unlinked once all ranks have joined. From then on its files have names only in {@code
 * /proc/PID/fd}.
 */
final class JobSearch {
    private static final Path PROC = Path.of("/proc");

    /** Pattern of a job directory's name. A directory that is being removed has a suffix. */
    private static final String DIRECTORY = "(segno-[A-Za-z0-9._]+-(.+-[0-9a-f]{16}))(?:\\.\\d+-\\d+)?";

    private static final Pattern OPEN_FILE = Pattern.compile(".*/" + DIRECTORY + "/node-(\\d{1,9})(?: \\(deleted\\))?");
    private static final Pattern JOB_DIRECTORY = Pattern.compile(DIRECTORY);
    private static final Pattern NODE_FILE = Pattern.compile("node-(\\d{1,9})");
    private static final int JOB_ID_OFFSET = 16;
    private static final int JOB_ID_LENGTH = 16;

    private final Map<String, JobFiles> jobs = new LinkedHashMap<>();

    private JobSearch() {}

    /** Returns all jobs found, those of processes first, then those with a directory in {@code parent}. */
    static List<JobFiles> all(Path parent) {
        final JobSearch search = new JobSearch();
        search.lookIntoProcesses();
        for (final Path directory : list(parent, "segno-*")) {
            search.lookInto(directory);
        }
        return List.copyOf(search.jobs.values());
    }

    /** Returns the job in one directory, or an empty list if it has no node file. */
    static List<JobFiles> in(Path directory) {
        final JobSearch search = new JobSearch();
        search.add(directory, nameOf(directory));
        return List.copyOf(search.jobs.values());
    }

    /**
     * Returns the job with this directory name, without its files. Returns empty if the name is not that of a job
     * directory.
     */
    static Optional<JobFiles> named(String directory) {
        final Matcher name = JOB_DIRECTORY.matcher(directory);
        return name.matches()
                ? Optional.of(new JobFiles(name.group(1), name.group(2), "", true, Map.of()))
                : Optional.empty();
    }

    private void lookIntoProcesses() {
        for (final Path process : list(PROC, "[0-9]*")) {
            for (final Path open : list(process.resolve("fd"), "*")) {
                final Matcher file = OPEN_FILE.matcher(target(open));
                if (file.matches()) {
                    found(file, id(open), Integer.parseInt(file.group(3)), open, false);
                }
            }
        }
    }

    private void lookInto(Path directory) {
        final Matcher name = JOB_DIRECTORY.matcher(directory.getFileName().toString());
        if (name.matches()) {
            add(directory, name);
        }
    }

    private void add(Path directory, Matcher name) {
        final Map<Integer, Path> nodes = new TreeMap<>();
        String known = "";
        for (final Path file : list(directory, "node-*")) {
            final Matcher rank = NODE_FILE.matcher(file.getFileName().toString());
            if (rank.matches()) {
                nodes.put(Integer.parseInt(rank.group(1)), file);
                known = known.isEmpty() ? id(file) : known;
            }
        }
        // One directory is one job. A file with another id, or none, is reported when it is opened.
        for (final Map.Entry<Integer, Path> node : nodes.entrySet()) {
            found(name, known, node.getKey(), node.getValue(), true);
        }
    }

    /** Matches the names in a directory's name. For a copy under another name, the match is made from that name. */
    private static Matcher nameOf(Path directory) {
        final String name = directory.toAbsolutePath().normalize().getFileName() + "";
        final Matcher matcher = JOB_DIRECTORY.matcher(name);
        if (matcher.matches()) {
            return matcher;
        }
        final Matcher copy = JOB_DIRECTORY.matcher("segno-copy-" + name + "-" + "0".repeat(16));
        return copy.matches() ? copy : noName();
    }

    private static Matcher noName() {
        final Matcher matcher = JOB_DIRECTORY.matcher("segno-copy-job-" + "0".repeat(16));
        matcher.matches();
        return matcher;
    }

    private void found(Matcher name, String id, int rank, Path file, boolean inDirectory) {
        final JobFiles known = jobs.get(name.group(1) + id);
        final Map<Integer, Path> nodes = known == null ? new HashMap<>() : new HashMap<>(known.nodes());
        nodes.putIfAbsent(rank, file);
        final boolean kept = inDirectory || (known != null && known.kept());
        jobs.put(name.group(1) + id, new JobFiles(name.group(1), name.group(2), id, kept, nodes));
    }

    /** Returns the job's id from a node file's header, unchecked. Returns an empty string if it cannot be read. */
    private static String id(Path file) {
        if (!ObservedNode.isFile(file)) {
            // Opening a pipe would wait for its writer, and any user may have put one here.
            return "";
        }
        final ByteBuffer id = ByteBuffer.allocate(JOB_ID_LENGTH).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.read(id, JOB_ID_OFFSET) == JOB_ID_LENGTH) {
                return String.format("%016x%016x", id.getLong(0), id.getLong(Long.BYTES));
            }
        } catch (final IOException ignored) {
            // The file has been removed or is not readable. Opening it in full reports the reason.
        }
        return "";
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (final IOException ignored) {
            // The file has been closed in the meantime.
            return "";
        }
    }

    /**
     * Returns the entries of a directory, or none if it is not readable or was removed: processes end, and some belong
     * to other users.
     */
    private static List<Path> list(Path directory, String names) {
        final List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, names)) {
            entries.forEach(paths::add);
        } catch (final IOException | DirectoryIteratorException ignored) {
            return paths;
        }
        return paths;
    }
}
