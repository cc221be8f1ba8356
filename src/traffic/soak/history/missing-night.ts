import type { SoakRun } from './history.js';

const hourMs = 3_600_000;
const shortestUsualHours = 24;
const latestDistances = 10;
const tolerance = 1.5;

/**
 * Says that a night is missing before this soak run; null where none is, or where fewer than three earlier runs show no period. The usual
 * distance of two runs is the second longest of the last ten, so that a pause that comes back, such as a weekend, is usual and a single gap
 * is not; it is at least a day, as several soaks of one day are no period.
 */
export function missingNight(current: SoakRun, earlier: readonly SoakRun[]): string | null {
  const alike = earlier.filter(({ conditions }) => conditions === current.conditions);
  const starts = alike.map(({ started }) => Date.parse(started)).sort((a, b) => a - b);
  const distances = starts.slice(1).map((at, index) => (at - (starts[index] ?? at)) / hourMs);
  const [, usual] = distances.slice(-latestDistances).sort((a, b) => b - a);
  if (usual === undefined) return null;
  const hours = (Date.parse(current.started) - (starts.at(-1) ?? 0)) / hourMs;
  const expected = Math.max(shortestUsualHours, usual);
  return hours <= tolerance * expected
    ? null
    : `the last soak under these conditions began ${hours.toFixed(1)} h before this one, where ${expected.toFixed(1)} h are usual`;
}
