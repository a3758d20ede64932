package org.segno.contract;

import org.junit.jupiter.api.Nested;

/**
 * Behaviours of nodes over links of Aeron, with the datagrams of an ordinary network. The property that names the
 * transport is set for all tests of this module.
 */
class ContractOverAeronTest {
    @Nested
    class Clients extends ClientsContractTest {}

    @Nested
    class Completion extends CompletionContractTest {}

    @Nested
    class Counts extends CountsContractTest {}

    @Nested
    class Failures extends FailuresContractTest {}

    @Nested
    class Loans extends LoansContractTest {}

    @Nested
    class Messages extends MessagesContractTest {}

    @Nested
    class Modifiers extends ModifiersContractTest {}

    @Nested
    class Names extends NamesContractTest {}

    @Nested
    class OneSided extends OneSidedContractTest {}

    @Nested
    class Patterns extends PatternsContractTest {}

    @Nested
    class Peers extends PeersContractTest {}

    @Nested
    class Rounds extends RoundsContractTest {}
}
