package org.segno.memory;

import java.util.Objects;
import org.segno.engine.counter.CounterSettings;

/** Operation that a reception counter allows its admitted ranks on its range. */
public enum Right {
    /** Right to write there and to change the counter: PUT and COUNT. It is a counter's default right. */
    PUT(CounterSettings.PUT),

    /** Right to read it: REMOTE_GET. */
    GET(CounterSettings.GET),

    /** Right to change its aligned 64-bit words atomically and to obtain their previous values: RMW. */
    ATOMIC(CounterSettings.ATOMIC);

    private final int flag;

    Right(int flag) {
        this.flag = flag;
    }

    /** Returns the state flags of some rights, or those of {@link #PUT} if there are none. */
    static int flags(Right... rights) {
        Objects.requireNonNull(rights, "rights");
        int flags = 0;
        for (final Right right : rights) {
            flags |= right.flag;
        }
        return flags == 0 ? CounterSettings.PUT : flags;
    }
}
