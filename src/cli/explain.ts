import { loadChecks } from '../requirement/load-checks.js';
import { select } from '../requirement/select.js';
import { faults } from '../reference/faults/faults.js';
import { SettingsError } from '../target/settings-error.js';
import type { Arguments } from './arguments.js';

const meaning = {
  MUST: 'the specification says it: a breach fails',
  DECLARED: "the service's own document says it: a breach fails",
  SHOULD: 'a standard recommends it where the specification is silent: a breach warns',
  OBSERVE: 'the specification leaves it open: what is seen is recorded, nothing is demanded',
} as const;

/** `explain ID`: one requirement with its source, what its check needs, and the faults that prove it. */
export async function explain(parsed: Arguments): Promise<number> {
  const [id, ...more] = parsed.operands;
  if (id === undefined || more.length > 0)
    throw new SettingsError(
      'explain takes one requirement: expected an id such as UNIT-03; "dealership-conformance list" shows them all.',
    );
  const entries = select(await loadChecks(), id);
  for (const entry of entries) {
    const lines = [
      `${entry.id}  ${entry.title}`,
      `  level   ${entry.level}: ${meaning[entry.level]}`,
      `  source  ${entry.source}`,
    ];
    if (entry.writes) lines.push('  needs   to create or change something: READ_ONLY leaves it out');
    if (entry.slow) lines.push('  needs   to wait for limit windows: the gate leaves it to certify');
    lines.push(`  run     dealership-conformance certify --only ${entry.id}`);
    const proofs = faults.filter((fault) => fault.requirement === entry.id);
    if (proofs.length > 0)
      lines.push('  proven by these faults of the reference service (serve --fault ID shows one):');
    for (const fault of proofs) lines.push(`    ${fault.id}: ${fault.description}`);
    process.stdout.write(`${lines.join('\n')}\n\n`);
  }
  return 0;
}
