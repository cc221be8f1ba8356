const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const longDays = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const time = '[0-2]\\d:[0-5]\\d:[0-6]\\d';

/** RFC 9110 §5.6.7: the fixed form, and the two obsolete ones that must still be read. */
const forms = [
  new RegExp(`^(?:${days}), \\d{2} (?:${months}) \\d{4} ${time} GMT$`),
  new RegExp(`^(?:${longDays}), \\d{2}-(?:${months})-\\d{2} ${time} GMT$`),
  new RegExp(`^(?:${days}) (?:${months}) [ \\d]\\d ${time} \\d{4}$`),
];

/** Milliseconds of an HTTP date, or null where the text is none. */
export function httpDate(raw: string): number | null {
  const text = raw.trim();
  const form = forms.findIndex((each) => each.test(text));
  if (form < 0) return null;
  const atMs = Date.parse(form === 2 ? `${text} GMT` : text);
  // `Date.parse` reads 31 February as a day of March.
  const day = Number(/\b\d{1,2}\b/.exec(text)?.[0]);
  return Number.isNaN(atMs) || new Date(atMs).getUTCDate() !== day ? null : atMs;
}

/** How long a `Retry-After` asks to wait, in seconds; null where it is invalid, or a date without a `Date` to compare it with. */
export function retryAfterSeconds(raw: string, date: string | undefined): number | null {
  if (/^\d{1,15}$/.test(raw.trim())) return Number(raw.trim());
  const until = httpDate(raw);
  const now = date === undefined ? null : httpDate(date);
  return until === null || now === null ? null : Math.max(0, (until - now) / 1000);
}

/** Whether a `Retry-After` has one of its two forms (RFC 9110 §10.2.3). */
export function isRetryAfter(raw: string): boolean {
  return /^\d{1,15}$/.test(raw.trim()) || httpDate(raw) !== null;
}
