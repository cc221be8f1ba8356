import { type RawSettings, secretSettings, type SettingName } from '../../settings/index.js';

const isSecret = (name: string): boolean => (secretSettings as readonly string[]).includes(name);

/** Settings of the connection. They decide no verdict, and the verifier does not have them. */
const ofTheConnection = ['HEADERS', 'CLIENT_CERT', 'CLIENT_KEY', 'CA', 'PROXY'];

/** Settings to grade with: public ones as recorded, each secret one as a stand-in of the recorded shape or as `known` has it. */
export function settingsForGrading(recorded: Readonly<Record<string, string>>, known: RawSettings = {}): RawSettings {
  const settings: RawSettings = {};
  for (const [name, value] of Object.entries(recorded)) {
    if (ofTheConnection.includes(name)) continue;
    if (!isSecret(name)) {
      settings[name as SettingName] = value;
      continue;
    }
    const secret = name as SettingName;
    const twin = /^\[set, same as ([A-Z_]+)\]$/.exec(value)?.[1] ?? name;
    settings[secret] =
      known[secret] ?? (value.includes('no letters') ? standIn(twin).replace(/[a-z]/gi, '7') : standIn(twin));
  }
  return settings;
}

/** A made-up value that no answer holds by chance; its letters have both cases. */
function standIn(name: string): string {
  return `standIn0for0${name.toLowerCase().replaceAll('_', '0')}0Zq7Kx2Vw9`;
}
