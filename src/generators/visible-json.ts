/** JSON in printable ASCII: everything else is written as an escape, so that a reader sees what was sent. */
export function visibleJson(value: unknown, longest = 400): string {
  const text = (JSON.stringify(value) as string | undefined) ?? 'nothing';
  const escaped = text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.length > longest
    ? `${escaped.slice(0, longest - 1)}… (${String(escaped.length)} characters)`
    : escaped;
}
