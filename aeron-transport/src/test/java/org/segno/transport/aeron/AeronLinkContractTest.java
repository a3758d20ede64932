package org.segno.transport.aeron;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.segno.link.Link;
import org.segno.link.LinkContractTest;

/** Contract of links, with datagrams of an ordinary network, of one with long frames, and of the greatest length. */
class AeronLinkContractTest {
    @TempDir
    private static Path directory;

    private static AeronDriver low;
    private static AeronDriver high;

    @BeforeAll
    static void launch() {
        low = AeronDriver.launch(directory);
        high = AeronDriver.launch(directory);
    }

    @AfterAll
    static void close() {
        low.close();
        high.close();
    }

    /** Links between the drivers of two processes. */
    abstract static class BetweenDrivers extends LinkContractTest {
        private final int mtu;

        BetweenDrivers(int mtu) {
            this.mtu = mtu;
        }

        @Override
        protected Link[] join(int firstRank, int secondRank) {
            return stepped(
                    LinkEnds.join(low, high, firstRank, secondRank, mtu), () -> LinkEnds.step(List.of(low, high)));
        }
    }

    @Nested
    class OrdinaryDatagrams extends BetweenDrivers {
        OrdinaryDatagrams() {
            super(1408);
        }
    }

    @Nested
    @Tag("long")
    class LongDatagrams extends BetweenDrivers {
        LongDatagrams() {
            super(8192);
        }
    }

    @Nested
    @Tag("long")
    class LongestDatagrams extends BetweenDrivers {
        LongestDatagrams() {
            super(LinkSizes.MAX_MTU);
        }
    }

    @Nested
    @Tag("long")
    class WithinOneDriver extends LinkContractTest {
        @Override
        protected Link[] join(int firstRank, int secondRank) {
            return stepped(LinkEnds.join(low, low, firstRank, secondRank, 1408), () -> LinkEnds.step(List.of(low)));
        }
    }

    /** Links over a network with faults. Each step ends when all that was sent has been delivered. */
    @Nested
    @Tag("long")
    class OverAFaultyNetwork extends LinkContractTest {
        private final Network network = new Network(low, high);

        @Override
        protected Link[] join(int firstRank, int secondRank) {
            final AeronLink[] ends = network.join(low, high, firstRank, secondRank, 1408, Faults.FEW, 7, List.of());
            return stepped(ends, network::settle);
        }

        @AfterEach
        void closeNetwork() {
            network.close();
        }
    }

    private static Link[] stepped(AeronLink[] ends, Runnable step) {
        return new Link[] {new SteppedLink(ends[0], step), new SteppedLink(ends[1], step)};
    }
}
