/** An Authorization value as it may be written down: its scheme, and the name of the credential in place of the rest. */
export function shownAuthorization(value: string, name: string | null): string {
  return value.replace(/(?<=^\S+\s)[\s\S]*$|^\S+$/, `[redacted:${name ?? 'key'}]`);
}
