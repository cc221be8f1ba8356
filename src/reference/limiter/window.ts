/** The decision of a limiter about one request. `resetSeconds`: until a request is free again. */
export interface Decision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** One limit of one key. `look` judges without counting, `take` counts one request, be it of an earlier instant; in milliseconds. */
export interface Window {
  readonly limit: number;
  readonly windowSeconds: number;
  look(nowMs: number): Decision;
  take(nowMs: number): void;
}

/** Makes the window of a fresh key. */
export type MakeWindow = (limit: number, windowSeconds: number) => Window;
