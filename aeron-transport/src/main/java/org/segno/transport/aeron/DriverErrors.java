package org.segno.transport.aeron;

import io.aeron.exceptions.StorageSpaceException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Exceptions of Aeron: counted, and the first of each class logged. Any thread. */
final class DriverErrors {
    private static final Logger LOGGER = System.getLogger(DriverErrors.class.getName());

    /** Aeron's method that makes an image. It ends by any of several exceptions, none of which names the link. */
    private static final String IMAGE = "onCreatePublicationImage";

    private final Set<Class<?>> logged = ConcurrentHashMap.newKeySet();
    private final AtomicLong count = new AtomicLong();
    private final AtomicInteger shortages = new AtomicInteger();
    private volatile String shortage = "";

    void add(Throwable error) {
        count.incrementAndGet();
        if (error instanceof StorageSpaceException || isOfImage(error)) {
            shortage = String.valueOf(error.getMessage());
            shortages.incrementAndGet();
        }
        if (logged.add(error.getClass())) {
            LOGGER.log(Level.WARNING, "Aeron reports an error; others of its class are only counted", error);
        }
    }

    private static boolean isOfImage(Throwable error) {
        for (final StackTraceElement each : error.getStackTrace()) {
            if (each.getMethodName().equals(IMAGE)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of exceptions. */
    long count() {
        return count.get();
    }

    /** Returns how often there was no room for what a peer sends: for its logs, or for their counters. */
    int shortages() {
        return shortages.get();
    }

    /**
     * Returns the last shortage and the remedies.
     *
     * @param counters number that the driver can have
     */
    String shortage(int counters) {
        return shortage + "; logs lie below SEGNO_DIR, set it to a larger file system or reduce SEGNO_MTU;"
                + " counters: the driver of this process has " + counters + ", of which an end of a link takes "
                + DriverSettings.COUNTERS_PER_END + ", let fewer ranks share a process";
    }
}
