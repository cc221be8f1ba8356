/** A text as a segment of a path or as a value in a query. Half a surrogate pair, which a service may show and no URL can carry, becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
