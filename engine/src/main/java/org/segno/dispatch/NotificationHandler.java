package org.segno.dispatch;

/** Hears of PUTs that have landed, one call for each that notifies. On the thread that advances. */
@FunctionalInterface
public interface NotificationHandler {
    /**
     * Bytes have landed, all of them, and have been counted.
     *
     * @param source rank that has put them
     * @param counter id of the reception counter that they were put to
     * @param offset of the first, from the counter's base
     * @param length how many
     */
    void onLanded(int source, int counter, long offset, long length);
}
