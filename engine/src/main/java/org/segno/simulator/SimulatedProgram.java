package org.segno.simulator;

/** Application of a simulated node, carried out in short steps. */
interface SimulatedProgram {
    /** Does nothing. */
    SimulatedProgram NONE = new SimulatedProgram() {
        @Override
        public boolean step() {
            return false;
        }

        @Override
        public void stop() {
            // It has nothing to begin.
        }

        @Override
        public boolean isDone() {
            return true;
        }
    };

    /** Prepares the program, before the first step of any node. The other nodes go on meanwhile. */
    default void begin() {}

    /** Checks what must hold when all nodes are done. */
    default void check() {}

    /** Frees what the program holds, when the simulation has ended. */
    default void end() {}

    /**
     * Makes one step: begins an operation, or looks at one that is in progress.
     *
     * @return true if it made progress
     */
    boolean step();

    /** Ends the beginning of operations. Those in progress are completed. May be called again. */
    void stop();

    /** Returns true once all operations have been made and are complete. */
    boolean isDone();
}
