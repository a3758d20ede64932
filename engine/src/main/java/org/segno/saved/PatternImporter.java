package org.segno.saved;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.WindowTable;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.pattern.PatternResources;

/**
 * Translation of saved descriptors to the objects of the current job. It refuses references to objects that are missing
 * or have changed. Used by one thread.
 */
final class PatternImporter extends Translation {
    private final PatternResources resources;
    private final long deadlineNs;
    private final Map<Integer, SavedContent.SavedWindow> windows = new HashMap<>();
    private final Map<Integer, SavedContent.SavedCounter> counters = new HashMap<>();
    private final Map<Numbered, SavedContent.SavedContext> contexts = new HashMap<>();

    /** Targets by rank and id; a pair also by the id of its odd counter. */
    private final Map<Numbered, SavedContent.SavedTarget> targets = new HashMap<>();

    private final Map<SavedContent.SavedTarget, NameDirectory.Entry> found = new HashMap<>();

    PatternImporter(PatternResources resources, SavedContent saved, long deadlineNs) {
        this.resources = resources;
        this.deadlineNs = deadlineNs;
        saved.windows().forEach(window -> windows.put(window.id(), window));
        saved.counters().forEach(counter -> counters.put(counter.id(), counter));
        saved.contexts().forEach(context -> contexts.put(new Numbered(context.rank(), context.context()), context));
        for (final SavedContent.SavedTarget target : saved.targets()) {
            targets.put(new Numbered(target.rank(), target.counter()), target);
            if (target.kind() == NameDirectory.PAIR) {
                targets.put(new Numbered(target.rank(), target.counter() + 1), target);
            }
        }
    }

    @Override
    int window(int id) {
        final int entry = WindowTable.entryOf(id);
        final SavedContent.SavedWindow saved = known(windows.get(id), "window " + entry);
        final Window window = resources.windows().find(entry);
        if (window == null) {
            throw new IllegalStateException("its window " + entry + " of " + saved.length()
                    + " bytes is not open; open the windows as before, in the same order, then load");
        }
        if (window.length() != saved.length() || window.base() != saved.base()) {
            throw new IllegalStateException("its window " + entry + " had " + saved.length() + " bytes at offset "
                    + saved.base() + " of the arena, but now has " + window.length() + " at " + window.base()
                    + "; open the windows as before, in the same order, or record again");
        }
        return window.id();
    }

    @Override
    long reception(int id, int incarnation, boolean pair) {
        if (pair && resources.counters().pair(id) == null) {
            throw new IllegalStateException("its counter pair " + id + ", " + (id + 1)
                    + " is not a pair here; create the counters as before, in the same order, then load");
        }
        if (pair) {
            reception(id + 1, incarnation);
        }
        return Descriptor.counterTarget(id, reception(id, incarnation).incarnation());
    }

    @Override
    int incarnation(int counter) {
        return known(counters.get(counter), "reception counter " + counter).incarnation();
    }

    private ReceptionCounter reception(int id, int incarnation) {
        final SavedContent.SavedCounter saved = counters.get(id);
        if (saved == null || saved.incarnation() != incarnation) {
            throw unknown("reception counter " + id);
        }
        final ReceptionCounter counter = resources.counters().reception(id);
        if (counter == null) {
            throw new IllegalStateException("its reception counter " + id
                    + " is not open; create the counters as before, in the same order, then load");
        }
        final SavedContent.SavedCounter present = SavedContent.SavedCounter.of(counter);
        if (!present.isLike(saved)) {
            throw new IllegalStateException("its reception counter " + id + " covered " + saved.covered()
                    + ", but now covers " + present.covered()
                    + "; create the counters as before, in the same order, or record again");
        }
        return counter;
    }

    @Override
    int injection(int id) {
        if (resources.counters().injection(id) == null) {
            throw new IllegalStateException("its injection counter " + id
                    + " is not open; create the counters as before, in the same order, then load");
        }
        return id;
    }

    @Override
    long target(int rank, int counter, int incarnation, boolean pair) {
        final String what = "counter " + counter + " of rank " + rank;
        final SavedContent.SavedTarget saved = known(targets.get(new Numbered(rank, counter)), what);
        if (saved.incarnation() != incarnation
                || (pair && (saved.kind() != NameDirectory.PAIR || saved.counter() != counter))) {
            throw unknown(what);
        }
        final NameDirectory.Entry entry = found.computeIfAbsent(saved, this::find);
        return Descriptor.counterTarget(entry.id() + counter - saved.counter(), entry.incarnation());
    }

    private NameDirectory.Entry find(SavedContent.SavedTarget saved) {
        final NameDirectory.Entry entry = resources.peers().find(saved.rank(), saved.name(), deadlineNs);
        if (entry.kind() != saved.kind() || entry.length() != saved.length()) {
            throw new IllegalStateException("its target \"" + saved.name() + "\" at rank " + saved.rank() + " was "
                    + describe(saved.kind(), saved.length()) + " but now is " + describe(entry.kind(), entry.length())
                    + "; publish the same object as before, or record again");
        }
        return entry;
    }

    private static String describe(int kind, long length) {
        return (kind == NameDirectory.PAIR ? "a pair of counters over " : "a counter over ") + length + " bytes";
    }

    @Override
    int context(int rank, int context) {
        final SavedContent.SavedContext saved = known(
                contexts.get(new Numbered(rank, context)),
                "context " + Endpoint.contextOf(context) + " of rank " + rank);
        if (saved.offset() >= 0) {
            return resources.peers().context(rank, saved.offset(), deadlineNs);
        }
        return resources.peers().present(rank, Endpoint.contextOf(context));
    }

    private static <T> T known(@Nullable T saved, String what) {
        if (saved == null) {
            throw unknown(what);
        }
        return saved;
    }

    private static IllegalStateException unknown(String what) {
        return new IllegalStateException("the file does not describe its " + what + "; save the patterns again");
    }
}
