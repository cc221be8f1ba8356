/** Deeper nesting is not indented further, so that no document can blow up. */
const deepest = 12;

/** JSON text laid out for reading: every token stays as it was written (number spelling, duplicate names), only white space changes. */
export function layOut(json: string): string {
  let out = '';
  let depth = 0;
  let inString = false;
  const line = (): string => `\n${'  '.repeat(Math.min(Math.max(depth, 0), deepest))}`;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (inString) {
      out += character;
      if (character === '\\') out += json.charAt((at += 1));
      else if (character === '"') inString = false;
    } else if (/\s/.test(character)) continue;
    else if (character === '{' || character === '[') {
      const close = character === '{' ? '}' : ']';
      const rest = /^\s*/.exec(json.slice(at + 1, at + 200))?.[0].length ?? 0;
      if (json.charAt(at + 1 + rest) === close) {
        out += character + close;
        at += 1 + rest;
      } else {
        depth += 1;
        out += character + line();
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
      out += line() + character;
    } else if (character === ',') out += character + line();
    else if (character === ':') out += ': ';
    else {
      out += character;
      inString = character === '"';
    }
  }
  return out;
}
