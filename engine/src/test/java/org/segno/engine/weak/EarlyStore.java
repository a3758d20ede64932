package org.segno.engine.weak;

/**
 * Store that is made before its turn, because a plain store may overtake earlier loads and stores. It may overtake an
 * acquire only if the acquire could have loaded its value that early. Code cannot run backwards, so a run is made
 * twice. The first run finds the stored value. The second stores it early, and continues only if the thread then really
 * stores that value.
 *
 * @param thread its thread
 * @param early its number among the thread's accesses where it becomes visible
 * @param due its number among them in the first run; in the second it is the next access to the word
 * @param access its mode
 * @param key of its word
 * @param mask its bytes
 * @param value the stored value, or the addend
 */
record EarlyStore(int thread, int early, int due, Access access, long key, int mask, long value) {
    /** Thrown when the thread does not make the store that was made early: there is no such run. */
    static final class ImpossibleException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ImpossibleException() {
            super(null, null, false, false);
        }
    }
}
