package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoAnnouncements;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/** Numbered requests of the application for a FIFO, its settings, and the engine's confirmations. */
public final class RequestStress {
    private static final int SLOTS = 2;
    private static final int PRIORITY = 5;
    private static final int LINKS = 7;

    private RequestStress() {}

    /** FIFO that is set up while the engine polls the announcements. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Nothing is announced yet.")
    @Outcome(
            id = "2, 3, -1",
            expect = ACCEPTABLE,
            desc = "The request is visible, and with it every setting made before it.")
    @Outcome(
            id = "-1, .*",
            expect = FORBIDDEN,
            desc = "An announcement is visible before the request that it announces.")
    @Outcome(expect = FORBIDDEN, desc = "The request is visible before the settings of the FIFO.")
    @State
    public static class Activation {
        private final NodeMemory node = StressNode.next();
        private final FifoMetadata metadata = new FifoMetadata(node, 0, 0);
        private final FifoAnnouncements announcements = new FifoAnnouncements(node, 0);

        /** Sets the FIFO up. */
        @Actor
        public void application() {
            metadata.activate(FifoMetadata.REPLY, node.layout().offset(Part.FIFO_SLOTS), SLOTS);
        }

        /** Reads the settings of the FIFO if it is announced. */
        @Actor
        public void engine(III_Result seen) {
            if (announcements.changed()) {
                final boolean wanted = metadata.wantsService();
                seen.r1 = wanted ? metadata.slots() : -1;
                seen.r2 = metadata.kind();
                seen.r3 = metadata.linkMask();
            }
        }
    }

    /** Settings that change while the engine runs. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Nothing is announced yet.")
    @Outcome(id = "5, 7", expect = ACCEPTABLE, desc = "The change is announced, and both settings are visible.")
    @Outcome(expect = FORBIDDEN, desc = "A change is announced before it is visible: it would be missed for good.")
    @State
    public static class Announcement {
        private final NodeMemory node = StressNode.next();
        private final FifoMetadata metadata = new FifoMetadata(node, 0, 0);
        private final FifoAnnouncements announcements = new FifoAnnouncements(node, 0);

        /** Changes the settings. */
        @Actor
        public void application() {
            metadata.priorityAndLinks(PRIORITY, LINKS);
        }

        /** Reads the settings if the change is announced. */
        @Actor
        public void engine(II_Result seen) {
            if (announcements.changed()) {
                seen.r1 = metadata.priority();
                seen.r2 = metadata.linkMask();
            }
        }
    }

    /** Confirmation of a deactivation: the engine touches nothing of the FIFO after it. */
    @JCStressTest
    @Outcome(
            id = "1, 0",
            expect = ACCEPTABLE,
            desc = "The engine has not confirmed yet: the slots are not the application's.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It has confirmed, after it had read its last slot.")
    @Outcome(
            expect = FORBIDDEN,
            desc = "A slot was overwritten before the engine had read it: the confirmation was too early.")
    @State
    public static class Deactivation {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());
        private final long slot = node.layout().offset(Part.FIFO_SLOTS);

        public Deactivation() {
            FifoStress.inject(node, producer, 1, 1);
            producer.metadata().deactivate();
        }

        /** Carries out the descriptor and confirms the deactivation. */
        @Actor
        public void engine(II_Result seen) {
            consumer.poll();
            seen.r1 = (int) node.owner().getLong(consumer.slot(consumer.head()));
            consumer.advance(consumer.head() + 1, 0);
            consumer.commit();
            if (!producer.metadata().wantsService()) {
                producer.metadata().confirmInactive();
            }
        }

        /** Overwrites the slot if the FIFO is inactive. */
        @Actor
        public void application(II_Result seen) {
            if (!producer.metadata().isActive()) {
                node.owner().putLong(slot, 9);
                seen.r2 = 1;
            }
        }
    }

    /** Numbers of requests: the confirmation of one request is never taken for that of the next. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The deactivation is not confirmed yet.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It is confirmed, and the next activation is not seen yet.")
    @Outcome(
            id = "1, 5",
            expect = ACCEPTABLE,
            desc = "The engine serves again, with the new settings; the application checked before the confirmation.")
    @Outcome(
            id = "2, 5",
            expect = ACCEPTABLE,
            desc = "The engine has confirmed that it serves again, with the new settings.")
    @Outcome(
            id = "2, 0",
            expect = FORBIDDEN,
            desc = "The confirmation of the first activation was taken for that of the second.")
    @Outcome(expect = FORBIDDEN, desc = "The engine serves again with settings older than the request.")
    @State
    public static class Numbers {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final FifoMetadata metadata = producer.metadata();
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, metadata, new DueEvents());

        public Numbers() {
            metadata.deactivate();
        }

        /** Changes a setting while the FIFO is inactive, and activates it again. */
        @Actor
        public void application(II_Result seen) {
            if (!metadata.isActive()) {
                metadata.priorityAndLinks(PRIORITY, LINKS);
                metadata.activate();
                seen.r1 = metadata.isActive() ? 2 : 1;
            }
        }

        /** Checks the requests twice. */
        @Actor
        public void engine(II_Result seen) {
            metadata.confirmInactive();
            if (metadata.wantsService()) {
                consumer.begin();
                final int priority = consumer.service().priority();
                seen.r2 = priority == 0 ? -1 : priority;
            }
        }
    }

    /** Descriptor that is injected just before its FIFO is deactivated. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The engine was ahead of both.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It has carried out the descriptor and not seen the request yet.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It has carried out the descriptor, then confirmed the request.")
    @Outcome(
            id = "0, 1",
            expect = ACCEPTABLE_INTERESTING,
            desc = "It polled before the descriptor and saw the request afterwards: the FIFO is inactive with a"
                    + " descriptor in it, which waits for the next activation. Moving the slots requires a check"
                    + " that it is empty.")
    @Outcome(expect = FORBIDDEN, desc = "Nothing else is possible.")
    @State
    public static class LastDescriptor {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final FifoMetadata metadata = producer.metadata();
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, metadata, new DueEvents());

        /** Injects one descriptor, then requests deactivation. */
        @Actor
        public void application() {
            FifoStress.inject(node, producer, 1, 1);
            metadata.deactivate();
        }

        /** Runs one pass: pending descriptors first, then the requests. */
        @Actor
        public void engine(II_Result seen) {
            if (consumer.poll()) {
                consumer.advance(consumer.head() + 1, 0);
                consumer.commit();
                seen.r1 = 1;
            }
            if (!metadata.wantsService()) {
                metadata.confirmInactive();
                seen.r2 = 1;
            }
        }
    }
}
