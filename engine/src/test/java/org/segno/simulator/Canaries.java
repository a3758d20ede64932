package org.segno.simulator;

import java.util.List;

/** Canaries by the part of the engine that they are in. */
final class Canaries {
    private static final String PUTS = "engine.dma.PutUnit";
    private static final String SENDS = "engine.dma.SendUnit";
    private static final String TRANSMIT = "engine.dma.TransmitUnit";
    private static final String PORT = "engine.dma.LinkPort";
    private static final String CREDITS = "engine.dma.LaneCredits";
    private static final String ACKNOWLEDGEMENT = "engine.dma.Acknowledgement";
    private static final String UNLANDED = "engine.dma.Unlanded";
    private static final String LANDING = "engine.landing.Landing";
    private static final String PACKETS = "engine.landing.PacketLanding";
    private static final String ORIGIN_LANES = "engine.landing.OriginLanes";
    private static final String POOL = "engine.landing.LanePool";
    private static final String PRODUCER = "engine.fifo.ReceptionFifoProducer";
    private static final String CONSUMER = "engine.fifo.ReceptionFifoConsumer";
    private static final String INJECTION = "engine.fifo.InjectionFifoConsumer";

    private Canaries() {}

    static List<Canary> all() {
        return parts().stream().flatMap(List::stream).toList();
    }

    /** Returns the first of each part. */
    static List<Canary> quick() {
        return parts().stream().map(part -> part.get(0)).toList();
    }

    private static List<List<Canary>> parts() {
        return List.of(
                ofLaneProducers(),
                ofLaneConsumers(),
                ofFifos(),
                PatternCanaries.ofRuns(),
                PatternCanaries.ofRounds(),
                PatternCanaries.ofMultisends(),
                ReuseCanaries.ofUses(),
                ReuseCanaries.ofRights(),
                ReuseCanaries.ofEvents(),
                ofCounters(),
                ofPackets(),
                ofAcknowledgements(),
                ofCredits(),
                ofRequests(),
                ofFailures(),
                ofOthers());
    }

    /** Defects of those that write lanes, for mapped and linked origins. */
    private static List<Canary> ofLaneProducers() {
        return List.of(
                new Canary(
                        "the pad at the end of a lane is not written",
                        PRODUCER,
                        "append(LaneRecord.header(toEnd, 0, 0, LaneRecord.PAD), toEnd);",
                        "append(0, toEnd);"),
                new Canary(
                        "a batch is not published at the end of its run",
                        SENDS,
                        "to.flush(); landing.arrived(Descriptor.context(key)); visit.records += next - first;",
                        "landing.arrived(Descriptor.context(key)); visit.records += next - first;"),
                new Canary(
                        "the header after the last record is not zeroed",
                        PRODUCER,
                        "if (tail >= zeroed) { zero(tail, lineEnd(tail)); }",
                        ""),
                new Canary(
                        "the producer takes the consumer's space before it is returned",
                        PRODUCER,
                        "headCache = head; }",
                        "headCache = tail; }"));
    }

    /** Defects of those that read lanes. */
    private static List<Canary> ofLaneConsumers() {
        return List.of(
                new Canary(
                        "the consumer returns a record that its handler has not accepted",
                        CONSUMER,
                        "head -= aligned; refused = true;",
                        "refused = true;"),
                new Canary(
                        "the consumer returns the space of a record that it has not read",
                        CONSUMER,
                        "heads.putLongRelease(headOffset, head);",
                        "heads.putLongRelease(headOffset, head + returnLength);"),
                new Canary(
                        "the consumer takes any header for one like the last",
                        CONSUMER,
                        "memory.getLongAcquire(lane + index) == header);",
                        "memory.getLongAcquire(lane + index) != 0);"),
                new Canary(
                        "a message that its handler has not accepted holds the lanes of other origins",
                        "engine.fifo.ReceptionFifo",
                        "records += pollLane(i, handler, limit); silentPolls[i] = 0;",
                        "final int found = pollLane(i, handler, limit); if (found == 0) { return records; }"
                                + " records += found; silentPolls[i] = 0;"));
    }

    /** Defects of injection FIFOs. */
    private static List<Canary> ofFifos() {
        return List.of(
                new Canary(
                        "two FIFOs give up their turn to each other",
                        TRANSMIT,
                        "if (done == 0) { fifo.partialMessage().number(",
                        "if (!port.hasRoom(stream, 1, fifo)) { return Landing.NO_ROOM; }"
                                + " if (done == 0) { fifo.partialMessage().number("),
                new Canary(
                        "a FIFO whose descriptor has found no room counts as idle",
                        INJECTION,
                        ": head != tail || inRun || held.count() != 0 ? BUSY : taken;",
                        ": inRun || held.count() != 0 ? BUSY : taken;"),
                new Canary(
                        "the head of a ring moves past a descriptor that is not carried out",
                        INJECTION,
                        "served += position - head; head = position;",
                        "served += position - head; head = ring && position != tail ? position + 1 : position;"),
                new Canary(
                        "the producer overwrites the oldest slot of a full FIFO",
                        "engine.fifo.InjectionFifoProducer",
                        "limit = readLimit();\n return tail == limit",
                        "limit = readLimit() + 1;\n return tail == limit"));
    }

    /** Defects of counters and of what lands there over mapped memory. */
    private static List<Canary> ofCounters() {
        return List.of(
                new Canary(
                        "a run of PUTs is counted down twice",
                        PUTS,
                        "final long all = quantum - visit.quantumBytes; landing.close(all);",
                        "final long all = quantum - visit.quantumBytes; landing.close(all); landing.close(all);"),
                new Canary(
                        "the last PUT of a run of several is not counted down",
                        PUTS,
                        "from.copyShortTo(base + sourceOffset, into, openBase + targetOffset, (int) length); bytes += length;",
                        "from.copyShortTo(base + sourceOffset, into, openBase + targetOffset, (int) length);"
                                + " bytes += at + Descriptor.LENGTH == end && most > 1 ? 0 : length;"),
                new Canary(
                        "a PUT to another rank continues a run",
                        PUTS,
                        "return (words.getLong(slot) ^ head) | (words.getLong",
                        "return (words.getLong"),
                new Canary(
                        "a PUT lands one byte behind its offset",
                        LANDING,
                        "source.copyShortTo(sourceOffset, arena, openBase + offset, length);",
                        "source.copyShortTo(sourceOffset, arena, openBase + offset + 1, length);"),
                new Canary(
                        "a PUT to the end of its counter's range writes a byte behind it",
                        LANDING,
                        "source.copyShortTo(sourceOffset, arena, openBase + offset, length);",
                        "source.copyShortTo(sourceOffset, arena, openBase + offset, length);"
                                + " if ((openBase & 127) == 0 && offset + length == openLimit) {"
                                + " arena.putByte(openBase + openLimit, (byte) 1); }"),
                new Canary(
                        "a long PUT lands without its last byte",
                        LANDING,
                        "source.copyTo(sourceOffset, arena, openBase + offset, length);",
                        "source.copyTo(sourceOffset, arena, openBase + offset, Math.max(0, length - 1));"),
                new Canary(
                        "a REMOTE_GET that ends with its counter's range is refused",
                        "engine.landing.RemoteReads",
                        "return offset >= 0 && offset <= openLimit - length;",
                        "return offset >= 0 && offset < openLimit - length;"),
                new Canary(
                        "an RMW is applied twice",
                        "engine.landing.RemoteReads",
                        "fetched = arena.getAndAddLong(word, operand);",
                        "arena.getAndAddLong(word, operand); fetched = arena.getAndAddLong(word, operand);"),
                new Canary(
                        "a REMOTE_GET from mapped memory reads from the base of the counter",
                        "engine.landing.RemoteReads",
                        "arena.copyTo(openBase + offset, target, targetOffset, length);",
                        "arena.copyTo(openBase, target, targetOffset, length);"));
    }

    /** Defects of packets over links. */
    private static List<Canary> ofPackets() {
        return List.of(
                new Canary(
                        "a record of several packets is published with its first one",
                        PACKETS,
                        "if (received == bodyLength) { into = null; to.publish(dispatchId, metadataLength); to.flush();",
                        "if (received == length) { to.publish(dispatchId, metadataLength); to.flush(); }"
                                + " if (received == bodyLength) { into = null;"),
                new Canary(
                        "later packets of a message land at the beginning of its record",
                        PACKETS,
                        "packet.memory().copyTo(packet.payload(), to.memory(), body + received, length);",
                        "packet.memory().copyTo(packet.payload(), to.memory(), body, length);"),
                new Canary(
                        "packets of a message leave in the opposite order",
                        TRANSMIT,
                        "final int payload = outgoing.copyTo(done, arena, packet.memory(), packet.payload(), part);",
                        "final int payload = outgoing.copyTo(length - part - done, arena, packet.memory(),"
                                + " packet.payload(), part);"),
                new Canary(
                        "a PUT that found no room begins again",
                        TRANSMIT,
                        "final long payload = operand.base() + sourceOffset; long done = visit.partialBytes;",
                        "final long payload = operand.base() + sourceOffset; long done = 0;"),
                new Canary(
                        "PUTs of one packet land at the place of the first one",
                        "engine.dma.PutRun",
                        "offsets[count] = (int) offset;",
                        "offsets[count] = 0;"),
                new Canary(
                        "PUTs at equal distances land one byte farther apart",
                        "engine.landing.PacketLanding",
                        "final int stride = packet.stride();",
                        "final int stride = packet.stride() == 0 ? 0 : packet.stride() + 1;"),
                new Canary(
                        "a message in one packet with others gets the bytes of the first one",
                        "engine.landing.MessageRun",
                        "lane, memory, bodies + publishedBytes, length",
                        "lane, memory, bodies, length"),
                new Canary(
                        "messages with different injection counters share a packet",
                        "engine.dma.SendRun",
                        "<= limit && message.injectionCounter == at(0).injectionCounter;",
                        "<= limit;"),
                new Canary(
                        "the second message of a packet is sent without credit",
                        TRANSMIT,
                        "} else if (!port.chargeNow(stream, context, next.length(), fifo)) { break; }",
                        "}"),
                new Canary(
                        "a run of PUTs over a link is not counted down at the end of a poll",
                        "engine.dma.ReceptionUnit",
                        "final int frames = port.link().poll(stream, this, FRAME_LIMIT); packetLanding.closeRun();",
                        "final int frames = port.link().poll(stream, this, FRAME_LIMIT);"));
    }

    /** Defects of the acknowledgement of packets. */
    private static List<Canary> ofAcknowledgements() {
        return List.of(
                new Canary(
                        "of acknowledged packets only the last one is counted",
                        UNLANDED,
                        "landed += bytes[same];",
                        "landed = bytes[same];"),
                new Canary(
                        "an acknowledgement behind the wrap of packet numbers is refused",
                        UNLANDED,
                        "while (end - first > 0) {",
                        "while (end > first) {"),
                new Canary(
                        "one packet too many is acknowledged",
                        ACKNOWLEDGEMENT,
                        "processed[Frame.REQUESTS], processed[Frame.HANDLER_REPLIES], hits);",
                        "processed[Frame.REQUESTS] + 1, processed[Frame.HANDLER_REPLIES], hits);"),
                new Canary(
                        "what handlers send is never acknowledged alone",
                        ACKNOWLEDGEMENT,
                        "return counts[Frame.REQUESTS] + counts[Frame.HANDLER_REPLIES];",
                        "return counts[Frame.REQUESTS];"),
                new Canary(
                        "counts that have overtaken a refusal are applied at once",
                        "engine.dma.PeerCounts",
                        "last.areKept = missing > 0;",
                        "last.areKept = false;"),
                new Canary(
                        "packets of several visits are acknowledged for one of them",
                        UNLANDED,
                        "fifos[same] == fifo && groups[same] == group && counters[same] == counter);",
                        "fifos[same] == fifo && counters[same] == counter);"));
    }

    /** Defects of lanes of linked origins, and of the credit for them. */
    private static List<Canary> ofCredits() {
        return List.of(
                new Canary(
                        "credit of messages of several packets is not returned",
                        PACKETS,
                        "to.flush(); lanes.settle(intoContext, bodyLength);",
                        "to.flush(); if (received == length) { lanes.settle(intoContext, bodyLength); }"),
                new Canary(
                        "credit is returned twice",
                        ORIGIN_LANES,
                        "settled[context] += LaneRecord.charge(length);",
                        "settled[context] += 2L * LaneRecord.charge(length);"),
                new Canary(
                        "a demanded lane is not demanded from the peer",
                        PORT,
                        "demand(stream, Endpoint.contextOf(contextId), wanted, credit.needed(contextId)); credit.demanded(contextId);",
                        "credit.demanded(contextId);"),
                new Canary(
                        "a lane begins with the charges of the one before it",
                        CREDITS,
                        "charged[context] = 0; granted[context] = 0;",
                        ""),
                new Canary(
                        "a lane that holds records is given up",
                        ORIGIN_LANES,
                        "if (landing.lane(context).occupied() != 0) { return NOTHING; }",
                        ""),
                new Canary(
                        "the credit for a lane that is kept is not begun again",
                        ORIGIN_LANES,
                        "settled[context] = 0; granted[context] = 0; demanded[context] = NO_DEMAND;",
                        "demanded[context] = NO_DEMAND;"),
                new Canary(
                        "memory of a lane is used again with its old records",
                        POOL,
                        "erase(place.lane); free.add(place);",
                        "free.add(place);"),
                new Canary(
                        "a lane that the peer wants back is kept",
                        PORT,
                        "demand(stream, context, 0, 0); credit.gaveUp(context);",
                        "credit.gaveUp(context);"));
    }

    /** Defects of remote gets and atomics over links. */
    private static List<Canary> ofRequests() {
        return List.of(
                new Canary(
                        "all parts of fetched data land at their beginning",
                        "engine.landing.PendingRequests",
                        "source.copyTo(payload, arena, offsets[at] + offset, length);",
                        "source.copyTo(payload, arena, offsets[at], length);"),
                new Canary(
                        "fetched data of several packets complete with the first one",
                        "engine.landing.PendingRequests",
                        "if (received[at] == lengths[at]) { close(at); }",
                        "close(at);"),
                new Canary(
                        "a served request begins where the one before it ended",
                        "engine.landing.RequestLane",
                        "head++; done = 0;",
                        "head++;"),
                new Canary(
                        "parts of requested data are all the first one",
                        "engine.dma.ReceptionUnit",
                        "fetching.read(lane.offset() + lane.done(), packet",
                        "fetching.read(lane.offset(), packet"),
                new Canary(
                        "a request is not removed when it is answered",
                        "engine.landing.PendingRequests",
                        "kinds[at] = FREE; fifos[at] = null; pending--;",
                        "fifos[at] = null;"));
    }

    /** Defects of completions, and of what becomes of operations when a link or a rank is lost. */
    private static List<Canary> ofFailures() {
        return List.of(
                new Canary(
                        "an injection counter completes when its packets are sent",
                        UNLANDED,
                        "bytes[at] = length;",
                        "bytes[at] = 0; targets.injected(injectionCounter, length);"),
                new Canary(
                        "the head of a ring moves past packets that have not landed",
                        INJECTION,
                        "} else if (unlanded != 0) { unlandedVisits.end(head);",
                        "} else if (unlanded != 0 && head == landedHead) { unlandedVisits.end(head);"),
                new Canary(
                        "messages to a lost rank complete with success",
                        PORT,
                        "states.change(rank, PeerStates.CUT); end(reached, reached);",
                        "states.change(rank, PeerStates.CUT); end(reached, Landing.LANDED);"),
                new Canary(
                        "PUTs to a lost rank complete with success",
                        UNLANDED,
                        "fail(number, code, operations[at(number)]); } acknowledge(next);",
                        "if (bytes[at(number)] == 0 || records[at(number)] != 0) {"
                                + " fail(number, code, operations[at(number)]); } } acknowledge(next);"),
                new Canary(
                        "a descriptor is reported as carried out when it is injected",
                        "context.Context",
                        "return fifo.headAcquire() > position ||",
                        "return fifo.tailAcquire() > position ||"),
                new Canary(
                        "requests to a lost rank never end",
                        PORT,
                        "requests.failAll(ofRequests); unlanded",
                        "unlanded"),
                new Canary(
                        "handlers' messages to a lost rank never end",
                        PORT,
                        "unlanded[Frame.REQUESTS].end(ofMessages); unlanded[Frame.HANDLER_REPLIES].end(ofMessages);",
                        "unlanded[Frame.REQUESTS].end(ofMessages);"),
                new Canary(
                        "a failed request names another rank",
                        "engine.landing.PendingRequests",
                        "failure.onFailure(injectionCounters[at], rank, code);",
                        "failure.onFailure(injectionCounters[at], node.rank(), code);"),
                new Canary(
                        "the lanes of a lost rank are freed only by a packet to it",
                        ORIGIN_LANES,
                        "demanded[context] = 0; change(context);",
                        "demanded[context] = 0;"),
                new Canary(
                        "a lane is freed with its records when its origin wants none",
                        ORIGIN_LANES,
                        "if (landing.lane(context).occupied() != 0) {",
                        "if (bytes != 0 && landing.lane(context).occupied() != 0) {"));
    }

    /** Defects of other parts. */
    private static List<Canary> ofOthers() {
        return List.of(
                new Canary(
                        "bytes of a run over a link are counted down at the counter of the next one",
                        PACKETS,
                        "closeRun(); runCounter = packet.target();",
                        "runCounter = packet.target();"),
                new Canary(
                        "a PUT to another counter continues a run over a link",
                        PACKETS,
                        "if (!isRunOpen || runCounter != packet.target() || runIncarnation != packet.detail()) {",
                        "if (!isRunOpen) {"),
                new Canary(
                        "handlers' replies are sent in the class of requests",
                        "engine.dma.DmaEngine",
                        "new TransmitUnit(node, windows, targets, visit, linked, Frame.HANDLER_REPLIES);",
                        "new TransmitUnit(node, windows, targets, visit, linked, Frame.REQUESTS);"),
                new Canary(
                        "the generation of a run has 32 bits",
                        "engine.fifo.RunRing",
                        "memory.putLong(entry + GENERATION_OFFSET, generation);",
                        "memory.putLong(entry + GENERATION_OFFSET, (int) generation);"),
                new Canary(
                        "a refused PUT counts down its injection counter",
                        UNLANDED,
                        "bytes[at] = 0; sizes[at] = 0;",
                        "sizes[at] = 0;"),
                new Canary(
                        "an acknowledgement has eight bits",
                        "engine.packet.Frame",
                        "memory.putInt(offset, requests);",
                        "memory.putInt(offset, requests & 0xFF);"),
                new Canary(
                        "a completion runs twice",
                        "message.PendingCompletions",
                        "completions[at] = null; failures[at] = null; Completions.run(completion, null, failure);",
                        "Completions.run(completion, null, failure); Completions.run(completion, null, failure);"),
                new Canary(
                        "immediate messages of other lengths pass for equal ones",
                        "engine.dma.EqualSends",
                        "return (words.getLong(slot) ^ head)"
                                + " | (words.getLong(slot + Descriptor.TARGET_OFFSET) ^ target);",
                        "return words.getLong(slot) ^ head;"));
    }
}
