/** A way to make the key of the HMAC from the secret as it was handed over. */
export interface KeyForm {
  readonly name: string;
  readonly key: Buffer;
}

function decoded(text: string, encoding: 'base64' | 'base64url' | 'hex'): Buffer | null {
  const shape =
    encoding === 'hex'
      ? /^(?:[0-9a-fA-F]{2})+$/
      : encoding === 'base64'
        ? /^[A-Za-z0-9+/]+={0,2}$/
        : /^[A-Za-z0-9_-]+={0,2}$/;
  if (!shape.test(text)) return null;
  const key = Buffer.from(text, encoding);
  const strip = (value: string): string => value.replace(/(?<!=)=+$/, '').toLowerCase();
  // Node decodes leniently, so only what encodes back to itself counts as encoded; very short keys are words by accident.
  return key.length >= 8 && strip(key.toString(encoding)) === strip(text) ? key : null;
}

/** Every key that a secret may encode, the plain UTF-8 text first; each different key once. */
export function keyForms(secret: string): readonly KeyForm[] {
  const forms: KeyForm[] = [{ name: 'the secret as text', key: Buffer.from(secret, 'utf8') }];
  const add = (name: string, key: Buffer | null): void => {
    if (key !== null && key.length > 0 && !forms.some((form) => form.key.equals(key))) forms.push({ name, key });
  };
  const bare = secret.replace(/^[a-z]{2,8}_/, '');
  const prefixed = bare !== secret;
  for (const [text, said] of [
    [secret, 'the secret'],
    ...(prefixed ? [[bare, `the secret without ${secret.slice(0, -bare.length)}`] as const] : []),
  ] as const) {
    if (text !== secret) add(`${said}, as text`, Buffer.from(text, 'utf8'));
    add(`${said}, base64-decoded`, decoded(text, 'base64') ?? decoded(text, 'base64url'));
    add(`${said}, hex-decoded`, decoded(text, 'hex'));
  }
  return forms;
}
