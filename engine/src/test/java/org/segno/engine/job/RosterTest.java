package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Roster.State;

/** The order in which a new member of a job is brought up to date. */
class RosterTest {
    /** A process takes the address of its own host as soon as all ranks have places. */
    @Test
    void shouldStateTheAddressesOfHostsBeforeThePlacesOfRanks() {
        final Roster roster = new Roster(2);
        for (int rank = 0; rank < 2; rank++) {
            roster.advance(rank, State.WELCOME);
            roster.place(rank, rank);
            roster.address(Frame.host(rank, InetAddress.getLoopbackAddress()));
        }
        assertThat(roster.past())
                .extracting(Frame::type)
                .containsExactly(Frame.HOST, Frame.HOST, Frame.PLACE, Frame.PLACE);
    }
}
