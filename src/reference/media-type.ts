import type { Behaviour } from './instance.js';

/** The media type of a production answer of this instance. */
export function mediaTypeOf(behaviour: Behaviour, failed: boolean): string {
  if (behaviour.option('media-type') === 'json') return 'application/json';
  return failed ? 'application/problem+json' : 'application/vnd.dealer.v1+json';
}
