import { type AnswerPart, type Exchange, header } from '../http/index.js';
import { asObject, quote } from './values.js';
import { leakIn } from './leaks.js';

/** One way in which an answer is no envelope as the specification shows it. */
export interface EnvelopeFault {
  readonly id: 'ENV-01' | 'ENV-02' | 'ENV-03' | 'ENV-07';
  readonly pass: false;
  readonly code: string;
  readonly soft: boolean;
  readonly expected: string;
  readonly actual: string;
  readonly part: AnswerPart;
}

/** Describes a body for a sentence. */
function whatItIs(exchange: Exchange): string {
  const { response } = exchange;
  if (response === null) return 'no answer';
  if ([204, 205, 304].includes(response.status))
    return `${response.status}, which has no body (RFC 9110 §6.4.1) and so no envelope, whatever the request: answer with another status`;
  if (response.body.length === 0) return 'an empty body';
  if (response.text === null) return 'a body that is no valid UTF-8';
  if (response.json !== undefined) return quote(response.json);
  const isMarked = response.text.startsWith('\ufeff');
  return `no JSON: ${isMarked ? 'a byte order mark (RFC 8259 §8.1) and ' : ''}${quote(response.text.slice(isMarked ? 1 : 0))}`;
}

/** Judges one production answer by the floor that the specification sets, whatever the document says (§1, §2, §7). Answers to HEAD have no body to judge. */
export function judgeEnvelope(exchange: Exchange): EnvelopeFault[] {
  const { response } = exchange;
  if (response === null || exchange.request.method === 'HEAD') return [];
  const faults: EnvelopeFault[] = [];
  const say = (
    id: EnvelopeFault['id'],
    code: string,
    expected: string,
    actual: string,
    part: '' | `/${string}` | AnswerPart,
    soft = id === 'ENV-07',
  ): void => {
    const wrong = typeof part === 'string' && part !== 'status' ? { value: response.json, pointer: part } : part;
    faults.push({ id, pass: false, soft, code, expected, actual, part: wrong });
  };
  const contentType = { header: 'content-type' };
  const body = asObject(response.json);
  const type = header(exchange, 'content-type') ?? '';
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
  if (response.text === null)
    say('ENV-01', 'no-utf8', 'a body in valid UTF-8 (RFC 8259 §8.1)', 'bytes that are no UTF-8', '');
  else if (body === null) say('ENV-01', 'no-object', 'a JSON object', whatItIs(exchange), '');
  else if (typeof body['ok'] !== 'boolean')
    say('ENV-01', 'no-ok', 'a boolean ok', body['ok'] === undefined ? whatItIs(exchange) : quote(body['ok']), '/ok');
  // The specification names no media type; RFC 6839 §3.1 makes every "+json" one JSON.
  if (!/^application\/([^\s;]+\+)?json$/i.test(type.split(';')[0]?.trim() ?? ''))
    say(
      'ENV-01',
      'content-type',
      'a JSON content type (application/json or +json)',
      type === '' ? 'none' : type,
      contentType,
    );
  else if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    say('ENV-01', 'charset', 'JSON in UTF-8', `charset ${charset}`, contentType);
  // A flag that is no boolean and bytes that are no text are ENV-01's alone.
  const is2xx = response.status >= 200 && response.status < 300;
  const [status, ok] = [is2xx ? 'a 2xx status' : 'a status that is not 2xx', body?.['ok']];
  if (body === null ? response.text !== null : ok === undefined)
    say(
      is2xx ? 'ENV-02' : 'ENV-03',
      is2xx ? 'no-success-envelope' : 'no-failure-envelope',
      `ok: ${String(is2xx)} with ${status}`,
      whatItIs(exchange),
      '/ok',
    );
  else if (ok === true && !is2xx) say('ENV-03', 'ok-without-2xx', `ok: false with ${status}`, 'ok: true', '/ok');
  else if (ok === true && asObject(body?.['data']) === null)
    say('ENV-02', 'no-data', 'an object data with ok: true', `data: ${quote(body?.['data'])}`, '/data');
  else if (ok === false && asObject(body?.['error']) === null)
    say('ENV-03', 'no-error', 'an object error with ok: false', `error: ${quote(body?.['error'])}`, '/error');
  else if (ok === false && is2xx)
    say(
      'ENV-03',
      'failure-with-2xx',
      'a status that is not 2xx with ok: false',
      String(response.status),
      'status',
      true,
    );
  if (body === null) return faults;
  const filled = (value: unknown): boolean => value !== undefined && value !== null;
  if (filled(body['data']) && filled(body['error']))
    say('ENV-07', 'data-and-error', 'either data or error', 'both', '/error');
  if (filled(body['error']) && (response.status >= 400 || ok === false)) {
    const leak = leakIn(body['error']);
    if (leak !== null)
      say('ENV-07', 'leak', 'an error that tells nothing about the inside of the service', leak, '/error');
  }
  if (/\[redacted:(API_KEY\w*|OTHER_API_KEY|(OTHER_)?SIGNING_SECRET)\]/.test(response.text ?? ''))
    say('ENV-07', 'secret', 'no secret in an answer', 'a configured key or secret is in the body', '');
  return faults;
}
