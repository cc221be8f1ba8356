import { expect, test } from '@playwright/test';
import { eventKinds } from '../openapi/event-kinds.js';
import { liveLine } from './live-line.js';
import { showArrivals } from './show-arrivals.js';

/** A live line on a stream, whose time passes by hand. */
function open(isTTY: boolean, quiet = false) {
  const written: string[] = [];
  let tick = (): void => undefined;
  let nowMs = 0;
  const every = ((then: () => void) => {
    tick = then;
    return setTimeout(() => undefined, 0);
  }) as unknown as typeof setInterval;
  const stream = { write: (text: string) => written.push(text), isTTY, columns: 80 };
  const live = liveLine(stream, quiet, { every, now: () => nowMs });
  const pass = (seconds: number): void => {
    nowMs += seconds * 1000;
    tick();
  };
  return { live, written, pass };
}

test('a terminal shows the clock, the counts and what is waited for, once that takes two seconds', async () => {
  const { live, written, pass } = open(true);
  live.begin('3/84 LEAD-05', 'a late answer creates once');
  pass(1);
  expect(written).toEqual([]);
  Object.assign(live.activity, { requests: 1_234, refusals: 5 });
  pass(64);
  expect(written.at(-1)).toBe(
    '\r\x1b[2K  01:05  1,234 requests, 5 refused  3/84 LEAD-05 a late answer creates once'.slice(0, 5 + 79),
  );
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  const waited = live.activity.during('waits 24 s', () => promise);
  pass(3);
  expect(written.at(-1)).toContain('LEAD-05 waits 24 s');
  live.activity.say('a line that stays');
  expect(written.slice(-2)).toEqual(['\r\x1b[2K', 'a line that stays\n']);
  resolve();
  await waited;
  expect(live.activity.now).toEqual([]);
  live.end();
});

test('a terminal counts what its line has no room for, a log names all', async () => {
  const plans = ['demo', 'sandbox', 'independent', 'franchise'];
  const shown = await Promise.all(
    [true, false].map(async (isTerminal) => {
      const { live, written, pass } = open(isTerminal);
      live.begin('LIMIT-01');
      let resolve = (): void => undefined;
      const driven = new Promise<void>((done) => (resolve = done));
      const all = Promise.all(plans.map((plan) => live.activity.during(`${plan} waits 60 s`, () => driven)));
      pass(12);
      resolve();
      await all;
      return written.at(-1);
    }),
  );
  const start = '  00:12  0 requests, 0 refused  LIMIT-01 ';
  expect(shown).toEqual([
    `\r\x1b[2K${start}demo waits 60 s; and 3 more`,
    `${start}${plans.map((plan) => `${plan} waits 60 s`).join('; ')}\n`,
  ]);
});

test('a log has a line of its own each time, and a quiet run has none', () => {
  const log = open(false);
  log.live.begin('LIMIT-01');
  log.pass(10);
  expect(log.written).toEqual(['  00:10  0 requests, 0 refused  LIMIT-01\n']);
  const quiet = open(true, true);
  quiet.pass(10);
  quiet.live.activity.say('driven once more');
  expect(quiet.written).toEqual([]);
});

test('work that sends nothing is shown without counts, until it ends', () => {
  const { live, written, pass } = open(false);
  live.begin('', "writes Playwright's report");
  pass(10);
  live.end();
  expect(written).toEqual(["  00:10  writes Playwright's report\n"]);
});

test('the list shows all thirteen kinds, arrived or awaited', () => {
  let lines: string[] = [];
  const arrived = showArrivals((text) => (lines = text.trim().split('\n')));
  for (const kind of ['unit.sold', 'lead.created', 'unit.sold']) arrived(kind);
  expect(lines).toHaveLength(eventKinds.length);
  expect(lines.filter((line) => line.includes('awaited'))).toHaveLength(11);
  expect(lines.find((line) => line.includes('unit.sold'))).toMatch(/✓ unit\.sold +arrived 2 times/);
});
