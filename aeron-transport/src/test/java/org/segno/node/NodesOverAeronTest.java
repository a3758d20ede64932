package org.segno.node;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The engine's tests of whole nodes with links over Aeron between all ranks. The property that restricts the transports
 * is set for all tests of this module. Each build runs some, the profiles {@code long} and {@code stress} the others.
 */
public class NodesOverAeronTest {
    @Nested
    @Tag("stress")
    class ClientClose extends ClientCloseTest {}

    @Nested
    @Tag("stress")
    class ClientCloseThreading extends ClientCloseThreadingTest {}

    @Nested
    @Tag("stress")
    class ClientTasks extends ClientTasksTest {}

    @Nested
    @Tag("stress")
    class Clients extends ClientsTest {}

    @Nested
    class ClosedNode extends ClosedNodeTest {}

    @Nested
    @Tag("stress")
    class ContextCreation extends ContextCreationTest {}

    @Nested
    @Tag("stress")
    class CounterCallsThreading extends CounterCallsThreadingTest {}

    @Nested
    @Tag("long")
    class Crosstalk extends CrosstalkTest {}

    @Nested
    @Tag("stress")
    class DeathHandler extends DeathHandlerTest {}

    @Nested
    class Fence extends FenceTest {}

    @Nested
    @Tag("long")
    class FifoCallsThreading extends FifoCallsThreadingTest {}

    @Nested
    @Tag("long")
    class HeldRounds extends HeldRoundsTest {}

    @Nested
    class IdleError extends IdleErrorTest {}

    @Nested
    @Tag("stress")
    class Interrupt extends InterruptTest {}

    @Nested
    @Tag("stress")
    class JointAdvance extends JointAdvanceTest {}

    @Nested
    @Tag("stress")
    class LoansThreading extends LoansThreadingTest {}

    @Nested
    class NodeClosing extends NodeClosingTest {}

    @Nested
    class NodeQueries extends NodeQueriesTest {}

    @Nested
    class Node extends NodeTest {}

    @Nested
    @Tag("stress")
    class OperandThreading extends OperandThreadingTest {}

    @Nested
    class OutOfPlace extends OutOfPlaceTest {}

    @Nested
    @Tag("stress")
    class ParkedPeers extends ParkedPeersTest {}

    @Nested
    @Tag("stress")
    class PersistentRequests extends PersistentRequestsTest {}

    @Nested
    @Tag("stress")
    class Posting extends PostingTest {}

    @Nested
    @Tag("stress")
    class QueuedExchange extends QueuedExchangeTest {}

    @Nested
    @Tag("stress")
    class RecordingCallsThreading extends RecordingCallsThreadingTest {}

    @Nested
    @Tag("stress")
    class Replies extends RepliesTest {}

    @Nested
    @Tag("stress")
    class SharedContext extends SharedContextTest {}

    @Nested
    @Tag("stress")
    class SourceSetThreading extends SourceSetThreadingTest {}

    @Nested
    @Tag("stress")
    class Threading extends ThreadingTest {}

    @Nested
    class UnadvancedContext extends UnadvancedContextTest {}

    @Nested
    @Tag("stress")
    class UnendedRecording extends UnendedRecordingTest {}
}
