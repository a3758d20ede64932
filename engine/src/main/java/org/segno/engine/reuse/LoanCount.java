package org.segno.engine.reuse;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Count of the quiet points of a context's loans, by which a closer knows that no loan was claimed before its disabling
 * and is still open. It lies beside the counts of the node's engines, and closers read both alike. Used by the thread
 * that holds the context.
 *
 * <p>A claim begins with a full fence, after which it checks the counter. Therefore either a closer, which disables the
 * counter, executes a full fence and reads the count, reads the last count before the claim, or the claim finds the
 * counter disabled. The end of a loan is a release: what the application wrote before is in memory.
 *
 * <p>While no loan is open the count <em>rests</em>, as that of an engine does. Otherwise loans that overlap for ever
 * must not keep a closer waiting for ever. So a loan belongs to the present epoch or to the previous one. When the last
 * loan of the previous epoch ends, the present one becomes the previous one, and the count increases. Of the loans
 * claimed before a closer reads the count, none is open once the count is two higher.
 *
 * <pre>
 *  offset  length  field   meaning                                                         written by   access
 *       0       8  count   0 if there was no loan yet, epochs and rests from 1 on with or  application  release
 *                          without {@link QuietCount#RESTING}
 *       8     120  reserved
 *     128          QUIET_COUNT_LENGTH
 * </pre>
 */
public final class LoanCount {
    private final Memory memory;
    private final long offset;
    private final int[] open = new int[2];
    private long count;

    /** Index of the present epoch. */
    private int present;

    /** Creates the count of the loans of context {@code context} of a node, of which there are none yet. */
    public LoanCount(NodeMemory node, int context) {
        this.memory = node.owner();
        this.offset = node.loanCountOffset(context);
    }

    /** Begins a loan, before anything is checked or written for it. Returns its epoch, for {@link #end}. */
    public int begin() {
        if (open[0] + open[1] == 0) {
            // A closer may read this count without having read the one before: it also releases the loans before.
            memory.putLongRelease(offset, ++count);
        }
        // The count must precede every load of the claim: see the class comment.
        memory.fullFence();
        open[present]++;
        return present;
    }

    /** Ends a loan of this epoch, after the application's last access to its memory. */
    public void end(int epoch) {
        open[epoch]--;
        if (open[0] + open[1] == 0) {
            memory.putLongRelease(offset, ++count | QuietCount.RESTING);
        } else if (open[1 - present] == 0) {
            present = 1 - present;
            memory.putLongRelease(offset, ++count);
        }
    }
}
