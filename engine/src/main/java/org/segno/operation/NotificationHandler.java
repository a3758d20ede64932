package org.segno.operation;

/** Handler of landed PUTs, called once for each PUT that notifies, on the thread that advances. */
@FunctionalInterface
public interface NotificationHandler {
    /**
     * Receives the notification that all bytes of a PUT have landed and have been counted.
     *
     * @param origin endpoint of the context that sent the PUT
     * @param counter id of the target's reception counter
     * @param offset offset of the first byte from the counter's base
     * @param length number of bytes
     */
    void onLanded(long origin, int counter, long offset, long length);
}
