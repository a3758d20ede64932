package org.segno.tools.run.job;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import org.segno.engine.job.Hub;
import org.segno.engine.job.HubNetwork;
import org.segno.engine.job.JobDirectory;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.tools.run.process.Event;

/** The launcher's part of a job: the job directory, and the hub to which the ranks are connected. */
final class Job implements AutoCloseable {
    private final Path directory;
    private final Hub hub;

    private Job(Path directory, Hub hub) {
        this.directory = directory;
        this.hub = hub;
    }

    /**
     * Removes the directories that ended jobs have left, creates the job's directory, and starts the hub. The hub's
     * notifications become {@code events}.
     */
    static Job open(JobConfig config, BlockingQueue<Event> events) {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        return new Job(directory.path(), Hub.start(directory, config.size(), true, new Sightings(events)));
    }

    /** Does the same with a hub that also accepts the hubs of other hosts that prove the secret. */
    static Job open(JobConfig config, BlockingQueue<Event> events, HubNetwork network) {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        return new Job(directory.path(), Hub.start(directory, config.size(), true, new Sightings(events), network));
    }

    /** Returns the port at which the hub accepts other hubs. */
    int port() {
        return hub.port();
    }

    Path directory() {
        return directory;
    }

    /**
     * Closes the hub. Ranks that still run lose their connection and end themselves. The directory is removed unless
     * the plan keeps it, and what ranks have made in its place since.
     */
    @Override
    public void close() {
        hub.close();
        JobDirectory.removeRest(directory);
    }

    /**
     * Listener that queues the hub's notifications as events. The hub's thread calls it on a death before it notifies
     * the other ranks, so that the cause has the earlier time.
     */
    private record Sightings(BlockingQueue<Event> events) implements Hub.Listener {
        @Override
        public void joined(int rank, long pid) {
            put(Event.of(Event.Kind.JOINED, rank));
        }

        @Override
        public void dead(int rank) {
            put(Event.of(Event.Kind.DEAD, rank));
        }

        @Override
        public void failed(Throwable cause) {
            put(Event.hubFailed(cause));
        }

        /** Adds an event. The queue has room for every event of every rank, so this does not wait. */
        private void put(Event event) {
            final boolean taken = events.offer(event);
            assert taken : event;
        }
    }
}
