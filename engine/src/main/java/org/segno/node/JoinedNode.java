package org.segno.node;

import java.util.function.LongPredicate;
import org.segno.engine.job.Attachment;
import org.segno.engine.job.Inquiries;
import org.segno.engine.job.Membership;

/** A node's ties to a job that it has joined by its hub and the files of its directory. */
record JoinedNode(JobConfig job, Membership membership, NodeFiles files, Inquiries inquiries) implements Attachment {
    @Override
    public boolean isProcessGone(int rank) {
        return files.isProcessGone(rank);
    }

    @Override
    public void regularly(LongPredicate work) {
        membership.watch(this, work);
    }

    @Override
    public void fail() {
        Membership.fail(job.settings());
    }

    @Override
    public void leave() {
        membership.goodbye(job.rank());
    }

    @Override
    public void release() {
        membership.endWatch(this);
        files.release();
    }
}
