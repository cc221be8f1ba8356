import type { HeaderLine } from '../../http/exchange.js';
import type { Transport } from '../../http/transport.js';

/** The common clock less the local one lies between these, in milliseconds. */
export interface ClockOffset {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** One look at the common clock: it showed something between `fromMs` and `toMs` at an instant between `sentMs` and `receivedMs` here. */
export interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A source of readings; the service's own `Date` where no clock is named. */
export interface CommonClock {
  readonly url: string;
  readonly isDate: boolean;
}

/** How the clock of a generator is read. Tests set it wrong. */
export type LocalClock = () => number;

/** Milliseconds since 1970, of a clock that no correction of the system's time moves while this process lasts. */
export const localClock: LocalClock = () => performance.timeOrigin + performance.now();

function offsetOf({ sentMs, receivedMs, fromMs, toMs }: ClockReading): ClockOffset {
  return { leastMs: fromMs - receivedMs, mostMs: toMs - sentMs };
}

/** Everything that one of the offsets admits. */
export function hullOf(offsets: readonly ClockOffset[]): ClockOffset {
  return {
    leastMs: Math.min(...offsets.map(({ leastMs }) => leastMs)),
    mostMs: Math.max(...offsets.map(({ mostMs }) => mostMs)),
  };
}

/**
 * The offset that readings show. Of a clock, the quickest answer tells most. Dates are whole seconds, and servers of one service may differ:
 * what all of them admit counts, or what any does where they contradict each other, and that the local clock may be the right one.
 */
export function offsetFrom(readings: readonly ClockReading[], isDate: boolean): ClockOffset {
  const offsets = readings.map(offsetOf);
  const width = ({ leastMs, mostMs }: ClockOffset): number => mostMs - leastMs;
  const [best] = [...offsets].sort((a, b) => width(a) - width(b));
  if (best === undefined) throw new RangeError('expected a reading of the clock');
  if (!isDate) return best;
  const common = {
    leastMs: Math.max(...offsets.map(({ leastMs }) => leastMs)),
    mostMs: Math.min(...offsets.map(({ mostMs }) => mostMs)),
  };
  return hullOf([common.leastMs <= common.mostMs ? common : hullOf(offsets), { leastMs: 0, mostMs: 0 }]);
}

/** What a generator takes as the common clock until its run ends: the middle. */
export const middleOf = ({ leastMs, mostMs }: ClockOffset): number => (leastMs + mostMs) / 2;
export const uncertaintyOf = ({ leastMs, mostMs }: ClockOffset): number => (mostMs - leastMs) / 2;

const looks = 12;
const timeoutMs = 5_000;
const maxBytes = 8e6;
/** Looks at whole seconds are spread over one. */
const betweenDatesMs = 83;
/** Servers keep the text of a date for up to a second. */
const dateStepMs = 2_000;

/** What one answer shows of the clock, or null. */
export function shownBy(text: string, date: string | null, isDate: boolean): readonly [number, number] | null {
  if (isDate) {
    const fromMs = Date.parse(date ?? '');
    return Number.isNaN(fromMs) ? null : [fromMs, fromMs + dateStepMs];
  }
  const unixMs = /^\{"unixMs":(\d{12,14}(?:\.\d+)?)\}$/.exec(text.trim())?.[1];
  return unixMs === undefined ? null : [Number(unixMs), Number(unixMs)];
}

/** Looks at the common clock several times; an Error, in words that follow "because", where it shows nothing. */
export async function measureOffset(
  clock: CommonClock,
  { transport, headers = [] }: { readonly transport: Transport; readonly headers?: readonly HeaderLine[] },
  now: LocalClock = localClock,
): Promise<ClockOffset> {
  const readings: ClockReading[] = [];
  let trouble = 'it shows no time';
  for (let look = 0; look < looks; look += 1) {
    if (clock.isDate && look > 0) await new Promise((resolve) => setTimeout(resolve, betweenDatesMs));
    const sentMs = now();
    const answer = await transport.send({ url: clock.url, method: 'GET', headers, body: null, timeoutMs, maxBytes });
    const receivedMs = now();
    if (answer.failure !== null) {
      trouble = `it cannot be reached (${answer.failure.message})`;
      if (readings.length === 0 && look > 2) break;
      continue;
    }
    const date = answer.headers.find(([name]) => name === 'date')?.[1] ?? null;
    const shown = shownBy(answer.raw.toString(), date, clock.isDate);
    if (shown !== null) readings.push({ sentMs, receivedMs, fromMs: shown[0], toMs: shown[1] });
  }
  if (readings.length === 0) throw new Error(trouble);
  return offsetFrom(readings, clock.isDate);
}
