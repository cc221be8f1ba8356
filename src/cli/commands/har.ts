import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRunFile } from '../../certification/index.js';
import type { Exchange } from '../../http/index.js';
import { readEvidence, toHar } from '../../reports/index.js';
import { sectionOf, select } from '../../requirement/index.js';
import { loadPacks } from '../../packs.js';
import { SettingsError, wrongFile } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

/** `har ID|SECTION`: prints the exchanges of a requirement in the run under `--out` as HTTP Archive 1.2. */
export async function har(parsed: Arguments): Promise<number> {
  const [named = ''] = parsed.operands;
  const { requirements } = await loadPacks(readSettings(parsed.settings).PACKS);
  const ids = new Set(select(requirements, named, 'har').map((entry) => entry.id));
  const out = parsed.options.out ?? 'reports';
  const folder = join(out, 'evidence');
  if (!existsSync(folder))
    throw wrongFile({ file: folder, expected: 'the evidence of a run; name its folder with --out' }, 'is not there');
  const found: Exchange[] = [];
  let firstMs: number | null = null;
  for await (const exchange of readEvidence(folder)) {
    firstMs = Math.min(firstMs ?? Infinity, exchange.sentAtMs);
    if (ids.has(exchange.asker)) found.push(exchange);
  }
  const run = existsSync(join(folder, 'run.json')) ? readRunFile(folder) : null;
  if (found.length === 0)
    throw new SettingsError(
      run?.order.some((id) => ids.has(id)) === false
        ? `${named} was not judged in the run in ${out}: expected one of ${[...new Set(run.order.map(sectionOf))].join(', ')}; name another run's folder with --out.`
        : `${named} sent no request of its own in the run in ${out}: ${join(out, 'conformance.html')} says why, and shows the exchanges that it was judged by.`,
    );
  // Exchanges are dated by a clock of their own; only a run's file says when that was.
  const started = run === null ? 0 : Date.parse(run.started);
  process.stdout.write(`${JSON.stringify(toHar(found, started - (firstMs ?? 0)), null, 2)}\n`);
  return 0;
}
