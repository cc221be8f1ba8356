import type { Behaviour, Document } from '../instance.js';
import { arrange, schemaFile } from './arrange.js';
import { buildDocument } from './document.js';
import { stringify as toYaml } from 'yaml';

const built = new WeakMap<Behaviour, { readonly baseUrl: string; readonly text: string; readonly own: Document }>();

/** The text of the OpenAPI document of an instance, made once. */
export function servedDocument(behaviour: Behaviour, baseUrl: string): string {
  const known = built.get(behaviour);
  if (known?.baseUrl === baseUrl) return known.text;
  // Parts are shared while it is built; a copy of its own may be changed.
  const own = JSON.parse(JSON.stringify(buildDocument(behaviour))) as Document;
  behaviour.apply('document', own, behaviour.seed);
  const text = JSON.stringify(arrange(own, behaviour, baseUrl));
  built.set(behaviour, { baseUrl, text, own });
  return text;
}

/** The text of a schema's file beside the document, as JSON or YAML, or null where there is none. */
export function servedSchema(behaviour: Behaviour, baseUrl: string, name: string): string | null {
  const manner = behaviour.option('document-refs');
  if (manner !== 'files' && manner !== 'yaml-files') return null;
  servedDocument(behaviour, baseUrl);
  const own = built.get(behaviour)?.own;
  const file = own === undefined ? null : schemaFile(own, name, manner === 'files' ? '.json' : '.yaml');
  return file === null ? null : manner === 'files' ? JSON.stringify(file) : toYaml(file);
}
