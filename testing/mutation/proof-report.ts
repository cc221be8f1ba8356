import type { Regrading } from './bundle-case.test-kit.js';
import { keyOf } from './judge-service.js';
import { problemsOf, type CaseOutcome } from './outcome.js';
import { codesOf, differencesFrom, type VerdictTable } from './verdict-table.js';

/** How one command of the proof ended. */
export interface CommandResult {
  readonly name: string;
  /** The exit status; null where a signal ended it. */
  readonly status: number | null;
  /** The lines that name a failed test or its error. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

/** One row of the proof: a case, graded evidence, or a command. */
export interface ProofRow {
  readonly kind: CaseOutcome['kind'] | 'regraded' | 'command';
  readonly name: string;
  /** The requirement that a fault breaks; null for everything else. */
  readonly requirement: string | null;
  /** Requirements that failed, and the fault's own where it warned. */
  readonly red: readonly string[];
  /** The codes of what its requirement reported. */
  readonly by: readonly string[];
  readonly problems: readonly string[];
  readonly requests: number;
  readonly seconds: number;
  /** Why no requirement reports a breach, where that is known; its row fails once one does. */
  readonly missed: string | null;
  /** Judged a second time, as the machine was too busy for the first. */
  readonly twice: boolean;
}

/** The proof as it is written to `proof.json`. */
export interface ProofDocument {
  readonly format: 'dealership-conformance-proof/1';
  readonly seconds: number;
  readonly counts: { readonly passed: number; readonly failed: number };
  /** Every problem as a sentence. */
  readonly failures: readonly string[];
  /** Codes of breaches that the checks state and no case was reported by; empty where not all cases were judged. */
  readonly unmetCodes: readonly string[];
  readonly rows: readonly ProofRow[];
}

const byId = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function redOf({ verdicts, requirement }: CaseOutcome): string[] {
  return Object.keys(verdicts)
    .filter((id) => verdicts[id] === 'fail' || (id === requirement && verdicts[id] === 'warn'))
    .sort(byId);
}

function rowOf(result: CaseOutcome | Regrading, again: ReadonlySet<string>, table: VerdictTable | null): ProofRow {
  const { name, requirement, requests, seconds } = result;
  const common = { name, requirement, requests, seconds };
  return 'problems' in result
    ? { ...common, kind: 'regraded', red: [], by: [], problems: result.problems, missed: null, twice: false }
    : {
        ...common,
        kind: result.kind,
        red: redOf(result),
        by: codesOf(result),
        problems: [...problemsOf(result), ...differencesFrom(table, result)],
        missed: result.missed,
        twice: again.has(keyOf(result)),
      };
}

/** A row for each result, and for each case of the plan (`fault:ID`) that has none; `again` are those that were judged more than once. A verdict that is not that of the table is a problem. */
export function proofDocument(
  plan: { readonly judged: readonly string[]; readonly regraded: readonly string[] },
  results: readonly (CaseOutcome | Regrading)[],
  commands: readonly CommandResult[],
  seconds: number,
  again: ReadonlySet<string>,
  table: VerdictTable | null,
  statedCodes: readonly string[] = [],
): ProofDocument {
  const rows = results.map((result) => rowOf(result, again, table));
  const have = new Set(rows.map(({ kind, name }) => `${kind}:${name}`));
  const expected = [...plan.judged, ...plan.regraded.map((key) => key.replace(/^[^:]*/, 'regraded'))];
  const empty = { requirement: null, red: [], by: [], requests: 0, missed: null, twice: false };
  for (const key of expected.filter((one) => !have.has(one))) {
    const [kind = '', name = ''] = key.split(/:(.*)/s);
    rows.push({ ...empty, kind: kind as ProofRow['kind'], name, problems: ['no result'], seconds: 0 });
  }
  for (const { name, status, failures, seconds: took } of commands) {
    const problems = status === 0 ? [] : [`ended with status ${String(status)}`, ...failures];
    rows.push({ ...empty, kind: 'command', name, problems, seconds: took });
  }
  // What is not found stands first.
  const isFound = ({ problems, missed }: ProofRow): number => Number(problems.length === 0 && missed === null);
  rows.sort(
    (a, b) =>
      byId(a.kind, b.kind) ||
      isFound(a) - isFound(b) ||
      byId(a.requirement ?? '', b.requirement ?? '') ||
      byId(a.name, b.name),
  );
  const met = new Set(results.flatMap((result) => ('codes' in result ? Object.values(result.codes).flat() : [])));
  const failed = rows.filter(({ problems }) => problems.length > 0);
  return {
    format: 'dealership-conformance-proof/1',
    seconds,
    counts: { passed: rows.length - failed.length, failed: failed.length },
    failures: failed.map(({ kind, name, problems }) => `${kind} ${name}: ${problems.join('; ')}`),
    unmetCodes: statedCodes.filter((code) => !met.has(code)),
    rows,
  };
}

const headings: Readonly<Record<ProofRow['kind'], string>> = {
  fault: 'Faults of the reference service',
  breach: 'Breaches of the independent service',
  variant: 'Conforming services: nothing may be red',
  busy: 'Conforming limiters beside the simulations: nothing may be red',
  constant: 'Servers that give every request the same answer: no MUST may pass',
  regraded: 'Evidence graded again with the service switched off',
  command: 'Other proofs',
};

function resultOf({ problems, missed, twice }: ProofRow): string {
  if (problems.length > 0) return `**${problems.join('; ')}**`;
  if (missed !== null) return `not reported: ${missed}`;
  return twice ? 'as expected, at the second try' : 'as expected';
}

/** The proof as Markdown, a table for each kind of row. */
export function proofTable({ rows, counts, seconds, failures, unmetCodes }: ProofDocument): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const tables = Object.entries(headings).flatMap(([kind, heading]) => {
    const of = rows.filter((row) => row.kind === kind);
    if (of.length === 0) return [];
    return [
      '',
      `## ${heading} (${of.length})`,
      '',
      '| breaks | name | red | found by | result | requests | seconds |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...of.map(
        (row) =>
          `| ${row.requirement ?? ''} | ${cell(row.name)} | ${row.red.join(', ')} | ${row.by.join(', ')} | ${cell(resultOf(row))} | ${row.requests} | ${row.seconds.toFixed(1)} |`,
      ),
    ];
  });
  const sum = `${counts.passed} as expected, ${counts.failed} not, in ${(seconds / 60).toFixed(1)} minutes.`;
  const unmet = unmetCodes.length > 0 ? ['', `No fault or breach was reported by: ${unmetCodes.join(', ')}.`] : [];
  return [`# Proof`, '', sum, ...failures.map((failure) => `- ${failure}`), ...unmet, ...tables, ''].join('\n');
}
