package org.segno.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * Behaviours of nodes over links of Aeron, with the datagrams of an ordinary network. The property that names the
 * transport is set for all tests of this module. Each build runs some, the profile {@code long} the others.
 */
class ContractOverAeronTest {
    @Nested
    @Tag("long")
    class Clients extends ClientsContractTest {}

    @Nested
    class Completion extends CompletionContractTest {}

    @Nested
    @Tag("long")
    class Counts extends CountsContractTest {}

    @Nested
    @Tag("long")
    class Failures extends FailuresContractTest {}

    @Nested
    @Tag("long")
    class Loans extends LoansContractTest {}

    @Nested
    class Messages extends MessagesContractTest {}

    @Nested
    @Tag("long")
    class Modifiers extends ModifiersContractTest {}

    @Nested
    @Tag("long")
    class Names extends NamesContractTest {}

    @Nested
    class OneSided extends OneSidedContractTest {}

    @Nested
    @Tag("long")
    class Patterns extends PatternsContractTest {}

    @Nested
    @Tag("long")
    class Peers extends PeersContractTest {}

    @Nested
    @Tag("long")
    class Rounds extends RoundsContractTest {}
}
