package org.segno.demo.fourier;

/**
 * Discrete Fourier transform of one line, radix 2, in place. A line consists of complex numbers, real and imaginary
 * part in turn.
 */
final class LineTransform {
    private final int length;
    private final double[] cosines;
    private final double[] sines;

    /** Creates a transform of lines of {@code length} complex numbers, a power of two. */
    LineTransform(int length) {
        this.length = length;
        this.cosines = new double[length / 2];
        this.sines = new double[length / 2];
        for (int i = 0; i < length / 2; i++) {
            cosines[i] = Math.cos(2 * Math.PI * i / length);
            sines[i] = Math.sin(2 * Math.PI * i / length);
        }
    }

    /** Transforms the line that begins at {@code start}, an index of {@code line}. */
    void forward(double[] line, int start) {
        reorder(line, start);
        butterflies(line, start, -1);
    }

    /** Inverts {@link #forward}. */
    void backward(double[] line, int start) {
        reorder(line, start);
        butterflies(line, start, 1);
        for (int i = start; i < start + 2 * length; i++) {
            line[i] /= length;
        }
    }

    private void reorder(double[] line, int start) {
        for (int i = 1, mirrored = 0; i < length; i++) {
            int bit = length >> 1;
            while ((mirrored & bit) != 0) {
                mirrored ^= bit;
                bit >>= 1;
            }
            mirrored |= bit;
            if (i < mirrored) {
                swap(line, start + 2 * i, start + 2 * mirrored);
                swap(line, start + 2 * i + 1, start + 2 * mirrored + 1);
            }
        }
    }

    private static void swap(double[] line, int one, int other) {
        final double kept = line[one];
        line[one] = line[other];
        line[other] = kept;
    }

    private void butterflies(double[] line, int start, int sign) {
        for (int half = 1; half < length; half *= 2) {
            final int step = length / (2 * half);
            for (int first = 0; first < length; first += 2 * half) {
                for (int i = 0; i < half; i++) {
                    final double real = cosines[i * step];
                    final double imaginary = sign * sines[i * step];
                    final int low = start + 2 * (first + i);
                    final int high = low + 2 * half;
                    final double turnedReal = line[high] * real - line[high + 1] * imaginary;
                    final double turnedImaginary = line[high] * imaginary + line[high + 1] * real;
                    line[high] = line[low] - turnedReal;
                    line[high + 1] = line[low + 1] - turnedImaginary;
                    line[low] += turnedReal;
                    line[low + 1] += turnedImaginary;
                }
            }
        }
    }
}
