package org.segno.contract;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.segno.transport.aeron.FaultyTransport;

/**
 * Behaviours of nodes over links of Aeron through a network that loses, repeats, reorders and changes datagrams. The
 * profile {@code long} runs those of messages, operations and their completion, the profile {@code stress} all others.
 */
class ContractOverFaultyAeronTest {
    private static final String TRANSPORT = System.getProperty(ContractLinks.PROPERTY, "");

    @BeforeAll
    static void useTheFaultyNetwork() {
        System.setProperty(ContractLinks.PROPERTY, FaultyTransport.NAME);
    }

    @AfterAll
    static void restoreTheTransport() {
        System.setProperty(ContractLinks.PROPERTY, TRANSPORT);
    }

    @Nested
    @Tag("stress")
    class Clients extends ClientsContractTest {}

    @Nested
    @Tag("long")
    class Completion extends CompletionContractTest {}

    @Nested
    @Tag("stress")
    class Counts extends CountsContractTest {}

    @Nested
    @Tag("stress")
    class Failures extends FailuresContractTest {}

    @Nested
    @Tag("stress")
    class Loans extends LoansContractTest {}

    @Nested
    @Tag("long")
    class Messages extends MessagesContractTest {}

    @Nested
    @Tag("stress")
    class Modifiers extends ModifiersContractTest {}

    @Nested
    @Tag("stress")
    class Names extends NamesContractTest {}

    @Nested
    @Tag("long")
    class OneSided extends OneSidedContractTest {}

    @Nested
    @Tag("stress")
    class Patterns extends PatternsContractTest {}

    @Nested
    @Tag("stress")
    class Peers extends PeersContractTest {}

    @Nested
    @Tag("stress")
    class Rounds extends RoundsContractTest {}
}
