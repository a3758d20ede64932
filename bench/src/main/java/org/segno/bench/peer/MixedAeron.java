package org.segno.bench.peer;

import java.nio.file.Path;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Stream;

/** Stream of messages of mixed lengths through Aeron IPC. */
final class MixedAeron implements Stream {
    private final AeronIpc aeron;
    private final MixedLengths lengths = new MixedLengths();

    private MixedAeron(AeronIpc aeron) {
        this.aeron = aeron;
    }

    static MixedAeron open(Role role, Path directory, int termLength) {
        return new MixedAeron(AeronIpc.open(role, directory, MixedLengths.LONGEST, termLength));
    }

    @Override
    public void prepare() {
        aeron.prepare();
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            aeron.offer(lengths.next());
        }
    }

    @Override
    public void receive(int messages) {
        aeron.receive(messages);
    }

    @Override
    public void close() {
        aeron.close();
    }
}
