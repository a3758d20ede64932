package org.segno.saved;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.counter.ReceptionCounter;
import org.segno.descriptor.Descriptor;
import org.segno.memory.NameDirectory;
import org.segno.memory.Window;
import org.segno.memory.WindowArena;
import org.segno.pattern.FoundNames;
import org.segno.pattern.Holdings;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Rounds;

/**
 * Export of a client's patterns. References are saved in a form that a restarted job can resolve. Used by one thread.
 */
final class Saving extends Translation {
    private final Holdings holdings;
    private final Map<Integer, Saved.SavedWindow> windows = new LinkedHashMap<>();
    private final Map<Integer, Saved.SavedCounter> counters = new LinkedHashMap<>();
    private final Map<FoundNames.Found, Saved.SavedTarget> targets = new LinkedHashMap<>();
    private final Map<Numbered, Saved.SavedContext> contexts = new LinkedHashMap<>();

    Saving(Holdings holdings) {
        this.holdings = holdings;
    }

    Saved save() {
        final List<Saved.SavedPattern> patterns = new ArrayList<>();
        for (final Map.Entry<Integer, PatternBuffer> entry : holdings.buffers().entrySet()) {
            for (final Pattern pattern : entry.getValue().all()) {
                patterns.add(save(entry.getKey(), entry.getValue(), pattern));
            }
        }
        return new Saved(
                holdings.client(),
                holdings.rank(),
                holdings.ranks(),
                List.copyOf(windows.values()),
                List.copyOf(counters.values()),
                List.copyOf(targets.values()),
                List.copyOf(contexts.values()),
                patterns);
    }

    private Saved.SavedPattern save(int context, PatternBuffer buffer, Pattern pattern) {
        final long[] words = buffer.words(pattern);
        try {
            translate(words);
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(
                    pattern + " in context " + context + " of rank " + holdings.rank() + " cannot be saved: "
                            + e.getMessage(),
                    e);
        }
        return new Saved.SavedPattern(
                context, pattern.id(), pattern.rounds() == Rounds.ALTERNATE, pattern.arms(), words);
    }

    @Override
    int window(int id) {
        final Window window = holdings.windows().find(WindowArena.entryOf(id));
        if (window == null || window.id() != id) {
            throw new IllegalStateException("window " + WindowArena.entryOf(id)
                    + " is not an open window of its client; send from a window of the client that records");
        }
        windows.putIfAbsent(id, new Saved.SavedWindow(id, window.base(), window.length()));
        return id;
    }

    @Override
    long reception(int id, int incarnation, boolean pair) {
        add(id, incarnation);
        if (pair) {
            add(id + 1, incarnation);
        }
        return Descriptor.counterTarget(id, incarnation);
    }

    private void add(int id, int incarnation) {
        final ReceptionCounter counter = holdings.counters().reception(id);
        if (counter == null || counter.incarnation() != incarnation) {
            throw new IllegalStateException("reception counter " + id + " is closed; record the pattern again");
        }
        counters.putIfAbsent(
                id, new Saved.SavedCounter(id, incarnation, counter.base(), counter.length(), counter.sources()));
    }

    @Override
    int injection(int id) {
        return id;
    }

    @Override
    long target(int rank, int counter, int incarnation, boolean pair) {
        final FoundNames.Found found = find(rank, counter, incarnation);
        if (found == null) {
            throw new IllegalStateException("it refers to counter " + counter + " of rank " + rank
                    + ", which was not attached by a name, or whose id is in another use by now; publish the counter,"
                    + " find it with Context.attach and record the pattern with the returned target");
        }
        final NameDirectory.Entry entry = found.entry();
        targets.putIfAbsent(
                found,
                new Saved.SavedTarget(
                        rank, entry.id(), entry.incarnation(), entry.kind(), entry.length(), found.name()));
        return Descriptor.counterTarget(counter, incarnation);
    }

    /**
     * Searches all contexts, because any context of the client may have attached a target that another one sends to.
     */
    private FoundNames.@Nullable Found find(int rank, int counter, int incarnation) {
        for (final PatternBuffer buffer : holdings.buffers().values()) {
            final FoundNames.Found found = buffer.foundNames().find(rank, counter, incarnation);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    @Override
    int context(int rank, int context) {
        contexts.putIfAbsent(
                new Numbered(rank, context),
                new Saved.SavedContext(rank, context, holdings.peers().offset(rank, context)));
        return context;
    }
}
