import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productSchema } from '../src/certification/index.js';
import { reportSchema } from '../src/requirement/index.js';
import { faults } from '../src/reference/index.js';
import { readTable } from './mutation/verdict-table.js';

// The last step of the build, from dist/testing.
const dist = fileURLToPath(new URL('..', import.meta.url));

// The compiler leaves the output of deleted sources behind: it would get into the package, and change the digest of the suite.
for (const folder of ['src', 'specs', 'load', 'testing'])
  for (const name of readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })) {
    const source = name.replace(/\.(?:js|js\.map|d\.ts)$/, '.ts');
    if (source !== name && !existsSync(join(dist, '..', folder, source))) rmSync(join(dist, folder, name));
  }

// The schemas of conformance.json and product.yaml, as files of their own beside the compiled code.
for (const [name, schema] of Object.entries({ conformance: reportSchema, product: productSchema }))
  writeFileSync(join(dist, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);

// What the proof found of each requirement, for reports: how many of its faults it finds, of how many, and how many conforming services it passes.
const cases = Object.entries(readTable() ?? {});
const conforming = cases.filter(([key]) => /^variant:(?!limits)/.test(key));
const proof: Record<string, [number, number, number]> = {};
for (const { id, requirement } of faults) {
  const row = cases.find(([key]) => key === `fault:${id}`)?.[1];
  const passed = conforming.filter(([, verdicts]) => !Object.values(verdicts).flat().includes(requirement));
  // Limits are judged on other services.
  const one = (proof[requirement] ??= [0, 0, requirement.startsWith('LIMIT') ? 0 : passed.length]);
  if (row !== undefined) one[1] += 1;
  if ([row?.['fail'], row?.['warn']].flat().includes(requirement)) one[0] += 1;
}
writeFileSync(join(dist, 'proof.json'), `${JSON.stringify(proof)}\n`);
