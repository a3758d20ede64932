package org.segno.engine.doorbell;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Platform;

/**
 * Anonymous pipe that wakes a thread of this process. Peers write to it through {@code /proc}.
 *
 * <p>A pipe is never closed: {@link #giveBack} keeps it for the next node of this process. Its descriptor therefore
 * refers to it as long as the process lives, also for a peer that opens it late.
 */
final class WakePipe implements WakeChannel {
    private static final Logger LOGGER = System.getLogger(WakePipe.class.getName());
    private static final int BUFFER_LENGTH = 64;
    private static final long MS_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Numbers of bytes that the new pipe contains in turn, by which its descriptor is recognized. */
    private static final int[] PROBES = {1, 3, 2};

    private static final Deque<WakePipe> UNUSED = new ArrayDeque<>();

    private final Pipe pipe;
    private final Selector selector;
    private final PipeFile file;
    private final int descriptor;
    private final long inode;
    private final ByteBuffer read = ByteBuffer.allocateDirect(BUFFER_LENGTH);

    private WakePipe(Pipe pipe, Selector selector, PipeFile file, int descriptor, long inode) {
        this.pipe = pipe;
        this.selector = selector;
        this.file = file;
        this.descriptor = descriptor;
        this.inode = inode;
    }

    /** Returns an unused pipe, or null if this process cannot make one that its peers find. */
    static @Nullable WakePipe take() {
        synchronized (UNUSED) {
            final WakePipe unused = UNUSED.poll();
            if (unused != null) {
                unused.clear();
                return unused;
            }
        }
        try {
            return make();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "no pipe can be made for wake-ups", e);
            return null;
        }
    }

    /** Keeps a pipe for later use. A late ring of a peer wakes its next user once, without a reason. */
    static void giveBack(WakePipe unused) {
        synchronized (UNUSED) {
            UNUSED.push(unused);
        }
    }

    private static @Nullable WakePipe make() throws IOException {
        final Set<Long> before = new HashSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(PipeFile.OWN)) {
            all.forEach(path -> before.add(PipeFile.inode(path)));
        }
        before.add(0L);
        final Pipe made = Pipe.open();
        WakePipe found = null;
        try {
            made.source().configureBlocking(false);
            made.sink().configureBlocking(false);
            found = find(made, before);
        } finally {
            if (found == null) {
                made.source().close();
                made.sink().close();
            }
        }
        return found;
    }

    /** Finds the descriptor of a new pipe: Java does not return it. Other threads may have made pipes meanwhile. */
    private static @Nullable WakePipe find(Pipe made, Set<Long> before) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(PipeFile.OWN)) {
            for (final Path path : all) {
                final long inode = PipeFile.inode(path);
                if (before.add(inode)) {
                    final PipeFile file = PipeFile.open(path);
                    if (leadsTo(file, made)) {
                        final Selector selector = Selector.open();
                        made.source().register(selector, SelectionKey.OP_READ);
                        final int descriptor =
                                Integer.parseInt(path.getFileName().toString());
                        return new WakePipe(made, selector, file, descriptor, inode);
                    }
                    file.close();
                }
            }
        }
        return null;
    }

    private static boolean leadsTo(PipeFile file, Pipe made) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(BUFFER_LENGTH);
        boolean equal = true;
        for (final int probe : PROBES) {
            made.sink().write(bytes.clear().limit(probe));
            equal &= file.available() == probe;
            made.source().read(bytes.clear());
        }
        return equal && file.available() == 0;
    }

    int descriptor() {
        return descriptor;
    }

    long inode() {
        return inode;
    }

    @Override
    public void await(long limitNs) {
        try {
            // The key stays among the selected ones, so that nothing is allocated.
            selector.select(Math.max(1, (limitNs + MS_NS - 1) / MS_NS));
            readAll();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "a wait parks without its doorbell", e);
            Platform.park(limitNs);
        }
    }

    private void readAll() throws IOException {
        do {
            read.clear();
        } while (pipe.source().read(read) == BUFFER_LENGTH);
    }

    /** Removes the rings for an earlier user. */
    private void clear() {
        try {
            selector.selectNow();
            readAll();
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "the rings for an earlier wait remain, and end the next one", e);
        }
    }

    @Override
    public void ring() {
        try {
            file.ring();
        } catch (IOException e) {
            selector.wakeup();
        }
    }

    @Override
    public void release() {
        selector.wakeup();
    }
}
