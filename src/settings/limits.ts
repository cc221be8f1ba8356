import type { SettingName } from './setting-table.js';
import { wrongSetting } from './wrong-input.js';

/** At most `count` requests in `windowSeconds` seconds. */
export interface Limit {
  readonly count: number;
  readonly windowSeconds: number;
}

/** Parses `600/60s,100/1s`; throws SettingsError naming the setting. */
export function parseLimits(setting: SettingName, text: string): readonly Limit[] {
  const parts = text.split(',').map((part) => /^\s*(\d+)\s*\/\s*(\d+(?:\.\d+)?)\s*(?:s\s*)?$/.exec(part));
  const limits = parts.map((match) => ({ count: Number(match?.[1]), windowSeconds: Number(match?.[2]) }));
  const usable = limits.every(
    (limit) => limit.count >= 1 && limit.count <= 1e7 && limit.windowSeconds > 0 && limit.windowSeconds <= 86_400,
  );
  if (!usable || limits.length > 2) {
    const expected = 'one or two limits such as 600/60s,100/1s (600 requests in 60 s, 100 in 1 s)';
    throw wrongSetting(setting, `"${text}"`, expected);
  }
  return limits;
}
