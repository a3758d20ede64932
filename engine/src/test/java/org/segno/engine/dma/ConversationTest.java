package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.status.StatusAccess;

/** The rules of when an acknowledgement waits for an answer or for more of a stream, under a virtual clock. */
class ConversationTest {
    private final Acknowledgement invoked = new Acknowledgement(true);
    private final Acknowledgement dedicated = new Acknowledgement(false);
    private long nowNs = Long.MAX_VALUE - 3 * Acknowledgement.WAIT_NS;

    @BeforeEach
    void useClock() {
        StatusAccess.useClock(() -> nowNs);
        invoked.sent(Frame.REPLIES, 1);
        dedicated.sent(Frame.REPLIES, 1);
    }

    @AfterEach
    void useSystemClock() {
        StatusAccess.useClock(null);
    }

    private static boolean arrives(Acknowledgement counts) {
        counts.processed(Frame.REQUESTS, 1);
        counts.flags(0);
        return counts.isDue(false);
    }

    private static boolean arrivesAndIsAnswered(Acknowledgement counts) {
        final boolean isDue = arrives(counts);
        if (isDue) {
            counts.sent(Frame.REPLIES, 0);
        }
        isAnswered(counts);
        return isDue;
    }

    /** Sends a packet in a pass, at whose end it has left. */
    private static void isAnswered(Acknowledgement counts) {
        counts.sent(Frame.REQUESTS, 1);
        assertThat(counts.isDue(true)).isFalse();
    }

    private void converse(Acknowledgement counts) {
        for (int i = 0; i < Acknowledgement.ARRIVALS; i++) {
            arrivesAndIsAnswered(counts);
            nowNs += 2 * Acknowledgement.WAIT_NS;
        }
    }

    @Test
    void shouldAcknowledgeAtOnceUntilEnoughAnswersHaveLeftInTime() {
        for (int i = 0; i < Acknowledgement.ARRIVALS; i++) {
            assertThat(arrivesAndIsAnswered(invoked)).isTrue();
            nowNs += Acknowledgement.WAIT_NS / 2;
        }
        for (int i = 0; i < 10; i++) {
            assertThat(arrivesAndIsAnswered(invoked)).isFalse();
            nowNs += 100 * Acknowledgement.WAIT_NS;
        }
    }

    @Test
    void shouldWaitForAnAnswerNoLongerThanItsTime() {
        converse(invoked);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.WAIT_NS;
        assertThat(invoked.isDue(true)).isFalse();
        nowNs++;
        assertThat(invoked.isDue(true)).isTrue();
        invoked.sent(Frame.REPLIES, 0);
        assertThat(invoked.isDue(true)).isFalse();
        assertThat(arrives(invoked)).as("the conversation is over").isTrue();
    }

    @Test
    void shouldEndTheConversationByALateAnswer() {
        converse(invoked);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.WAIT_NS + 1;
        isAnswered(invoked);
        assertThat(arrives(invoked)).isTrue();
    }

    /** An answer that its call has written leaves with the next pass. */
    @Test
    void shouldEndTheConversationByAnAnswerThatLeavesLate() {
        converse(invoked);
        assertThat(arrives(invoked)).isFalse();
        invoked.sent(Frame.REQUESTS, 1);
        nowNs += Acknowledgement.WAIT_NS + 1;
        assertThat(invoked.isDue(true)).isFalse();
        assertThat(arrives(invoked)).isTrue();
    }

    @Test
    void shouldGoOnWithTheConversationIfThePassThatAnswersReceives() {
        converse(invoked);
        for (int i = 0; i < 10; i++) {
            assertThat(arrives(invoked)).isFalse();
            nowNs += Acknowledgement.WAIT_NS;
            invoked.sent(Frame.REQUESTS, 1);
        }
    }

    private void stream(Acknowledgement counts) {
        for (int i = 0; i < Acknowledgement.ARRIVALS; i++) {
            assertThat(arrives(counts)).isTrue();
            counts.sent(Frame.REPLIES, 0);
            nowNs += Acknowledgement.WAIT_NS;
        }
    }

    @Test
    void shouldAcknowledgeAStreamTogetherOrWhenItHasEnded() {
        stream(invoked);
        for (int open = 1; open < Acknowledgement.PACKETS; open++) {
            assertThat(arrives(invoked)).isFalse();
            nowNs += 1_000;
        }
        assertThat(arrives(invoked)).isTrue();
        invoked.sent(Frame.REPLIES, 0);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.WAIT_NS;
        assertThat(invoked.isDue(true)).as("the next one may come").isFalse();
        nowNs++;
        assertThat(invoked.isDue(true)).as("it has not").isTrue();
    }

    @Test
    void shouldAcknowledgeAtOnceWhatArrivesLongAfterAStream() {
        stream(invoked);
        nowNs += 1;
        assertThat(arrives(invoked)).isTrue();
        invoked.sent(Frame.REPLIES, 0);
        assertThat(arrives(invoked)).isTrue();
    }

    /** Receives frames of so many bytes, each so long after the one before and acknowledged at once. */
    private void streamOfLongFrames(int bytes, long gapNs) {
        for (int i = 0; i < Acknowledgement.ARRIVALS; i++) {
            invoked.received(bytes);
            assertThat(arrives(invoked)).isTrue();
            invoked.sent(Frame.REPLIES, 0);
            nowNs += gapNs;
        }
        invoked.received(bytes);
    }

    @Test
    void shouldWaitLongerForMoreOfAStreamOfLongFrames() {
        streamOfLongFrames(30_000, Acknowledgement.WAIT_NS + 60_000);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.WAIT_NS + 30_000;
        assertThat(invoked.isDue(true)).as("the next one may come").isFalse();
        nowNs++;
        assertThat(invoked.isDue(true)).as("it has not").isTrue();
    }

    @Test
    void shouldNotTakeLongFramesForAStreamThatComeLate() {
        streamOfLongFrames(30_000, Acknowledgement.WAIT_NS + 60_001);
        assertThat(arrives(invoked)).isTrue();
    }

    @Test
    void shouldLimitTheTimeForManyBytes() {
        streamOfLongFrames(1 << 20, Acknowledgement.STREAM_NS);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.STREAM_NS;
        assertThat(invoked.isDue(true)).isFalse();
        nowNs++;
        assertThat(invoked.isDue(true)).isTrue();
    }

    @Test
    void shouldAcknowledgeAtOnceWhatIsAwaitedInAStream() {
        stream(invoked);
        assertThat(arrives(invoked)).isFalse();
        invoked.processed(Frame.REQUESTS, 1);
        invoked.flags(Packet.AWAITED);
        assertThat(invoked.isDue(false)).isTrue();
    }

    @Test
    void shouldAcknowledgeWithItsLastPacketWhatIsSentAtOnce() {
        for (int open = 1; open < Acknowledgement.ARRIVALS; open++) {
            invoked.processed(Frame.REQUESTS, 1);
            invoked.flags(Packet.MORE);
            assertThat(invoked.isDue(false)).isFalse();
        }
        assertThat(arrives(invoked)).isTrue();
    }

    @Test
    void shouldAcknowledgeAtOnceWhatIsAwaitedThoughMoreFollows() {
        invoked.processed(Frame.REQUESTS, 1);
        invoked.flags(Packet.AWAITED | Packet.MORE);
        assertThat(invoked.isDue(false)).isTrue();
        dedicated.processed(Frame.REQUESTS, 1);
        dedicated.flags(Packet.AWAITED | Packet.MORE);
        assertThat(dedicated.isDue(false)).isTrue();
    }

    @Test
    void shouldAcknowledgeWhenIdleWhatMoreShouldHaveFollowed() {
        invoked.processed(Frame.REQUESTS, 1);
        invoked.flags(Packet.MORE);
        assertThat(invoked.isDue(false)).isFalse();
        assertThat(invoked.isDue(true)).isTrue();
    }

    @Test
    void shouldNotTakeAStreamForAConversation() {
        stream(invoked);
        assertThat(arrives(invoked)).isFalse();
        invoked.sent(Frame.REQUESTS, 1);
        assertThat(arrives(invoked)).isFalse();
        nowNs += Acknowledgement.WAIT_NS + 1;
        assertThat(invoked.isDue(true)).as("no answer is expected").isTrue();
    }

    @Test
    void shouldNotWaitWhereThePeerAwaitsTheAcknowledgement() {
        converse(invoked);
        invoked.processed(Frame.REQUESTS, 1);
        invoked.flags(Packet.AWAITED);
        assertThat(invoked.isDue(false)).isTrue();
        invoked.sent(Frame.REPLIES, 0);
        assertThat(arrives(invoked)).as("of another packet").isFalse();
    }

    @Test
    void shouldNotWaitForManyPackets() {
        converse(invoked);
        for (int open = 1; open < Acknowledgement.PACKETS; open++) {
            assertThat(arrives(invoked)).isFalse();
        }
        assertThat(arrives(invoked)).isTrue();
    }

    @Test
    void shouldLeaveTheFirstAcknowledgementToAFrameOfReplies() {
        final Acknowledgement counts = new Acknowledgement(true);
        counts.processed(Frame.REQUESTS, 1);
        counts.sent(Frame.REQUESTS, 1);
        assertThat(counts.isDue(true)).isTrue();
        counts.sent(Frame.REPLIES, 0);
        assertThat(counts.isDue(true)).isFalse();
    }

    @Test
    void shouldConfirmByAFrameOfRepliesWhatOthersHaveCarried() {
        assertThat(invoked.isUnconfirmed()).isFalse();
        invoked.processed(Frame.HANDLER_REPLIES, 1);
        invoked.sent(Frame.REQUESTS, 1);
        assertThat(invoked.isDue(true)).isFalse();
        assertThat(invoked.isUnconfirmed()).isTrue();
        invoked.sent(Frame.REPLIES, 0);
        assertThat(invoked.isUnconfirmed()).isFalse();
    }

    @Test
    void shouldAcknowledgeSomePacketsTogetherWhereTheEngineHasAThread() {
        for (int open = 1; open < Acknowledgement.PACKETS; open++) {
            assertThat(arrives(dedicated)).isFalse();
        }
        assertThat(arrives(dedicated)).isTrue();
        dedicated.sent(Frame.REPLIES, 0);
        assertThat(arrives(dedicated)).isFalse();
        assertThat(dedicated.isDue(true)).as("in the stream").isFalse();
        nowNs += Acknowledgement.WAIT_NS + 1;
        assertThat(dedicated.isDue(true)).as("idle").isTrue();
    }
}
