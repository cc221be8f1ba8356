import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Exchange } from '../../http/exchange.js';
import { parseDocument as parseOpenApi } from '../../openapi/load/parse-document.js';
import { findOperation, operationsOf } from '../../openapi/operations.js';
import { tokensOf } from '../../openapi/schema/pointer.js';
import type { Finding, RequirementResult } from '../../requirement/types.js';

/** The file that results point into, and the line of each result. Code hosts drop a result without a place in a file. */
export interface Anchor {
  /** Relative to the root of the repository, with slashes. */
  readonly path: string;
  /** Lines begin with 1. */
  readonly lineOf: (result: Pick<RequirementResult, 'findings'>) => number;
}

/** Longer documents are not searched for lines, in characters: 2 MB take about a second. */
const longest = 2_000_000;

/** The path of a file below the first of these folders that contains it, with slashes; else its name alone. */
export function pathBelow(file: string, folders: readonly (string | undefined)[]): string {
  for (const folder of folders) {
    const path = relative(folder || resolve(), resolve(file));
    if (path !== '' && !path.startsWith('..') && !isAbsolute(path)) return path.split(sep).join('/');
  }
  return basename(file);
}

/** Finds the line of the member that a JSON pointer names in a JSON text; of its nearest parent where there is none. */
export function lineFinder(json: string): (pointer: string) => number {
  const lines = new LineCounter();
  // A search for keys that are there twice takes quadratic time.
  const { contents } = parseDocument(json, { lineCounter: lines, uniqueKeys: false });
  return (pointer) => {
    let node: unknown = contents;
    let offset = 0;
    for (const token of tokensOf(pointer) ?? []) {
      const pair = isMap(node) ? node.items.findLast(({ key }) => isScalar(key) && key.value === token) : null;
      const named: unknown = isSeq(node) ? node.items[Number(token)] : pair?.key;
      if (!isNode(named)) break;
      offset = named.range?.[0] ?? offset;
      node = pair?.value ?? named;
    }
    return Math.max(1, lines.linePos(offset).line);
  };
}

/** The anchor for an OpenAPI document: the line of the operation that a finding shows, or of the member that it names; else line 1. */
export function documentAnchor(path: string, json: string, exchange: (name: string) => Exchange | undefined): Anchor {
  const parsed = json.length > longest ? null : parseOpenApi(Buffer.from(json));
  const document = parsed?.ok === true ? parsed.document : null;
  if (document === null) return { path, lineOf: () => 1 };
  const operations = operationsOf(document);
  const pointerOf = ({ actual, exchanges }: Finding): string | null => {
    // Findings on the document itself begin with the pointer.
    const named = /^(\/\S*): /.exec(actual)?.[1] ?? '';
    if (Object.hasOwn(document, tokensOf(named)?.[0] ?? '')) return named;
    // The last exchange of a finding decides it.
    const found = exchanges.toReversed().map((name) => {
      const request = exchange(name)?.request;
      return request === undefined ? null : findOperation(operations, request.method, request.path);
    });
    return found.find((one) => one !== null)?.pointer ?? null;
  };
  let find: ((pointer: string) => number) | null = null;
  return {
    path,
    lineOf({ findings }) {
      const pointer = findings.map(pointerOf).find((one) => one !== null) ?? null;
      if (pointer === null) return 1;
      find ??= lineFinder(json);
      return find(pointer);
    },
  };
}
