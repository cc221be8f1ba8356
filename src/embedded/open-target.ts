import { parseLimits, planNames, type RawSettings, readTarget, type Target } from '../settings/index.js';

/** A target that is ready to be tested, and what has to be closed afterwards. */
export interface OpenTarget {
  readonly target: Target;
  /** The settings in force, secrets included. */
  readonly settings: RawSettings;
  /** Tells the embedded service where to deliver a tenant's events; null for any other service. */
  readonly register: ((tenant: 'main' | 'other', url: string) => void) | null;
  close(): Promise<void>;
}

/** The limits that settings give the reference service, by plan. Throws SettingsError. */
export function limitsOf(raw: RawSettings) {
  return Object.fromEntries(
    planNames.flatMap((plan) => {
      const name = `LIMITS_${plan.toUpperCase() as Uppercase<typeof plan>}` as const;
      const given = raw[name] ? parseLimits(name, raw[name]) : [];
      return given.length === 0
        ? []
        : [[plan, given.map(({ count, windowSeconds }) => ({ count, seconds: windowSeconds }))]];
    }),
  );
}

/** The service that the settings name or, without BASE_URL, the reference service on a free loopback port. Throws SettingsError. */
export async function openTarget(raw: RawSettings): Promise<OpenTarget> {
  if (raw.BASE_URL) return { target: readTarget(raw), settings: raw, register: null, close: () => Promise.resolve() };
  // Settings are judged before anything is started, with any root in place of the one to come.
  readTarget({ ...raw, BASE_URL: 'http://127.0.0.1:1' }, true);
  const { startReference } = await import('../reference/index.js');
  const reference = await startReference({ limits: limitsOf(raw) });
  const settings: RawSettings = { ...reference.settings, ...raw, BASE_URL: reference.baseUrl };
  return {
    target: readTarget(settings, true),
    settings,
    register: (tenant, url) => reference.setWebhookReceiver(tenant, url),
    close: () => reference.close(),
  };
}
