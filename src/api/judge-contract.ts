import type { AnswerVerdict } from '../openapi/contract.js';
import { header, type Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { AbsentHeaders } from './absent-headers.js';
import { asObject } from '../service/json.js';
import { liveExchanges, serverStatuses } from './live-exchanges.js';

/** Statuses that HTTP servers and proxies give before any operation is reached; a document that leaves them out is not thereby untrue. */
const transport = new Set([405, 406, 408, 411, 413, 414, 415, 417, 421, 426, 428, 431]);

/** Whether the operation declares any 4xx or `default`. If it does, it must declare every failure that it sends. */
function declaresFailures(operation: Record<string, unknown>): boolean {
  return Object.keys(asObject(operation['responses']) ?? {}).some((status) => /^4|^default$/i.test(status));
}

/** A template's place in the document that an exchange is judged by, at most one finding each. */
function placeOf(exchange: Exchange, template: string): string {
  return `${exchange.request.method} ${template} ${exchange.response?.status ?? 0}`;
}

/** Answers of the demo list, which the document may describe as well. */
async function demoExchanges(check: Check): Promise<readonly Exchange[]> {
  const all = await check.run.exchanges();
  return all.filter((one) => one.surface === 'demo' && one.response !== null && one.response.status !== 429);
}

/** All texts in JSON values, at any depth. */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}

/** All texts that this run sent in bodies. */
async function sentTexts(check: Check): Promise<ReadonlySet<string>> {
  const sent = new Set<string>();
  for (const { request } of await check.run.exchanges()) {
    if (request.body === null || request.body.length > 100_000) continue;
    try {
      for (const text of textsIn(JSON.parse(request.body.toString('utf8')))) sent.add(text);
    } catch {
      continue;
    }
  }
  return sent;
}

/** Whether an error is about the format of a text that was sent: a format need not bind, so a service may take it, and then shows it again. */
function isSentFormat(error: string, json: unknown, sent: ReadonlySet<string>): boolean {
  const [, pointer] = /^(\/\S*) must match format/.exec(error) ?? [];
  const value = pointer
    ?.split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => asMembers(inner)[name], json);
  return typeof value === 'string' && sent.has(value);
}

function asMembers(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Judges every production answer, and those of the demo list, by the document: body (ENV-04), status (ENV-05), headers (ENV-08). */
export async function judgeContract(check: Check, id: 'ENV-04' | 'ENV-05' | 'ENV-08'): Promise<void> {
  const { contract } = await check.contract();
  const live = [...(await liveExchanges(check)), ...(await demoExchanges(check))];
  const sent = id === 'ENV-04' ? await sentTexts(check) : new Set<string>();
  // Three requirements judge the same answers.
  const judgedAnswers = await check.once('answers by the document', () =>
    Promise.resolve(new WeakMap<Exchange, AnswerVerdict>()),
  );
  const reportedPlaces = new Set<string>();
  const absent = new AbsentHeaders();
  let judged = 0;
  let bound = 0;
  for (const exchange of live) {
    const { response, request } = exchange;
    if (response === null) continue;
    const path = request.path.split('?')[0] ?? '';
    const operation = contract.operation(request.method, path);
    if (operation === null) continue;
    judged += 1;
    const place = placeOf(exchange, operation.fullTemplate);
    if (reportedPlaces.has(place)) continue;
    const found =
      judgedAnswers.get(exchange) ??
      contract.validateResponse({
        method: request.method,
        path,
        status: response.status,
        contentType: header(exchange, 'content-type') ?? null,
        headers: response.headers,
        json: response.json,
      });
    judgedAnswers.set(exchange, found);
    const say = (expected: string, actual: string, soft = false): void => {
      reportedPlaces.add(place);
      const words = { expected, actual: `${describe(exchange)}: ${actual}`, exchanges: [exchange] };
      check[soft ? 'warn' : 'fail'](words);
    };
    if (id === 'ENV-05') {
      bound += 1;
      if (!found.statusDeclared && response.status < 500)
        say(
          `a status declared for ${request.method} ${operation.fullTemplate}`,
          `${response.status} is not declared`,
          transport.has(response.status) ||
            serverStatuses(exchange).includes(response.status) ||
            !declaresFailures(operation.operation),
        );
    }
    if (id === 'ENV-04' && found.statusDeclared) {
      if (found.schemaDeclared || !found.contentTypeDeclared) bound += 1;
      if (!found.contentTypeDeclared) say('a declared content type', header(exchange, 'content-type') ?? 'none');
      else if (found.schemaErrors.length > 0) {
        const isSoft = found.schemaErrors.every((error) => isSentFormat(error, response.json, sent));
        say('a body that meets the declared schema', found.schemaErrors.slice(0, 3).join('; '), isSoft);
      }
    }
    if (id === 'ENV-08') {
      if (found.headersDeclared.length > 0) bound += 1;
      absent.see(exchange, place, found.headersDeclared);
      if (found.headerErrors.length > 0)
        say('the declared response headers', found.headerErrors.slice(0, 3).join('; '));
    }
  }
  if (id === 'ENV-08') absent.tell(check);
  if (judged === 0) check.notApplicable('the document declares none of the operations that answered');
  if (bound === 0)
    check.notApplicable(
      id === 'ENV-04'
        ? 'the document declares no body schema for any answer that was given'
        : 'the document declares no header for any answer that was given',
    );
}
