package org.segno.bench.death;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Runner of jobs of three ranks, one of which it kills.
 *
 * <p>The processes of the survivors continue with the next job; the victim is a new process each time. The ranks die in
 * turn, so that every third victim is rank 0, which is the job's hub.
 */
final class Killer {
    private static final int RANKS = 3;

    private Killer() {}

    static List<Death> kill(int kills, Threading threading) throws IOException, InterruptedException {
        final List<Death> deaths = new ArrayList<>();
        final List<KillableRank> survivors = new ArrayList<>();
        try {
            while (survivors.size() < RANKS - 1) {
                survivors.add(KillableRank.start(threading));
            }
            for (int i = 0; i < kills; i++) {
                deaths.add(kill(i % RANKS, survivors, threading));
            }
            return deaths;
        } finally {
            survivors.forEach(KillableRank::close);
        }
    }

    private static Death kill(int victimRank, List<KillableRank> survivors, Threading threading)
            throws IOException, InterruptedException {
        final String job = JobConfig.uniqueName("death");
        try (KillableRank victim = KillableRank.start(threading)) {
            victim.join(config(job, victimRank), victimRank);
            int rank = 0;
            for (final KillableRank survivor : survivors) {
                rank += rank == victimRank ? 1 : 0;
                survivor.join(config(job, rank++), victimRank);
            }
            for (final KillableRank survivor : survivors) {
                survivor.expect(KillableRankMain.WAITING);
            }
            final Threading mode = Threading.valueOf(victim.expect(KillableRankMain.WAITING));

            final long killedNs = victim.kill();

            final List<Long> waitsNs = new ArrayList<>();
            for (final KillableRank survivor : survivors) {
                waitsNs.add(Long.parseLong(survivor.expect(KillableRankMain.FAILED)) - killedNs);
            }
            return new Death(mode, victimRank, waitsNs);
        }
    }

    private static JobConfig config(String job, int rank) {
        return JobConfig.of(job, rank, RANKS);
    }
}
