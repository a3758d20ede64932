package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.ParkedEcho;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/** Opening of experiments in which only the origin acts, so that its engine may have the echo's core. */
final class OneSided {
    private OneSided() {}

    /**
     * Opens one end with windows of {@code windowBytes}. An engine with a thread of its own has a core of its own: the
     * echo's, which sleeps meanwhile.
     */
    static Side open(Role role, Path directory, Threading threading, int windowBytes, Function<NodeEnd, Side> side)
            throws IOException {
        if (threading == Threading.INVOKER) {
            return side.apply(NodeEnd.open(role, directory, threading, NodeConfig.defaults(), windowBytes));
        }
        final LentCore core = LentCore.share(role, directory);
        return new ParkedEcho(role, side.apply(NodeEnd.toParked(role, directory, threading, core, windowBytes)), core);
    }
}
