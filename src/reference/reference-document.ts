import { readBehaviour } from './behaviour.js';
import { servedDocument } from './document/served-document.js';

/** The OpenAPI document that an instance without faults serves, as JSON text; what a certifier would pin. */
export function referenceDocument(variant: Readonly<Record<string, string>> = {}): string {
  return servedDocument(readBehaviour([], variant, 1), '');
}
