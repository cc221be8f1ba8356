import { openTarget, type OpenTarget } from '../embedded/index.js';
import { SettingsError } from '../settings/index.js';
import type { Arguments } from './arguments.js';
import { misspeltSettings, strayLines } from './misspelt-settings.js';
import { readSettings, readSettingsFile, settingsText } from './read-settings.js';

/** The service that BASE_URL names, or the reference service where a flag asks for it. Throws SettingsError where nothing is asked for. */
export async function openNamed(parsed: Arguments): Promise<OpenTarget> {
  const settings = readSettings(parsed.settings);
  const doubts = [...strayLines(settingsText()), ...misspeltSettings(settings, readSettingsFile(), process.env)];
  for (const line of doubts) process.stderr.write(`${line}\n`);
  const isSet = settings.BASE_URL !== undefined;
  if (isSet && parsed.options.embedded)
    throw new SettingsError(
      '--embedded is given and BASE_URL is set: expected one of them; remove BASE_URL from .env, the environment and the flags, or leave out --embedded.',
    );
  if (!isSet && parsed.options['embedded-if-unset'])
    process.stdout.write(
      'BASE_URL is not set, so this judges the embedded reference service; set BASE_URL to judge yours.\n',
    );
  else if (!isSet && !parsed.options.embedded)
    throw new SettingsError(
      'BASE_URL is missing or empty: expected the root of the service under test; set it in .env in this folder, in the environment or with --base-url, or add --embedded to judge the embedded reference service.',
    );
  return openTarget(settings);
}
