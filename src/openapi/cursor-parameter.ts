import type { Operation } from './operations.js';

const names: readonly RegExp[] = [
  /^cursor$/i,
  /cursor$/i,
  /cursor/i,
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
  for (const pattern of names.slice(0, 3)) {
    const found = query.find((one) => pattern.test(one.name));
    if (found) return found.name;
  }
  const described = query.find((one) =>
    /cursor/i.test(typeof one.node['description'] === 'string' ? one.node['description'] : ''),
  );
  if (described) return described.name;
  for (const pattern of names.slice(3)) {
    const found = query.find((one) => pattern.test(one.name));
    if (found) return found.name;
  }
  return null;
}
