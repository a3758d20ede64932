package org.segno.engine.weak;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Selection of the requested orderings that take effect: all of them, or all but those of some places. */
abstract class Orderings {
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String OWN = "org.segno.engine.weak.Weak";

    /** All orderings as requested. */
    static final Orderings ALL = new Orderings() {
        @Override
        Access weaken(Access requested) {
            return requested;
        }
    };

    /** Returns the access that takes effect instead of the requested one. */
    abstract Access weaken(Access requested);

    /**
     * Place in the code that requests an ordering.
     *
     * @param className its class
     * @param method its method
     * @param line in its file
     * @param instruction in its method, because a line may request two orderings
     * @param access the requested one
     */
    record Place(String className, String method, int line, int instruction, Access access)
            implements Comparable<Place> {
        /** Returns file, line and requested access, which identify the place in the source. */
        String inSource() {
            final int nested = className.indexOf('$');
            return (nested < 0 ? className : className.substring(0, nested)) + ":" + line + " " + access;
        }

        /** Returns class, method and requested access. */
        String inMethod() {
            return className.substring(className.lastIndexOf('.') + 1) + "." + method + " " + access;
        }

        @Override
        public int compareTo(Place other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return inMethod() + " at line " + line + " @" + instruction;
        }
    }

    private static Place place(Access requested) {
        return WALKER.walk(frames -> frames.dropWhile(frame -> isSimulation(frame.getClassName()))
                .findFirst()
                .map(frame -> new Place(
                        frame.getClassName(),
                        frame.getMethodName(),
                        frame.getLineNumber(),
                        frame.getByteCodeIndex(),
                        requested))
                .orElseThrow());
    }

    private static boolean isSimulation(String className) {
        return className.startsWith(OWN) || className.startsWith("org.segno.engine.weak.Orderings");
    }

    /** All orderings as requested; notes their places. */
    static final class Recording extends Orderings {
        private final Map<String, Set<Place>> places = new LinkedHashMap<>();

        @Override
        Access weaken(Access requested) {
            if (requested.acquires || requested.releases) {
                final Place place = place(requested);
                places.computeIfAbsent(place.inSource(), key -> new TreeSet<>()).add(place);
            }
            return requested;
        }

        /** Returns the places by line. */
        Map<String, Set<Place>> places() {
            return places;
        }
    }

    /** All orderings except those of some places. */
    static final class Without extends Orderings {
        private final Set<Place> removed;
        private boolean isUsed;

        Without(Place... removed) {
            this.removed = Set.of(removed);
        }

        @Override
        Access weaken(Access requested) {
            if (removed.stream().noneMatch(place -> requested == place.access())
                    || !removed.contains(place(requested))) {
                return requested;
            }
            isUsed = true;
            return requested.unordered();
        }

        /** Returns true once the removed ordering was requested. */
        boolean isUsed() {
            return isUsed;
        }
    }
}
