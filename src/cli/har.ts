import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../http/exchange.js';
import { readEvidence } from '../report/evidence-reader.js';
import { toHar } from '../report/har.js';
import { loadChecks } from '../requirement/load-checks.js';
import { select } from '../requirement/select.js';
import { SettingsError } from '../target/settings-error.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';

/** `har ID|SECTION`: the exchanges that a requirement asked for in the run under `--out`, as HTTP Archive 1.2 on standard output. */
export async function har(parsed: Arguments): Promise<number> {
  const [named, ...more] = parsed.operands;
  if (named === undefined || more.length > 0)
    throw new SettingsError(
      'har takes one requirement or section: expected an id such as UNIT-03, or a section such as UNIT.',
    );
  const ids = new Set(select(await loadChecks(), named).map((entry) => entry.id));
  const folder = join(textOption(parsed, 'out') ?? 'reports', 'evidence');
  if (!existsSync(folder))
    throw new SettingsError(`${folder} is not there: expected the evidence of a run; name its folder with --out.`);
  const found: Exchange[] = [];
  for await (const exchange of readEvidence(folder)) if (ids.has(exchange.asker)) found.push(exchange);
  process.stdout.write(`${JSON.stringify(toHar(found), null, 2)}\n`);
  return 0;
}
