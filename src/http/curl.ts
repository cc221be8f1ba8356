import { gzipSync } from 'node:zlib';
import { decodeText } from './decode-body.js';
import type { Exchange, HeaderLine, RecordedRequest } from './exchange.js';
import { unseen } from '../visible.js';
import { printfFormat, shellWord, splitSecrets } from './shell.js';

/** Longest body written into the line itself, in characters. */
const longestInline = 4_000;

const ownOfCurl = new Set(['user-agent', 'content-length', 'connection', 'transfer-encoding']);

function bare(text: string): boolean {
  return text.search(unseen) === -1;
}

/** The URL as the client put it on the wire (WHATWG serialisation), with the marks of secrets left in place. */
function sentUrl(url: string): string {
  const names: string[] = [];
  const held = url.replace(/\[redacted:([^\]]*)\]/g, (_, name: string) => `zzsecret${names.push(name) - 1}zz`);
  const parsed = URL.canParse(held) ? new URL(held).href.replace(/#.*/s, '') : encodeURI(Buffer.from(held).toString());
  return parsed.replace(/zzsecret(\d+)zz/g, (_, index: string) => `[redacted:${names[Number(index)] ?? ''}]`);
}

function headerOption([name, value]: HeaderLine): string {
  if (value === '') return `-H ${shellWord(`${name};`)}`;
  const line = `${name}: ${value}`;
  // The client writes header values as Latin-1; a shell would write them as UTF-8.
  if (/[^\x20-\x7e]/.test(line)) return `-H "$(printf ${printfFormat(Buffer.from(line, 'latin1'))})"`;
  return `-H ${shellWord(line)}`;
}

/** How the body gets into curl: what stands before the pipe, the option, and what is said behind. */
interface BodyWords {
  readonly before: string;
  readonly option: string;
  readonly after: string;
}

function bodyWords(body: Buffer, seq: number): BodyWords {
  const text = decodeText(body);
  if (text !== null && text.length <= longestInline && bare(text)) {
    return {
      before: '',
      option: `${text.startsWith('@') ? '--data-raw' : '-d'} ${text === '' ? "''" : shellWord(text)}`,
      after: '',
    };
  }
  const piped = (command: string): BodyWords => ({ before: `${command} | `, option: '--data-binary @-', after: '' });
  const parts = splitSecrets(body.toString('latin1'));
  const pieces = parts.map((part, index) =>
    index % 2 === 1 ? `printf %s "$${part}"` : part === '' ? '' : `printf ${printfFormat(Buffer.from(part, 'latin1'))}`,
  );
  const printed = pieces.filter(Boolean).join('; ');
  const ways = [parts.length > 1 ? `{ ${printed}; }` : printed];
  if (parts.length === 1) {
    ways.push(`printf %s ${body.toString('base64')} | base64 -d`);
    ways.push(`printf %s ${gzipSync(body, { level: 9 }).toString('base64')} | base64 -d | gunzip`);
  }
  const shortest = ways.reduce((best, way) => (way.length < best.length ? way : best));
  if (shortest.length <= longestInline) return piped(shortest);
  return {
    before: '',
    option: `--data-binary @exchange-${seq}.body`,
    after: ` # the ${body.length} bytes are in the evidence`,
  };
}

function headerOptions(request: RecordedRequest, host: string): string[] {
  const kept = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return !ownOfCurl.has(lower) && !(lower === 'host' && value === host) && !(lower === 'accept' && value === '*/*');
  });
  const out = kept.map(headerOption);
  const typed = request.headers.some(([name]) => name.toLowerCase() === 'content-type');
  // With a body and no type of its own, curl would claim a form.
  if (request.body !== null && !typed) out.push("-H 'content-type:'");
  return out;
}

/** The shortest line for a POSIX shell that sends the same request again, each secret as a variable named as its setting. Visible characters only. */
export function curlFor(exchange: Exchange): string {
  const { request } = exchange;
  const url = sentUrl(request.url);
  const words: string[] = ['curl', '-i'];
  const withBody = request.body !== null;
  if (request.method === 'HEAD' && !withBody) words[1] = '-I';
  else if (request.method !== (withBody ? 'POST' : 'GET')) words.push('-X', shellWord(request.method));
  if (
    /[[\]{}]/.test(
      splitSecrets(url)
        .filter((_, index) => index % 2 === 0)
        .join(''),
    )
  )
    words.push('-g');
  words.push(shellWord(url), ...headerOptions(request, URL.canParse(url) ? new URL(url).host : ''));
  const body = request.body === null ? null : bodyWords(request.body, exchange.seq);
  if (body !== null) words.push(body.option);
  return `${body?.before ?? ''}${words.join(' ')}${body?.after ?? ''}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name and the value of the header with the key of a create; null where that is none that a new one can stand for. */
const keyOf = ({ request }: Exchange): HeaderLine | null =>
  request.headers.find(([name, value]) => name.toLowerCase() === 'idempotency-key' && uuid.test(value)) ?? null;

/** The line that sends the last of these requests again; where creates with one key were under way together, those, with a new key, at once. */
export function curlThatShows(exchanges: readonly Exchange[]): string | null {
  const last = exchanges.at(-1);
  if (last === undefined) return null;
  const isBeside = (a: Exchange, b: Exchange): boolean =>
    a !== b && a.sentAtMs < b.receivedAtMs && b.sentAtMs < a.receivedAtMs && keyOf(a)?.[1] === keyOf(b)?.[1];
  const [first, second] = exchanges.filter((one) => keyOf(one) !== null && exchanges.some((two) => isBeside(one, two)));
  if (first === undefined || second === undefined) return curlFor(last);
  const lines = [first, second].map((one) => {
    const [name, value] = keyOf(one) ?? ['', ''];
    return curlFor(one).replace(shellWord(`${name}: ${value}`), `"${name}: $key"`);
  });
  return `key=$(node -p 'crypto.randomUUID()'); ${lines.join(' & ')} & wait`;
}
