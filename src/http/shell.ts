const mark = /\[redacted:([^\]]*)\]/g;

/** The shell variable that replaces a secret of that name. */
export function variableFor(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `SECRET_${plain}`;
}

/** Literal text and secrets in turn: even places are text, odd places are variable names. */
export function splitSecrets(text: string): string[] {
  return text.split(mark).map((part, index) => (index % 2 === 1 ? variableFor(part) : part));
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One word for a POSIX shell: the text as it is, each `[redacted:NAME]` in it as the variable `$NAME`. */
export function shellWord(text: string): string {
  const parts = splitSecrets(text);
  if (parts.length === 1) return /^[\w@%+=:,./-]+$/.test(text) ? text : single(text);
  const literals = parts.filter((_, index) => index % 2 === 0);
  // Inside double quotes these would still mean something to the shell ("!" to an interactive one).
  if (literals.some((part) => /["$`\\!]/.test(part))) {
    return parts.map((part, index) => (index % 2 === 1 ? `"$${part}"` : part === '' ? '' : single(part))).join('');
  }
  const inner = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    return /^\w/.test(parts[index + 1] ?? '') ? `\${${part}}` : `$${part}`;
  });
  return `"${inner.join('')}"`;
}

/** A printf format, quoted, that prints exactly these bytes: printable ASCII as itself, the rest in octal. */
export function printfFormat(bytes: Buffer): string {
  let out = '';
  for (const [index, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    // printf would read a leading minus as an option.
    if (index === 0 && character === '-') out += '\\055';
    else if (character === '%') out += '%%';
    else if (character === '\\') out += '\\\\';
    else if (byte >= 0x20 && byte < 0x7f) out += character;
    else out += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return single(out);
}
