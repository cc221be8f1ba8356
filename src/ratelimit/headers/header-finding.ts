import type { TraceRecord } from '../trace.js';

/** Something the headers of a trace say that cannot be so, or that the drafts advise against. */
export interface HeaderFinding {
  readonly id: 'LIMIT-05' | 'LIMIT-06' | 'LIMIT-07' | 'LIMIT-10';
  readonly severity: 'fail' | 'warn';
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  /** The `index` of up to ten records that show it. */
  readonly records: readonly number[];
}

/** The last draft with three separate fields; later ones merge them. */
export const draft = 'draft-ietf-httpapi-ratelimit-headers-06';

/** The name of a finding, independent of the record that shows it. */
export type FindingHead = Pick<HeaderFinding, 'id' | 'severity' | 'code' | 'expected'>;

/** A finding that an answer shows by itself, whatever the others say. */
export interface AnswerCheck extends FindingHead {
  readonly shows: (record: TraceRecord) => boolean;
  /** The text of such an answer. */
  readonly tell: (record: TraceRecord) => string;
}

const mostQuoted = 10;

/** One finding for all records of a kind, which quotes the first of them; none where there are no records. */
export function findingOf(
  head: FindingHead,
  records: readonly TraceRecord[],
  tell: (record: TraceRecord) => string,
): HeaderFinding[] {
  return findingFrom(head, records.slice(0, mostQuoted), records.length, tell);
}

/** One finding for each of the checks that some answer fails; the answers are gone through once. */
export function findingsOf(answers: readonly TraceRecord[], checks: readonly AnswerCheck[]): HeaderFinding[] {
  const tallies = checks.map((check) => ({ check, first: [] as TraceRecord[], count: 0 }));
  for (const answer of answers) {
    for (const groups of tallies) {
      if (!groups.check.shows(answer)) continue;
      groups.count += 1;
      if (groups.count <= mostQuoted) groups.first.push(answer);
    }
  }
  return tallies.flatMap(({ check, first, count }) => findingFrom(check, first, count, check.tell));
}

function findingFrom(
  { id, severity, code, expected }: FindingHead,
  shown: readonly TraceRecord[],
  count: number,
  tell: (record: TraceRecord) => string,
): HeaderFinding[] {
  const [first] = shown;
  if (first === undefined) return [];
  const others = count === 1 ? '' : ` (and ${count - 1} more such answers)`;
  const actual = `answer to request ${first.index} of the trace (the first is 0): ${tell(first)}${others}`;
  return [{ id, severity, code, expected, actual, records: shown.map((record) => record.index) }];
}
