import { readFile } from 'node:fs/promises';
import { createContract } from '../contract/contract.js';
import { withoutOwnAddress } from '../contract/own-address.js';
import { parseDocument } from '../contract/parse-document.js';
import type { Client } from '../http/client.js';
import type { Exchange } from '../http/exchange.js';
import { succeeded } from '../http/exchange.js';
import { SettingsError } from '../target/settings-error.js';
import type { Target } from '../target/target.js';
import type { LoadedContract } from './run.js';

const maxDocumentBytes = 32_000_000;

/** Reads the pinned document, where one is set; throws SettingsError where it cannot be used. */
export async function readPinned(target: Target): Promise<Record<string, unknown> | null> {
  const file = target.contractFile;
  if (file === null) return null;
  const mend = 'expected a file with an OpenAPI 3.1 document as JSON; mend CONTRACT (or --contract)';
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new SettingsError(
      `CONTRACT names ${file}, which cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): ${mend}.`,
    );
  });
  const parsed = parseDocument(bytes);
  if (!parsed.ok) throw new SettingsError(`CONTRACT names ${file}: ${parsed.problem}: ${mend}.`);
  return parsed.document;
}

/** Fetches the served document, without a key first, and makes the validators of the pinned document or else of the served one. */
export async function loadContract(target: Target, client: Client): Promise<LoadedContract> {
  const url = `${target.baseUrl}/api/openapi.json`;
  const file = await readPinned(target);
  // What is pinned was once served in the same place.
  const pinned = file === null ? null : withoutOwnAddress(file, url);
  const fetchDocument = (name: 'API_KEY' | null): Promise<Exchange> =>
    client.send('set-up', {
      method: 'GET',
      url,
      surface: 'document',
      headers: [['accept', 'application/json']],
      credential: name === null ? null : { name, authorization: `Bearer ${target.keys[name] ?? ''}` },
      body: null,
      timeoutMs: 15_000,
      maxBytes: maxDocumentBytes,
    });
  let exchange = await fetchDocument(null);
  const status = exchange.response?.status;
  if ((status === 401 || status === 403) && target.keys.API_KEY !== undefined)
    exchange = await fetchDocument('API_KEY');
  const { served, problem } = readServed(exchange, url);
  const document = pinned ?? served;
  return { exchange, served, problem, pinned, present: document !== null, contract: createContract(document) };
}

function readServed(
  exchange: Exchange,
  url: string,
): { served: Record<string, unknown> | null; problem: string | null } {
  if (exchange.response === null) return { served: null, problem: exchange.failure?.message ?? 'no answer' };
  if (!succeeded(exchange)) return { served: null, problem: `it is answered with ${exchange.response.status}` };
  const parsed = parseDocument(exchange.response.body);
  return parsed.ok
    ? { served: withoutOwnAddress(parsed.document, url), problem: null }
    : { served: null, problem: parsed.problem };
}
