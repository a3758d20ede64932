package org.segno.bench.udp;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.net.InetAddress;
import java.nio.file.Path;

/**
 * End of bare Aeron over the loopback interface: its driver, and for each stream a subscription and an exclusive
 * publication. Messages use the first stream.
 */
public final class BareEnd implements AutoCloseable {
    private static final int TERM_LENGTH = 256 * 1024;

    private final MediaDriver driver;
    private final Aeron aeron;
    private final Subscription[] ins;
    private final ExclusivePublication[] outs;
    private final BufferClaim claim = new BufferClaim();
    private final int mtu;
    private final int length;

    /**
     * Opens one end.
     *
     * @param directory directory for the driver's files, which does not exist yet
     * @param streams number of streams
     * @param mtu bytes of the longest datagram's payload
     * @param length bytes of each message
     */
    public BareEnd(Path directory, int streams, int mtu, int length) {
        this.mtu = mtu;
        this.length = length;
        this.driver = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(directory.toString())
                .threadingMode(ThreadingMode.INVOKER)
                .termBufferSparseFile(false)
                .dirDeleteOnShutdown(true));
        this.aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(directory.toString())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver.sharedAgentInvoker()));
        this.ins = new Subscription[streams];
        this.outs = new ExclusivePublication[streams];
        for (int stream = 0; stream < streams; stream++) {
            ins[stream] = aeron.addSubscription("aeron:udp?endpoint=" + host() + ":0|tags=1", stream + 1);
        }
    }

    private static String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    /** Returns the UDP port at which this end receives. */
    public int port() {
        String endpoint = ins[0].resolvedEndpoint();
        while (endpoint == null) {
            run();
            endpoint = ins[0].resolvedEndpoint();
        }
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }

    /** Connects this end to the port at which the other one, or a network before it, receives. */
    public void connect(int port) {
        for (int stream = 0; stream < outs.length; stream++) {
            outs[stream] = aeron.addExclusivePublication(
                    "aeron:udp?endpoint=" + host() + ":" + port + "|term-length=" + TERM_LENGTH + "|mtu=" + mtu,
                    stream + 1);
        }
    }

    /** Returns true when the other end receives all streams, and this one all of the other end's. */
    public boolean isJoined() {
        boolean isJoined = true;
        for (int stream = 0; stream < outs.length; stream++) {
            isJoined &= outs[stream].isConnected() && !ins[stream].hasNoImages();
        }
        return isJoined;
    }

    /** Runs driver and client once. */
    public void run() {
        driver.sharedAgentInvoker().invoke();
        aeron.conductorAgentInvoker().invoke();
    }

    /** Sends a message, which leaves at once. */
    public void send(long value) {
        while (outs[0].tryClaim(length, claim) < 0) {
            run();
        }
        claim.buffer().putLong(claim.offset(), value);
        claim.commit();
        run();
    }

    /** Receives at most one message that has arrived. Returns the number. */
    public int receive(FragmentHandler handler) {
        return ins[0].poll(handler, 1);
    }

    @Override
    public void close() {
        aeron.close();
        driver.close();
    }
}
