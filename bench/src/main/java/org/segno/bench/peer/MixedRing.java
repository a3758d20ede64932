package org.segno.bench.peer;

import java.io.IOException;
import java.nio.file.Path;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Stream;

/** Stream of messages of mixed lengths through one of Agrona's ring buffers. */
final class MixedRing implements Stream {
    private final AgronaRing ring;
    private final MixedLengths lengths = new MixedLengths();

    private MixedRing(AgronaRing ring) {
        this.ring = ring;
    }

    static MixedRing open(Role role, Path directory, AgronaRing.Kind kind) throws IOException {
        return new MixedRing(AgronaRing.open(role, directory, kind, MixedLengths.LONGEST));
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            ring.write(lengths.next());
        }
    }

    @Override
    public void receive(int messages) {
        ring.receive(messages);
    }

    @Override
    public void close() {
        ring.close();
    }
}
