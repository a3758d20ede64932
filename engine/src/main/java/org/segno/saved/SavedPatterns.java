package org.segno.saved;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.segno.context.Client;
import org.segno.context.NodeShare;
import org.segno.counter.GivenCounters;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.pattern.Holdings;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Recorder;
import org.segno.pattern.Rounds;
import org.segno.status.DeadlineException;

/**
 * Keeps the patterns of a client in a file, so that a job that is started anew replays at once what its predecessor has recorded.
 *
 * <p>Each rank saves a file of its own. The new job has as many ranks; each of them opens windows and counters as before and in the same
 * order, so that they get the same ids, publishes the same names, and then loads. Everything that a pattern names is looked for: windows and
 * counters of the node by their ids, and they must lie where they lay and be as long; counters of peers by the rank and the name under
 * which {@link org.segno.context.Context#attach} found them, and their kind and length must be the same; contexts by their number. What
 * is not there or is not as it was is refused by name, and nothing is loaded then.
 *
 * <p>What was recorded under an id is found by it: {@link org.segno.context.Context#pattern}, {@link
 * org.segno.multisend.JointPattern#find}. What was prepared, by {@link org.segno.context.Context#prepare} or by a {@link
 * org.segno.multisend.Multicast} or {@link org.segno.multisend.ManyToMany} that was started, has no id that the application has chosen;
 * preparing the same again hands out the loaded pattern. The same means every descriptor, word for word, in the terms of the new job.
 * To compare them it is written once more, as without a file, which needs one more pattern and that much room in the pattern buffer for
 * the moment; it is not kept, and nothing of it is sent. What differs is kept beside what was loaded. Load therefore after multisends are
 * opened and before they are first started.
 *
 * <p>Nothing is sent by loading. The rounds of what was loaded begin anew: generation 0, so that the first replay is round 1. Ranks whose
 * patterns alternate with each other load all of them or none, so that their rounds are the same. The caller holds all contexts of the
 * client, and no pattern is being recorded.
 */
public final class SavedPatterns {
    private SavedPatterns() {}

    /**
     * Saves all patterns that can be replayed in any context of {@code client}, in place of what {@code file} was; rounds may be under way.
     * Patterns of {@link org.segno.context.Context#prepare} are among them, under the ids that they were given.
     *
     * @return how many
     * @throws IllegalStateException if one cannot be saved, because it sends to a counter that was not attached by name, or from a window of
     *     another client; names both
     * @throws org.segno.status.SegnoException if the file cannot be written; one that was there is as it was
     */
    public static int save(Client client, Path file) {
        final Saved saved = new Saving(NodeShare.holdings(client)).save();
        PatternFile.write(file, saved);
        return saved.patterns().size();
    }

    /**
     * Loads all patterns of a file into the contexts of {@code client} that they were recorded in, and waits until peers have published
     * what they send to. One that was prepared is either replayed from the answer or handed out by the first prepare of the same.
     *
     * @return the patterns, in the order of their contexts and ids
     * @throws org.segno.status.SegnoException if the file cannot be read, is damaged or of another version; says the remedy
     * @throws IllegalStateException if a pattern does not fit the job, its id is taken, or the pattern buffer has no room; names it. Nothing
     *     is loaded
     * @throws DeadlineException if a peer has not published a name; says which pattern needs it. Nothing is loaded
     */
    public static List<Pattern> load(Client client, Path file, long deadlineNs) {
        final Holdings holdings = NodeShare.holdings(client);
        final Saved saved = PatternFile.read(file);
        requireSameJob(file, saved, holdings);
        final Loading loading = new Loading(holdings, saved, deadlineNs);
        for (final Saved.SavedPattern pattern : saved.patterns()) {
            find(file, pattern, holdings, loading);
        }
        offer(List.of(), holdings);
        final List<Pattern> loaded = new ArrayList<>();
        boolean whole = false;
        try {
            for (final Saved.SavedPattern pattern : saved.patterns()) {
                loaded.add(prepare(file, pattern, holdings));
            }
            offer(loaded, holdings);
            whole = true;
            return loaded;
        } finally {
            if (!whole) {
                loaded.forEach(Pattern::close);
            }
        }
    }

    /** What was prepared has no name by which the application knows it: it is found by preparing the same again. */
    private static void offer(List<Pattern> loaded, Holdings holdings) {
        for (final PatternBuffer buffer : holdings.buffers().values()) {
            buffer.offer(loaded.stream()
                    .filter(pattern -> pattern.id() < 0 && buffer.find(pattern.id()) == pattern)
                    .toList());
        }
    }

    private static void requireSameJob(Path file, Saved saved, Holdings holdings) {
        if (saved.rank() != holdings.rank() || saved.ranks() != holdings.ranks()) {
            throw new IllegalStateException(file + " has the patterns of rank " + saved.rank() + " of " + saved.ranks()
                    + ", this is rank " + holdings.rank() + " of " + holdings.ranks()
                    + "; load each rank's own file in a job of the same size, or record anew");
        }
        if (!saved.client().equals(holdings.client())) {
            throw new IllegalStateException(file + " has the patterns of " + describe(saved.client()) + ", this is "
                    + describe(holdings.client()) + "; load each client's own file");
        }
    }

    private static String describe(String client) {
        return client.isEmpty() ? "the node's own client" : "client \"" + client + "\"";
    }

    private static String describe(Path file, Saved.SavedPattern pattern) {
        return "pattern " + pattern.id() + " of context " + pattern.context() + " in " + file;
    }

    /** Has the descriptors name what there is in this job. */
    private static void find(Path file, Saved.SavedPattern pattern, Holdings holdings, Loading loading) {
        final String what = describe(file, pattern);
        final PatternBuffer buffer = holdings.buffers().get(pattern.context());
        if (buffer == null) {
            throw new IllegalStateException(what + " does not fit this job: the client has no such context, it has "
                    + holdings.buffers().keySet() + "; raise withContexts, or record anew");
        }
        if (buffer.find(pattern.id()) != null) {
            throw new IllegalStateException(what
                    + " cannot be loaded: a pattern of this id is recorded already; load first, or close that one");
        }
        try {
            loading.translate(pattern.words());
        } catch (final DeadlineException e) {
            throw new DeadlineException(what + " cannot be loaded: " + e.getMessage());
        } catch (final IllegalStateException | IllegalArgumentException e) {
            throw new IllegalStateException(what + " does not fit this job: " + e.getMessage(), e);
        }
    }

    private static Pattern prepare(Path file, Saved.SavedPattern pattern, Holdings holdings) {
        final PatternBuffer buffer = Objects.requireNonNull(holdings.buffers().get(pattern.context()));
        boolean written = false;
        try {
            final Recorder recorder = buffer.beginToPrepare(
                    pattern.id(), pattern.alternate() ? Rounds.ALTERNATE : Rounds.ORDERED_BY_CALLER);
            try {
                write(pattern, recorder, holdings.counters());
                written = true;
            } finally {
                if (!written) {
                    buffer.abandon();
                }
            }
            return buffer.end();
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(describe(file, pattern) + " cannot be loaded: " + e.getMessage(), e);
        }
    }

    private static void write(Saved.SavedPattern pattern, Recorder recorder, GivenCounters counters) {
        final long[] words = pattern.words();
        final int body = words.length - pattern.arms() * PatternBuffer.WORDS;
        for (int at = 0; at < words.length; at += PatternBuffer.WORDS) {
            final int operation = Translation.operation(words, at);
            if ((operation == Operation.ARM) != (at >= body)) {
                throw new IllegalStateException("its descriptors that arm counters are not the last " + pattern.arms()
                        + "; save the patterns anew");
            }
            if (at >= body) {
                expect(words, at, recorder, counters);
                continue;
            }
            if (operation == Operation.WAIT && !Translation.has(words, at, Descriptor.INJECTION)) {
                waits(words, at, recorder, counters);
            }
            recorder.write(words, at);
        }
    }

    private static void waits(long[] words, int at, Recorder recorder, GivenCounters counters) {
        final int id = Translation.counter(words, at);
        recorder.waits(
                Translation.has(words, at, Descriptor.ALTERNATE)
                        ? Objects.requireNonNull(counters.pair(id))
                        : Objects.requireNonNull(counters.reception(id)),
                Translation.amount(words, at));
    }

    private static void expect(long[] words, int at, Recorder recorder, GivenCounters counters) {
        final int id = Translation.counter(words, at);
        final long bytes = Translation.amount(words, at);
        if (Translation.has(words, at, Descriptor.INJECTION)) {
            recorder.expect(Objects.requireNonNull(counters.injection(id)), bytes);
        } else if (Translation.has(words, at, Descriptor.ALTERNATE)) {
            recorder.expect(Objects.requireNonNull(counters.pair(id)), bytes);
        } else {
            recorder.expect(Objects.requireNonNull(counters.reception(id)), bytes);
        }
    }
}
