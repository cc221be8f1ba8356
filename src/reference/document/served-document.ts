import type { Behaviour } from '../behaviour.js';
import { arrange } from './arrange.js';
import { buildDocument } from './document.js';
import type { Document } from './document.js';
import { tamper } from './tamper.js';

const built = new WeakMap<Behaviour, { readonly baseUrl: string; readonly text: string }>();

/** The text of the OpenAPI document of an instance, made once. */
export function servedDocument(behaviour: Behaviour, baseUrl: string): string {
  const known = built.get(behaviour);
  if (known?.baseUrl === baseUrl) return known.text;
  // Parts are shared while it is built; a copy of its own may be changed.
  const own = JSON.parse(JSON.stringify(buildDocument(behaviour))) as Document;
  tamper(own, behaviour);
  const text = JSON.stringify(arrange(own, behaviour, baseUrl));
  built.set(behaviour, { baseUrl, text });
  return text;
}
