import { expect, test } from '@playwright/test';
import { randomFrom } from '../../run/random.js';
import { compareSoakRuns } from '../soak/history/compare-soak-runs.js';
import { nightBands } from '../soak/history/night-bands.js';
import type { SoakRun } from '../soak/history/history.js';
import { simulatedNight, simulatedNights } from '../soak/history/simulated-night.test-kit.js';
import { renderNightsPage } from './nights-page.js';

const scene = { share: 0.03, spread: 0.015, unrest: 0.5, errorShare: 0.001 };

/** Nine nights as usual and one of another kind, on days of their own. */
function history(last: { readonly factor?: number; readonly errorShare?: number }): SoakRun[] {
  const random = randomFrom(3);
  const runs = [...simulatedNights(9, scene, random), simulatedNight(9, { ...scene, ...last }, random)];
  return runs.map((run, day) => ({ ...run, started: new Date(Date.UTC(2026, 0, 1 + day, 2)).toISOString() }));
}

function bandsOf(runs: readonly SoakRun[]) {
  const [current, ...before] = [...runs].reverse();
  if (current === undefined) throw new Error('no night');
  return nightBands(current, before.reverse());
}

test('a night outside its bounds is reported by the comparison, and one inside is not', () => {
  for (const factor of [1, 1.4, 0.6]) {
    const runs = history({ factor });
    const tonight = bandsOf(runs).at(-1);
    const { value, lower, upper } = tonight?.latency.p95 ?? { value: null, lower: null, upper: null };
    expect(lower).toBeLessThan(upper ?? 0);
    expect((value ?? 0) > (upper ?? 0)).toBe(factor > 1);
    expect((value ?? 0) < (lower ?? 0)).toBe(factor < 1);
    const verdict = factor === 1 ? 'cannot tell' : factor > 1 ? 'slower' : 'faster';
    expect(tonight?.comparison).toEqual(compareSoakRuns(runs[9] as SoakRun, runs.slice(0, 9)));
    expect(tonight?.comparison.verdict).toBe(verdict);
  }
  const { errors, comparison } = bandsOf(history({ errorShare: 0.03 })).at(-1) ?? {};
  expect(errors?.value).toBeGreaterThan(errors?.upper ?? 1);
  expect(comparison?.moreErrors).toContain('of the requests failed');
});

test('the first nights have no bounds, and the page marks and links nights', () => {
  const nights = bandsOf(history({ factor: 1.4 }));
  expect(nights.findIndex(({ latency }) => latency.p99.upper !== null)).toBe(4);
  expect(nights.filter(({ latency }) => latency.p99.upper !== null)).toHaveLength(6);
  const page = renderNightsPage({
    name: '<b>x</b>',
    plan: 'independent',
    nights,
    pageOf: (night) => `nights/${night.run.started}.html`,
  });
  expect(page).toContain('<h1>Tonight: slower</h1>');
  expect(page).not.toContain('<b>x</b>');
  for (const { run } of nights) expect(page).toContain(`<a href="nights/${run.started}.html">${run.started}</a>`);
  expect(page.match(/<strong>slower<\/strong>/g)).toHaveLength(1);
  expect(page.match(/no change reported/g)).toHaveLength(9);
  expect(page).not.toMatch(/(src|href)="https?:/);
});
