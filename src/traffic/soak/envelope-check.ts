import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';

/** Bodies of up to this many characters are parsed completely. */
const smallCharacters = 2_048;
/** Of an operation's larger bodies, the first and then one in this many are parsed completely. */
const everyLarge = 16;
/** A connection keeps only this much of a longer body. */
const keptBytes = 262_144;

const okFirst = /^\s*\{\s*"ok"\s*:\s*true\s*,\s*"data"\s*:\s*[{[]/;
const dataFirst = /^\s*\{\s*"data"\s*:\s*[{[]/;
const okLast = /"ok"\s*:\s*true\s*\}$/;

/** Whether a body begins and ends as a success does; null where its members come in an order that only parsing tells. */
function isFramed(body: string): boolean | null {
  const trimmed = body.trimEnd();
  if (okFirst.test(body)) return trimmed.endsWith('}');
  return dataFirst.test(body) && okLast.test(trimmed.slice(-40)) ? true : null;
}

function isEnvelope(text: string, ok: boolean): boolean {
  const whole = asObject(decodeJson(text));
  return whole?.['ok'] === ok && (ok ? 'data' : 'error') in whole;
}

/** Judges the bodies of one operation, one after another: whether each is the envelope that its status calls for. */
export function openEnvelopeCheck(): (body: string, status: number) => boolean {
  let large = 0;
  return (body, status) => {
    const ok = status < 300;
    if (body.length <= smallCharacters) return isEnvelope(body, ok);
    if (Buffer.byteLength(body) >= keptBytes) return body.trimStart().startsWith('{');
    const inTurn = large % everyLarge === 0;
    large += 1;
    return (inTurn || !ok ? null : isFramed(body)) ?? isEnvelope(body, ok);
  };
}
