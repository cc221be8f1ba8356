import type { Operation } from './operations.js';

const surely: readonly RegExp[] = [/^cursor$/i, /cursor$/i, /cursor/i];
const perhaps: readonly RegExp[] = [
  /^(page|continuation|next|start|next[-_]?page)?[-_]?token$/i,
  /^(starting[-_]?)?after$/i,
  /^(next|after[-_]?id|start[-_]?(at|after)|from|since|continuation|offset|page|position|marker|skip)$/i,
];

/** The query parameter of an operation that takes a list cursor: by its name, else by a description that speaks of one; null where none does. */
export function cursorParameterOf(operation: Operation): string | null {
  const query = operation.parameters.filter(
    // The first page is asked for without a cursor, so what is required is none.
    (one) =>
      one.in === 'query' && !one.required && !/^(limit|status|sort|order|q|search|fields|filter)$/i.test(one.name),
  );
  const [named] = surely.flatMap((pattern) => query.find((one) => pattern.test(one.name)) ?? []);
  const described = query.find(
    ({ node }) => typeof node['description'] === 'string' && /cursor/i.test(node['description']),
  );
  const [likely] = perhaps.flatMap((pattern) => query.find((one) => pattern.test(one.name)) ?? []);
  return (named ?? described ?? likely)?.name ?? null;
}
