/** An instant in a sentence, in seconds after the first request. */
export function formatInstant(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100_000 ? 3 : 2)} s`;
}

/** A length of time in a sentence. */
export function formatDuration(ms: number): string {
  return `${Number((ms / 1000).toPrecision(4))} s`;
}

/** 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(number: number): string {
  const teen = number % 100 >= 11 && number % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

/** A whole number, or one decimal where it is not whole. */
export function formatCount(number: number): string {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}
