import type { ErrorCode } from './error-styles.js';
import type { Flavour } from './flavours.js';
import type { FieldProblem, Json } from './json.js';
import type { Reply, World } from './world.js';

export const success = (status: number, data: Json): Reply => ({ status, json: { ok: true, data } });

export const failure = (
  { errors: { style }, addresses }: Flavour,
  code: ErrorCode,
  message: string,
  fields: readonly FieldProblem[] = [],
): Reply => {
  const status = code === 'method' ? addresses.otherMethods : style.status[code];
  return { status, json: { ok: false, error: style.body(code, status, message, fields) } };
};

export const invalid = ({ flavour }: World, fields: readonly FieldProblem[]): Reply =>
  failure(flavour, 'invalid_fields', 'some fields are not acceptable', fields);

const page = (status: number, title: string, body: string): Reply => ({
  status,
  type: 'text/html; charset=utf-8',
  text: `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`,
});

/** What a crashed framework sends: no envelope at all. */
export const crash = (what: string, status = 500): Reply =>
  page(status, 'Error', `<pre>${what}<br> &nbsp; &nbsp;at handle (/srv/app/dist/router.js:112:19)</pre>`);

export const notFoundPage = (): Reply => page(404, '404 Not Found', '<h1>Not Found</h1>');
