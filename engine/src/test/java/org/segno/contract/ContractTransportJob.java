package org.segno.contract;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.IncomingLinks;
import org.segno.link.TransportJob;

/**
 * A job of the contract as its transport sees it: all ranks are in this process, and their engines have all links from
 * the start, so that they need no notification. Letters have no receiver.
 *
 * @param directory contains the node files
 */
record ContractTransportJob(Path directory) implements TransportJob {
    private static final int SECRET_LENGTH = 32;

    @Override
    public Path nodeFile(int rank) {
        return directory.resolve("node-" + rank);
    }

    @Override
    public int size() {
        return ContractJob.RANKS;
    }

    @Override
    public int engines() {
        return dimensions(0).engines();
    }

    @Override
    public long idHigh() {
        return 1;
    }

    @Override
    public long idLow() {
        return 2;
    }

    @Override
    public IncomingLinks incoming() {
        return (node, peer, engine) -> {};
    }

    @Override
    public NodeDimensions dimensions(int rank) {
        try (NodeFile file = NodeFile.open(nodeFile(rank), new NodeHeader.Identity(1, 2, rank, 3, 4), size())) {
            return file.mapAsPeer().layout().dimensions();
        }
    }

    @Override
    public long[] address(int rank) {
        return new long[0];
    }

    @Override
    public byte[] secret() {
        return new byte[SECRET_LENGTH];
    }

    @Override
    public @Nullable InetAddress hostAddress() {
        return null;
    }

    @Override
    public void write(int from, int to, int word, long second, long third) {
        throw new IllegalStateException("the contract has no hub for letters: from " + from + " to " + to);
    }

    @Override
    public void watch(LongPredicate watch) {
        // The engines of the contract run all the time.
    }
}
