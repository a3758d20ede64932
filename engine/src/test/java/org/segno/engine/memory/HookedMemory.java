package org.segno.engine.memory;

import java.nio.MappedByteBuffer;

/** Mapped memory that runs an action once, directly after a load of one word has returned its value. */
public final class HookedMemory extends MappedMemory {
    private final Memory hooked;
    private long offset = -1;
    private int loads;
    private Runnable action = () -> {};

    public HookedMemory(Memory hooked) {
        super(new MappedByteBuffer[0], hooked.length());
        this.hooked = hooked;
        move(hooked.address(0, hooked.length()), (int) hooked.length());
    }

    /** Runs an action after load number {@code loads} from now on of a word. */
    public void after(long word, int ofLoads, Runnable then) {
        offset = word;
        loads = ofLoads;
        action = then;
    }

    private void loaded(long at) {
        if (at == offset && --loads == 0) {
            offset = -1;
            action.run();
        }
    }

    @Override
    public long getLong(long at) {
        final long value = hooked.getLong(at);
        loaded(at);
        return value;
    }

    @Override
    public long getLongAcquire(long at) {
        final long value = hooked.getLongAcquire(at);
        loaded(at);
        return value;
    }
}
