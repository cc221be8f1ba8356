import type { Exchange } from '../request-state.js';

type Answering = (exchange: Exchange) => void | Promise<void>;

/** What answers a method at a path. `operation` is empty for what production does not have. */
export interface Route {
  readonly answer: Answering;
  readonly operation: string;
  readonly scope: string | undefined;
}

/** The routes of an instance; `:id` at the end of a path stands for any last segment. */
export class Routes {
  readonly #routes = new Map<string, Route>();

  add(method: string, path: string, answer: Answering, operation = '', scope?: string): void {
    this.#routes.set(`${method} ${path}`, { answer, operation, scope });
  }

  /** The route of a path, if there is one, and the id in it; throws URIError for a path that cannot be decoded. */
  find(method: string, path: string): { readonly route: Route | undefined; readonly id: string } {
    const exact = this.#routes.get(`${method} ${decodeURI(path)}`);
    if (exact !== undefined) return { route: exact, id: '' };
    const end = path.lastIndexOf('/') + 1;
    const route = this.#routes.get(`${method} ${decodeURI(path.slice(0, end))}:id`);
    return { route, id: decodeURIComponent(path.slice(end)) };
  }
}
