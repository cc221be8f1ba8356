import type { ErrorCode, FieldProblem, Flavour, Json, Reply } from './types.js';

export const success = (status: number, data: Json): Reply => ({ status, json: { ok: true, data } });

export const failure = (
  flavour: Flavour,
  code: ErrorCode,
  message: string,
  fields: readonly FieldProblem[] = [],
): Reply => {
  const status = code === 'method' ? flavour.otherMethods : flavour.errors.status[code];
  return { status, json: { ok: false, error: flavour.errors.body(code, status, message, fields) } };
};

/** What a crashed framework sends: no envelope at all. */
export const crash = (what: string, status = 500): Reply => ({
  status,
  type: 'text/html; charset=utf-8',
  text: `<!DOCTYPE html><html><head><title>Error</title></head><body><pre>${what}<br> &nbsp; &nbsp;at handle (/srv/app/dist/router.js:112:19)</pre></body></html>`,
});

export const notFoundPage = (): Reply => ({
  status: 404,
  type: 'text/html; charset=utf-8',
  text: '<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>',
});
