import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../http/exchange.js';
import { parseDocument } from '../openapi/load/parse-document.js';
import type { Report } from '../requirement/types.js';
import { readEvidence } from './evidence/evidence-reader.js';
import { documentAnchor, pathBelow, type Anchor } from './formats/anchor.js';

/** What the files of a report need beside it. */
export interface ReportSources {
  /** The exchanges that findings name. */
  readonly exchange: (name: string) => Exchange | undefined;
  /** The OpenAPI document that the service served, indented, or null. */
  readonly document: string | null;
  readonly anchor: Anchor;
}

/** The names of the files that an anchor may point to. */
export const anchorNames = { document: 'conformance.openapi.json', report: 'conformance.json' } as const;

function digestOf({ response }: Exchange): string {
  return `sha256:${createHash('sha256')
    .update(response?.body ?? '')
    .digest('hex')}`;
}

/** The named exchanges, and the body with this digest; reads no further than it must. */
async function pick(evidence: string, names: ReadonlySet<string>, digest: string | null) {
  const exchanges = new Map<string, Exchange>();
  let body: Buffer | null = null;
  if (names.size === 0 && digest === null) return { exchanges, body };
  for await (const exchange of readEvidence(evidence)) {
    const name = String(exchange.seq);
    if (names.has(name)) exchanges.set(name, exchange);
    if (digest !== null && body === null && exchange.surface === 'document' && digestOf(exchange) === digest)
      body = exchange.response?.body ?? null;
    if (exchanges.size === names.size && (body !== null || digest === null)) break;
  }
  return { exchanges, body };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Reads what the files of a report need from the evidence in `out`. Results point into the pinned document where there is one, else into
 * the served one, else into `conformance.json`.
 */
export async function readSources(out: string, report: Report, contract: string | null): Promise<ReportSources> {
  const names = new Set(report.requirements.flatMap(({ findings }) => findings.flatMap(({ exchanges }) => exchanges)));
  const { exchanges, body } = await pick(join(out, 'evidence'), names, report.target.document);
  const exchange = (name: string): Exchange | undefined => exchanges.get(name);
  const parsed = body === null ? null : parseDocument(body);
  const document = parsed?.ok === true ? `${JSON.stringify(parsed.document, null, 2)}\n` : null;
  const { GITHUB_WORKSPACE, CI_PROJECT_DIR } = process.env;
  const path = (file: string): string => pathBelow(file, [GITHUB_WORKSPACE, CI_PROJECT_DIR, '']);
  const pinned = contract === null ? null : textOf(contract);
  if (contract !== null && pinned !== null)
    return { exchange, document, anchor: documentAnchor(path(contract), pinned, exchange) };
  return {
    exchange,
    document,
    anchor:
      document === null
        ? { path: path(join(out, anchorNames.report)), lineOf: () => 1 }
        : documentAnchor(path(join(out, anchorNames.document)), document, exchange),
  };
}
