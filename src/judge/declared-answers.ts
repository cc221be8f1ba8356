import { asObject } from '../service/index.js';
import { serverStatuses } from '../api/index.js';
import type { Check, Match } from '../run/index.js';
import { type Exchange, header } from '../http/index.js';
import {
  type AnswerVerdict,
  at,
  type EnvelopeFault,
  judgeEnvelope,
  type Operation,
  type SchemaError,
} from '../openapi/index.js';
import type { Row } from '../requirement/index.js';
import { invariant, type Selector } from './invariants.js';
import { answers, type Answer } from './selectors.js';

/** An answer of an operation that the document declares, and how the declaration judges it. */
interface DeclaredAnswer extends Answer {
  readonly operation: Operation;
  readonly verdict: AnswerVerdict;
}

/** The answers of production and demo to operations that the document declares, of which `isBound` tells whether a rule can judge them. */
function declaredAnswers(isBound: (verdict: AnswerVerdict) => boolean = () => true): Selector<DeclaredAnswer> {
  return async (check) => {
    const { contract } = await check.contract();
    // Three requirements judge the same answers.
    const verdicts = await check.once('answers by the document', () =>
      Promise.resolve(new WeakMap<Exchange, AnswerVerdict>()),
    );
    const judged = (await answers('production', 'demo')(check)).flatMap((answer) => {
      const { exchange, response } = answer;
      const { method } = exchange.request;
      const path = exchange.request.path.replace(/\?.*/, '');
      const operation = contract.operation(method, path);
      if (operation === null) return [];
      const contentType = header(exchange, 'content-type') ?? null;
      const verdict = verdicts.get(exchange) ?? contract.validateResponse({ method, path, contentType, ...response });
      verdicts.set(exchange, verdict);
      return [{ ...answer, operation, verdict }];
    });
    if (judged.length === 0) check.notApplicable('the document declares none of the operations that answered');
    return judged.filter(({ verdict }) => isBound(verdict));
  };
}

/** The part of the envelope that one requirement judges. */
export function keepsEnvelope(id: EnvelopeFault['id'], says: string): Row {
  return invariant(says, answers('production'), ({ exchange }) =>
    judgeEnvelope(exchange).filter((one) => one.id === id),
  );
}

/** Statuses that HTTP servers and proxies give before any operation is reached; a document that leaves them out is not thereby untrue. */
const transport = new Set([405, 406, 408, 411, 413, 414, 415, 417, 421, 426, 428, 431]);

/** Whether the operation declares any 4xx or `default`. If it does, it must declare every failure that it sends. */
function declaresFailures({ operation }: Operation): boolean {
  return Object.keys(asObject(operation['responses']) ?? {}).some((status) => /^4|^default$/i.test(status));
}

/** A status that the operation declares. */
export const hasStatus = (says: string): Row =>
  invariant(says, declaredAnswers(), ({ exchange, response: { status }, operation, verdict }) => ({
    pass: verdict.statusDeclared || status >= 500,
    code: 'undeclared-status',
    expected: `a status declared for ${operation.method} ${operation.fullTemplate}`,
    actual: `${status} is not declared`,
    part: 'status',
    soft: transport.has(status) || serverStatuses(exchange).includes(status) || !declaresFailures(operation),
  }));

/** A declared answer beside all bodies that the run sent. */
interface DeclaredBody extends DeclaredAnswer {
  readonly sent: readonly string[];
}

/** The answers whose body the document declares, or that have another content type than it declares. */
async function declaredBodies(check: Check): Promise<readonly DeclaredBody[]> {
  const all = await declaredAnswers()(check);
  const bodies = all.filter(
    ({ verdict: one }) => one.statusDeclared && (one.schemaDeclared || !one.contentTypeDeclared),
  );
  const broken = all.filter(({ verdict }) => verdict.schemaProblem !== null);
  const problem = broken[0]?.verdict.schemaProblem;
  if (bodies.length === 0 && problem) check.blocked(`the declared schemas do not compile: ${problem}`);
  if (problem)
    check.observe('How many answers have a declared schema that does not compile?', `${broken.length}: ${problem}`);
  const sent = (await check.run.exchanges()).map(({ request }) => request.body?.toString() ?? '');
  return bodies.map((one) => ({ ...one, sent }));
}

/** Whether an error is about the format of a text that was sent: a format need not bind, so a service may take it, and then shows it again. */
function isSentFormat({ keyword, pointer }: SchemaError, json: unknown, sent: readonly string[]): boolean {
  const value = at(json, pointer);
  return keyword === 'format' && typeof value === 'string' && sent.some((body) => body.includes(JSON.stringify(value)));
}

function meetsSchema({ exchange, response, verdict, sent }: DeclaredBody): Match {
  const { contentTypeDeclared, schemaErrors } = verdict;
  if (!contentTypeDeclared)
    return {
      pass: false,
      code: 'undeclared-type',
      expected: 'a declared content type',
      actual: header(exchange, 'content-type') ?? 'none',
      part: { header: 'content-type' },
    };
  const shown = schemaErrors.slice(0, 3);
  return {
    pass: schemaErrors.length === 0,
    code: 'schema-broken',
    expected: 'a body that meets the declared schema',
    actual: shown.map(({ text }) => text).join('; '),
    field: shown.map(({ pointer, keyword }) => `${pointer.replace(/\d+/g, '*')} ${keyword}`).join(', '),
    part: { value: response.json, pointer: shown[0]?.pointer ?? '' },
    soft: schemaErrors.every((error) => isSentFormat(error, response.json, sent)),
  };
}

/** A declared content type, and a body that meets the schema declared for it. */
export const hasBody = (says: string): Row =>
  invariant(says, declaredBodies, meetsSchema, 'the document declares no body schema for any answer that was given');

/** The response headers that the document requires, all as it declares them. */
export const hasHeaders = (says: string): Row =>
  invariant(
    says,
    declaredAnswers(({ headersDeclared }) => headersDeclared.length > 0),
    ({ verdict: { headerErrors } }) => ({
      pass: headerErrors.length === 0,
      code: 'header-broken',
      expected: 'the declared response headers',
      actual: headerErrors.slice(0, 3).join('; '),
    }),
    'the document declares no header for any answer that was given',
  );

/** A header that an operation declares for a status, with an answer that lacks it, and whether any answer of this kind has it. */
interface OptionalHeader extends Answer {
  readonly name: string;
  readonly isSent: boolean;
}

/** The headers that successes declare without a word on whether they may be left out, each once. */
async function optionalHeaders(check: Check): Promise<readonly OptionalHeader[]> {
  const found = new Map<string, OptionalHeader>();
  for (const { exchange, response, operation, verdict } of await declaredAnswers()(check))
    for (const { name, required } of verdict.headersDeclared) {
      if (required !== null || response.status < 200 || response.status > 299) continue;
      const place = `${operation.method} ${operation.fullTemplate} ${response.status} ${name}`;
      const isSent = found.get(place)?.isSent === true || header(exchange, name) !== undefined;
      found.set(place, { exchange, response, name, isSent });
    }
  return [...found.values()];
}

/**
 * A header that some answer has. OpenAPI calls a header optional unless `required` says otherwise, so a declaration that says nothing is a promise
 * in words only: worth a warning, where not one answer keeps it, and never a failure.
 */
export const isEverSent = (says: string): Row =>
  invariant(says, optionalHeaders, ({ name, isSent }) => ({
    pass: isSent,
    code: 'header-absent',
    field: name,
    expected: `the declared header ${name}`,
    actual: 'no answer of this kind has it, and its declaration does not say that it may be left out',
    soft: true,
  }));
