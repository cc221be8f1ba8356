import { test } from '@playwright/test';
import { startReference } from '../reference/start-reference.js';
import { runLeads } from './test-kit.js';
import { openRun } from '../run/open-run.js';
test('ref', async () => {
  const reference = await startReference({});
  console.log(Object.keys(reference), JSON.stringify(reference.settings).slice(0, 600));
  await reference.close();
  void runLeads; void openRun;
});
