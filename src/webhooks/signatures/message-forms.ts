import { headerValues, type Delivery } from '../delivery.js';

/** The data that a signature may cover. */
export interface MessageForm {
  readonly name: string;
  readonly bytes: Buffer;
  /** Only the raw body is what §5.6 says; the others also cover a time stamp or an id. */
  readonly raw: boolean;
}

/** A text of the delivery's headers that a sender may have signed together with the body. */
interface Part {
  readonly where: string;
  readonly text: string;
}

function signatureParts(delivery: Pick<Delivery, 'headers'>, header: string): Part[] {
  const parts: Part[] = [];
  for (const value of headerValues(delivery, header)) {
    for (const match of value.matchAll(/(?:^|[\s,;])([a-z_]{1,20})\s*=\s*"?(\d{9,19})(?![0-9A-Za-z+/=])/gi)) {
      parts.push({ where: `${match[1] ?? ''}= of ${header}`, text: match[2] ?? '' });
    }
    const first = /^(\d{9,19})[.,:;]/.exec(value);
    if (first) parts.push({ where: `the start of ${header}`, text: first[1] ?? '' });
  }
  return parts;
}

function headerParts(delivery: Pick<Delivery, 'headers'>, headerName: RegExp, shape: RegExp, not: string): Part[] {
  return delivery.headers
    .filter(
      ([name, value]) =>
        headerName.test(name) && name !== not.toLowerCase() && value.length <= 200 && shape.test(value),
    )
    .map(([name, value]) => ({ where: name, text: value }));
}

/** The body as it came, alone: what §5.6 asks for. */
export function rawMessage(bytes: Buffer): MessageForm {
  return { name: 'the raw body', bytes, raw: true };
}

/** The body together with a time stamp, or with an id and a time stamp, in the ways that are in use. */
export function stampedMessages(
  delivery: Pick<Delivery, 'headers'>,
  bytes: Buffer,
  header: string,
): readonly MessageForm[] {
  const stamps = [
    ...signatureParts(delivery, header),
    ...headerParts(delivery, /time|stamp|(?:^|-)(?:date|ts|sent|nonce)(?:-|$)/, /\S/, header),
  ].slice(0, 8);
  const ids = headerParts(delivery, /(?:^|[-_])(?:id|uuid|guid|delivery)$|id$/, /\S/, header).slice(0, 6);
  const forms: MessageForm[] = [];
  const add = (name: string, before: string, after = ''): void => {
    forms.push({
      name,
      bytes: Buffer.concat([Buffer.from(before, 'latin1'), bytes, Buffer.from(after, 'latin1')]),
      raw: false,
    });
  };
  for (const { where, text } of stamps) {
    for (const sign of ['.', ':', '', '\n', ',', '|', ' ']) {
      const shown = sign === '' ? 'directly' : JSON.stringify(sign);
      add(`the time stamp (${where}), ${shown}, the body`, `${text}${sign}`);
      if (sign === '.' || sign === '') add(`the body, ${shown}, the time stamp (${where})`, '', `${sign}${text}`);
    }
    for (const version of ['v0', 'v1'])
      add(`"${version}:", the time stamp (${where}), ":", the body`, `${version}:${text}:`);
    for (const id of ids) {
      if (id.where === where) continue;
      for (const sign of ['.', ':', '']) {
        const shown = sign === '' ? 'directly' : JSON.stringify(sign);
        add(
          `the id (${id.where}), ${shown}, the time stamp (${where}), ${shown}, the body`,
          `${id.text}${sign}${text}${sign}`,
        );
        add(
          `the time stamp (${where}), ${shown}, the id (${id.where}), ${shown}, the body`,
          `${text}${sign}${id.text}${sign}`,
        );
      }
    }
  }
  return forms;
}
