/** A refusal; `code` is stable and short, `message` is for people. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly code: string;
  readonly issues: readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { issues?: readonly string[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = more.issues ?? [];
    this.headers = more.headers ?? {};
  }
}

/** What a fault answers in place of a refusal. */
export function crash(): ApiFailure {
  return new ApiFailure(500, 'internal', 'something went wrong');
}
