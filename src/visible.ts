/** Code points that a reader cannot see or that steer a terminal or the direction of text; a plain space is none of them. */
export const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** How one unseen character is written out: `\x1b`, `\u202e`, `\u{e0041}`; half a surrogate pair is written as itself. */
export function spelled(character: string): string {
  const known = short[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** The text on one line, with everything unseen written out: safe for a terminal, a log and XML. */
export function visible(text: string): string {
  return text.replace(unseen, spelled);
}

/** At most `most` UTF-16 units of the text, never half a character, and how many were left away. */
export function clip(text: string, most: number): { readonly text: string; readonly left: number } {
  if (text.length <= most) return { text, left: 0 };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return { text: text.slice(0, end), left: text.length - end };
}

/** The minute of an instant (ISO 8601): `2026-11-29 12:00 UTC`. */
export const minuteOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** `visible`, clipped, saying so. */
export function brief(text: string, most: number): string {
  const cut = clip(text, most);
  return cut.left === 0 ? visible(cut.text) : `${visible(cut.text)}… (${cut.left} more characters)`;
}
