package org.segno.transport.aeron;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;
import org.segno.link.Transport;
import org.segno.link.TransportJob;

/**
 * Links over Aeron between the nodes of a job. A process has one driver, and for each link a port, which it opens when
 * the link is first used. Each end writes its port to the other one in a letter by way of the hub, and the end that was
 * not in use yet is then made, too. The rest both ends know: the host of each process, and the sessions. An end that
 * could not be made, or has failed, is reported in the same way, so that the link is down at both ends.
 *
 * <p>Any thread may use it. The passes of engines run the driver; if none has for a time, the job's watch does.
 */
final class AeronTransport implements Transport {
    private static final Logger LOGGER = System.getLogger(AeronTransport.class.getName());

    private static final int MAX_ENGINES = 64;
    private static final int MAX_PORT = 65_535;

    /** Time without a pass of the driver after which a watch runs one. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(75);

    /** Written in the place of a port by an end that is down. */
    private static final int DOWN = 0;

    private final TransportJob job;
    private final LocalAddress local;
    private final AeronDriver driver;
    private final Map<AeronEnd, AeronLink> links = new HashMap<>();
    private final Map<AeronEnd, Integer> ports = new HashMap<>();

    /** Ends that could not be made here or at the peer. */
    private final Map<AeronEnd, Link> unmade = new HashMap<>();

    private long watchedPass;

    /** Time of the first watch after the last pass of the driver. */
    private long quietSinceNs;

    private AeronTransport(TransportJob job, LocalAddress local, AeronDriver driver) {
        this.job = job;
        this.local = local;
        this.driver = driver;
    }

    /** Starts the driver of this process. */
    static AeronTransport begin(TransportJob job) {
        final LocalAddress local = LocalAddress.find(job.hostAddress());
        final AeronDriver driver =
                AeronDriver.launch(job.directory(), LinkPorts.ofThisProcess(), (long) job.size() * job.engines());
        final AeronTransport begun = new AeronTransport(job, local, driver);
        job.watch(begun::watch);
        return begun;
    }

    AeronDriver driver() {
        return driver;
    }

    /**
     * Runs the driver when about 80 ms have passed without a run by an engine. Engines of applications that wait or
     * compute run it more often; engines that rest, or are closed, do not.
     *
     * @return false: it need not be called again soon
     */
    private boolean watch(long nowNs) {
        if (driver.passes() == watchedPass && nowNs - quietSinceNs >= QUIET_NS) {
            driver.runAll();
        }
        if (driver.passes() != watchedPass) {
            watchedPass = driver.passes();
            quietSinceNs = nowNs;
        }
        return false;
    }

    @Override
    public long[] address() {
        return local.words();
    }

    @Override
    public void requireReach(int peer) {
        local.requireFamilyOf(LocalAddress.of(job.address(peer), peer), peer);
    }

    @Override
    public LinkedPeer connect(NodeHeader.Identity peer) {
        return new AeronPeer(this, peer.rank(), job.dimensions(peer.rank()));
    }

    private synchronized Link link(int node, int peer, int engine) {
        final AeronEnd end = new AeronEnd(node, peer, engine);
        final Link known = links.containsKey(end) ? links.get(end) : unmade.get(end);
        if (known != null) {
            return known;
        }
        try {
            return open(end);
        } catch (final RuntimeException e) {
            LOGGER.log(Level.ERROR, "rank " + node + " has no link to rank " + peer + ": " + e.getMessage(), e);
            tell(end);
            return lost(end);
        }
    }

    private AeronLink open(AeronEnd end) {
        final int node = end.node();
        final int peer = end.peer();
        final int engine = end.engine();
        final LocalAddress remote = LocalAddress.of(job.address(peer), peer);
        final AeronLink made =
                AeronLink.open(driver, end, local.host(), Math.min(local.mtu(), remote.mtu()), key(peer, node, engine));
        made.onFailure(() -> tell(end));
        links.put(end, made);
        job.write(node, peer, engine, made.address().port(), 0);
        final Integer port = ports.get(end);
        if (port != null) {
            meet(made, end, remote.host(), port);
        }
        return made;
    }

    /** Writes to the peer that the end of a link at this process is down. */
    private void tell(AeronEnd end) {
        job.write(end.node(), end.peer(), end.engine(), DOWN, 0);
    }

    private Link lost(AeronEnd end) {
        return unmade.computeIfAbsent(end, each -> new UnmadeLink(each.peer()));
    }

    private void lose(AeronEnd end) {
        final AeronLink link = links.get(end);
        if (link == null) {
            lost(end);
        } else {
            link.lose();
        }
    }

    private void meet(AeronLink link, AeronEnd end, InetAddress host, int port) {
        link.meet(new AeronAddress(host, port), key(end.node(), end.peer(), end.engine()));
    }

    private LinkKey key(int from, int to, int engine) {
        return LinkKey.derive(job.secret(), job.idHigh(), job.idLow(), from, to, engine);
    }

    @Override
    public synchronized void received(int node, int peer, int word, long second, long third) {
        if (word < 0 || word >= MAX_ENGINES || second < DOWN || second > MAX_PORT) {
            LOGGER.log(
                    Level.WARNING,
                    "rank {0} has sent a letter that no transport over Aeron writes: {1}, {2}",
                    peer,
                    word,
                    second);
            return;
        }
        final AeronEnd end = new AeronEnd(node, peer, word);
        if (second == DOWN) {
            lose(end);
            return;
        }
        if (ports.putIfAbsent(end, (int) second) != null) {
            return;
        }
        final AeronLink link = links.get(end);
        if (link == null) {
            job.incoming().made(node, peer, word);
        } else {
            meet(link, end, LocalAddress.of(job.address(peer), peer).host(), (int) second);
        }
    }

    @Override
    public void close() {
        driver.close();
    }

    /**
     * A rank that links reach.
     *
     * @param transport of this process
     * @param rank the peer
     * @param dimensions of the peer
     */
    private record AeronPeer(AeronTransport transport, int rank, NodeDimensions dimensions) implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            return transport.link(node, rank, engine);
        }

        @Override
        public void close() {
            // The driver closes the links.
        }
    }
}
