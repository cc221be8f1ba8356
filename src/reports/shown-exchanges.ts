import { join } from 'node:path';
import type { Exchange } from '../http/index.js';
import type { Report } from '../requirement/index.js';
import { readEvidence } from './evidence/evidence-reader.js';

/** Finds the exchanges that findings name in the evidence in `out`; reads no further than it must. */
export async function shownExchanges(out: string, report: Report): Promise<(name: string) => Exchange | undefined> {
  const names = new Set(report.requirements.flatMap(({ findings }) => findings.flatMap(({ exchanges }) => exchanges)));
  const exchanges = new Map<string, Exchange>();
  if (names.size > 0)
    for await (const exchange of readEvidence(join(out, 'evidence'))) {
      const name = String(exchange.seq);
      if (names.has(name)) exchanges.set(name, exchange);
      if (exchanges.size === names.size) break;
    }
  return (name) => exchanges.get(name);
}
