package org.segno.counter;

/** What a reception counter lets the ranks that it admits do with the range that it stands over. */
public enum Right {
    /** Write there, and change the counter: PUT and COUNT. What a counter gives unless told otherwise. */
    PUT(CounterSettings.PUT),

    /** Read it: REMOTE_GET. */
    GET(CounterSettings.GET),

    /** Change its aligned 64-bit words atomically, and learn what they held: RMW. */
    ATOMIC(CounterSettings.ATOMIC);

    private final int flag;

    Right(int flag) {
        this.flag = flag;
    }

    /** The state flags of some rights; of none named those of {@link #PUT}. */
    static int flags(Right... rights) {
        int flags = 0;
        for (final Right right : rights) {
            flags |= right.flag;
        }
        return flags == 0 ? CounterSettings.PUT : flags;
    }
}
