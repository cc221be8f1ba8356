import type { Behaviour } from './instance.js';

interface More {
  readonly issues?: readonly string[];
  readonly headers?: Record<string, string>;
}

/** A refusal; `code` is stable and short, `message` is for people. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;
  readonly issues: readonly string[];
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, { issues = [], headers = {} }: More = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }
}

/** The refusal of input that is not valid. */
export function invalidInput({ option }: Behaviour, code: string, message: string, issues: readonly string[] = []) {
  return new ApiFailure(Number(option('invalid-status')), code, message, { issues });
}

/** The refusal of a method that a path does not have. */
export function methodNotAllowed(status = 405, headers: Record<string, string> = {}): ApiFailure {
  return new ApiFailure(status, 'method_not_allowed', 'This path does not have that method.', { headers });
}

/** The refusal of what does not exist. */
export function notFound(message = 'There is nothing here.'): ApiFailure {
  return new ApiFailure(404, 'not_found', message);
}
