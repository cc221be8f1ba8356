/** `a/b` → `a~1b`, for one token of a JSON pointer (RFC 6901). */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Appends a token to a JSON pointer. */
export function child(pointer: string, token: string | number): string {
  return `${pointer}/${escapeToken(String(token))}`;
}

/** The tokens of a JSON pointer, or of the fragment of a `$ref`; null where it is none. */
export function tokensOf(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer as a URI fragment that Ajv and browsers read back unchanged. */
export function fragmentOf(pointer: string): string {
  return pointer
    .split('/')
    .map((token) => encodeURIComponent(token))
    .join('/');
}

/** The value at a pointer, or undefined. */
export function at(root: unknown, pointer: string): unknown {
  let node: unknown = root;
  for (const token of tokensOf(pointer) ?? ['\u0000']) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, token)) return undefined;
    node = (node as Record<string, unknown>)[token];
  }
  return node;
}

/** The pointer that a local `$ref` names, or null for an external one or an anchor. */
export function localPointer(ref: string): string | null {
  if (!ref.startsWith('#')) return null;
  let pointer: string;
  try {
    pointer = decodeURIComponent(ref.slice(1));
  } catch {
    return null;
  }
  return pointer === '' || pointer.startsWith('/') ? pointer : null;
}
