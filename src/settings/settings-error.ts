/** A setting, argument or file that cannot be used; one sentence says which, what was found, what was expected and how to fix it. Exit status 2. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
