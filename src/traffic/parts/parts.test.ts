import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { atMost, randomFrom } from '../../../testing/limiter-simulators/test-kit.js';
import { simulateParts } from '../../../testing/simulated-drives/simulated-parts.test-kit.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { offsetFrom } from './clock-offset.js';
import { judgeParts } from './judge-parts.js';
import { assertOneRun, mergeParts, poorShare } from './merge-parts.js';
import { partSchedule, scheduleSeconds, shareOf } from './part-schedule.js';
import { decodePart, encodePart, headerOf, partRun, type PartRun, type PartTrace } from './part-trace.js';

const limits = [atMost(60, 6), atMost(30, 0.5)];

const drawn = (parts: number): PartTrace[] =>
  simulateParts({
    limits,
    parts,
    decide: () => false,
    skewMs: 0,
    drift: 0,
    jitterMs: 1,
    looks: 1,
    random: randomFrom(1),
  });

test('the shares of all generators are the slots of the schedule, each once and in turn', () => {
  for (const parts of [1, 2, 3, 8])
    for (const segment of partSchedule(limits, parts)) {
      const slots = Array.from({ length: parts }, (_, k) => shareOf(segment, k + 1, parts)).flatMap((share, k) =>
        Array.from({ length: share.count }, (_one, at) => ({
          part: k,
          atSeconds: share.atSeconds + at / share.ratePerSecond,
        })),
      );
      slots.sort((a, b) => a.atSeconds - b.atSeconds);
      expect(slots).toHaveLength(segment.count);
      const astray = slots.filter(
        ({ part, atSeconds }, at) =>
          part !== at % parts || Math.abs(atSeconds - segment.atSeconds - at / segment.ratePerSecond) > 1e-6,
      );
      expect(astray).toEqual([]);
    }
});

test('the schedule of the Independent plan takes five minutes with one rest of two windows, and eight with two from three generators on', () => {
  for (const [parts, minutes, count] of [
    [1, 5, 1],
    [2, 5, 1],
    [3, 8, 2],
    [8, 8, 2],
  ] as const) {
    const schedule = partSchedule([atMost(600, 60), atMost(100, 1)], parts);
    expect(scheduleSeconds(schedule)).toBeLessThan(60 * minutes);
    const rests = schedule.map(({ atSeconds }, at) => {
      const before = schedule[at - 1];
      return before === undefined ? 0 : atSeconds - before.atSeconds - before.count / before.ratePerSecond;
    });
    expect(rests.filter((seconds) => seconds > 120)).toHaveLength(count);
  }
});

test('a large plan is sent whole by any number of generators, and its bursts exceed its limits', () => {
  for (const parts of [1, 3, 8]) {
    const schedule = partSchedule([atMost(1_200_000, 60), atMost(20_000, 1)], parts);
    expect(schedule.every(({ count, ratePerSecond }) => count < 1e7 && ratePerSecond > 0)).toBe(true);
    const bursts = schedule.filter(({ step }) => step.kind === 'fast' && step.scenario === 'burst');
    expect(bursts.map(({ count, ratePerSecond }) => [ratePerSecond, count / ratePerSecond < 60 / 4])).toEqual([
      [60_000, true],
    ]);
  }
});

test('a clock is known to half the quickest round trip; dates to a second, and the own clock may be the right one', () => {
  const quick = { sentMs: 100, receivedMs: 102, fromMs: 5_101, toMs: 5_101 };
  const slow = { sentMs: 200, receivedMs: 260, fromMs: 5_205, toMs: 5_205 };
  expect(offsetFrom([slow, quick], false)).toEqual({ leastMs: 4_999, mostMs: 5_001 });
  const dates = [
    { sentMs: 100, receivedMs: 110, fromMs: 2_000, toMs: 4_000 },
    { sentMs: 900, receivedMs: 910, fromMs: 3_000, toMs: 5_000 },
  ];
  expect(offsetFrom(dates, true)).toEqual({ leastMs: 0, mostMs: 3_900 });
});

test('every record is moved by the offset of its generator, and widened by what is not known of it', () => {
  const [first, second] = drawn(2);
  if (first === undefined || second === undefined) throw new Error('two parts were drawn');
  const clock = { before: { leastMs: 900, mostMs: 1_000 }, after: { leastMs: 950, mostMs: 1_300 } };
  const skewed = { ...second, header: { ...second.header, clock } };
  const { trace, generators } = mergeParts([first, skewed]);
  const moved = trace.conducted.records.filter((_, at) => generators[at] === 2);
  const own = [...second.records].sort((a, b) => a.sentMs - b.sentMs);
  expect(moved).toHaveLength(own.length);
  const last = moved.at(-1);
  expect(last?.sentMs).toBeCloseTo((own.at(-1)?.sentMs ?? 0) + 900, 3);
  expect(last?.receivedMs).toBeCloseTo((own.at(-1)?.receivedMs ?? 0) + 1_300, 3);
  expect(trace.conducted.records.map(({ index }) => index)).toEqual([...Array(trace.conducted.records.length).keys()]);
});

/** Records of every kind, with numbers and texts in their headers. */
function varied(part: PartTrace, random: () => number): PartTrace {
  const none = { status: null, receivedMs: Infinity } as const;
  const kinds: readonly Partial<TraceRecord>[] = [
    { outcome: 'accepted', status: 204, limit: '60, 60;w=6', remaining: '17', reset: '0' },
    { outcome: 'refused', status: 429, remaining: '007', retryAfter: 'Fri, 01 Jan 2027 00:00:00 GMT' },
    { outcome: 'other', status: 503, reset: '2147483648', retryAfter: '-1' },
    { outcome: 'failed', ...none },
    { outcome: 'timeout', ...none },
    { outcome: 'unsent', ...none },
  ];
  const records = part.records.map((record) => ({ ...record, ...kinds[Math.floor(random() * kinds.length)] }));
  return { ...part, records };
}

test('a trace is read as it was written, but for parts of a microsecond that widen it; anything else is not', () => {
  const [drawnPart] = drawn(2);
  if (drawnPart === undefined) throw new Error('two parts were drawn');
  const part = varied(drawnPart, randomFrom(2));
  const bytes = encodePart(part);
  const read = decodePart(part.file, () => bytes);
  if (read === null) throw new Error('a trace is read');
  expect(read.header).toEqual(part.header);
  const [before, after] = [[...part.records], [...read.records]];
  const instants = { dueMs: 0, sentMs: 0, receivedMs: 0 };
  expect(after.map((one) => ({ ...one, ...instants }))).toEqual(before.map((one) => ({ ...one, ...instants })));
  for (const [k, one] of before.entries()) {
    const [sentMs, receivedMs] = [after[k]?.sentMs ?? NaN, after[k]?.receivedMs ?? NaN];
    expect(sentMs <= one.sentMs && sentMs > one.sentMs - 0.002).toBe(true);
    expect(receivedMs >= one.receivedMs && (receivedMs < one.receivedMs + 0.002 || receivedMs === Infinity)).toBe(true);
  }
  expect(encodePart(read).equals(bytes)).toBe(true);
  const lines = gunzipSync(bytes).toString().split('\n');
  const without = (at: number): Buffer => gzipSync(lines.filter((_, k) => k !== at).join('\n'));
  const otherLimits = gzipSync(lines.join('\n').replace('"count":60', '"count":61'));
  for (const damaged of [
    bytes.subarray(0, -9),
    without(0),
    without(5),
    gzipSync(lines.with(5, '1\t2\tx\t200').join('\n')),
    gzipSync(`${lines.join('\n')}1\t2\t3\t200\n`),
    otherLimits,
    Buffer.from('{}'),
    Buffer.alloc(0),
  ])
    expect(decodePart('x', () => damaged)).toBeNull();
});

test('parts of other runs are refused in one sentence that says what differs', () => {
  const parts = drawn(2);
  const [one, two] = parts;
  if (one === undefined || two === undefined) throw new Error('two parts were drawn');
  const changed = (change: Partial<PartRun>, key = 'key'): PartTrace => {
    const { format: _, identity: __, run, ...rest } = two.header;
    return { ...two, header: headerOf(partRun({ ...run, ...change }, key), rest) };
  };
  const cases: readonly (readonly [PartTrace, RegExp])[] = [
    [
      changed({ target: 'http://127.0.0.1:2' }),
      /the target differs \(http:\/\/127\.0\.0\.1:2 and http:\/\/127\.0\.0\.1:1\)/,
    ],
    [changed({ plan: 'franchise' }), /the plan differs \(franchise and independent\)/],
    [changed({ limits: [atMost(61, 6)] }), /the limits differs \(61\/6s and 60\/6s,30\/0\.5s\)/],
    [changed({ startMs: 1_800_000_000_001 }), /the start differs/],
    [changed({}, 'another'), /the key differs; expected the parts of one run\.$/],
  ];
  for (const [other, sentence] of cases) expect(() => assertOneRun([one, other])).toThrow(sentence);
  expect(() => assertOneRun([])).toThrow(/no trace is given/);
  expect(() => assertOneRun(parts)).not.toThrow();
});

test('a generator that sends too little or too late leaves the run unjudged', () => {
  const [one, two] = drawn(2);
  if (one === undefined || two === undefined) throw new Error('two parts were drawn');
  const changed = (change: (record: TraceRecord) => object): PartTrace => ({
    ...two,
    records: two.records.map((record) => ({ ...record, ...change(record) })),
  });
  const silent = changed(() => ({ outcome: 'unsent' }));
  const late = changed(({ sentMs, receivedMs }) => ({ sentMs: sentMs + 400, receivedMs: receivedMs + 400 }));
  expect(poorShare(two)).toBeNull();
  expect(poorShare(silent)).toMatch(/^part 2 of 2 \(g2\): too little load in/);
  expect(poorShare(late)).toMatch(/^part 2 of 2 \(g2\): \d+ of \d+ requests of \w+ were sent more than 125 ms late$/);
  expect(judgeParts([one, silent], { model: 'auto', lateMs: 100 }).weak.beyond).toContain('part 2 of 2');
});

test('where a clock is not known well enough, that nothing is found is no pass', () => {
  const [one, two] = drawn(2);
  if (one === undefined || two === undefined) throw new Error('two parts were drawn');
  const known = (ms: number): PartTrace => {
    const offset = { leastMs: -ms, mostMs: ms };
    return { ...two, header: { ...two.header, clock: { before: offset, after: offset } } };
  };
  const weakOf = (part: PartTrace): string => {
    const { within, beyond } = judgeParts([one, part], { model: 'auto', lateMs: 100 }).weak;
    return [within, beyond].join();
  };
  expect(weakOf(known(500))).toMatch(
    /^the clock of part 2 of 2 \(g2\) is known to 500 ms only, .*use --clock \(k6: CLOCK\),the clock of part 2/,
  );
  expect(weakOf(known(20))).not.toContain('clock');
});
