import { keyOf } from './judge-service.js';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CaseOutcome } from './outcome.js';

/**
 * The verdicts of one case: the requirements of each verdict; what passes is left out. `varies`: those that chance decides, which are not compared.
 * `by`: the codes by which its requirement, or an alternative of it, reported a fault or a breach.
 */
type CaseVerdicts = Readonly<Record<string, readonly string[]>>;

/** What every case of the proof came to, by its key. */
export type VerdictTable = Readonly<Record<string, CaseVerdicts>>;

const byText = new Intl.Collator('en', { numeric: true }).compare;

/** The committed table, with which every proof is compared. */
export const tableFile = fileURLToPath(
  new URL('proof-table.json', import.meta.url.replace('/dist/testing/', '/testing/')),
);

/** Null where no table is committed yet. */
export function readTable(): VerdictTable | null {
  return existsSync(tableFile) ? (JSON.parse(readFileSync(tableFile, 'utf8')) as VerdictTable) : null;
}

/** One line for each case, so that a change of it is one line of a diff. */
export function writeTable(file: string, table: VerdictTable): void {
  const lines = Object.keys(table)
    .toSorted(byText)
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(table[key])}`);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

/**
 * What the table keeps of an outcome. Limits are measured in real time: noise may block one, or have another of two report the same breach.
 * Of these it keeps only whether the one requirement of a fault or a breach reported it.
 */
function verdictsOf({ verdicts, requirement, alternatives }: CaseOutcome): CaseVerdicts {
  const isSteady = (id: string): boolean =>
    !id.startsWith('LIMIT-') || (id === requirement && alternatives.length === 0);
  const kept = Object.entries(verdicts).filter(([id, verdict]) => verdict !== 'pass' && isSteady(id));
  const names = [...new Set(kept.map(([, verdict]) => verdict))].toSorted(byText);
  const idsOf = (name: string): string[] => kept.filter(([, verdict]) => verdict === name).map(([id]) => id);
  return Object.fromEntries(names.map((name) => [name, idsOf(name).toSorted(byText)]));
}

/** The codes by which the requirement of a fault or a breach, or an alternative of it, reported it. */
export function codesOf({ kind, verdicts, requirement, alternatives, codes }: CaseOutcome): string[] {
  if (kind !== 'fault' && kind !== 'breach') return [];
  const reporters = [requirement ?? '', ...alternatives].filter((id) => /fail|warn/.test(verdicts[id] ?? ''));
  return [...new Set(reporters.flatMap((id) => codes[id] ?? []))].toSorted(byText);
}

const isSeen = (codes: readonly string[], before: readonly string[]): boolean =>
  codes.some((code) => before.includes(code));

/**
 * What is named as varying in the table before stays so, without a verdict. Codes are added to those before where they have one in common:
 * chance decides which of several ways to see a breach comes first.
 */
export function tableOf(outcomes: readonly CaseOutcome[], before: VerdictTable | null = null): VerdictTable {
  return Object.fromEntries(
    outcomes.map((outcome) => {
      const key = keyOf(outcome);
      const { varies = [], by: known = [] } = before?.[key] ?? {};
      const codes = codesOf(outcome);
      const by = isSeen(codes, known) ? [...new Set([...known, ...codes])].toSorted(byText) : codes;
      const compared = Object.entries(verdictsOf(outcome)).map(
        ([verdict, ids]) => [verdict, ids.filter((id) => !varies.includes(id))] as const,
      );
      const rows = [...compared, ['by', by], ['varies', varies]] as const;
      return [key, Object.fromEntries(rows.filter(([, texts]) => texts.length > 0))];
    }),
  );
}

/** Where a case did not come to what the table has: `UNIT-03 was fail, is pass`, or reported by other codes than there. What was not judged is not compared. */
export function differencesFrom(table: VerdictTable | null, outcome: CaseOutcome): string[] {
  if (table === null) return [];
  const before = table[keyOf(outcome)];
  if (before === undefined) return ['not in the table of verdicts'];
  const { by = [], ...verdicts } = before;
  const byId = (row: CaseVerdicts): Map<string, string> =>
    new Map(Object.entries(row).flatMap(([verdict, ids]) => ids.map((id) => [id, verdict] as const)));
  const [was, is] = [byId(verdicts), byId(verdictsOf(outcome))];
  const codes = codesOf(outcome);
  const isOtherwise = by.length > 0 && codes.length > 0 && !isSeen(codes, by);
  return [
    ...[...new Set([...was.keys(), ...is.keys()])]
      .filter((id) => id in outcome.verdicts && was.get(id) !== is.get(id) && was.get(id) !== 'varies')
      .toSorted(byText)
      .map((id) => `${id} was ${was.get(id) ?? 'pass'}, is ${is.get(id) ?? 'pass'}`),
    ...(isOtherwise ? [`reported by ${codes.join(', ')}, not by ${by.join(' or ')}`] : []),
  ];
}
