import { asObject, dataOf, idIn, isSuccess, mayMean, recordIn } from '../service/index.js';
import { joinDigits } from '../api/index.js';
import { type AnswerPart, type Exchange, header } from '../http/index.js';
import type { Answer, AnomalyKind } from './model/history.js';
import type { LeadBody } from './lead-body.js';

const idNames = /^(lead)?[_-]?(id|uuid|guid|ref|reference|number|no)$/i;

/** The id of the lead in an answer, whatever its spelling, at `data` or one level down; null where none is shown. */
export function identityOf(exchange: Exchange): string | null {
  const usual = idIn(exchange);
  if (usual !== null) return usual;
  const data = dataOf(exchange);
  if (data === null) return null;
  for (const place of [...Object.values(data).map(asObject), data]) {
    for (const [name, value] of Object.entries(place ?? {})) {
      if (idNames.test(name) && (typeof value === 'string' || typeof value === 'number') && value !== '')
        return String(value);
    }
  }
  return null;
}

/** What is wrong in the answer that shows a breach of this kind: its id, its record, or its status. */
export function wrongPart(kind: AnomalyKind, exchange: Exchange): AnswerPart {
  if (kind === 'fresh-refused') return 'status';
  const [record, id] = [recordIn(exchange), identityOf(exchange)];
  const [name] = Object.entries(record ?? {}).find(([, value]) => String(value) === id) ?? [];
  return { value: record, pointer: kind === 'other-data' || name === undefined ? '' : `/${name}` };
}

/** A JSON value as text in three forms for searching: as it is, in lower case (services change the case of names), and with digits joined (services format phones). */
interface Searchable {
  readonly text: string;
  readonly lower: string;
  readonly joined: string;
}

export function searchable(value: unknown): Searchable {
  const text = JSON.stringify(value ?? {});
  return { text, lower: text.toLowerCase(), joined: joinDigits(text) };
}

/** Whether a JSON value shows data of this body. */
export function showsBody(value: Searchable, body: LeadBody): boolean {
  return body.marks.some(
    (mark) => value.lower.includes(mark.toLowerCase()) || (/^\d{10,}$/.test(mark) && value.joined.includes(mark)),
  );
}

/** Statuses that ask to try again and say nothing about the request. */
const passing = new Set([408, 425, 429]);

/** Whether a conflict asks to be sent again, as where another create is under way: it made nothing, and says nothing of the key. */
export function isBusy(exchange: Exchange): boolean {
  return mayMean(exchange, 409, 423) && header(exchange, 'retry-after') !== undefined;
}

/** The body without the marks that also occur in `own`: common marks distinguish nothing. */
function apartFrom(body: LeadBody, own: LeadBody): LeadBody {
  if (body.label === own.label) return body;
  const text = own.bytes.toString();
  return { ...body, marks: body.marks.filter((mark) => !text.includes(mark)) };
}

/**
 * The meaning of an answer to `own`, compared with all bodies sent. After the client has waited as asked (`waited`), a busy answer counts
 * as refused.
 */
export function answerOf(exchange: Exchange, own: LeadBody, bodies: readonly LeadBody[], waited = false): Answer {
  const status = exchange.response?.status ?? 0;
  if (exchange.response === null)
    return { kind: 'unknown', why: `no answer (${exchange.failure?.message ?? 'nothing'})`, open: true };
  if (isSuccess(exchange)) {
    // Beside the lead, an answer may show others: earlier ones for the same unit, for example.
    const shown = recordIn(exchange);
    const record = searchable(shown);
    const isTelling = bodies.some((body) => showsBody(record, body));
    const text = isTelling ? record : searchable(dataOf(exchange));
    return {
      kind: 'lead',
      id: identityOf(exchange),
      shows: bodies.filter((body) => showsBody(text, apartFrom(body, own))).map((body) => body.label),
      // A key that may not read leads may be shown the id alone.
      tells: Object.keys(own.fields).some((name) => name in (shown ?? {})),
    };
  }
  if (isBusy(exchange) && !waited) return { kind: 'unknown', why: `status ${status} with Retry-After`, open: false };
  if ((status >= 400 && status < 500 && !passing.has(status)) || (status >= 200 && status < 300))
    return { kind: 'refused', status };
  return { kind: 'unknown', why: `status ${status}`, open: status >= 500 };
}
