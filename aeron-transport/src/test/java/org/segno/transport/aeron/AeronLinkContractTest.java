package org.segno.transport.aeron;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
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
            final AeronLink[] ends = LinkEnds.join(low, high, firstRank, secondRank, mtu);
            final List<AeronDriver> drivers = List.of(low, high);
            return new Link[] {new SteppedLink(ends[0], drivers), new SteppedLink(ends[1], drivers)};
        }
    }

    @Nested
    class OrdinaryDatagrams extends BetweenDrivers {
        OrdinaryDatagrams() {
            super(1408);
        }
    }

    @Nested
    class LongDatagrams extends BetweenDrivers {
        LongDatagrams() {
            super(8192);
        }
    }

    @Nested
    class LongestDatagrams extends BetweenDrivers {
        LongestDatagrams() {
            super(LinkSizes.MAX_MTU);
        }
    }

    @Nested
    class WithinOneDriver extends LinkContractTest {
        @Override
        protected Link[] join(int firstRank, int secondRank) {
            final AeronLink[] ends = LinkEnds.join(low, low, firstRank, secondRank, 1408);
            return new Link[] {new SteppedLink(ends[0], List.of(low)), new SteppedLink(ends[1], List.of(low))};
        }
    }
}
