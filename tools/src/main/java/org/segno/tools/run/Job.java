package org.segno.tools.run;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import org.segno.job.Hub;
import org.segno.job.JobConfig;
import org.segno.job.JobDirectory;

/** The launcher's side of a job: its directory and the hub that the ranks hold their lifelines to. */
final class Job implements AutoCloseable {
    private final Path directory;
    private final Hub hub;

    private Job(Path directory, Hub hub) {
        this.directory = directory;
        this.hub = hub;
    }

    /**
     * Makes the directory, after removing what ended jobs have left, and starts the hub; what it sees becomes {@code
     * events}.
     */
    static Job open(JobConfig config, BlockingQueue<Event> events) {
        final JobDirectory directory = JobDirectory.create(config);
        return new Job(directory.path(), Hub.start(directory, config.size(), true, new Sightings(events)));
    }

    Path directory() {
        return directory;
    }

    /** Ranks that still run lose their lifeline and end themselves; the directory goes unless it is kept. */
    @Override
    public void close() {
        hub.close();
    }

    /** What the hub's thread sees. It tells of a death here before it tells the other ranks, so the cause has the earlier time. */
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

        /** The queue has room for every event of every rank, so this does not wait. */
        private void put(Event event) {
            final boolean taken = events.offer(event);
            assert taken : event;
        }
    }
}
