package org.segno.saved;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.pattern.AttachedNames;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.PatternResources;
import org.segno.pattern.Rounds;

/**
 * Export of a client's patterns. References are saved in a form that a restarted job can resolve. Used by one thread.
 */
final class PatternExporter extends Translation {
    private final PatternResources resources;
    private final Map<Integer, SavedContent.SavedWindow> windows = new LinkedHashMap<>();
    private final Map<Integer, SavedContent.SavedCounter> counters = new LinkedHashMap<>();
    private final Map<AttachedNames.AttachedName, SavedContent.SavedTarget> targets = new LinkedHashMap<>();
    private final Map<Numbered, SavedContent.SavedContext> contexts = new LinkedHashMap<>();

    PatternExporter(PatternResources resources) {
        this.resources = resources;
    }

    SavedContent save() {
        final List<SavedContent.SavedPattern> patterns = new ArrayList<>();
        for (final Map.Entry<Integer, PatternBuffer> entry : resources.buffers().entrySet()) {
            for (final Pattern pattern : entry.getValue().all()) {
                patterns.add(save(entry.getKey(), entry.getValue(), pattern));
            }
        }
        return new SavedContent(
                resources.client(),
                resources.rank(),
                resources.ranks(),
                List.copyOf(windows.values()),
                List.copyOf(counters.values()),
                List.copyOf(targets.values()),
                List.copyOf(contexts.values()),
                patterns);
    }

    private SavedContent.SavedPattern save(int context, PatternBuffer buffer, Pattern pattern) {
        final long[] words = buffer.words(pattern);
        try {
            translate(words);
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(
                    pattern + " in context " + context + " of rank " + resources.rank() + " cannot be saved: "
                            + e.getMessage(),
                    e);
        }
        return new SavedContent.SavedPattern(
                context, pattern.id(), pattern.rounds() == Rounds.ALTERNATE, PatternAccess.arms(pattern), words);
    }

    @Override
    int window(int id) {
        final Window window = resources.windows().find(WindowTable.entryOf(id));
        if (window == null || window.id() != id) {
            throw new IllegalStateException("window " + WindowTable.entryOf(id)
                    + " is not an open window of its client; send from a window of the client that records");
        }
        windows.putIfAbsent(id, new SavedContent.SavedWindow(id, window.base(), window.length()));
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

    @Override
    int incarnation(int counter) {
        return open(counter).incarnation();
    }

    private ReceptionCounter open(int id) {
        final ReceptionCounter counter = resources.counters().reception(id);
        if (counter == null) {
            throw closed(id);
        }
        return counter;
    }

    private static IllegalStateException closed(int id) {
        return new IllegalStateException("reception counter " + id + " is closed; record the pattern again");
    }

    private void add(int id, int incarnation) {
        final ReceptionCounter counter = open(id);
        if (counter.incarnation() != incarnation) {
            throw closed(id);
        }
        counters.putIfAbsent(id, SavedContent.SavedCounter.of(counter));
    }

    @Override
    int injection(int id) {
        return id;
    }

    @Override
    long target(int rank, int counter, int incarnation, boolean pair) {
        final AttachedNames.AttachedName found = find(rank, counter, incarnation);
        if (found == null) {
            throw new IllegalStateException("it refers to counter " + counter + " of rank " + rank
                    + ", which was not attached by a name, or whose id is in another use by now; publish the counter,"
                    + " find it with Context.attach and record the pattern with the returned target");
        }
        final NameDirectory.Entry entry = found.entry();
        targets.putIfAbsent(
                found,
                new SavedContent.SavedTarget(
                        rank, entry.id(), entry.incarnation(), entry.kind(), entry.length(), found.name()));
        return Descriptor.counterTarget(counter, incarnation);
    }

    /**
     * Searches all contexts, because any context of the client may have attached a target that another one sends to.
     */
    private AttachedNames.@Nullable AttachedName find(int rank, int counter, int incarnation) {
        for (final PatternBuffer buffer : resources.buffers().values()) {
            final AttachedNames.AttachedName found = buffer.foundNames().find(rank, counter, incarnation);
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
                new SavedContent.SavedContext(rank, context, resources.peers().offset(rank, context)));
        return context;
    }
}
