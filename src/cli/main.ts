#!/usr/bin/env node
import { visible } from '../visible.js';
import { SettingsError } from '../settings/index.js';
import { runCommand } from './run-command.js';

// A command whose output was closed (`| head -1`) continues: its reports and its exit status still count.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (error instanceof SettingsError) {
    // A sentence may quote a file of another party.
    process.stderr.write(`${error.message.split('\n').map(visible).join('\n')}\n`);
    process.exitCode = 2;
  } else {
    const said = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `The suite itself failed: ${visible(said.split('\n')[0] ?? '')}. Set DEBUG=1 to see where, and please report it.\n`,
    );
    if (process.env['DEBUG']) process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : ''}\n`);
    process.exitCode = 4;
  }
}
