import { type AnswerPart, curlThatShows, type Exchange, type RecordedRequest, UnjudgedSignal } from '../http/index.js';
import { child } from '../openapi/index.js';
import {
  type CatalogueEntry,
  type Finding,
  fingerprintOf,
  mostFindings,
  type Place,
  type RequirementResult,
  type Verdict,
} from '../requirement/index.js';
import type { Check } from './check.js';

/** `GET /api/v1/units/{id}`: ids, and whatever else but the version holds a digit, differ from run to run. */
function operationOf({ method, path }: RecordedRequest): string {
  const parts = (path.split('?', 1)[0] ?? '').split('/');
  const isId = (part: string, at: number): boolean =>
    /^(units|leads|deals)$/.test(parts[at - 1] ?? '') || (/\d/.test(part) && !/^v\d+$/.test(part));
  return `${method} ${parts.map((part, at) => (isId(part, at) ? '{id}' : part)).join('/')}`;
}

/** Where a breach shows: what its last exchange asked and answered. `clean` takes secrets out. */
export function placeOf(
  { exchanges, way, field }: Pick<Check['breaches'][number], 'exchanges' | 'way' | 'field'>,
  clean: (text: string) => string,
): Place {
  const known = { ...(way === undefined ? {} : { way }), ...(field === undefined ? {} : { field }) };
  const last = exchanges?.at(-1);
  if (last === undefined) return known;
  const { request, response } = last;
  const noJson =
    response !== null && response.json === undefined && response.body.length > 0 && request.method !== 'HEAD';
  return {
    operation: clean(operationOf(request)),
    ...(request.credential === null ? {} : { as: request.credential }),
    ...known,
    ...(response === null ? {} : { status: response.status }),
    ...(response === null || response.status < 300 || noJson
      ? {}
      : { refusal: clean(JSON.stringify(response.json) ?? '').slice(0, 200) }),
    ...(noJson ? { noJson } : {}),
  };
}

/** The pointer to this very object in a JSON value; null where it is not there. */
function pointerTo(value: unknown, json: unknown): string | null {
  if (json === value) return '';
  if (typeof value !== 'object' || typeof json !== 'object') return null;
  for (const [name, inner] of Object.entries(json ?? {})) {
    const found = pointerTo(value, inner);
    if (found !== null) return child('', name) + found;
  }
  return null;
}

/** Where the part of an answer stands that a breach is about: in the last answer that has it. */
function partOf(exchanges: readonly Exchange[], part: AnswerPart | undefined): Finding['part'] {
  for (const { seq, response } of exchanges.toReversed()) {
    if (part === undefined || response === null) continue;
    const exchange = String(seq);
    if (part === 'status') return { exchange };
    if ('header' in part) return { exchange, header: part.header };
    // Null is no object that could be found again: the first null of the answer would be taken for it.
    const pointer = part.value == null ? null : pointerTo(part.value, response.json);
    if (pointer !== null) return { exchange, pointer: pointer + (part.pointer ?? '') };
  }
  return undefined;
}

/** What a result says of its requirement. */
export function namesOf({ id, section, level, title, source }: CatalogueEntry) {
  return { id, section, level, title, source };
}

/** The verdict of a check, computed once, from how its body ended and what it recorded. */
export function resultOf(
  { entry, run, breaches, requests }: Check,
  elapsedMs: number,
  ended: unknown,
): RequirementResult {
  const hard = breaches.filter((one) => !one.soft);
  const shown = hard.length > 0 ? [...hard, ...breaches.filter((one) => one.soft)] : breaches;
  const clean = (text: string): string => run.redactor.text(text);
  const findings = shown.slice(0, mostFindings).map((one): Finding => {
    const curl = curlThatShows(one.exchanges ?? []);
    const place = placeOf(one, clean);
    const { code } = one;
    const exchanges = (one.exchanges ?? []).slice(-12);
    const part = partOf(exchanges, one.part);
    return {
      code,
      expected: clean(one.expected),
      actual: clean(one.actual),
      place,
      ...(curl === null ? {} : { curl }),
      replay: `${run.replay(entry.id)}${one.path === undefined ? '' : ` --path ${one.path}`}`,
      exchanges: exchanges.map(({ seq }) => String(seq)),
      ...(part === undefined ? {} : { part }),
      ...(one.page === undefined ? {} : { page: one.page }),
      fingerprint: fingerprintOf(entry.id, { code, place }),
    };
  });
  const say = (verdict: Verdict, reason: string): RequirementResult => ({
    ...namesOf(entry),
    verdict,
    reason: clean(reason),
    findings,
    requests,
    seconds: Math.round(elapsedMs) / 1000,
  });
  const first = shown[0];
  const firstReason = first
    ? `expected ${first.expected}; seen: ${first.actual}${shown.length > 1 ? ` (and ${shown.length - 1} more)` : ''}`
    : '';
  if (hard.length > 0) return say('fail', firstReason);
  if (ended instanceof UnjudgedSignal)
    return { ...say(ended.verdict, ended.message), ...(ended.remedy && { remedy: ended.remedy }) };
  if (ended !== undefined)
    return say(
      'error',
      `the suite itself failed here: ${ended instanceof Error ? ended.message : JSON.stringify(ended)}`,
    );
  if (first) return say('warn', firstReason);
  return say('pass', entry.level === 'OBSERVE' ? 'observed' : 'no breach in any exchange that was judged');
}
