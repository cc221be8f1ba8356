import { compatible } from '../diff/compatible.js';
import { plainDocument, put } from '../test-kit.js';

/** Compares two documents with `oneOf` of three branches nested `depth` levels deep, in different orders. */
export function choices(depth: number): () => void {
  const [pinned, served] = [plainDocument(), plainDocument()];
  for (const document of [pinned, served]) {
    for (let at = 0; at < depth; at += 1) {
      const next = ['a', 'b', 'c'].map((kind) => ({
        type: 'object',
        properties: { kind: { const: kind }, inner: { $ref: `#/components/schemas/Deep${at + 1}` } },
      }));
      put(document, `components schemas Deep${at}`, {
        oneOf: document === pinned ? next : [...next].reverse(),
      });
    }
    put(document, 'components schemas NewLead properties deep', { $ref: '#/components/schemas/Deep0' });
  }
  return () => {
    const breaks = compatible(pinned, served);
    if (breaks.length > 0) throw new Error(JSON.stringify(breaks[0]));
  };
}
