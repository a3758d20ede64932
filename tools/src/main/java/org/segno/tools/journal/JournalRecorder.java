package org.segno.tools.journal;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.EpochNanoClock;
import org.agrona.concurrent.MessageHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Platform;
import org.segno.engine.trace.TraceProvider.Trace;
import org.segno.engine.trace.TraceProvider.TracedNode;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceRing.Losses;
import org.segno.engine.trace.TraceScope;
import org.segno.engine.trace.TraceSettings;
import org.segno.status.SegnoException;

/**
 * Recorder of the journal of one rank: a thread that drains the rings of the rank's engines into a queue, and forces it
 * to the storage device at an interval. If it cannot write, it reports the reason and stops; the rings then count what
 * they have no room for.
 */
final class JournalRecorder implements Trace, MessageHandler {
    private static final Logger LOGGER = System.getLogger(JournalRecorder.class.getName());

    private static final int RECORDS_PER_POLL = 256;

    /**
     * Pauses after everything was written. Each takes a core from the ranks for some 0.1 ms, so they grow longer while
     * little arrives. The longest one is that for a ring of the usual length, which engines fill in a longer time.
     */
    private static final long MIN_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(250);

    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Part of a ring that is little. */
    private static final int LITTLE = 16;

    /** Time in which the last records are written and the queue is closed. */
    private static final long END_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);

    /**
     * Free bytes of the file system below which recording stops: a store to a mapped file of a full one is fatal. Other
     * processes may take some of them between two checks, and the queue maps its next blocks in the rest.
     */
    private static final long RESERVE_BYTES = 64L << 20;

    /** Recorded bytes after which the free space is checked at once. */
    private static final long CHECK_BYTES = 16L << 20;

    /** Time between two checks of the free space, unless a pause is longer. A check takes some microseconds. */
    private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Part of the message of an InternalError after a failed access to a mapped file. */
    private static final String FAULT = "unsafe memory access";

    private final List<TraceRing> rings;
    private final TraceSettings settings;
    private final JournalHeader header;
    private final Path directory;
    private final Thread thread;
    private final Thread hook = new Thread(this::stop, "segno-journal-end");
    private final CountDownLatch opened = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private volatile boolean isEnding;

    /** True once the node is closed: its engines have made their last pass. */
    private volatile boolean isClosed;

    private boolean hasEnded;
    private @Nullable JournalWriter writer;
    private long unchecked;
    private long checkedNs;
    private @Nullable FileStore device;

    /** Bytes that were read from the rings since the last pause. */
    private long drained;

    private JournalRecorder(TracedNode node, JournalHeader header) {
        this.rings = node.rings();
        this.settings = node.settings();
        this.header = header;
        this.directory = JournalFormat.directory(settings.directory(), header.rank());
        this.thread = Platform.thread("segno-journal-" + header.rank(), this::run);
    }

    /** Starts the recorder of a node. Returns when its queue exists. */
    static JournalRecorder start(TracedNode node, EpochNanoClock clock) {
        final JournalHeader header = new JournalHeader(
                node.memory().rank(),
                node.memory().layout().dimensions().size(),
                node.jobName(),
                node.settings().scope() == TraceScope.PATTERN,
                node.settings().withPayloads(),
                node.memory().layout().dimensions().contexts(),
                node.rings().size(),
                RecordedProcess.own(),
                clock.nanoTime(),
                System.nanoTime());
        final JournalRecorder recorder = new JournalRecorder(node, header);
        recorder.makeDirectory();
        recorder.thread.start();
        recorder.awaitOpen();
        Runtime.getRuntime().addShutdownHook(recorder.hook);
        return recorder;
    }

    private void makeDirectory() {
        try {
            Files.createDirectories(settings.directory());
            requireSpace();
            // As private as the memory of the job, because a journal can have its payloads.
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (final IOException e) {
            throw new SegnoException(
                    "the journal of rank " + header.rank() + " cannot be created, choose another directory: " + e, e);
        }
    }

    private void awaitOpen() {
        try {
            opened.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SegnoException("interrupted while the journal of rank " + header.rank() + " was created", e);
        }
        final Throwable cause = failure;
        if (cause != null) {
            throw new SegnoException(
                    "the journal of rank " + header.rank() + " cannot be created: " + Flags.reason(cause), cause);
        }
    }

    private void run() {
        try (JournalWriter open = JournalWriter.create(directory, header)) {
            writer = open;
            opened.countDown();
            record(open);
            open.end(losses(), System.nanoTime(), isClosed);
            open.sync();
        } catch (IOException | RuntimeException | Error e) {
            final Throwable cause = explained(e, settings.directory());
            failure = cause;
            if (opened.getCount() == 0) {
                LOGGER.log(Level.ERROR, "the journal of rank " + header.rank() + " has stopped: " + cause);
            }
            opened.countDown();
        }
    }

    private void record(JournalWriter open) throws IOException {
        long syncedNs = System.nanoTime();
        final long mostNs = Math.min(MAX_PAUSE_NS, MAX_PAUSE_NS * settings.ringBytes() / TraceRing.DEFAULT_BYTES);
        long pauseNs = MIN_PAUSE_NS;
        boolean isLast = false;
        while (!isLast) {
            // Read before the last poll, which then finds everything that was published before the end.
            isLast = isEnding;
            int count;
            do {
                count = 0;
                for (final TraceRing ring : rings) {
                    // Before the stores: this thread may have paused, or waited for a core, for long.
                    checkSpace();
                    count += ring.poll(this, RECORDS_PER_POLL);
                }
                final long nowNs = System.nanoTime();
                if (nowNs - syncedNs > settings.syncIntervalNs()) {
                    open.sync();
                    syncedNs = nowNs;
                }
            } while (count != 0);
            if (!isLast) {
                final boolean isLittle = drained < settings.ringBytes() / LITTLE;
                pauseNs = isLittle ? Math.min(mostNs, 2 * pauseNs) : MIN_PAUSE_NS;
                drained = 0;
                LockSupport.parkNanos(pauseNs);
            }
        }
    }

    @Override
    public void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
        final JournalWriter open = writer;
        if (open != null) {
            // A part of a payload may be shorter than the room that was claimed for it.
            final int used = buffer.getByte(index) == TraceRecord.PAYLOAD
                    ? TraceRecord.HEADER_LENGTH + buffer.getInt(index + TraceRecord.COUNT_OFFSET)
                    : length;
            open.write((DirectBuffer) buffer, index, used);
            unchecked += used;
            drained += used;
        }
    }

    private void checkSpace() throws IOException {
        final long nowNs = System.nanoTime();
        if (unchecked > CHECK_BYTES || nowNs - checkedNs > CHECK_NS) {
            unchecked = 0;
            checkedNs = nowNs;
            requireSpace();
        }
    }

    private void requireSpace() throws IOException {
        FileStore store = device;
        if (store == null) {
            // Looking for the store reads the list of all mounted file systems.
            store = Files.getFileStore(settings.directory());
            device = store;
        }
        final long left = store.getUsableSpace();
        if (left < RESERVE_BYTES) {
            throw new IOException("the file system of " + settings.directory() + " has " + left + " bytes left, and "
                    + RESERVE_BYTES + " must remain free");
        }
    }

    /**
     * Returns the reason why a journal cannot be written. If the file system had no room for a page of a mapped file,
     * the JVM reports only that an access to memory has failed.
     */
    static Throwable explained(Throwable reason, Path directory) {
        if (!(reason instanceof InternalError)
                || !String.valueOf(reason.getMessage()).contains(FAULT)) {
            return reason;
        }
        return new IOException(
                "the file system of " + directory + " has become full: free " + (RESERVE_BYTES >> 20)
                        + " MiB and more there, or record to another one",
                reason);
    }

    private Losses losses() {
        long records = 0;
        long descriptors = 0;
        long rounds = 0;
        long bytes = 0;
        for (final TraceRing ring : rings) {
            final Losses lost = ring.lossesAcquire();
            records += lost.records();
            descriptors += lost.descriptors();
            rounds += lost.rounds();
            bytes += lost.bytes();
        }
        return new Losses(records, descriptors, rounds, bytes);
    }

    @Override
    public void end() {
        isClosed = true;
        stop();
    }

    /** Writes what has been published and ends. At the end of the JVM the journal stays open: engines may still run. */
    private void stop() {
        synchronized (this) {
            if (hasEnded) {
                return;
            }
            hasEnded = true;
        }
        isEnding = true;
        LockSupport.unpark(thread);
        if (!Platform.join(thread, END_LIMIT_NS)) {
            LOGGER.log(
                    Level.ERROR,
                    "the journal of rank " + header.rank() + " is not complete: it could not be written within "
                            + TimeUnit.NANOSECONDS.toSeconds(END_LIMIT_NS) + " s");
        }
        final Losses lost = losses();
        if (lost.records() != 0) {
            LOGGER.log(
                    Level.WARNING,
                    String.format(
                            Locale.ROOT,
                            "the journal of rank %d lacks %,d descriptors, %,d rounds and %,d bytes of payloads, %s",
                            header.rank(),
                            lost.descriptors(),
                            lost.rounds(),
                            lost.bytes(),
                            failure == null
                                    ? "for which the recorder was too slow: give it a core, or --record-ring-bytes"
                                    : "because its recorder has stopped"));
        }
        if (!Thread.currentThread().equals(hook)) {
            removeHook();
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException ignored) {
            // The process ends: the hook runs, and finds that this has ended.
        }
    }
}
