import { wholeNumber } from './headers/fields.js';
import type { TraceOutcome, TraceRecord, TraceRecords } from './trace.js';

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

/** The headers that a trace in columns keeps. */
export const textFields = ['limit', 'remaining', 'reset', 'retryAfter'] as const;
export type TextField = (typeof textFields)[number];

/** All that is kept of records: 43 bytes each. Headers are codes of one table. */
export type Columns = CoreColumns & Readonly<Record<TextField, Int32Array>>;

/** The texts behind codes: 0 is none, n + 1 the whole number n, and what is below zero a place in a list. */
export class TextTable {
  readonly #texts: string[] = [];
  readonly #codes = new Map<string, number>();

  /** How many texts it holds. */
  get size(): number {
    return this.#texts.length;
  }

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

/** The columns of records that judges read, made where they are not at hand. */
export function coreOf(records: TraceRecords): CoreColumns {
  if (records instanceof RecordColumns) return records.columns;
  const core = emptyCore(records.length);
  let k = 0;
  for (const record of records) setCore(core, k++, record);
  return core;
}

/** One header of records, and the table of its codes. */
export function codesOf(records: TraceRecords, field: TextField): { codes: Int32Array; table: TextTable } {
  if (records instanceof RecordColumns) return { codes: records.columns[field], table: records.table };
  const table = new TextTable();
  return { codes: Int32Array.from(records, (record) => table.codeOf(record[field])), table };
}

const mapped = <From, To>(columns: Readonly<Record<string, From>>, make: (column: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, make(column)]));

/** Records in columns, for traces of millions. A record is made when it is asked for, and its `index` is its place. */
export class RecordColumns implements TraceRecords {
  readonly length: number;
  readonly columns: Columns;
  readonly table: TextTable;
  readonly firstIndex: number;

  constructor(columns: Columns, table: TextTable, firstIndex = 0) {
    this.columns = columns;
    this.table = table;
    this.firstIndex = firstIndex;
    this.length = columns.sentMs.length;
  }

  static empty(length: number): RecordColumns {
    const codes = textFields.map((field) => [field, new Int32Array(length)]);
    const texts = Object.fromEntries(codes) as Record<TextField, Int32Array>;
    return new RecordColumns({ ...emptyCore(length), ...texts }, new TextTable());
  }

  static of(records: TraceRecords): RecordColumns {
    if (records instanceof RecordColumns) return records;
    const columns = RecordColumns.empty(records.length);
    let k = 0;
    for (const record of records) columns.set(k++, record);
    return columns;
  }

  set(k: number, record: TraceRecord): void {
    setCore(this.columns, k, record);
    for (const field of textFields) this.columns[field][k] = this.table.codeOf(record[field]);
  }

  #record(k: number): TraceRecord {
    const { dueMs, sentMs, receivedMs, outcome, status } = this.columns;
    const record: { -readonly [Field in keyof TraceRecord]: TraceRecord[Field] } = {
      index: this.firstIndex + k,
      dueMs: dueMs[k] ?? 0,
      sentMs: sentMs[k] ?? 0,
      receivedMs: receivedMs[k] ?? 0,
      outcome: outcomes[outcome[k] ?? other] ?? 'other',
      status: status[k] || null,
      hasEnvelope: null,
    };
    for (const field of textFields) {
      const text = this.table.textOf(this.columns[field][k] ?? 0);
      if (text !== undefined) record[field] = text;
    }
    return record;
  }

  at(index: number): TraceRecord | undefined {
    const k = index < 0 ? index + this.length : index;
    return k in this.columns.sentMs ? this.#record(k) : undefined;
  }

  *[Symbol.iterator](): IterableIterator<TraceRecord> {
    for (let k = 0; k < this.length; k += 1) yield this.#record(k);
  }

  /** A view of some of them. */
  slice(from = 0, until = this.length): RecordColumns {
    const view = mapped({ ...this.columns }, (column) => column.subarray(from, until)) as unknown as Columns;
    return new RecordColumns(view, this.table, this.firstIndex + from);
  }

  some(test: (record: TraceRecord) => boolean): boolean {
    return this.find(test) !== undefined;
  }

  find(test: (record: TraceRecord) => boolean): TraceRecord | undefined {
    for (const record of this) if (test(record)) return record;
    return undefined;
  }

  filter(test: (record: TraceRecord, index: number) => boolean): TraceRecord[] {
    const found: TraceRecord[] = [];
    let k = 0;
    for (const record of this) if (test(record, k++)) found.push(record);
    return found;
  }

  map<T>(make: (record: TraceRecord, index: number) => T): T[] {
    return Array.from(this, make);
  }

  withOutcomes(outcome: Uint8Array): RecordColumns {
    return new RecordColumns({ ...this.columns, outcome }, this.table, this.firstIndex);
  }

  /** The same records with every answer of those statuses counted as a refusal. */
  refusedWith(statuses: readonly number[]): RecordColumns {
    const { outcome, status } = this.columns;
    return this.withOutcomes(outcome.map((one, at) => (statuses.includes(status[at] ?? 0) ? refused : one)));
  }
}
