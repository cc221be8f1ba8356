import { ApiFailure } from './api-failure.js';
import type { Exchange } from './instance.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a content type says JSON in UTF-8. */
export function isJsonType(value = ''): boolean {
  const [type = '', ...parameters] = value
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((one) => one.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  const json = type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type);
  return json && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}

/** The parsed body of a create or change; throws the refusal for what is no JSON in UTF-8. */
export function readJson({ body, headers }: Exchange): unknown {
  if (!isJsonType(headers['content-type']))
    throw new ApiFailure(415, 'unsupported_media_type', 'Send the body as application/json in UTF-8.');
  if (body.length === 0) throw new ApiFailure(400, 'malformed_json', 'The body is empty.');
  try {
    return JSON.parse(strictUtf8.decode(body));
  } catch {
    throw new ApiFailure(400, 'malformed_json', 'The body is no JSON in UTF-8.');
  }
}
