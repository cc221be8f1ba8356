import { type ReferenceOptions, startReference } from '../../src/reference/index.js';
import type { Service } from './judge-service.js';
import { watched } from './watched-hooks.js';
import { closing } from '../../src/loopback.test-kit.js';

/** Starts the reference as a service to be judged. */
export async function startReferenceService(options: ReferenceOptions): Promise<Service & AsyncDisposable> {
  let isReached = (options.faults ?? []).length === 0;
  const watch: ReferenceOptions['watch'] = (hooks) => {
    // A fault that is nothing but an option shows in whatever the service does.
    isReached ||= Object.keys(hooks).length === 0;
    return watched(hooks, () => (isReached = true));
  };
  const service = await startReference({ ...options, watch });
  return closing<Service>({
    settings: { ...service.settings, BASE_URL: service.baseUrl },
    register: (tenant, url) => service.setWebhookReceiver(tenant, url),
    close: () => service.close(),
    isReached: () => isReached,
  });
}

/** The service, to be judged with further settings. */
export function withSettings(service: Service, more: Readonly<Record<string, string>>): Service {
  return { ...service, settings: { ...service.settings, ...more } };
}

/** Plan numbers small enough for windows of a few seconds: of `sustained` and of `burst` seconds. */
export function scaledLimits(sustained: number, burst: number) {
  return {
    independent: [
      { count: 120, seconds: sustained },
      { count: 40, seconds: burst },
    ],
    franchise: [
      { count: 360, seconds: sustained },
      { count: 120, seconds: burst },
    ],
    enterprise: null,
    demo: [{ count: 30, seconds: sustained }],
    sandbox: [{ count: 30, seconds: sustained }],
  } satisfies Required<NonNullable<ReferenceOptions['limits']>>;
}
