package org.segno.simulator;

/** What the application of a simulated node does, in steps that do not wait. */
interface SimulatedProgram {
    /** Does nothing. */
    SimulatedProgram NONE = new SimulatedProgram() {
        @Override
        public boolean step() {
            return false;
        }

        @Override
        public boolean isDone() {
            return true;
        }
    };

    /**
     * Makes one step: begins an operation, or looks at one that is in progress.
     *
     * @return true if it made progress
     */
    boolean step();

    /** Returns true once all operations have been made and are complete. */
    boolean isDone();
}
