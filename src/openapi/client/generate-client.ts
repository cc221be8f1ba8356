import { createRequire } from 'node:module';
import type TypeScript from 'typescript';
import type * as OpenApiTypeScript from 'openapi-typescript';
import { clientDocument } from './client-document.js';
import { inThread } from '../load/in-thread.js';
import { memoizeByDocument } from '../load/memoize-by-document.js';
import { references } from '../load/references.js';
import { isReferenceCycle } from '../schema/resolve.js';
import { asObject, objectsIn } from '../values.js';

/** Whether a typed client could be generated; `judged: false` where that could not be found out. */
export type ClientResult =
  { readonly ok: true } | { readonly ok: false; readonly judged: boolean; readonly problem: string };

/** The optional peers of this package that typed clients are generated with: more bytes than all its other dependencies together. */
const generator = ['openapi-typescript', 'typescript'] as const;

/** Not imported: that reads the nine megabytes of the compiler twice more, for the names it exports. */
const load = createRequire(import.meta.url);

/** What lets typed clients be generated. */
export const generatorRemedy = { act: 'install', names: ['openapi-typescript@7', 'typescript@5'] } as const;

/** Why no typed client can be generated here, in one sentence; null where the generator is installed. */
export function missingGenerator(resolve: (name: string) => string = load.resolve): string | null {
  const missing = generator.filter((name) => {
    try {
      return resolve(`${name}/package.json`) === '';
    } catch {
      return true;
    }
  });
  return missing.length === 0
    ? null
    : `typed clients (DOC-06) need ${missing.join(' and ')}, not installed here: npm install ${generatorRemedy.names.join(' ')}`;
}

/** Generated text above this length is not type-checked: the compiler would take minutes. */
const mostText = 1_500_000;
const mostOperations = 600;
const mostDocument = 5_000_000;

/** Compiler errors caused by recursive schemas: an array of itself, which is valid, and a schema that is only a reference to itself. */
const recursion = 2502;

/** Type-checks a module in memory against the standard library alone; the first error, or null. A type by itself is one only among `circles`. */
function typeCheck(text: string, circles: boolean): string | null {
  const ts = load('typescript') as typeof TypeScript;
  const options = {
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2020,
    lib: ['lib.es5.d.ts'],
    types: [],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const name = 'client.ts';
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(name, text, options.target) : read(file, ...rest);
  host.fileExists = (file) => file === name;
  const program = ts.createProgram([name], options, host);
  const source = program.getSourceFile(name);
  const [first] = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].filter(
    ({ code }) => circles || code !== recursion,
  );
  return first === undefined ? null : ts.flattenDiagnosticMessageText(first.messageText, ' ');
}

const memoize = memoizeByDocument<ClientResult>();

/** Generates TypeScript types with openapi-typescript and type-checks them (§4, §9). External references are refused before, never followed. */
export function generateClient(document: Record<string, unknown>): Promise<ClientResult> {
  return memoize(document, () => inThread(new URL('./generate-client.js', import.meta.url), clientOf, document));
}

/** `judged`: whether the document is to blame, and not a limit of this program. */
const failed = (judged: boolean, problem: string): ClientResult => ({ ok: false, judged, problem });

/** As {@link generateClient}, in this thread. */
export async function clientOf(document: Record<string, unknown>): Promise<ClientResult> {
  const outside = references(document).find((one) => one.state !== 'resolved');
  if (outside)
    return failed(true, `${JSON.stringify(outside.ref)} at ${outside.pointer} does not resolve inside the document`);
  const operations = Object.keys((document['paths'] as object | undefined) ?? {}).length;
  if (operations > mostOperations)
    return failed(false, `the document has ${operations} paths; clients are generated for at most ${mostOperations}`);
  if (JSON.stringify(document).length > mostDocument)
    return failed(false, `the document is larger than ${mostDocument / 1e6} MB, too large to generate a client from`);
  let text: string;
  let circles: boolean;
  try {
    const { default: generate, astToString } = load('openapi-typescript') as typeof OpenApiTypeScript;
    const copy = clientDocument(document);
    circles = objectsIn(asObject(copy['components'])?.['schemas']).some(([, schema]) => isReferenceCycle(copy, schema));
    text = astToString(await generate(copy as never, { silent: true }));
  } catch (error) {
    const tooDeep = error instanceof RangeError || /call stack/i.test(String(error));
    const said = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return failed(!tooDeep, `openapi-typescript cannot read the document: ${said}`);
  }
  if (!/\bpaths\b/.test(text)) return failed(true, 'the generated module has no paths');
  if (text.length > mostText)
    return failed(false, `the generated client has ${text.length} characters, too many to type-check`);
  const error = typeCheck(text, circles);
  return error === null ? { ok: true } : failed(true, `the generated client does not type-check: ${error}`);
}
