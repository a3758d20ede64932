package org.segno.engine.weak;

/**
 * A store that is made before its turn: nothing forbids a plain store to overtake the loads and stores before it. An
 * acquire in between it may overtake only in the sense that the acquire, too, saw what it saw that early. Code cannot
 * be run backwards, so a run is made twice: the first tells what is stored, the second stores it early and goes on only
 * if the thread then really stores that.
 *
 * @param thread which makes it
 * @param early its number among the thread's accesses where it becomes visible
 * @param due its number among them in the first run; in the second it is the next access to the word
 * @param access how
 * @param key of its word
 * @param mask its bytes
 * @param value what it stores, or adds
 */
record EarlyStore(int thread, int early, int due, Access access, long key, int mask, long value) {
    /** Thrown when the thread does not come to the store that it has made: there is no such run. */
    static final class ImpossibleException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ImpossibleException() {
            super(null, null, false, false);
        }
    }
}
