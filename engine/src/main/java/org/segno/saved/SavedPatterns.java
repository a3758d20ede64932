package org.segno.saved;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.reuse.CounterTable;
import org.segno.memory.CounterPair;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.PatternResources;
import org.segno.pattern.Recorder;
import org.segno.pattern.Rounds;
import org.segno.status.DeadlineException;

/**
 * Storage of a client's patterns in a file, so that a restarted job can replay at once the recordings of its
 * predecessor.
 *
 * <p>Each rank saves its own file. The new job must have the same number of ranks. Each rank opens windows and counters
 * as before and in the same order, so that they get the same ids. It publishes the same names, and then loads.
 *
 * <p>Loading resolves every reference of a pattern:
 * <ul>
 *   <li>Windows and counters of the node are found by their ids. Their offset and length must be the same.
 *   <li>Counters of peers are found by the rank and the name under which {@link org.segno.context.Context#attach} found
 *       them. Their kind and length must be the same.
 *   <li>Contexts are found by their number.
 * </ul>
 *
 * <p>A missing or changed object is refused by name, and nothing is loaded then.
 *
 * <p>A pattern that was recorded under an id is found by that id: {@link org.segno.context.Context#pattern},
 * {@link org.segno.multisend.JointPattern#find}. A prepared pattern has no id chosen by the application. It stems from
 * {@link org.segno.context.Context#prepare}, or from a start of a {@link org.segno.multisend.Multicast} or
 * {@link org.segno.multisend.ManyToMany}. Preparing an equal pattern returns the loaded one. Equal means that every
 * descriptor is the same, word for word, after translation to the new job.
 *
 * <p>For this comparison the pattern is written once more, as without a file. That temporarily requires one more
 * pattern and its room in the pattern buffer. The copy is not kept, and none of it is sent. A pattern that differs is
 * kept in addition to the loaded ones. Patterns should therefore be loaded after multisends are opened and before they
 * are first started.
 *
 * <p>Loading sends nothing. Loaded patterns start at generation 0, so their first replay is round 1. Ranks with
 * patterns that alternate with each other must load all of them or none, so that their rounds are the same. The caller
 * must hold all contexts of the client, and no recording may be open.
 */
public final class SavedPatterns {
    private SavedPatterns() {}

    /**
     * Saves all patterns that can be replayed in any context of {@code client}, replacing the content of {@code file}.
     * Rounds may be in progress. Patterns of {@link org.segno.context.Context#prepare} are included, under the ids that
     * were assigned to them.
     *
     * @return the number of patterns
     * @throws IllegalStateException if one cannot be saved, because it sends to a counter that was not attached by
     *     name, or from a window of another client; the message names both
     * @throws org.segno.status.SegnoException if the file cannot be written; an existing file is unchanged
     */
    public static int save(Client client, Path file) {
        Objects.requireNonNull(file, "file");
        final SavedContent saved = new PatternExporter(ContextAccess.patternResources(client)).save();
        PatternFile.write(file, saved);
        return saved.patterns().size();
    }

    /**
     * Loads all patterns of a file into those contexts of {@code client} in which they were recorded, and waits until
     * peers have published their targets. A prepared pattern can be replayed from the returned list, or it is returned
     * by the first prepare of an equal one.
     *
     * @return the patterns, in the order of their contexts and ids
     * @throws org.segno.status.SegnoException if the file cannot be read, is damaged or has another version; the
     *     message gives the remedy
     * @throws IllegalStateException if a pattern does not fit the job, its id is taken, or the pattern buffer has no
     *     room; the message names it. Nothing is loaded
     * @throws DeadlineException if a peer has not published a name; the message names the pattern that needs it.
     *     Nothing is loaded
     */
    public static List<Pattern> load(Client client, Path file, long deadlineNs) {
        Objects.requireNonNull(file, "file");
        final PatternResources resources = ContextAccess.patternResources(client);
        final SavedContent saved = PatternFile.read(file);
        requireSameJob(file, saved, resources);
        final PatternImporter loading = new PatternImporter(resources, saved, deadlineNs);
        for (final SavedContent.SavedPattern pattern : saved.patterns()) {
            find(file, pattern, resources, loading);
        }
        for (final SavedContent.SavedPattern pattern : saved.patterns()) {
            // Once more: what ran while this has waited may have recorded one.
            requireFree(file, pattern, resources);
        }
        offer(List.of(), resources);
        final List<Pattern> loaded = new ArrayList<>();
        boolean whole = false;
        try {
            for (final SavedContent.SavedPattern pattern : saved.patterns()) {
                loaded.add(prepare(file, pattern, resources));
            }
            offer(loaded, resources);
            whole = true;
            return loaded;
        } finally {
            if (!whole) {
                loaded.forEach(Pattern::close);
            }
        }
    }

    /**
     * Offers the prepared patterns for reuse. They have no id by which the application could find them, only their
     * content.
     */
    private static void offer(List<Pattern> loaded, PatternResources resources) {
        for (final PatternBuffer buffer : resources.buffers().values()) {
            buffer.offer(loaded.stream()
                    .filter(pattern -> pattern.id() < 0 && buffer.find(pattern.id()) == pattern)
                    .toList());
        }
    }

    private static void requireSameJob(Path file, SavedContent saved, PatternResources resources) {
        if (saved.rank() != resources.rank() || saved.ranks() != resources.ranks()) {
            throw new IllegalStateException(file + " has the patterns of rank " + saved.rank() + " of " + saved.ranks()
                    + ", but this is rank " + resources.rank() + " of " + resources.ranks()
                    + "; load each rank's own file in a job of the same size, or record again");
        }
        if (!saved.client().equals(resources.client())) {
            throw new IllegalStateException(file + " has the patterns of " + describe(saved.client()) + ", but this is "
                    + describe(resources.client()) + "; load each client's own file");
        }
    }

    private static String describe(String client) {
        return client.isEmpty() ? "the node's own client" : "client \"" + client + "\"";
    }

    private static String describe(Path file, SavedContent.SavedPattern pattern) {
        return "pattern " + pattern.id() + " of context " + pattern.context() + " in " + file;
    }

    /** Translates the references of the descriptors to the objects of this job. */
    private static void find(
            Path file, SavedContent.SavedPattern pattern, PatternResources resources, PatternImporter loading) {
        final String what = describe(file, pattern);
        final PatternBuffer buffer = resources.buffers().get(pattern.context());
        if (buffer == null) {
            throw new IllegalStateException(what + " does not fit this job: the client has no such context, it has "
                    + resources.buffers().keySet() + "; raise NodeConfig.withContexts, or record again");
        }
        requireFree(file, pattern, resources);
        try {
            loading.translate(pattern.words());
        } catch (final DeadlineException e) {
            throw new DeadlineException(what + " cannot be loaded: " + e.getMessage());
        } catch (final IllegalStateException | IllegalArgumentException e) {
            throw new IllegalStateException(what + " does not fit this job: " + e.getMessage(), e);
        }
    }

    private static void requireFree(Path file, SavedContent.SavedPattern pattern, PatternResources resources) {
        if (Objects.requireNonNull(resources.buffers().get(pattern.context())).find(pattern.id()) != null) {
            throw new IllegalStateException(describe(file, pattern)
                    + " cannot be loaded: a pattern of this id is already recorded; load first, or close that one");
        }
    }

    private static Pattern prepare(Path file, SavedContent.SavedPattern pattern, PatternResources resources) {
        final PatternBuffer buffer = Objects.requireNonNull(resources.buffers().get(pattern.context()));
        boolean written = false;
        try {
            buffer.begin(pattern.id(), pattern.alternate() ? Rounds.ALTERNATE : Rounds.ORDERED_BY_CALLER, false);
            try {
                write(pattern, buffer, resources.counters());
                written = true;
            } finally {
                if (!written) {
                    buffer.abandon();
                }
            }
            return buffer.end();
        } catch (final IllegalStateException | IllegalArgumentException e) {
            throw new IllegalStateException(describe(file, pattern) + " cannot be loaded: " + e.getMessage(), e);
        }
    }

    private static void write(SavedContent.SavedPattern pattern, PatternBuffer buffer, CounterTable counters) {
        final Recorder recorder = Objects.requireNonNull(buffer.recorder());
        final long[] words = pattern.words();
        final int body = words.length - pattern.arms() * PatternBuffer.WORDS;
        for (int at = 0; at < words.length; at += PatternBuffer.WORDS) {
            final int operation = Translation.operation(words, at);
            if ((operation == Operation.ARM) != (at >= body)) {
                throw new IllegalStateException("its descriptors that arm counters are not the last " + pattern.arms()
                        + "; save the patterns again");
            }
            if (at >= body) {
                if (Translation.has(words, at, Descriptor.CUMULATIVE)) {
                    final CounterPair pair = counters.pair(Translation.counter(words, at));
                    PatternAccess.expectUnarmed(buffer, Objects.requireNonNull(pair), Translation.amount(words, at));
                } else {
                    expect(words, at, recorder, counters);
                }
                continue;
            }
            if (operation == Operation.WAIT && !Translation.has(words, at, Descriptor.INJECTION)) {
                waits(words, at, recorder, counters);
            }
            recorder.write(words, at);
        }
    }

    private static void waits(long[] words, int at, Recorder recorder, CounterTable counters) {
        final int id = Translation.counter(words, at);
        recorder.waits(
                Translation.has(words, at, Descriptor.ALTERNATE)
                        ? Objects.requireNonNull(counters.pair(id))
                        : Objects.requireNonNull(counters.reception(id)),
                Translation.amount(words, at));
    }

    private static void expect(long[] words, int at, Recorder recorder, CounterTable counters) {
        final int id = Translation.counter(words, at);
        final long bytes = Translation.amount(words, at);
        if (bytes < 0) {
            arrives(words, at, recorder, counters);
        } else if (Translation.has(words, at, Descriptor.INJECTION)) {
            recorder.expect(Objects.requireNonNull(counters.injection(id)), bytes);
        } else if (Translation.has(words, at, Descriptor.ALTERNATE)) {
            recorder.expect(Objects.requireNonNull(counters.pair(id)), bytes);
        } else {
            recorder.expect(Objects.requireNonNull(counters.reception(id)), bytes);
        }
    }

    /** Writes an ARM below zero: bytes of an operation on {@link org.segno.memory.Target#nowhere()}. */
    private static void arrives(long[] words, int at, Recorder recorder, CounterTable counters) {
        final int id = Translation.counter(words, at);
        final long bytes = -Translation.amount(words, at);
        if (Translation.has(words, at, Descriptor.INJECTION)) {
            recorder.completes(Objects.requireNonNull(counters.injection(id)), bytes);
        } else if (Translation.has(words, at, Descriptor.ALTERNATE)) {
            recorder.arrives(Objects.requireNonNull(counters.pair(id)), bytes);
        } else {
            recorder.arrives(Objects.requireNonNull(counters.reception(id)), bytes);
        }
    }
}
