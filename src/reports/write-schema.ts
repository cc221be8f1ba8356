import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reportSchema } from './report-schema.js';

// Part of the build: the schema of conformance.json as a file of its own, beside the compiled code.
writeFileSync(
  fileURLToPath(new URL('../../conformance.schema.json', import.meta.url)),
  `${JSON.stringify(reportSchema, null, 2)}\n`,
);
