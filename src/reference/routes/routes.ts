import type { AddRoute } from '../instance.js';

/** What answers a method at a path. */
export interface Route {
  readonly answer: Parameters<AddRoute>[2];
  readonly operation: string;
  readonly scope: string | undefined;
}

/** The routes of an instance. */
export class Routes {
  readonly #routes = new Map<string, Route>();

  readonly add: AddRoute = (method, path, answer, operation = '', scope) => {
    this.#routes.set(`${method} ${path}`, { answer, operation, scope });
  };

  /** The route of a path, if there is one, and the id in it; throws URIError for a path that cannot be decoded. */
  find(method: string, path: string): { readonly route: Route | undefined; readonly id: string } {
    const exact = this.#routes.get(`${method} ${decodeURI(path)}`);
    if (exact !== undefined) return { route: exact, id: '' };
    const end = path.lastIndexOf('/') + 1;
    const route = this.#routes.get(`${method} ${decodeURI(path.slice(0, end))}:id`);
    return { route, id: decodeURIComponent(path.slice(end)) };
  }
}
