import type { Credential } from '../http/client.js';

/** Credentials that no service may accept, and what to call them. */
export interface BadCredential {
  readonly label: string;
  readonly credential: Credential | null;
}

/** No credentials at all, and empty ones. */
export function noCredentials(): BadCredential[] {
  return [
    { label: 'no credentials', credential: null },
    { label: 'empty credentials', credential: { name: 'empty credentials', authorization: 'Bearer ' } },
  ];
}

/** Another letter or digit, one that differs by more than its case. */
function other(character: string): string {
  return /[a-y0-8]/i.test(character) ? String.fromCharCode(character.charCodeAt(0) + 1) : 'a';
}

/**
 * A key nobody was given, and a valid key with one character added, dropped or changed. Of forms that are much alike a number `turn`
 * chooses one, so that all come round where several operations are tried; null takes them all.
 */
export function mutatedKeys(key: string, unknown: string, turn: number | null): BadCredential[] {
  const middle = Math.floor(key.length / 2);
  // A mark between the parts of a key is what a careless comparison leaves out.
  const mark = Math.max(1, key.search(/[^a-z0-9]/i));
  const change = (at: number): string => key.slice(0, at) + other(key[at] ?? '') + key.slice(at + 1);
  const alike: [string, string][][] = [
    [['an unknown key', unknown]],
    [
      ['a valid key with a character added', `${key}x`],
      ['a valid key with a digit added', `${key}0`],
      ['a valid key with a suffix after a dot', `${key}.x`],
      ['a valid key with a dot added', `${key}.`],
    ],
    [
      ['a valid key with a comma and more after it', `${key},x`],
      ['a valid key with a semicolon and more after it', `${key};x`],
    ],
    [
      ['a valid key with a character before it', `x${key}`],
      ['a valid key without its first character', key.slice(1)],
      ['a valid key with its first character changed', change(0)],
      ['the word "null" as the key', 'null'],
    ],
    [['a valid key without its last character', key.slice(0, -1)]],
    [['a valid key with its last character changed', change(key.length - 1)]],
    [
      ['a valid key with a character in the middle changed', change(middle)],
      ['a valid key without a character within', key.slice(0, mark) + key.slice(mark + 1)],
    ],
  ];
  return alike
    .flatMap((forms) => forms.filter((_, at) => turn === null || at === turn % forms.length))
    .filter(([, value]) => value !== '' && value !== key)
    .map(([label, value]) => ({ label, credential: { name: label, authorization: `Bearer ${value}` } }));
}

/** Keys that a careful reader does not take, though whoever sends them has the key: more after it, or written otherwise. */
export function carelesslyRead(key: string): BadCredential[] {
  const percentEncoded = key.replace(/^[!-~]/, (first) => `%${first.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return [
    ['a key with a word after it', `${key} x`],
    ['a key in percent-encoding', percentEncoded],
  ].map(([label = '', value = '']) => ({
    label,
    credential: { name: `API_KEY: ${label}`, authorization: `Bearer ${value}` },
  }));
}
