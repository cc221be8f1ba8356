import { createHash } from 'node:crypto';

const most = 16;

/** A small memory of what was found out about documents, so that a process that meets a document again need not judge it again. */
export function memoizeByDocument<T>(): (document: Record<string, unknown>, find: () => Promise<T>) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (document, find) => {
    const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64');
    const found = known.get(digest) ?? find();
    // The document that was met last is forgotten last.
    known.delete(digest);
    known.set(digest, found);
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return found;
  };
}
