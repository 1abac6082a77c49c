#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finds the period of a series of bins slowly and clearly, as the section CYCLES of iotrace-analyze(1) defines it.

Docstrings state the choices where the page is silent. The order of floating-point operations matters where a value decides between
two results, so sums are added from the first to the last term.
"""
import math
from itertools import groupby
from operator import mul

LAGS, PHASES, SURROGATES, CHANCE_BINS = 32, 64, 99, 2048
MASK = (1 << 64) - 1


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def runs_of(flags):
    at, result = 0, []
    for flag, group in groupby(flags):
        n = len(list(group))
        if flag:
            result.append((at, at + n))
        at += n
    return result


def bursts_of(bins):
    """Returns [begin, end) of each burst."""
    positive = [v for v in bins if v]
    if not positive:
        return []
    limit = lower_median(positive)
    found = runs_of(10 * v > limit for v in bins)
    if len(found) < 2:
        return found
    gap = lower_median([b[0] - a[1] for a, b in zip(found, found[1:])])
    joined = found[:1]
    for begin, end in found[1:]:
        if 5 * (begin - joined[-1][1]) < gap:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    return joined


def differences(bins):
    """Returns the differences from the mean."""
    mean = sum(bins) / len(bins)
    return [v - mean for v in bins]


def correlation(d, lag, variance):
    """Of differences from the mean; a sum over fewer terms at a longer lag counts as if it had all."""
    return sum(map(mul, d, d[lag:])) / variance * (len(d) / (len(d) - lag))


def correlations(bins):
    """Returns r(0) ... r(35), or None if all bins are equal."""
    d = differences(bins)
    variance = sum(map(mul, d, d))
    if variance <= 0:
        return None
    return [correlation(d, k, variance) if k else 1.0 for k in range(LAGS + 4)]


def smooth(r):
    """From index 2 on; the first two remain."""
    return r[:2] + [(r[k - 2] + 2 * r[k - 1] + 3 * r[k] + 2 * r[k + 1] + r[k + 2]) / 9 for k in range(2, len(r) - 2)]


def vertex(left, middle, right):
    bend = left - 2 * middle + right
    return (left - right) / (2 * bend) if bend < 0 else 0.0


class Peak:
    def __init__(self, r, k, octave, narrow):
        self.k, self.octave, self.narrow, self.height = k + vertex(*r[k - 1:k + 2]), octave, narrow, r[k]
        self.lag = self.k * 2**octave


def peaks_of(r, n, octave, narrow, shortest):
    """Reading: a peak is higher than the lag before it, and at least as high as the one after it."""
    after = next((k for k in range(2, LAGS) if r[k] <= 0), LAGS)
    for k in range(max(after + 1, 4 if octave == 0 else 8), LAGS):
        if 3 * k < n and r[k - 1] < r[k] >= r[k + 1] and r[k] > (0.5 if narrow else 0):
            peak = Peak(r, k, octave, narrow)
            if peak.lag >= shortest:
                yield peak


def octaves(bins):
    """Yields the sums of 1, 2, 4 ... bins; a rest at the end is left out."""
    octave, sums = 0, bins
    while len(sums) >= 48:
        yield octave, sums
        octave, sums = octave + 1, [sums[i] + sums[i + 1] for i in range(0, len(sums) - 1, 2)]


def all_peaks(bins, most, shortest):
    found = []
    for octave, sums in octaves(bins):
        r = correlations(sums) if len(sums) <= most else None
        if r:
            found += peaks_of(smooth(r), len(sums), octave, False, shortest)
    return found


def highest(peaks):
    return max((p.height for p in peaks), default=0.0)


def refined(peak, bins):
    """Reading: the lag with the highest correlation within a quarter of the period of 2, 4, 8 ... periods; ties: the smaller lag."""
    sums = dict(octaves(bins))[peak.octave]
    d, period, times = differences(sums), peak.k, 2
    variance = sum(map(mul, d, d))
    while 3 * times * period < len(d):
        first, last = int(times * period - period / 4), int(times * period + period / 4)
        r = [correlation(d, lag, variance) for lag in range(first - 3, last + 4)]
        s = r if peak.narrow else smooth(r)
        best = max(range(3, last - first + 4), key=lambda k: (s[k], -k))
        if s[best] < peak.height / 2:
            break
        period = (first + best - 3 + vertex(*s[best - 1:best + 2])) / times
        times *= 2
    return period * 2**peak.octave


class Random:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31

    def below(self, limit):
        return self.next() * limit >> 64

    def normal(self):
        r = self.next()
        return ((r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48) - 131070) / 37837.227103384336


def shuffled(bins, bursts, random):
    """The bursts in random order (Fisher and Yates, from the last one on), the other bins divided at random cuts."""
    idle = [i for i, inside in enumerate(inside_of(bins, bursts)) if not inside]
    filler = sum(bins[i] for i in idle) / len(idle) if idle else 0.0
    while True:
        order = list(range(len(bursts)))
        for i in range(len(order), 1, -1):
            k = random.below(i)
            order[i - 1], order[k] = order[k], order[i - 1]
        cuts = sorted(random.below(len(idle) + 1) for _ in order)
        result = []
        for burst, before, cut in zip(order, [0, *cuts], cuts):
            result += [filler] * (cut - before) + bins[slice(*bursts[burst])]
        yield result + [filler] * (len(bins) - len(result))


def inside_of(bins, bursts):
    inside = [False] * len(bins)
    for begin, end in bursts:
        inside[begin:end] = [True] * (end - begin)
    return inside


def noise(bins, random):
    """First-order autoregressive; the first value has the deviation of all."""
    d = differences(bins)
    mean, squares = sum(bins) / len(bins), sum(map(mul, d, d))
    deviation, persistence = math.sqrt(squares / len(bins)), sum(map(mul, d, d[1:])) / squares
    step = deviation * math.sqrt(1 - persistence * persistence)
    while True:
        result, at = [], deviation * random.normal()
        for _ in bins:
            result.append(mean + at)
            at = persistence * at + step * random.normal()
        yield result


def is_significant(bins, bursts, dense, height, shortest):
    source = noise(bins, Random(1)) if dense else shuffled(bins, bursts, Random(1))
    return all(highest(all_peaks(next(source), CHANCE_BINS, shortest)) < height for _ in range(SURROGATES))


def by_intervals(bins, bursts):
    """Returns the period, or None, and the dispersion. Readings: medians are lower medians, the deviation is that of the population."""
    intervals = [float(b[0] - a[0]) for a, b in zip(bursts, bursts[1:])]
    m = len(intervals)
    mean = sum(intervals) / m
    variation = math.sqrt(sum((v - mean) * (v - mean) for v in intervals) / m) / mean
    if variation <= (0.36 if m >= 10 else min(0.36, 0.04 * (m - 1))) and 2 * sum(intervals) >= len(bins):
        return mean, variation
    if m >= 8:
        median = lower_median(intervals)
        unit = 1.4826 * lower_median([abs(v - median) for v in intervals])
        near = [v for v in intervals if abs(v - median) <= 3 * unit + 1]
        if unit <= 0.2 * median and 4 * len(near) >= 3 * m and 2 * sum(near) >= len(bins):
            return sum(near) / len(near), unit / median
    return None, variation


def find(bins, events=None):
    """Returns method, period in bins (a multiple of 2^-16), correlation, significance, dispersion, and the temporal pattern.

    Reading: a period is at least the time from the first to the last bin of a burst, if dense of all bins, divided by the events, if
    their number is known, and candidates at least half of it; one of intervals needs as many events as there are bursts.
    """
    result = {"method": "none", "period": None, "correlation": None, "p": None, "dispersion": None, "pattern": None, "span": None}
    if len(bins) < 48 or not any(bins):
        return result
    bursts = bursts_of(bins)
    cap = min(2 * lower_median([v for v in bins if v]), MASK)
    capped = [float(min(v, cap)) for v in bins]
    most = max(capped)
    dense = 4 * sum(20 * v > most for v in capped) > 3 * len(bins)
    result["pattern"] = "steady" if dense else "bursty"
    if not dense and len(bursts) < 4:
        return result
    span = len(bins) if dense else bursts[-1][1] - bursts[0][0]
    per_event = 0.0 if events is None else span / events if events else math.inf
    peaks = all_peaks(capped, len(capped), per_event / 2)
    height = highest(peaks)
    result["correlation"] = height or None
    period, main = None, main_bursts(bins, bursts)
    if height >= 0.3 and is_significant(capped, bursts, dense, height, per_event / 2):
        r = correlations(capped)
        peaks += peaks_of(r, len(capped), 0, True, per_event / 2) if r else []
        least = min((p for p in peaks if p.height >= 0.8 * height), key=lambda p: p.lag)
        period = refined(least, capped)
        starts = [burst[0] for burst in main]
        if not dense and len(main) >= 4 and all(abs(b - a - period) <= period / 4 for a, b in zip(starts, starts[1:])):
            period = (starts[-1] - starts[0]) / (len(starts) - 1)
        period = period if math.floor(period * 65536 + 0.5) / 65536 >= per_event else None
        result.update(method="autocorrelation" if period else "none", p=0.01)
    if not period and not dense and len(main) >= 4 and (events is None or events >= len(bursts)):
        period, result["dispersion"] = by_intervals(bins, main)
        result["method"] = "intervals" if period else "none"
    period = period and math.floor(period * 65536 + 0.5) / 65536
    if period:
        result.update(period=period, pattern="periodic", span=(0, int(len(bins) / period + 1 / PHASES)) if dense else span_of(main, period))
    return result


# The cycles of a period

def until(bins, sums, time):
    at = int(time)
    if time <= 0:
        return 0.0
    return sums[at] + (time - at) * bins[at] if at < len(bins) else sums[-1]


def main_bursts(bins, bursts):
    """Leaves out bursts at both ends with less than half of the amount of the burst that contains the middle of the sum, in order of amount.

    Readings: amounts are limited to 64 bits, halves are rounded down.
    """
    amounts_ = [min(sum(bins[begin:end]), MASK) for begin, end in bursts]
    before, middle = 0, 0
    for middle in sorted(amounts_):
        before += middle
        if 2 * before >= sum(amounts_):
            break
    enough = [i for i, v in enumerate(amounts_) if v >= middle // 2]
    return bursts[enough[0]:enough[-1] + 1]


def span_of(bursts, period):
    """Returns the bin at which the first cycle begins, and the number of cycles: from the first to the last burst."""
    first, last = bursts[0], bursts[-1]
    length = lower_median([end - begin for begin, end in bursts])
    lead = int((period - length) / 2) if length < period else 0
    within = int((last[1] - last[0]) / period + 0.25)
    return first[0] - lead, int((last[0] - first[0]) / period + 0.25) + max(within, 1)


def cycles_of(bins, period, span):
    """Returns the amounts of each cycle in 64 phases. Reading: an amount is spread evenly over its bin."""
    sums = [0.0]
    for v in bins:
        sums.append(sums[-1] + v)
    origin, count = span
    at = [until(bins, sums, origin + i * (period / PHASES)) for i in range(count * PHASES + 1)]
    return [[b - a for a, b in zip(at[c:], at[c + 1:c + PHASES + 1])] for c in range(0, count * PHASES, PHASES)]


def pearson(a, b):
    """0 if either is constant, except for rounding."""
    def differ(values):
        mean = sum(values) / PHASES
        d = [v - mean for v in values]
        return None if sum(map(mul, d, d)) <= 1e-12 * PHASES * mean * mean else d

    a, b = differ(a), differ(b)
    return sum(map(mul, a, b)) / math.sqrt(sum(map(mul, a, a)) * sum(map(mul, b, b))) if a and b else 0.0


def window(cycle):
    squares = [v * v for v in cycle] * 2
    return next(w for w in range(1, PHASES + 1) if any(sum(squares[i:i + w]) >= 0.95 * sum(squares[:PHASES]) for i in range(PHASES)))


def shape(bins, period, span):
    """Reading: quartiles and the median are values of a cycle, the lower one of two."""
    cycles = cycles_of(bins, period, span)
    n, phases = len(cycles), list(zip(*cycles))
    mean = [sum(values) / n for values in phases]
    widths = [window(cycle) for cycle in cycles if any(cycle)]
    return {"cycles": n, "similarity": sum(pearson(cycle, mean) for cycle in cycles) / n,
            "duty": lower_median(widths) / PHASES if widths else None, "profile": mean,
            "profile_low": [sorted(values)[(n - 1) // 4] for values in phases],
            "profile_high": [sorted(values)[(3 * n - 1) // 4] for values in phases]}


def amounts(bins, period, span):
    """The mean and the variation of the amounts of the cycles; a bin belongs to the cycle in which it starts."""
    origin, n = span
    sums = [0.0] * n
    for i, v in enumerate(bins):
        if i >= origin and int((i - origin) / period) < n:
            sums[int((i - origin) / period)] += v
    mean = sum(sums) / n
    return {"mean": mean, "cv": math.sqrt(sum((v - mean) * (v - mean) for v in sums) / n) / mean if mean else None}
