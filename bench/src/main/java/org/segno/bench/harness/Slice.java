package org.segno.bench.harness;

/** One measured slice with the probes before and after it. */
public final class Slice {
    private final int experiment;
    private final double probeBeforeNs;
    private final double probeAfterNs;
    private final double[] figures;

    /** Creates a slice of an experiment, by its index in the plan, from the probes and the raw figures. */
    public Slice(int experiment, double probeBeforeNs, double probeAfterNs, double[] figures) {
        this.experiment = experiment;
        this.probeBeforeNs = probeBeforeNs;
        this.probeAfterNs = probeAfterNs;
        this.figures = figures.clone();
    }

    /** Returns the same slice of a list in which the experiment has another index. */
    public Slice of(int experimentIndex) {
        return new Slice(experimentIndex, probeBeforeNs, probeAfterNs, figures);
    }

    /** Returns the index of the experiment in the plan. */
    public int experiment() {
        return experiment;
    }

    /** Returns the mean of the probes before and after, in ns one way. */
    public double probeNs() {
        return (probeBeforeNs + probeAfterNs) / 2;
    }

    /** Returns the raw figure of a metric. */
    public double figure(int metricIndex) {
        return figures[metricIndex];
    }

    /** Returns the distance of the two cores during the slice. */
    public Distance distance() {
        final Distance before = Distance.of(probeBeforeNs);
        return before == Distance.of(probeAfterNs) ? before : Distance.MIXED;
    }
}
