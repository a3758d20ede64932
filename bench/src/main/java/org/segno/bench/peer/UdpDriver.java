package org.segno.bench.peer;

import io.aeron.Aeron;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Media driver and client of one end of bare Aeron over UDP. Its timeouts are longer than all pauses between slices.
 *
 * <p>The measuring thread runs the driver, or a thread of its own does. Both are on the core of this process then, and
 * yield to each other. That thread parks while other experiments are measured.
 */
final class UdpDriver implements AutoCloseable {
    /** Receive and send buffer of a socket. The system may grant less. */
    static final int SOCKET_BUFFER = 2 << 20;

    private static final long PATIENCE_NS = TimeUnit.HOURS.toNanos(1);

    private final MediaDriver driver;
    private final Aeron aeron;
    private final @Nullable AgentInvoker invoker;
    private final Gate gate;
    private final int receiveBuffer;

    private UdpDriver(MediaDriver driver, Aeron aeron, Gate gate, int receiveBuffer) {
        this.driver = driver;
        this.aeron = aeron;
        this.invoker = driver.sharedAgentInvoker();
        this.gate = gate;
        this.receiveBuffer = receiveBuffer;
    }

    /** Launches a driver with its files in a new directory. */
    static UdpDriver launch(Path directory, boolean ownThread) {
        final Gate gate = new Gate();
        final int receiveBuffer = grantedBuffer();
        final MediaDriver driver = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(directory.toString())
                .threadingMode(ownThread ? ThreadingMode.SHARED : ThreadingMode.INVOKER)
                .sharedIdleStrategy(gate)
                .dirDeleteOnShutdown(true)
                .counterValuesBufferLength(Configuration.COUNTERS_VALUES_BUFFER_LENGTH_MIN)
                .termBufferSparseFile(false)
                .socketRcvbufLength(receiveBuffer)
                .clientLivenessTimeoutNs(PATIENCE_NS)
                .publicationUnblockTimeoutNs(2 * PATIENCE_NS)
                .publicationConnectionTimeoutNs(PATIENCE_NS)
                .imageLivenessTimeoutNs(PATIENCE_NS)
                .flowControlReceiverTimeoutNs(PATIENCE_NS)
                .untetheredWindowLimitTimeoutNs(PATIENCE_NS)
                .untetheredLingerTimeoutNs(PATIENCE_NS)
                .untetheredRestingTimeoutNs(PATIENCE_NS)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS)));
        final Aeron.Context client = new Aeron.Context()
                .aeronDirectoryName(directory.toString())
                .useConductorAgentInvoker(true)
                .preTouchMappedMemory(true)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS));
        if (!ownThread) {
            client.driverAgentInvoker(driver.sharedAgentInvoker());
        }
        return new UdpDriver(driver, Aeron.connect(client), gate, receiveBuffer);
    }

    /** Returns the receive buffer that the system grants to a socket. */
    private static int grantedBuffer() {
        try (DatagramChannel socket = DatagramChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            return Math.min(SOCKET_BUFFER, socket.getOption(StandardSocketOptions.SO_RCVBUF));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Aeron aeron() {
        return aeron;
    }

    int receiveBuffer() {
        return receiveBuffer;
    }

    /** Runs a pass of the driver, or yields to its thread. */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    void turn() {
        if (invoker == null) {
            Thread.yield();
        } else {
            invoker.invoke();
        }
    }

    /** Runs a pass of the driver and one of the client. */
    void housekeep() {
        turn();
        aeron.conductorAgentInvoker().invoke();
    }

    /** Lets the driver's thread work. */
    void enter() {
        gate.open();
    }

    /** Lets the driver's thread park. */
    void leave() {
        gate.isOpen = false;
    }

    @Override
    public void close() {
        gate.open();
        aeron.close();
        driver.close();
    }

    /** Idle strategy of the driver's thread: yields while the gate is open, parks otherwise. */
    private static final class Gate implements IdleStrategy {
        private final IdleStrategy yielding = YieldingIdleStrategy.INSTANCE;
        private volatile @Nullable Thread thread;
        private volatile boolean isOpen = true;

        void open() {
            isOpen = true;
            LockSupport.unpark(thread);
        }

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            if (!isOpen) {
                thread = Thread.currentThread();
                while (!isOpen) {
                    LockSupport.park(this);
                }
            }
            yielding.idle();
        }

        @Override
        public void reset() {}
    }
}
