package org.segno.engine.weak;

import static java.util.Map.entry;

import java.util.Map;

/**
 * Orderings whose removal has no observable effect, and the reasons to request them all the same. Plain access would do
 * for the hardware, but a compiler may keep a plain word in a register for ever, tear it, or invent stores to it. So a
 * shared word is never plain, unless an ordered word publishes it.
 */
final class RedundantOrderings {
    private static final String HINT =
            "a check that only triggers a closer one: the words are read again, with acquire, before use";
    private static final String ALONE = "the word is all the information: nothing else is read because of it";
    private static final String OWN =
            "written by the thread that reads it; ordered for tools, which read it from outside";
    private static final String LATER = "a later release of the same thread publishes it before any thread requests it";
    private static final String AGAIN =
            "a change is announced after it was made: a thread that reads too early reads it again";
    private static final String COVERED =
            "the engine's release of the head covers its reads; this confirmation promises that no read follows";
    private static final String FENCED =
            "must be atomic, for others change it too; the counts before and after it are fences";
    private static final String ATOMIC = "must be atomic, for others add meanwhile; the order comes with that";
    private static final String AFTER_FENCE =
            "the engine's last full fence orders earlier accesses; nothing else is stored between it and this word";
    private static final String BEFORE_RELEASE =
            "the next release orders earlier accesses, and a full fence precedes later ones";

    /** Reasons by class, method and access, with the access's number in the method if there are several. */
    static final Map<String, String> REASONS = Map.ofEntries(
            entry("InjectionUnit.visitAll ACQUIRE", HINT),
            entry("ReceptionFifo.hasNews ACQUIRE", HINT),
            entry("InjectionFifoConsumer.idleTail ACQUIRE", HINT),
            entry("CounterAdmission.admit ACQUIRE", ALONE),
            entry("FifoMetadata.count RELEASE", ALONE),
            entry("FifoMetadata.clear ACQUIRE", ALONE),
            entry("FifoMetadata.clear RELEASE", ALONE),
            entry("FifoMetadata.wasCrossed ACQUIRE 1", ALONE),
            entry("FifoMetadata.wasCrossed ACQUIRE 2", ALONE),
            entry("FifoMetadata.confirmActive RELEASE", ALONE),
            entry("FifoMetadata.confirmActive ACQUIRE", ALONE),
            entry("FifoMetadata.confirmInactive ACQUIRE", ALONE),
            entry("FifoMetadata.confirmInactive RELEASE", COVERED),
            entry("FifoMetadata.deactivate RELEASE", AGAIN),
            entry("FifoMetadata.wantsService ACQUIRE 1", AGAIN),
            entry("FifoMetadata.quarantine RELEASE", ALONE),
            entry("FifoMetadata.quarantineAcquire ACQUIRE", ALONE),
            entry("CounterSettings.refuse RELEASE", ALONE),
            entry("PatternBuffer.errorAcquire ACQUIRE", ALONE),
            entry("FifoMetadata.tailAcquire ACQUIRE", OWN),
            entry("FifoMetadata.isActive ACQUIRE 1", OWN),
            entry("FifoMetadata.isActive ACQUIRE 2", OWN),
            entry("FifoMetadata.isActive ACQUIRE 3", ALONE),
            entry("FifoMetadata.isActive ACQUIRE 4", COVERED),
            entry("InjectionCounter.refuse ACQUIRE", OWN),
            entry("PatternEntry.write RELEASE", OWN),
            entry("PatternEntry.clear RELEASE", OWN),
            entry("PatternEntry.extent ACQUIRE", OWN),
            entry("InjectionCounter.reset RELEASE", LATER),
            entry("RunReader.refuse RELEASE", LATER),
            entry("FifoMetadata.activate RELEASE 1", LATER),
            entry("FifoMetadata.wantsService ACQUIRE 3", LATER),
            entry("CounterSettings.set RELEASE", LATER),
            entry("HeldRuns.ready ACQUIRE", HINT),
            entry("RemoteReads.replace ACQUIRE", HINT),
            entry("RemoteReads.replace ATOMIC", FENCED),
            entry("RemoteReads.change ATOMIC", FENCED),
            entry("InjectionCounter.expect ATOMIC", ATOMIC),
            entry("ReceptionCounter.change ATOMIC", ATOMIC),
            entry("DoorbellRecord.parksAcquire ACQUIRE", ALONE),
            entry("DoorbellRecord.park RELEASE", BEFORE_RELEASE),
            entry("DoorbellRecord.wake RELEASE", ALONE),
            entry("WindowArena.open RELEASE", LATER),
            entry("WindowArena.disable RELEASE", ALONE),
            entry("QuietCount.<init> RELEASE", ALONE),
            entry("QuietCount.begin RELEASE", AFTER_FENCE),
            entry("QuietCount.quiet RELEASE", AFTER_FENCE),
            entry("QuietCount.rest RELEASE", AFTER_FENCE),
            entry("QuietCount.rest FENCE", BEFORE_RELEASE));

    private RedundantOrderings() {}
}
