import { wholeNumber } from './headers/fields.js';
import type { TraceOutcome, TraceRecord } from './trace.js';

/** What most passes over records read. */
export interface CoreColumns {
  readonly dueMs: Float64Array;
  readonly sentMs: Float64Array;
  readonly receivedMs: Float64Array;
  /** Places in `outcomes`. */
  readonly outcome: Uint8Array;
  /** 0 where there is none. */
  readonly status: Uint16Array;
}

export const outcomes: readonly TraceOutcome[] = ['accepted', 'refused', 'other', 'failed', 'timeout', 'unsent'];
export const [accepted, refused, other, failed, timeout, unsent] = [0, 1, 2, 3, 4, 5] as const;

/** The headers that are read as codes. */
export type TextField = 'limit' | 'remaining' | 'reset' | 'retryAfter';

/** The texts behind codes: 0 is none, n + 1 the whole number n, and what is below zero a place in a list. */
export class TextTable {
  readonly #texts: string[] = [];
  readonly #codes = new Map<string, number>();

  codeOf(text: string | undefined): number {
    if (text === undefined) return 0;
    if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text) + 1;
    const code = this.#codes.get(text) ?? -this.#texts.push(text);
    this.#codes.set(text, code);
    return code;
  }

  textOf(code: number): string | undefined {
    return code > 0 ? String(code - 1) : this.#texts[-1 - code];
  }

  /** The whole number that a text says, or NaN. */
  numberOf(code: number): number {
    return code > 0 ? code - 1 : (wholeNumber(this.#texts[-1 - code] ?? '') ?? NaN);
  }
}

function emptyCore(length: number): CoreColumns {
  const instants = (): Float64Array => new Float64Array(length);
  const bytes = { outcome: new Uint8Array(length), status: new Uint16Array(length) };
  return { dueMs: instants(), sentMs: instants(), receivedMs: instants(), ...bytes };
}

function setCore(core: CoreColumns, k: number, record: TraceRecord): void {
  core.dueMs[k] = record.dueMs;
  core.sentMs[k] = record.sentMs;
  core.receivedMs[k] = record.receivedMs;
  core.outcome[k] = outcomes.indexOf(record.outcome);
  core.status[k] = record.status ?? 0;
}

/** The columns of records that judges read. */
export function coreOf(records: readonly TraceRecord[]): CoreColumns {
  const core = emptyCore(records.length);
  let k = 0;
  for (const record of records) setCore(core, k++, record);
  return core;
}

/** One header of records, and the table of its codes. */
export function codesOf(records: readonly TraceRecord[], field: TextField): { codes: Int32Array; table: TextTable } {
  const table = new TextTable();
  return { codes: Int32Array.from(records, (record) => table.codeOf(record[field])), table };
}
