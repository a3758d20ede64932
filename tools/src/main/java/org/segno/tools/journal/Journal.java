package org.segno.tools.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Platform;

/**
 * Journal of a job, which {@code segno run --record} has written: records of all ranks, merged by their times. Those of
 * one FIFO are in their order; those of several engines of a rank follow each other about as they were carried out.
 *
 * <pre>{@code
 * try (Journal journal = Journal.open(Path.of("run1"))) {
 *     for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
 *         for (int i = 0; i < record.descriptors(); i++) {
 *             System.out.println(record.rank() + " " + record.descriptor(i));
 *         }
 *     }
 *     journal.ends().forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Each record is checked for length, checksum and sequence before it is returned. Reading stops at the first damaged
 * record of a rank, and continues with the other ranks; {@link #ends} has the place and the reason. The files are not
 * changed, and a journal may be read while it is written. Used by one thread.
 */
public final class Journal implements AutoCloseable {
    private final Path directory;
    private final IntPredicate wanted;
    private final List<RankJournal> ranks = new ArrayList<>();

    /** Journals of the other ranks, of which the headers alone are read. */
    private final List<RankJournal> others = new ArrayList<>();

    private @Nullable RankJournal last;

    private Journal(Path directory, IntPredicate wanted) {
        this.directory = directory;
        this.wanted = wanted;
    }

    /**
     * Opens the journal in a directory.
     *
     * @throws JournalException if there is none, or it has another version or byte order
     */
    public static Journal open(Path directory) {
        return open(directory, rank -> true);
    }

    /**
     * Opens the journals of some ranks in a directory.
     *
     * @param wanted accepts the ranks whose records are returned
     * @throws JournalException if there is none, or it has another version or byte order
     * @throws IllegalStateException if this JVM was started without the flag that Segno needs; the message has the
     *     remedy
     */
    public static Journal open(Path directory, IntPredicate wanted) {
        Objects.requireNonNull(wanted, "wanted");
        Platform.requireFlags();
        final Journal journal = new Journal(directory, wanted);
        journal.refresh();
        if (journal.ranks.isEmpty()) {
            throw JournalException.missing("no journal of these ranks in " + directory
                    + ": 'segno run --record all=DIR' writes one into DIR, a new or an empty directory");
        }
        return journal;
    }

    /**
     * Looks for the journals of ranks that have begun since the journal was opened, and for headers that have been
     * written since.
     *
     * @throws JournalException if the directory cannot be read, or a journal has another version or byte order
     */
    public void refresh() {
        try {
            for (final Path each : rankDirectories(directory)) {
                final int rank = JournalFormat.rankOf(each);
                final List<RankJournal> known = wanted.test(rank) ? ranks : others;
                final int at = indexOf(known, rank);
                if (at < 0) {
                    known.add(-1 - at, RankJournal.open(rank, each));
                } else {
                    known.get(at).readHeader();
                }
            }
        } catch (final IOException e) {
            throw JournalException.unfit("the journal " + directory + " cannot be read: " + e);
        }
    }

    /** Returns the index of a rank's journal, or with -1 minus it that at which it is to be inserted. */
    private static int indexOf(List<RankJournal> sorted, int rank) {
        int at = 0;
        while (at < sorted.size() && sorted.get(at).rank() < rank) {
            at++;
        }
        return at < sorted.size() && sorted.get(at).rank() == rank ? at : -1 - at;
    }

    private static List<Path> rankDirectories(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw JournalException.missing("no journal: " + directory + " is no directory");
        }
        try (Stream<Path> found = Files.list(directory)) {
            return found.filter(each -> JournalFormat.rankOf(each) >= 0)
                    .sorted(Comparator.comparingInt(JournalFormat::rankOf))
                    .toList();
        }
    }

    /** Returns the directory. */
    public Path directory() {
        return directory;
    }

    /** Returns the ranks whose journals are read, in ascending order. */
    public List<Integer> ranks() {
        return ranks.stream().map(RankJournal::rank).toList();
    }

    /** Returns the number of ranks of the job, 0 while no header can be read. */
    public int size() {
        return headers().stream().mapToInt(JournalHeader::size).max().orElse(0);
    }

    /** Returns true if there is a journal of every rank of the job, be it read or not. */
    public boolean isWhole() {
        return size() == ranks.size() + others.size();
    }

    /**
     * Returns true if the processes of all ranks that have begun their journals, be they read or not, have certainly
     * ended. A process of another host, or of another PID namespace than this one's, counts as running.
     */
    public boolean haveProcessesEnded() {
        return Stream.concat(ranks.stream(), others.stream())
                .map(RankJournal::header)
                .allMatch(header -> header != null && header.process().hasEnded());
    }

    /**
     * Returns the start in nanoseconds since 1970: the earliest time at which one of the ranks, be it read or not, has
     * begun its journal; 0 while no header can be read.
     */
    public long startNs() {
        return Stream.concat(ranks.stream(), others.stream())
                .map(RankJournal::header)
                .filter(Objects::nonNull)
                .mapToLong(JournalHeader::epochNs)
                .min()
                .orElse(0);
    }

    /** Returns the headers that can be read at present, in the order of the ranks. */
    public List<JournalHeader> headers() {
        final List<JournalHeader> headers = new ArrayList<>();
        for (final RankJournal rank : ranks) {
            final JournalHeader header = rank.header();
            if (header != null) {
                headers.add(header);
            }
        }
        return headers;
    }

    /**
     * Returns the next record, or null if there is none at present. A later call may find more in a journal that is
     * being written.
     *
     * @throws JournalException if the files cannot be read, or one that appears has another version or byte order
     */
    public @Nullable JournalRecord next() {
        if (last != null) {
            last.advance();
            last = null;
        }
        JournalRecord first = null;
        for (final RankJournal rank : ranks) {
            final JournalRecord record = rank.peek();
            if (record != null && (first == null || record.timeNs() < first.timeNs())) {
                first = record;
                last = rank;
            }
        }
        return first;
    }

    /** Returns where and why the journal of each rank ends for this reader, in the order of the ranks. */
    public List<JournalEnd> ends() {
        return ranks.stream().map(RankJournal::end).toList();
    }

    @Override
    public void close() {
        for (final RankJournal rank :
                Stream.concat(ranks.stream(), others.stream()).toList()) {
            try {
                rank.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
