import type { Trace } from './trace.js';

/** What a scenario asked of the generator. */
export interface WantedDrive {
  /** Requests a second; null where only their number counts. */
  readonly rate: number | null;
  readonly count: number;
  /** A slot later than this is late. */
  readonly lateMs: number;
}

/** What the generator achieved; `blocked` says why the trace is not what the scenario asked for, or is null. */
export interface Drive {
  readonly sent: number;
  readonly unsent: number;
  readonly late: number;
  /** Requests a second, from the first sending to the last; null for fewer than two. */
  readonly achievedRate: number | null;
  readonly blocked: string | null;
}

/** Holds the sendings against their due times: fewer than 99 % sent, more than 2 % late or a rate over 2 % off are no test. */
export function judgeDrive(trace: Trace, wanted: WantedDrive): Drive {
  const written = trace.records.filter(({ outcome }) => outcome !== 'unsent');
  const unsent = trace.records.length - written.length;
  const late = written.filter((record) => record.sentMs - record.dueMs > wanted.lateMs).length;
  const firstMs = written.reduce((least, record) => Math.min(least, record.sentMs), Infinity);
  const lastMs = written.reduce((most, record) => Math.max(most, record.sentMs), -Infinity);
  const achievedRate =
    written.length > 1 && lastMs > firstMs ? ((written.length - 1) * 1000) / (lastMs - firstMs) : null;
  const facts = { sent: written.length, unsent, late, achievedRate };
  const figures = `${written.length} of ${wanted.count} requests left`;
  if (written.length < 0.99 * wanted.count) {
    return { ...facts, blocked: `under-driven: ${figures}, ${unsent} found no free connection` };
  }
  if (wanted.rate !== null && late > 0.02 * written.length) {
    return {
      ...facts,
      blocked: `under-driven: ${late} of ${written.length} requests left more than ${wanted.lateMs} ms late`,
    };
  }
  const off = wanted.rate === null || achievedRate === null ? 0 : Math.abs(achievedRate / wanted.rate - 1);
  if (off > 0.02) {
    return {
      ...facts,
      blocked: `driven at ${achievedRate?.toFixed(1) ?? '0'} a second instead of ${wanted.rate ?? 0}`,
    };
  }
  return { ...facts, blocked: null };
}
