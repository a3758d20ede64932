package org.segno.transport.shm;

/** What one process of a job under test does. Named by its class, which another process can make. */
@FunctionalInterface
interface Scenario {
    /** Plays the part to its end; what it throws is told to the test. */
    void run(ScenarioRun run) throws Exception;
}
