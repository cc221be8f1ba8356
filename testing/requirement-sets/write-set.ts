import { existsSync, writeFileSync } from 'node:fs';
import { requirementSets, setName } from '../../src/certification/requirement-sets.js';
import { contentOf } from './meaning.js';

// `node dist/testing/requirement-sets/write-set.js 2026-11`: writes the file of a set that is not released.
const [name = ''] = process.argv.slice(2);
const earlier = requirementSets().find(({ set }) => set === name);
if (!setName.test(name) || earlier?.released === 'yes') {
  process.stderr.write(
    `"${name}" cannot be written: expected the month of a set that is not released, such as 2027-05.\n`,
  );
  process.exit(2);
}
const lines = Object.entries(contentOf(name)).map(([id, digest]) => `  ${id}: ${digest}\n`);
const file = `requirements/${name}.yaml`;
if (!existsSync('requirements')) throw new Error('expected to run in the root of a checkout');
writeFileSync(
  file,
  `# What version 1 of the API owes from ${name} on: ids, and digests of what each demands (CONTRIBUTING.md). Released sets never change.
set: ${name}
api: v1
released: no
requirements:
${lines.join('')}`,
);
process.stdout.write(`${file}: ${lines.length} requirements\n`);
