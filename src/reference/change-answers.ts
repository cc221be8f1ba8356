import type { Answer, FaultHooks } from './instance.js';

/** The request that is answered. */
export interface ReferenceRequest {
  readonly method: string;
  /** As it was sent, without the query: `/gateway/v1/units`, for example. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Changes an answer in place. */
export type AnswerChange = (answer: Answer, request: ReferenceRequest) => void;

/** The hooks of a change. The body is a copy, as answers may share records. */
export function hooksOf(change: AnswerChange): FaultHooks {
  return {
    answer: (answer, { method, url, query }) => {
      const { body, type } = answer;
      const isJson = typeof body === 'object' || (typeof body === 'string' && /json/.test(type));
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const changed = { ...answer, body: isJson ? (JSON.parse(text) as unknown) : body };
      change(changed, { method, path: url.split('?', 1)[0] ?? '', query });
      return changed;
    },
  };
}
