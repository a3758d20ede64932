package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.bench.experiment.MappedBlock;

/**
 * Turns of the parts of a run. The workers of one part use the cores while those of the others sleep. The host of a
 * virtual machine can move its idle cores, after which they are at another distance. Between two turns the cores are
 * idle for a few milliseconds only, so that all parts are measured at the same distance.
 *
 * <pre>
 *  offset  length  field  written by            access
 *       0       8  turn   origin of its part    release
 *       8          LENGTH
 * </pre>
 *
 * <p>The first turn of a part is its warm-up, each of the others a repetition.
 */
final class Turns {
    private static final String FILE_NAME = "turns";
    private static final int LENGTH = Long.BYTES;

    /** Each look takes a core from the workers that are measured, for some microseconds. */
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final AtomicBuffer words;
    private final int part;
    private final int parts;

    private Turns(MappedBlock block, int part, int parts) {
        this.words = block.buffer();
        this.part = part;
        this.parts = parts;
    }

    /** Creates the turns of a run. Called by the parent before it starts the workers. */
    static void make(Path directory) throws IOException {
        MappedBlock.make(directory.resolve(FILE_NAME), LENGTH);
    }

    /** Opens the turns of one of the parts. Called by its workers. */
    static Turns open(Path directory, int part, int parts) throws IOException {
        return new Turns(MappedBlock.await(directory.resolve(FILE_NAME)), part, parts);
    }

    /** Waits for turn {@code number} of this part, from zero on. */
    void await(int number) {
        awaitTurn((long) number * parts + part);
    }

    /** Waits until all parts have had so many turns. */
    void awaitAll(int turns) {
        awaitTurn((long) turns * parts);
    }

    /** The parent ends a worker that nobody passes the turn to, so the wait needs no deadline. */
    private void awaitTurn(long turn) {
        while (words.getLongVolatile(0) < turn) {
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Passes the turn on. Called by the origin, after both workers of the part have ended it. */
    void pass() {
        words.putLongRelease(0, words.getLong(0) + 1);
    }
}
