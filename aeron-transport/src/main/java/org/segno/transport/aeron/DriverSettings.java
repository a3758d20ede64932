package org.segno.transport.aeron;

import io.aeron.Aeron;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.status.CountersReader;

/**
 * Settings of Aeron.
 *
 * <p>Nothing ends because of time: a process that computes for long, or is stopped, runs no pass meanwhile and must not
 * lose its links. Aeron's timeouts do not decide whether a process is alive.
 */
final class DriverSettings {
    /** Aeron's counters of an end of a link. */
    static final int COUNTERS_PER_END = 35;

    /** Counters for what else a driver counts, and the number per end with those of ends that are closed. */
    private static final long OTHER_COUNTERS = 192;

    private static final long RESERVED_PER_END = 40;

    /** Bytes of the values of the most counters: a power of two that Aeron permits. */
    private static final long LONGEST_VALUES = 256L << 20;

    /** Bytes of the files of a driver without links, with the least counters that Aeron permits. */
    private static final long LEAST_FILES_LENGTH = 13L << 20;

    /** Receive and send buffer of a socket. The system may grant less. */
    static final int SOCKET_BUFFER = 2 << 20;

    /** A stream that ends is sent again for this long, if its end is not acknowledged. */
    static final long LINGER_NS = TimeUnit.SECONDS.toNanos(1);

    /** Time without traffic after which a stream sends a heartbeat, which shows its position and its end. */
    static final long HEARTBEAT_NS = Configuration.PUBLICATION_HEARTBEAT_TIMEOUT_NS;

    private static final long NEVER_NS = TimeUnit.DAYS.toNanos(365);

    /** A second request for lost data is served after this time; by default after 10 ms. */
    private static final long RETRANSMIT_LINGER_NS = TimeUnit.MICROSECONDS.toNanos(500);

    private DriverSettings() {}

    /** Returns the bytes of the values of the counters of a driver with at most so many ends: a power of two. */
    static int counterValuesLength(long ends) {
        final long counters = OTHER_COUNTERS + ends * RESERVED_PER_END;
        final long needed = BitUtil.findNextPositivePowerOfTwo(counters * CountersReader.COUNTER_LENGTH);
        return (int) Math.min(LONGEST_VALUES, Math.max(Configuration.COUNTERS_VALUES_BUFFER_LENGTH_MIN, needed));
    }

    /** Returns the receive buffer that the system grants to a socket. */
    static int grantedBuffer() throws IOException {
        try (DatagramChannel socket = DatagramChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            return Math.min(SOCKET_BUFFER, socket.getOption(StandardSocketOptions.SO_RCVBUF));
        }
    }

    /** Returns the bytes of the files of a driver with at most so many ends of links, without their logs. */
    static long filesLength(long ends) {
        final long added = (long) counterValuesLength(ends) - Configuration.COUNTERS_VALUES_BUFFER_LENGTH_MIN;
        return LEAST_FILES_LENGTH + added + added / CountersReader.COUNTER_LENGTH * CountersReader.METADATA_LENGTH;
    }

    /**
     * Returns the settings of a driver with its directory, which the caller deletes.
     *
     * @param ends of links at most, which have counters
     * @param clock of all timeouts
     * @param wallClock of the time stamps in the driver's files
     */
    static MediaDriver.Context driver(
            Path directory, long ends, NanoClock clock, EpochClock wallClock, ErrorHandler errors) {
        return new MediaDriver.Context()
                .aeronDirectoryName(directory.toString())
                .threadingMode(ThreadingMode.INVOKER)
                .warnIfDirectoryExists(false)
                .nanoClock(clock)
                .epochClock(wallClock)
                .errorHandler(errors)
                .asyncExecutorEnabled(true)
                .conductorBufferLength(Configuration.CONDUCTOR_BUFFER_LENGTH_DEFAULT)
                .toClientsBufferLength(Configuration.TO_CLIENTS_BUFFER_LENGTH_DEFAULT)
                .counterValuesBufferLength(counterValuesLength(ends))
                .errorBufferLength(Configuration.ERROR_BUFFER_LENGTH_DEFAULT)
                // Written in full, after a look at the free space: a write to a sparse file on a full one kills the
                // JVM.
                .termBufferSparseFile(false)
                .performStorageChecks(true)
                .lowStorageWarningThreshold(0)
                .retransmitUnicastLingerNs(RETRANSMIT_LINGER_NS)
                .clientLivenessTimeoutNs(NEVER_NS)
                .publicationUnblockTimeoutNs(2 * NEVER_NS)
                .publicationConnectionTimeoutNs(NEVER_NS)
                .imageLivenessTimeoutNs(NEVER_NS)
                .flowControlReceiverTimeoutNs(NEVER_NS)
                .untetheredWindowLimitTimeoutNs(NEVER_NS)
                .untetheredLingerTimeoutNs(NEVER_NS)
                .untetheredRestingTimeoutNs(NEVER_NS)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(NEVER_NS));
    }

    /** Returns the settings of the client of an invoked driver. */
    static Aeron.Context client(
            Path directory, AgentInvoker driver, NanoClock clock, EpochClock wallClock, ErrorHandler errors) {
        return new Aeron.Context()
                .aeronDirectoryName(directory.toString())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver)
                .nanoClock(clock)
                .epochClock(wallClock)
                .errorHandler(errors)
                .subscriberErrorHandler(errors)
                .preTouchMappedMemory(true)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(NEVER_NS));
    }
}
