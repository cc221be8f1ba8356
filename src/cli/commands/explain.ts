import { loadPacks } from '../../packs.js';
import { explainSource, levelMeanings, type Need, type Requirement, select } from '../../requirement/index.js';
import { faults } from '../../reference/index.js';
import { shellWord } from '../../http/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

/** Examples of a breach that are shown. */
const mostExamples = 12;

/** A requirement for programs; JSON holds no functions. */
export function jsonOf(entry: Requirement): object {
  const rules = [...(entry.rows ?? []), ...(entry.invariants ?? [])].map(({ says }) => says);
  const breaches = faults.filter(({ requirement }) => requirement === entry.id).map(({ id }) => id);
  return { ...entry, statedAt: undefined, rows: undefined, invariants: undefined, rules, faults: breaches };
}

/** `explain ID`: one requirement with its source, what its check needs, and the faults that prove it. */
export async function explain(parsed: Arguments): Promise<number> {
  const [id = ''] = parsed.operands;
  const { requirements, sections } = await loadPacks(readSettings(parsed.settings).PACKS);
  const entries = select(requirements, id, 'explain');
  if (parsed.options.json) {
    process.stdout.write(`${JSON.stringify(entries.map(jsonOf), null, 2)}\n`);
    return 0;
  }
  const packs = parsed.settings.PACKS === undefined ? '' : ` --packs ${shellWord(parsed.settings.PACKS)}`;
  for (const entry of entries) {
    const lines = [
      `${entry.id}  ${entry.title}`,
      `  level   ${entry.level}: ${levelMeanings[entry.level]}`,
      `  source  ${explainSource(entry.source)}`,
    ];
    const { level } = sections.find((one) => one.id === entry.section) ?? {};
    if (level !== undefined)
      lines.push(`  grants  ${level}, together with all that grants this level of a certificate`);
    const say = (need: Need, without = ''): number => lines.push(`  needs   ${[need].flat().join(' or ')}${without}`);
    for (const need of entry.needs) say(need);
    for (const need of entry.passNeeds ?? []) say(need, ' to pass');
    if (entry.partWithout !== undefined) say(entry.partWithout, ', or only a part of it is judged');
    if (entry.optional !== undefined) lines.push(`  unless  ${entry.optional}: a certificate does without it`);
    if (entry.writes) lines.push('  needs   to create or change something: READ_ONLY leaves it out');
    if (entry.slow) lines.push('  needs   to wait for limit windows: the gate leaves it to certify');
    for (const { says } of [...(entry.rows ?? []), ...(entry.invariants ?? [])]) lines.push(`  rule    ${says}`);
    lines.push(`  run     npx dealership-conformance certify --only ${entry.id} --out reports/${entry.id}${packs}`);
    const proofs = faults.filter((fault) => fault.requirement === entry.id);
    if (proofs.length > 0) lines.push('  examples of a breach (serve --fault ID shows one):');
    for (const fault of proofs.slice(0, mostExamples)) lines.push(`    ${fault.id}: ${fault.description}`);
    const more = proofs.length - mostExamples;
    if (more > 0) lines.push(`    and ${more} more, which serve --list prints`);
    process.stdout.write(`${lines.join('\n')}\n\n`);
  }
  return 0;
}
