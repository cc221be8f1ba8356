import type { TraceRecord } from './trace.js';

/** Something the headers of a trace say that cannot be so, or that the drafts advise against. */
export interface HeaderFinding {
  readonly id: 'LIMIT-05' | 'LIMIT-06' | 'LIMIT-07' | 'LIMIT-10';
  readonly severity: 'breach' | 'warning';
  readonly expected: string;
  readonly actual: string;
  /** The `index` of up to ten records that show it. */
  readonly records: readonly number[];
}

/** One finding for all records of a kind, told by the first of them; none where there are no records. */
export function findingOf(
  finding: Pick<HeaderFinding, 'id' | 'severity' | 'expected'>,
  records: readonly TraceRecord[],
  tell: (record: TraceRecord) => string,
): HeaderFinding[] {
  const [first] = records;
  if (first === undefined) return [];
  const others = records.length === 1 ? '' : ` (and ${records.length - 1} more such responses)`;
  return [
    {
      ...finding,
      actual: `request ${first.index}: ${tell(first)}${others}`,
      records: records.slice(0, 10).map((record) => record.index),
    },
  ];
}
